from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from adjudge.core.records import Item
from adjudge.models.offline.punctuation import end_mark, punctuation, uncoded, unpaired
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.asking import segment

EN, RU = load_judge("translation", "en"), load_judge("translation", "ru")


def measured(src: str, trg: str, ref: str | None = None, judge=EN):
    return punctuation(Case(judge, segment(src, trg, ref)).view(""))


@pytest.mark.parametrize(
    ("src", "trg", "kind", "place"),
    [
        ("Moss is a plant.", "Мох - это растение.", "mark_hyphen", "-"),
        ("In 1990-1995 it rained.", "В 1990-1995 годах шли дожди.", "mark_range", "1990-1995"),
        ("Stages I-III.", "Стадии I-III.", "mark_range", "I-III"),
        ('He said "no".', 'Он сказал "нет".', "mark_quotes", '"нет"'),
        ("And so on.", "И т.д.", "mark_short", "т.д."),
        ("It is 2.5 percent.", "Это 2.5%.", "mark_decimal", "2.5"),
        ("It varies with age.", "Он различен, в зависимости от возраста.", "mark_comma", ","),
        ("5% and 6%, respectively (p=1).", "5% и 6%, соответственно (p=1).", "mark_comma", ","),
        ("In total, ten came.", "В общей сложности, пришли десять.", "mark_comma", ","),
        ("After the flood one must wait.", "После наводнения, необходимо ждать.", "mark_comma", ","),
        ("Thanks to rain it is possible.", "Благодаря сильному дождю, можно ждать.", "mark_comma", ","),
        ("Call, if necessary.", "Звоните врачу, при необходимости.", "mark_comma", ","),
        ("He is the man who knows.", "Это человек который знает.", "mark_no_comma", " "),
        ("The (old) house.", "Дом ( старый).", "mark_inside", " "),
        ("The (old) house.", "Das Haus (alt ).", "mark_inside", " "),
        ("Это 2,5 %.", "It is 2,5%.", "mark_decimal_comma", "2,5"),
        ("Он сказал «да».", "He said «yes».", "mark_guillemets", "«yes»"),
        ("Размер, состав экипажа.", "The size, composition of the crew.", "mark_series", ","),
        ("When?", "Когда.", "mark_end", "."),
        ("The (old) house.", "Дом (старый.", "mark_unpaired", "("),
        ("He said “no”.", "Он сказал «нет.", "mark_unpaired", "«"),
        ("Well, yes.", "Ну , да.", "mark_spacing", " ,"),
        ("Below 30 ng/ml.", "Ниже 30 нг / мл.", "mark_spacing", " /"),
        ("Well, yes.", "Ну,, да.", "mark_doubled", ",,"),
        ("He left.", "Он (сам) ушёл.", "mark_count", ")"),
        ("One. Two?", "Раз… Два...", "mark_end", "..."),
        ("One. Two?", "Раз. «Два.»", "mark_end", "."),
        ("One. Two?", "Раз. Два", "mark_end_none", "а"),
        ("One. Two", "Раз. Два.", "mark_end_extra", "."),
        ("One, two.", "Раз; вот; так; https://example.org/?a;b=c два.", "mark_count", ";"),
        ("Use a::b here.", "Вот a::b и так,, да.", "mark_doubled", ",,"),
        ("Why not, then?", "Où est le chat , alors ?", "mark_spacing", " ,"),
    ],
)
def test_each_mark_is_found_at_its_place(src, trg, kind, place):
    for judge in (EN, RU):
        found = measured(src, trg, judge=judge)
        mine = [finding for finding in found.findings if finding.kind == kind]
        assert [trg[slice(*finding.at)] for finding in mine] == [place]
        assert found.quality < 1


@pytest.mark.parametrize(
    ("src", "trg", "english", "russian"),
    [
        (
            "Two.",
            "Два",
            "There is no mark at the end where “.” is expected.",
            "В конце нет знака, ожидается «.».",
        ),
        ("Two", "Два.", "The end mark is “.” where no mark is expected.", "В конце «.», а знака здесь не ожидается."),
        ("Two?", "Два.", "The end mark is “.” where “?” is expected.", "В конце «.», ожидается «?»."),
    ],
)
def test_no_mark_at_the_end_is_not_told_as_a_quoted_word(src, trg, english, russian):
    for judge, told in ((EN, english), (RU, russian)):
        assert told in [finding.reason for finding in measured(src, trg, judge=judge).findings]


