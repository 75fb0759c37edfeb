from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.models.offline.judge import measure_all
from adjudge.models.offline.slips import slips
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.asking import segment


def found(src: str, trg: str, ref: str | None = None, lang: str = "en"):
    return slips(Case(load_judge("translation", lang), segment(src, trg, ref)).view(""))


@pytest.mark.parametrize(
    ("src", "trg", "ref", "kind", "place"),
    [
        ("It is a big house.", "Это большой большой дом.", None, "doubled", "большой большой"),
        ("A long word.", "Длинное слoво.", None, "mixed_script", "слoво"),
        ("Tom and Ann.", "Том &amp; Анна.", None, "garbage", "&amp;"),
        ("I know this well.", "Я хорошо знаю, что", None, "truncated", "Я хорошо знаю, что"),
        ("He reads old books.", "He reads old books.", "Он читает книги.", "wrong_script", "He reads old books."),
        ("We met the guest.", "Мы встретили старого гостя. Мы встретили старого гостя.", None, "repeated", None),
        ("The cold sea.", "море и снова море " * 4, None, "loop", None),
    ],
)
def test_a_slip_is_found_at_its_place(src, trg, ref, kind, place):
    kinds = {finding.kind: finding for finding in found(src, trg, ref)}
    assert kind in kinds
    if place:
        assert trg[slice(*kinds[kind].at)] == place


@pytest.mark.parametrize(
    ("src", "trg"),
    [
        ("I know that that is so.", "I know that that is so."),
        ("Duran Duran played.", "Играли Duran Duran."),
        ("Bath, bath and bath: a bath.", "Ванна и душ, ванна и душ, ванна и душ."),
        ("Either way,", "В любом случае,"),
    ],
)
def test_what_is_meant_is_no_slip(src, trg):
    assert not found(src, trg)


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(
    ("trg", "named", "wrong"),
    [
        ("We are sorry for the delay.", {"trg_lang": "Russian"}, True),
        ("We are sorry for the delay.", {"trg_lang": "ru-RU"}, True),
        ("Извините за задержку.", {"trg_lang": "Russian"}, False),
        ("Adobe Photoshop for Windows.", {"trg_lang": "русский"}, False),
        ("Es tut uns leid, dass es dauert.", {"trg_lang": "German"}, False),
        ("We are sorry for the delay.", {}, False),
        ("We are sorry for the delay.", {"src_lang": "ru", "trg_lang": "en"}, False),
        ("We are sorry for the delay.", {"src_lang": "ru"}, False),
    ],
)
def test_a_sentence_in_latin_letters_is_no_russian(lang, trg, named, wrong):
    item = segment("We are sorry for the delay.", trg)
    case = Case(load_judge("translation", lang), replace(item, fields={**item.fields, **named}))
    assert ("other_letters" in {finding.kind for finding in slips(case.view(""))}) is wrong


TWICE = {
    "ru": "Пациента выписали из больницы на третий день, пациента выписали из больницы на третий день.",
    "en": "On day three the patient went home, on day three the patient went home.",
}


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_clause_said_twice_in_a_row_is_a_repeat(lang):
    once = TWICE[lang].split(",")[0] + "."
    assert "repeated" in {finding.kind for finding in found("Source.", TWICE[lang], once, lang)}
    measured = measure_all(load_judge("translation", lang), segment("Source.", TWICE[lang], once))[""]["hallucination"]
    assert "repeated" in {finding.kind for finding in measured.findings}


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_clause_that_the_reference_or_the_source_says_twice_is_no_slip(lang):
    assert not found("Source.", TWICE[lang], TWICE[lang], lang)
    assert not found(TWICE["en"], TWICE[lang], None, lang)


@pytest.mark.parametrize(
    "trg",
    [
        "Чем больше доза, тем лучше, чем больше доза, тем хуже.",
        "Day by day, day by day, and night by night he went on.",
    ],
)
def test_a_figure_of_speech_is_no_repeat(trg):
    assert not found("Source.", trg)


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(
    ("trg", "ref", "wrong"),
    [
        ("Протокол доступен по адресу https://clinicaltrials.gov/ct2/show/NCT01234567.", None, False),
        ("Из мочи выделены Escherichia coli и Staphylococcus aureus.", None, False),
        ("Из мочи выделены Escherichia coli и Staphylococcus aureus.", "Выделены кишечная палочка и др.", False),
        ("Протокол есть на сайте.", "Протокол: https://clinicaltrials.gov/ct2/show/NCT01234567?from=protocol.", False),
        ("Протокол есть на сайте.", "The protocol is at the site.", True),
        ("Протокол есть на сайте Google.", "The protocol is at the Google site.", True),
        ("The protocol is at https://clinicaltrials.gov/ct2 for you.", "Протокол на сайте.", True),
        ("The protocol is at https://clinicaltrials.gov/ct2 for you.", None, True),
    ],
)
def test_addresses_and_latin_names_are_no_other_alphabet(lang, trg, ref, wrong):
    item = segment("Some words of the source.", trg, ref)
    case = Case(load_judge("translation", lang), replace(item, fields={**item.fields, "trg_lang": "Russian"}))
    kinds = {finding.kind for finding in slips(case.view(""))}
    assert bool(kinds & {"wrong_script", "other_letters"}) is wrong


@pytest.mark.parametrize("piece", ["аb", "а", "слово ", "&", "раз два три четыре "])
def test_a_hostile_text_takes_time_in_step_with_its_length(piece):
    assert_linear(lambda text: found("The sea.", text), lambda size: (piece * size)[:size], 10_000, ratio=LARGE)
