from __future__ import annotations

import pytest

from adjudge.models.offline.findings import weights
from adjudge.models.offline.flow import fresh, repeats, truncated
from adjudge.models.offline.text import analyse
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.summaries import BOTH, GOOD, MILL, kinds, measured, quality


@pytest.mark.parametrize("lang", BOTH)
def test_a_good_summary_is_near_the_top_and_has_no_fault(lang):
    found = measured("coherence", GOOD[lang], MILL[lang], lang)
    assert found.quality is not None and found.quality > 0.7
    assert not found.faults


@pytest.mark.parametrize(
    ("lang", "worse", "kind"),
    [
        ("en", f"{GOOD['en']} {GOOD['en']}", "repeated"),
        ("ru", f"{GOOD['ru']} {GOOD['ru']}", "repeated"),
        ("en", GOOD["en"].removesuffix("with timber from the village.") + "with the", "truncated"),
        ("ru", GOOD["ru"].removesuffix("которые даст село.") + "и", "truncated"),
        ("en", "The mill burned down because. " + GOOD["en"], "unfinished"),
        ("ru", "Мельница сгорела и. " + GOOD["ru"], "unfinished"),
        ("en", GOOD["en"].replace("The mill of Arnby", "However, the mill of Arnby"), "unnamed"),
        ("ru", GOOD["ru"].replace("Мельница в Арнби", "Однако мельница в Арнби"), "unnamed"),
        ("en", GOOD["en"] + " The miller Olof Berg lost the harvest when his mill burned.", "echoed"),
        ("ru", GOOD["ru"] + " Мельник Олоф Берг потерял урожай, когда сгорела мельница.", "echoed"),
        ("en", "A mill burned down. The bakery sells bread. Trains were late. Snow fell.", "unlinked"),
        ("ru", "Мельница сгорела. Пекарня продаёт хлеб. Поезда опоздали. Выпал снег.", "unlinked"),
    ],
)
def test_a_fault_costs_and_is_named_with_its_place(lang, worse, kind):
    found = measured("coherence", worse, MILL[lang], lang)
    assert found.quality is not None and found.quality < quality("coherence", GOOD[lang], MILL[lang], lang)
    finding = next(finding for finding in found.findings if finding.kind == kind)
    assert finding.against and finding.at and worse[slice(*finding.at)].strip()


@pytest.mark.parametrize("lang", BOTH)
def test_the_order_of_the_source_is_missed_when_it_is_turned_round(lang):
    turned = ". ".join(MILL[lang].split(". ")[4::-1])
    found = measured("coherence", turned + ".", MILL[lang], lang)
    finding = next(finding for finding in found.findings if finding.kind == "order_differs")
    assert finding.at and finding.source_at
    assert "order_differs" not in kinds(measured("coherence", MILL[lang], MILL[lang], lang))


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "A mill burned down. It had stood for long. This troubles everybody. They will help."),
        ("ru", "Мельница сгорела. Она стояла давно. Это тревожит каждого. Они помогут."),
    ],
)
def test_a_pronoun_takes_up_what_was_said(lang, text):
    assert "unlinked" not in kinds(measured("coherence", text, MILL[lang], lang))


def test_an_early_stop_is_told_but_not_held_against_the_text():
    text = "Forty neighbours of the miller carried water."
    found = measured("coherence", text, MILL["en"])
    finding = next(finding for finding in found.findings if finding.kind == "cut_short")
    assert not finding.against and finding.at == (0, len(text))
    assert finding.source_at and MILL["en"][slice(*finding.source_at)].startswith("Forty")


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("It rained and", True),
        ("Дождь шёл и", True),
        ("It rained,", True),
        ("It rained.", False),
        ("Roma lead Serie A.", False),
        ("Das teilte der Konzern mit.", False),
        ("Купить было не на что.", False),
    ],
)
def test_a_text_that_breaks_off(text, breaks):
    assert bool(truncated(analyse(text))) is breaks


def test_a_short_sentence_again_is_a_repeat_and_a_similar_one_is_not():
    assert [s.text for s in repeats(analyse("Yes. No. Yes.").sentences, short=True)] == ["Yes."]
    assert not repeats(analyse("Yes. No. Yes.").sentences)
    assert not repeats(analyse("The mill burned down. The mill was old.").sentences)


def test_long_texts_are_no_less_fresh_than_short_ones():
    words = [f"word{n % 90}" for n in range(900)]
    text = analyse(". ".join(" ".join(words[at : at + 9]) for at in range(0, 900, 9)))
    assert fresh(text.sentences) == 1


def test_without_a_source_the_order_and_the_opening_are_left_open():
    parts = measured("coherence", GOOD["en"], "").parts
    assert parts["order"] == parts["opening"] == weights("coherence")["unseen"]


def test_every_part_has_its_weight_and_they_make_one():
    mix = weights("coherence")["mix"]
    assert set(mix) == set(measured("coherence", GOOD["en"], MILL["en"]).parts)
    assert sum(mix.values()) == pytest.approx(1)


@pytest.mark.parametrize("piece", ["a b c d. ", "word ", "the same again. ", "x. ", "и "])
def test_time_is_linear(piece):
    def work(text: str) -> object:
        return measured("coherence", text, text)

    assert_linear(work, lambda size: (piece * size)[:size], 20_000, ratio=LARGE)
