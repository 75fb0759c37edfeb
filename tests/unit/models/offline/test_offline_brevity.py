from __future__ import annotations

import pytest

from adjudge.models.offline.findings import Measured
from adjudge.models.offline.judge import measure_all
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import rag, summary
from tests.unit.models.offline.summaries import BOTH, GOOD, MILL, kinds, measured, quality

LONG = {lang: "\n\n".join(MILL[lang].replace("210", str(n)) + f" {n}." for n in range(200, 206)) for lang in BOTH}
EMPTY = {
    "en": "Everyone may think about this freely. Such questions often inspire people. Time will show something later.",
    "ru": "Каждый волен размышлять об этом. Подобные вопросы нередко вдохновляют людей. Время когда-нибудь покажет.",
}


@pytest.mark.parametrize("lang", BOTH)
def test_a_summary_of_fair_length_has_full_marks(lang):
    found = measured("conciseness", GOOD[lang], LONG[lang], lang)
    assert found.quality is not None and found.quality > 0.9
    assert kinds(found) == ["length_source"]


@pytest.mark.parametrize("lang", BOTH)
@pytest.mark.parametrize(
    ("text", "kind"), [("copy", "copy"), ("too_long", "too_long"), ("short", "too_short"), ("again", "repeated")]
)
def test_a_fault_costs_and_is_named(lang, text, kind):
    half = LONG[lang][: int(len(LONG[lang]) * 0.7)]
    texts = {
        "copy": LONG[lang],
        "too_long": half,
        "short": GOOD[lang].split()[0],
        "again": f"{GOOD[lang]} {GOOD[lang]}",
    }
    found = measured("conciseness", texts[text], LONG[lang], lang)
    assert kind in kinds(found)
    assert found.quality is not None and found.quality < quality("conciseness", GOOD[lang], LONG[lang], lang) - 0.1


@pytest.mark.parametrize("lang", BOTH)
def test_empty_talk_is_padding_and_paraphrase_is_not(lang):
    padded = measured("conciseness", f"{GOOD[lang]} {EMPTY[lang]}", LONG[lang], lang)
    assert "padding" in kinds(padded) and padded.parts["full"] < 1
    assert "padding" not in kinds(measured("conciseness", GOOD[lang], LONG[lang], lang))


def test_saying_it_again_does_not_make_a_short_text_longer():
    once = measured("conciseness", "The mill burned.", LONG["en"]).parts
    twice = measured("conciseness", "The mill burned. The mill burned.", LONG["en"]).parts
    assert twice["short"] == once["short"] and twice["fresh"] < once["fresh"]


def test_without_anything_to_compare_with_it_is_not_judged():
    assert measured("conciseness", GOOD["en"], "").quality is None


JUDGE = load_judge("rag-answers", "en")


def conciseness(text: str, sources: list[str], reference: str | None = None) -> Measured:
    return measure_all(JUDGE, rag({"a": text, "b": "x"}, sources, reference, "Who built the mill?"))["a"]["conciseness"]


def test_a_short_answer_is_complete_whatever_the_sources_have_to_say():
    found = conciseness("The mill was built by a baker.", [LONG["en"]])
    assert found.quality == 1
    assert kinds(found) == ["length_source"]
    short = "The mill was built by a baker in the spring."
    assert conciseness(short, [short]).quality == 1


def test_an_answer_may_be_too_long_repeat_itself_or_pad():
    assert "copy" in kinds(conciseness(LONG["en"], [LONG["en"]]))
    again = conciseness("The mill was built by a baker. The mill was built by a baker.", [LONG["en"]])
    assert "repeated" in kinds(again) and again.quality is not None and again.quality < 0.6
    assert "padding" in kinds(conciseness(f"{GOOD['en']} {EMPTY['en']}", [LONG["en"]]))


def test_a_reference_answer_still_tells_what_is_too_short():
    assert "too_short" in kinds(conciseness("A baker.", [LONG["en"]], GOOD["en"]))


@pytest.mark.parametrize(
    ("text", "source", "reference", "kind"),
    [
        (GOOD["en"], MILL["ru"], None, "other_script"),
        (GOOD["en"], MILL["en"], GOOD["ru"], "other_script"),
        (GOOD["en"], MILL["ru"], GOOD["en"], "length_reference"),
        ("Yes.", MILL["en"], None, "only_small_words"),
        ("Yes.", "", None, "no_basis"),
    ],
)
def test_length_is_judged_only_against_what_can_be_compared(text, source, reference, kind):
    found = conciseness(text, [source], reference)
    assert kinds(found)[0] == kind
    assert (found.quality is None) == (kind != "length_reference")
    if reference is None and text == GOOD["en"]:
        assert measured("conciseness", text, source).quality is None


@pytest.mark.parametrize(
    ("golden", "answer"), [("No.", "No, orders over 50 euros ship free."), ("Paris.", "It is Paris.")]
)
def test_a_golden_word_or_two_say_nothing_of_length(golden, answer):
    judge = load_judge("rag-answers", "en")
    for text in (answer, ""):
        found = measure_all(judge, rag({"a": text, "b": "x"}, [""], golden))["a"]["conciseness"]
        assert found.quality is None
        assert kinds(found)[0] == "short_reference"
    sourced = measure_all(judge, rag({"a": answer, "b": "x"}, ["Paris orders ship free over 50 euros."], golden))["a"]
    assert kinds(sourced["conciseness"]) == ["length_source"]
    assert sourced["conciseness"].quality == 1


def test_a_sentence_said_sixty_times_is_told_once():
    text = "The ferry Aurora carried forty passengers. " * 60
    found = measure_all(load_judge("summary", "en"), summary("The ferry Aurora carried forty passengers.", text))[""]
    for criterion in ("coherence", "conciseness"):
        assert [finding.kind for finding in found[criterion].findings].count("repeated") == 1
