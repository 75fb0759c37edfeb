from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.offline.chrf import CHARS
from adjudge.models.offline.findings import weights
from adjudge.models.offline.form import FORM, form, kept
from adjudge.models.offline.translation import adequacy
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.asking import segment

SOURCE = "The WHO said “no”. The old ferry left the harbour at noon. Then it rained."
TEXTS = {
    "en": "The WHO said “no”. The old ferry left the harbour at noon. Then it rained.",
    "ru": "ВОЗ сказала «нет». Старый паром вышел из гавани в полдень. Потом пошёл дождь.",
}
WORSE = {
    "fresh": {
        "en": "The WHO said “no”. The old ferry left the harbour. The old ferry left the harbour.",
        "ru": "ВОЗ сказала «нет». Старый паром вышел из гавани. Старый паром вышел из гавани.",
    },
    "sentences": {
        "en": "The WHO said “no”. The old ferry left the harbour at noon, then it rained.",
        "ru": "ВОЗ сказала «нет». Старый паром вышел из гавани в полдень, потом пошёл дождь.",
    },
    "abbreviations": {
        "en": "The who said “no”. The old ferry left the harbour at noon. Then it rained.",
        "ru": "Воз сказала «нет». Старый паром вышел из гавани в полдень. Потом пошёл дождь.",
    },
    "quotes": {
        "en": "The WHO said no. The old ferry left the harbour at noon. Then it rained.",
        "ru": "ВОЗ сказала нет. Старый паром вышел из гавани в полдень. Потом пошёл дождь.",
    },
    "slips": {
        "en": "The WHO said “no” . The old ferry left the  harbour at noon. Then it rained.",
        "ru": "ВОЗ сказала «нет». Старый паром вышел из  гавани в полдень . Потом пошёл дождь.",
    },
    "end": {
        "en": "The WHO said “no”. The old ferry left the harbour at noon. Then it rained",
        "ru": "ВОЗ сказала «нет». Старый паром вышел из гавани в полдень. Потом пошёл дождь?",
    },
    "denials": {
        "en": "The WHO said “no”. The old ferry never left the harbour at noon. Then it rained.",
        "ru": "ВОЗ сказала «нет». Старый паром не вышел из гавани в полдень. Потом пошёл дождь.",
    },
    "capitals": {
        "en": "The WHO said “no”. The Old Ferry left the Harbour at noon. Then it rained.",
        "ru": "ВОЗ сказала «нет». Старый Паром вышел из Гавани в полдень. Потом пошёл дождь.",
    },
}
LANGS = ("en", "ru")
#: How the reader is spoken to; English does not tell.
ADDRESSED = {
    "ru": ("Если вам холодно, закройте ваше окно.", "Если тебе холодно, закрой твоё окно."),
    "de": ("Wenn Ihnen kalt ist, schließen Sie bitte das Fenster.", "Wenn dir kalt ist, schließ du bitte das Fenster."),
}


def measured(text: str, lang: str, ref: str | None = None, others: tuple[str, ...] = ()):
    return adequacy(Case(load_judge("translation", lang), segment(SOURCE, text, ref, others=others)).view(""))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("part", WORSE)
def test_each_part_sees_its_own_loss_alike_in_both_languages(part, lang):
    whole = form(TEXTS[lang], lang)
    assert set(kept(whole, whole).values()) == {1.0}
    assert kept(form(WORSE[part][lang], lang), whole)[part] < 1


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("part", WORSE)
def test_what_is_lost_costs_and_is_told(part, lang):
    good, bad = TEXTS[lang], WORSE[part][lang]
    for ref, others in ((good, ()), (None, (good, good))):
        kind = "adequacy" if ref else "adequacy_peers"
        whole, less = measured(good, lang, ref, others), measured(bad, lang, ref, others)
        assert less.quality < whole.quality == 1.0
        assert not [found for found in whole.findings if found.kind.startswith("form_")]
        told = [found for found in less.findings if found.kind.startswith("form_")]
        assert bool(told) == any(less.parts[name] < 1 for name in FORM if name in weights(kind)["mix"])
        assert not any(found.against for found in told)


def told(raw: str, ref: str | None, lang: str, others: tuple[str, ...] = ()) -> list[str]:
    case = Case(load_judge("translation", lang), segment(SOURCE, raw, ref, others=others))
    return [found.reason for found in adequacy(case.view("")).findings if found.kind.startswith("form_")]


