from __future__ import annotations

from typing import Any

import pytest

from adjudge.models.offline.findings import weights
from adjudge.models.offline.judge import measure_all
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import rag, search

SOURCE = (
    "The keeper Anna Holm lit the lamp every evening at six. In March a storm broke the window and the lamp went out. "
    "Anna held a lantern in the broken window for nine hours, and the ferry Sula found the harbour."
)
GOLDEN = "Anna Holm held a lantern in the broken window for nine hours, so the ferry Sula found the harbour."
QUESTION = "Who saved the ferry in the storm?"
FULL = "Anna Holm held a lantern in the broken window for nine hours and the ferry Sula found the harbour."
ANSWERS = {
    "full": FULL,
    "half": "Anna Holm held a lantern in the broken window.",
    "strewn": "The harbour found nine ferries; in Sula hours broken lanterns held a window for Anna.",
    "off": "Cats sleep for most of the day and like to sit on warm stoves.",
}
JUDGE = load_judge("rag-answers", "en")


def qualities(criterion: str, **given: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {"sources": [""], "reference": GOLDEN, "question": QUESTION, **given}
    return {name: measured[criterion].quality for name, measured in measure_all(JUDGE, rag(ANSWERS, **whole)).items()}


@pytest.mark.parametrize("criterion", ["correctness", "completeness"])
@pytest.mark.parametrize("source", ["", SOURCE])
def test_answers_are_ordered_against_the_golden_answer(criterion, source):
    found = qualities(criterion, sources=[source])
    assert found["full"] > found["half"] > found["off"]
    assert found["full"] > 0.9
    assert found["full"] > found["strewn"] + 0.15
    assert found["off"] < 0.2


def test_the_golden_answer_itself_is_the_best():
    for criterion in ("correctness", "completeness"):
        item = rag({"a": GOLDEN, "b": "x"}, [""], GOLDEN, QUESTION)
        assert measure_all(JUDGE, item)["a"][criterion].quality == 1


def test_a_short_golden_answer_asks_for_no_length():
    item = rag({"a": "The novel was finished in 1902, in the country.", "b": "In 1905."}, [""], "In 1902.", "When?")
    found: Any = measure_all(JUDGE, item)
    assert found["a"]["completeness"].quality > 0.9
    assert found["b"]["completeness"].quality < 0.1


def test_a_mix_is_of_its_named_parts():
    found = measure_all(JUDGE, rag(ANSWERS, [SOURCE], GOLDEN, QUESTION))["half"]
    assert set(found["correctness"].parts) == set(weights("answer_support")["mix"])
    assert set(found["completeness"].parts) == set(weights("answer_coverage")["mix"])
    without = measure_all(JUDGE, rag(ANSWERS, [""], GOLDEN, QUESTION))["half"]
    assert set(without["correctness"].parts) == set(found["correctness"].parts) - {"held"}


def test_what_the_golden_answer_has_and_the_text_lacks_is_named_in_its_place():
    golden = "Anna Holm held a lantern. The captain brought her a new pane of glass in the morning."
    item = rag({"a": "Anna Holm held a lantern.", "b": "x"}, [""], golden, QUESTION)
    (missed,) = [f for f in measure_all(JUDGE, item)["a"]["completeness"].findings if f.kind == "reference_missed"]
    assert missed.source == "reference"
    assert missed.source_at and golden[slice(*missed.source_at)].startswith("The captain brought")


@pytest.mark.parametrize(("lang", "said"), [("en", "not counted in the score"), ("ru", "в оценку не входит")])
def test_agreement_with_the_other_answers_is_evidence_and_no_score(lang, said):
    judge = load_judge("rag-answers", lang)
    alike = {"a": FULL, "b": FULL, "c": ANSWERS["off"]}
    other = {"a": FULL, "b": ANSWERS["off"], "c": ANSWERS["off"]}
    shown = []
    for answers in (alike, other):
        found = measure_all(judge, rag(answers, [SOURCE], GOLDEN, QUESTION))["a"]
        (agreed,) = [f for f in found["correctness"].findings if f.kind == "peers_agree"]
        assert said in agreed.reason and "2" in agreed.reason
        assert not agreed.against
        shown.append((found["correctness"].quality, agreed.reason))
    assert shown[0][0] == shown[1][0]
    assert shown[0][1] != shown[1][1]


def test_agreement_makes_nothing_judged_that_has_no_basis():
    found = measure_all(JUDGE, rag({"a": FULL, "b": FULL}, [""], None, QUESTION))["a"]["correctness"]
    assert found.quality is None
    assert [finding.kind for finding in found.findings] == ["no_basis", "peers_agree"]
    assert "100 of 100" in found.findings[1].reason


def test_a_single_answer_has_nobody_to_agree_with():
    found = measure_all(JUDGE, rag({"a": FULL, "b": " "}, [SOURCE], GOLDEN, QUESTION))["a"]["correctness"]
    assert "peers_agree" not in {finding.kind for finding in found.findings}


def relevancy(text: str, query: str = QUESTION, source: str = SOURCE):
    return measure_all(load_judge("search-summary", "en"), search(text, [source], query))[""]["relevancy"]


def test_relevance_rises_with_the_question_taken_up_early_and_throughout():
    on, late, off = (relevancy(t).quality for t in (FULL, f"Cats sleep. Dogs bark. {FULL}", ANSWERS["off"]))
    assert on > late > off


def test_without_sources_relevance_goes_by_the_question_alone():
    measured = relevancy("The ferry was saved in the storm by Anna.", source="")
    assert set(measured.parts) == {"query", "first", "focus"}
    assert measured.quality == 1


def test_a_loose_sentence_is_named_and_a_chain_of_words_is_not_loose():
    chained = "The ferry was saved by Anna. Anna had a lantern. The lantern hung in the window."
    assert [f for f in relevancy(chained, source="").findings if f.kind == "off_topic"] == []
    text = chained + " Cats sleep on warm stoves all day."
    (loose,) = [f for f in relevancy(text, source="").findings if f.kind == "off_topic"]
    assert text[slice(*loose.at)] == "Cats sleep on warm stoves all day."
    assert not loose.against


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(("reference", "text"), [(None, "Yes."), (GOLDEN, "No."), ("Эльбрус в Европе.", "Да.")])
def test_of_small_words_alone_nothing_can_be_said(lang, reference, text):
    asked, source = (QUESTION, SOURCE) if text.isascii() else ("Эльбрус в Европе?", "Эльбрус — вершина Европы.")
    found = measure_all(load_judge("rag-answers", lang), rag({"a": text, "b": "x"}, [source], reference, asked))["a"]
    for criterion in ("completeness", "correctness")[: 2 if reference else 1]:
        assert found[criterion].quality is None
        assert found[criterion].findings[0].kind == "only_small_words"
        assert not any(finding.against for finding in found[criterion].findings)
    assert relevancy("Yes.").quality is None


def test_completeness_needs_sources_or_a_reference_that_can_be_compared():
    foreign = "Анна Хольм девять часов держала фонарь в разбитом окне."
    echo = {"a": QUESTION, "b": FULL}
    for name, reference, judged in (("a", None, False), ("b", None, False), ("b", GOLDEN, True)):
        found = measure_all(JUDGE, rag(echo, [foreign], reference, QUESTION))[name]["completeness"]
        assert (found.quality is not None) == judged
        assert judged or found.findings[0].kind == "other_script"


def test_a_text_without_words_is_the_worst_even_where_the_sources_have_none():
    found = measure_all(JUDGE, rag({"a": "🙂", "b": "x"}, ["…"], GOLDEN, QUESTION))["a"]
    for criterion in ("correctness", "completeness"):
        assert found[criterion].quality == 0
        assert [finding.kind for finding in found[criterion].findings][:1] == ["no_words"]


WARRANTY = {
    "en": ("The warranty does not cover damage by water or falls.", "No", "Yes, the warranty covers damage by water."),
    "ru": ("Гарантия не покрывает повреждения водой.", "Нет", "Да, гарантия покрывает повреждения водой."),
}


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("mark", [",", " -", ":", "."])
def test_an_answer_that_begins_with_no_says_what_follows_it(lang, mark):
    source, no, wrong = WARRANTY[lang]
    rest = source if mark == "." else source[0].lower() + source[1:]
    found: Any = measure_all(JUDGE, rag({"a": f"{no}{mark} {rest}", "b": source, "c": wrong}, [source]))
    for criterion in ("correctness", "retrieval_accuracy"):
        assert found["a"][criterion].quality == found["b"][criterion].quality == 1
        assert found["c"][criterion].quality < 0.6


FREE = {
    "en": ("Orders over 50 euros ship free.", "No, orders over 50 euros ship free.", "Yes, all orders cost 5 euros."),
    "ru": (
        "Заказы от 50 евро везут даром.",
        "Нет, заказы от 50 евро везут даром.",
        "Да, за каждый заказ берут 5 евро.",
    ),
}


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("sourced", [True, False])
def test_a_golden_yes_or_no_is_compared_by_what_an_answer_begins_with(lang, sourced):
    source, right, wrong = FREE[lang]
    no, yes = right.split(",")[0] + ".", wrong.split(",")[0] + "."
    answers = {"right": right, "wrong": wrong, "no": no, "yes": yes, "neither": source}
    judge, sources = load_judge("rag-answers", lang), [source if sourced else ""]
    found: Any = measure_all(judge, rag(answers, sources, no))
    turned: Any = measure_all(judge, rag(answers, sources, yes))
    for criterion in ("correctness", "completeness"):
        assert [found[name][criterion].quality for name in answers] == [1, 0, 1, 0, None]
        assert [turned[name][criterion].quality for name in ("right", "no", "yes", "neither")] == [0, 0, 1, None]
        assert found["wrong"][criterion].faults and no[:-1].lower() in found["wrong"][criterion].reason
        assert not found["right"][criterion].faults
        assert no[:-1].lower() in found["neither"][criterion].reason.lower()


def test_a_golden_no_excuses_nothing_that_the_sources_do_not_hold():
    answers = {"a": "No, orders over 50 euros ship free.", "b": "No, penguins pay for every parcel in Norway."}
    found: Any = measure_all(JUDGE, rag(answers, [FREE["en"][0]], "No."))
    assert found["a"]["correctness"].quality > found["b"]["correctness"].quality + 0.2


def test_a_golden_answer_of_function_words_has_nothing_to_compare():
    found = measure_all(JUDGE, rag({"a": "Orders ship free.", "b": "x"}, [""], "It is."))["a"]
    assert [found[c].quality for c in ("correctness", "completeness", "conciseness")] == [None] * 3


@pytest.mark.parametrize(
    ("golden", "told"), [("", "in the source:"), ("The hall is blue.", "or the reference answer:")]
)
def test_a_reason_names_where_places_were_looked_for(golden, told):
    found = measure_all(JUDGE, rag({"a": "The hall is blue.", "b": "x"}, ["The tower is red and tall."], golden))["a"]
    assert told in found["correctness"].reason