@pytest.mark.parametrize(
    ("src", "trg", "ref"),
    [
        ("Moss is a plant.", "Мох — это растение.", None),
        ("Moss is a plant.", "Мох - это растение.", "Мох - растение."),
        ("In 1990-1995.", "В 1990–1995 годах.", None),
        ("A man who.", "Тот, за кого, и тот, который.", None),
        ("So, he left.", "Он, соответственно, ушёл.", None),
        ("After what he said, one must wait.", "После того, что он сказал, необходимо ждать.", None),
        ("COVID-19 came in 2020.", "COVID-19 пришёл в 2020.", None),
        ("A north-west wind.", "Северо-западный ветер.", None),
        ('"We will go. ', "«Мы пойдём. ", None),
        ("He said: 'go'.", "Он сказал: «иди».", None),
        ("We know it.", "Мы знаем: это так.", None),
        ("Version 2.5.1 is out.", "Вышла версия 2.5.1.", None),
        ("“Hello,” she said.", "— Здравствуйте, — сказала она.", None),
        ("“Hello,” she said.", "“Hello,” said she.", "— Hello, — she said."),
        ("Why is the cat here? Look!", "Pourquoi est-ce que le chat est là ? Regarde !", None),
        ("Why? Look!", "Pourquoi\u202f? Regarde\u00a0!", None),
        ("Use std::vector here.", "Используйте здесь std::vector.", None),
        ("Use the vector class.", 'Возьмите `f(::; "x"`, где std::vector и p->at().', None),
        ("See the site now.", "Смотрите сайт https://example.org/a:b;;c(d сейчас.", None),
        ("Wait,, what;;", "Стой,, что;;", None),
        ("One / two.", "Раз / два.", None),
        ("A red/blue wire.", "Красный / синий провод.", None),
        ("Размер и состав.", "The size, composition of the crew and cost.", None),
        ("Размер, состав, цена.", "The size, composition of the crew, and cost.", None),
        ("Потом выбор команды.", "After that, the selection of the crew.", None),
        ("Wait,, what.", "Стой,, что.", "Стой, что же."),
    ],
)
def test_what_the_language_has_is_no_fault(src, trg, ref):
    found = measured(src, trg, ref)
    assert [finding.kind for finding in found.findings] == ["punctuation_good"]
    assert found.quality == 1.0


@pytest.mark.parametrize(
    ("trg", "ref", "place"),
    [
        ("Мох это растение.", "Мох — это растение.", None),
        ("Мох — это — растение.", "Мох — это растение.", "—"),
        ("It rained all day.", "It rained – all day.", None),
        ("It rained – all day.", "It rained all day.", "–"),
    ],
)
def test_with_the_words_of_the_reference_every_dash_is_due(trg, ref, place):
    for judge in (EN, RU):
        found = measured("Source.", trg, ref, judge=judge)
        (dash,) = found.findings
        assert dash.kind == "mark_count" and "—" in dash.reason and found.quality < 1
        assert (dash.at and trg[slice(*dash.at)]) == place


@pytest.mark.parametrize(
    ("trg", "ref"),
    [
        ("Мох – это растение.", "Мох — это растение."),
        ("Мох есть растение.", "Мох — растение."),
        ("В 1990—1995 годах.", "В 1990–1995 годах."),
        ("It rained - all day.", "It rained – all day."),
    ],
)
def test_another_kind_of_dash_or_other_words_are_no_fault(trg, ref):
    found = measured("Source.", trg, ref)
    assert "mark_count" not in {finding.kind for finding in found.findings}


@pytest.mark.parametrize(("judge", "said"), [(EN, "that are checked"), (RU, "проверяемых знаках")])
def test_no_more_is_said_than_was_checked(judge, said):
    (good,) = measured("He said “no”.", "Он сказал “нет”.", "Он сказал «нет».", judge=judge).findings
    assert said in good.reason


def test_lost_quotes_are_named_as_such():
    for judge, said in ((EN, "Quotation marks (“”): 0 in"), (RU, "Кавычки (“”): в переводе 0")):
        (lost,) = measured("He said “no”.", "Он сказал нет.", judge=judge).findings
        assert lost.kind == "quote_count" and lost.reason.startswith(said)


@pytest.mark.parametrize(("lang", "kinds"), [("fr", []), ("fr-CA", []), ("French", []), ("en", ["mark_spacing"])])
def test_a_row_may_name_the_language_that_sets_a_space_before_a_mark(lang, kinds):
    fields = {"src": "Ура!", "trg": "Bravo !", "src_lang": "ru", "trg_lang": lang}
    found = punctuation(Case(EN, Item(id="1", fields=fields)).view("")).findings
    assert [finding.kind for finding in found if finding.against] == kinds


def test_code_is_blotted_out_place_for_place():
    assert uncoded("Вот a::b, c() и `d e`: http://f.g/h.") == "Вот ____, ___ и _____: ____________."
    assert uncoded("Вот: это (не) код.") == "Вот: это (не) код."


def test_unpaired_marks_have_places():
    assert unpaired("a) (b [c) «d") == [("[", 6), ("«", 10)]
    assert unpaired("„a“ (b)") == []
    assert unpaired('"a') == [('"', 0)]


@pytest.mark.parametrize(("text", "mark"), [("Да.»", "."), ("Да...", "…"), ("Да", ""), ("", ""), ("“Ja.“", ".")])
def test_end_mark(text, mark):
    assert end_mark(text) == mark


_TEXTS = st.text(alphabet='аяb1 .,:;!?-"«»()', max_size=30)


@given(st.sampled_from(["It is so.", "What (is) it?", "So, yes: no!"]), _TEXTS, st.integers(0, 30))
def test_one_more_open_bracket_is_never_better(src, trg, at):
    assume(not trg[:at].rstrip(" ").endswith("("))
    more = f"{trg[:at]}[{trg[at:]}"
    assert measured(src, more).quality <= measured(src, trg).quality + 1e-9


@given(_TEXTS, _TEXTS)
def test_places_are_inside_the_text(src, trg):
    found = measured(src, trg)
    assert all(0 <= f.at[0] < f.at[1] <= len(trg) for f in found.findings if f.at)
    assert found.quality is None or 0 <= found.quality <= 1


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "«а» ",
        '"',
        " - ",
        "1-2 ",
        "1.5 ",
        ", в зависимости от ",
        "т.д.",
        "?!",
        "a::",
        "`",
        "a()",
        "a://",
        "one, nation of ",
    ],
)
def test_a_hostile_text_takes_time_in_step_with_its_length(piece):
    assert_linear(
        lambda text: measured("So.", "Слово " + text), lambda size: (piece * size)[:size], 10_000, ratio=LARGE
    )