@pytest.mark.parametrize(
    ("part", "english", "russian"),
    [
        ("sentences", "Sentences: 2; in the reference: 3.", "Предложений: 2, у эталона: 3."),
        ("slips", "without a pair: 1; in the reference: 0.", "без пары: 2, у эталона: 0."),
        ("quotes", "Quotation marks are not as in the reference.", "Кавычки стоят не как у эталона."),
    ],
)
def test_counts_are_told_as_counts(part, english, russian):
    for lang, words in (("en", english), ("ru", russian)):
        (said,) = told(WORSE[part][lang], TEXTS[lang], lang)
        assert said.endswith(words)


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "Sentences: 2; in the other translations: 3–4."), ("ru", "Предложений: 2, у других переводов: 3–4.")],
)
def test_counts_of_several_others_are_told_from_fewest_to_most(lang, words):
    more = {"en": "It was cold.", "ru": "Было холодно."}[lang]
    assert told(WORSE["sentences"][lang], None, lang, (TEXTS[lang], f"{TEXTS[lang]} {more}")) == [words]


@pytest.mark.parametrize("lang", ADDRESSED)
def test_another_way_to_speak_to_the_reader_costs_and_is_told_only_where_both_are_plain(lang):
    far, near = ADDRESSED[lang]
    assert set(FORM) == {*WORSE, "address"}
    for own, other in ((far, near), (near, far)):
        assert kept(form(own, lang), form(other, lang))["address"] == 0
        assert [found.kind for found in measured(own, "en", other).findings if found.kind == "form_address"]
    for own in (far, f"{far} {near}", TEXTS["ru"]):
        assert kept(form(own, lang), form(far, lang))["address"] == 1
    assert kept(form("Sie gehen. Das ist, was sie sagen.", "de"), form(ADDRESSED["de"][1], "de"))["address"] == 1


@pytest.mark.parametrize(
    ("text", "slips"),
    [
        ("The old ferry ( a boat) left.", 1),
        ("The old ferry left the harbour. then it rained.", 1),
        ("Старый паром вышел из гавани. потом пошёл дождь.", 1),
        ("Vgl. die Karte, evtl. auch den Plan.", 0),
        ("См. рис. и табл. ниже.", 0),
        ("The (old ferry left.", 1),
        ("Он сказал: «нет.", 1),
        ("1) ferries 2) boats", 0),
    ],
)
def test_a_slip_is_a_stray_space_a_small_letter_after_a_sentence_or_a_mark_without_its_pair(text, slips):
    assert form(text, "en").slips == slips


def test_the_end_is_that_of_the_whole_text_whatever_quotes_close_it_or_script_it_is_in():
    assert [form(text, "en").end for text in ("Yes.", "“Yes.”", "(Yes!)", "是。", "Yes", "Yes...", "Yes…")] == [
        *("..!."),
        "",
        *("……"),
    ]
    assert form("A" * CHARS + ".", "en").end == "."


@pytest.mark.parametrize("lang", LANGS)
def test_saying_a_sentence_again_gains_nothing(lang):
    good = TEXTS[lang]
    again = f"{good} {good}"
    for ref, others in ((good, ()), (None, (good, good))):
        assert measured(again, lang, ref, others).quality < measured(good, lang, ref, others).quality - 0.2


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("text", ["", " ", "…", "«»"])
def test_a_text_without_words_is_the_worst(text, lang):
    assert measured(text, lang, TEXTS[lang]).quality == 0.0


@given(own=st.text(), other=st.text(), lang=st.sampled_from(LANGS))
def test_parts_stay_between_0_and_1(own, other, lang):
    found = kept(form(own, lang), form(other, lang))
    assert set(found) == set(FORM)
    assert all(0 <= value <= 1 for value in found.values())


@given(times=st.integers(1, 6), lang=st.sampled_from(LANGS))
def test_one_repeat_more_is_never_fresher(times, lang):
    good, sentence = TEXTS[lang], " " + WORSE["sentences"][lang]
    parts = [kept(form(good + sentence * count, lang), form(good, lang)) for count in (times, times + 1)]
    assert parts[1]["fresh"] <= parts[0]["fresh"]
    assert parts[1]["sentences"] >= parts[0]["sentences"]


@pytest.mark.parametrize(
    "piece", ["A. ", "ВОЗ ", '"', "a a ", ".", "\n", "а\u0301 ", "( ", " ", "a  ", "Sie, Sie ", "«", "aaaaa. a "]
)
def test_a_hostile_text_takes_time_in_step_with_its_length(piece):
    assert_linear(
        lambda text: form.__wrapped__(text, "de"), lambda size: (piece * size)[:size], CHARS // 4, ratio=LARGE
    )
