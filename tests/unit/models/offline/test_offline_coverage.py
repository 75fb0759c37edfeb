from __future__ import annotations

import pytest

from adjudge.models.offline.findings import weights
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.summaries import BOTH, GOOD, MILL, kinds, measured, quality


@pytest.mark.parametrize("lang", BOTH)
def test_what_matters_counts_more_than_what_stands_apart(lang):
    sentences = MILL[lang].split(". ")
    first, last = sentences[0] + ".", sentences[-1]
    assert quality("coverage", first, MILL[lang], lang) > quality("coverage", last, MILL[lang], lang) + 0.2


@pytest.mark.parametrize("lang", BOTH)
def test_a_good_summary_is_well_above_one_of_something_else(lang):
    other = {"en": "The bakery opens at nine and sells bread.", "ru": "Пекарня открывается в девять и продаёт хлеб."}
    assert quality("coverage", GOOD[lang], MILL[lang], lang) > 0.75
    assert quality("coverage", other[lang], MILL[lang], lang) < 0.1


@pytest.mark.parametrize("lang", BOTH)
def test_the_same_words_in_another_form_count(lang):
    inflected = {
        "en": "Mills burn: the millers of Arnby were losing harvests on Sunday nights.",
        "ru": "О сгоревших мельницах: мельники Арнби теряли урожаи в воскресные ночи.",
    }
    assert measured("coverage", inflected[lang], MILL[lang], lang).parts["words"] > 0.4


@pytest.mark.parametrize("lang", BOTH)
def test_a_key_sentence_that_is_missing_is_named_with_its_place(lang):
    cut = GOOD[lang].split(". ")[1]
    found = measured("coverage", cut, MILL[lang], lang)
    missing = [finding for finding in found.findings if finding.kind == "uncovered"]
    assert missing and all(finding.at is None and finding.source == "1" for finding in missing)
    pieces = [MILL[lang][slice(*finding.source_at)] for finding in missing if finding.source_at]
    assert any("Олоф Берг" in piece or "Olof Berg" in piece for piece in pieces)


@pytest.mark.parametrize("lang", BOTH)
def test_nothing_is_called_missing_when_all_is_there(lang):
    assert kinds(measured("coverage", MILL[lang], MILL[lang], lang)) == ["covered"]


def test_what_several_sources_say_counts_more():
    reviews = (
        "The kettle leaks at the lid.\n\nMy kettle leaks too.\n\nA leaking kettle, and the lid is loose.\n\nNice box."
    )
    assert quality("coverage", "The kettle leaks.", reviews) > quality("coverage", "The box is nice.", reviews) + 0.2


def test_the_main_thing_at_the_beginning_counts():
    first, *rest = GOOD["en"].split(". ")
    turned = ". ".join([*rest, first])
    assert (
        measured("coverage", GOOD["en"], MILL["en"]).parts["opening"]
        > (measured("coverage", turned, MILL["en"]).parts["opening"])
    )


def test_numbers_count_and_a_source_without_them_is_neutral():
    with_it = measured("coverage", "The mill had stood for 210 years.", MILL["en"]).parts["numbers"]
    assert with_it > measured("coverage", "The mill had stood for long.", MILL["en"]).parts["numbers"]
    none = measured("coverage", "A mill burned.", "A mill burned. Nobody was hurt.").parts["numbers"]
    assert none == weights("coverage")["no_numbers"]


def test_every_part_has_its_weight_and_they_make_one():
    mix = weights("coverage")["mix"]
    assert set(mix) == set(measured("coverage", GOOD["en"], MILL["en"]).parts)
    assert sum(mix.values()) == pytest.approx(1)


@pytest.mark.parametrize("content", ["第三十次会议。会议决定。", "Das Haus brannte. Die Feuerwehr kam spät.", "1 2 3"])
def test_other_languages_are_measured_too(content):
    assert quality("coverage", content, content) > 0.9


@pytest.mark.parametrize("piece", ["a b. ", "word ", "одно и то же. ", "x. "])
def test_time_is_linear(piece):
    assert_linear(
        lambda text: measured("coverage", "a word. x", text), lambda size: (piece * size)[:size], 20_000, ratio=LARGE
    )


@pytest.mark.parametrize(
    ("lang", "content", "said"),
    [("en", "x", "nothing to find"), ("en", "Yes.", "nothing to find"), ("ru", "Я.", "искать нечего")],
)
@pytest.mark.parametrize("empty", [False, True])
def test_a_source_without_a_statement_leaves_nothing_to_find(lang, content, said, empty):
    found = measured("coverage", "" if empty else GOOD[lang], content, lang)
    assert found.quality is None
    assert said in found.reason
