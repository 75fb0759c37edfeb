from __future__ import annotations

from unicodedata import normalize

import pytest

from adjudge.core.records import EVIDENCE
from adjudge.models.offline.chrf import chrf
from adjudge.models.offline.judge import batch_summary, measure_all, measure_many
from adjudge.spec.load import load_judge
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.asking import ask, segment

JUDGE = load_judge("translation", "en")


def judged(src: str, trg: str, ref: str | None = None) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = ask(JUDGE, segment(src, trg, ref), labels={"s": "1"})["scores"]["s"]
    return {name: part for name, part in found.items() if name != EVIDENCE}


def test_chrf_known_values():
    assert chrf("abc", "abc") == 1.0
    assert chrf("abc", "xyz") == 0.0
    # One letter of two shared, no longer n-gram: F of (1/2, 1/2) for n = 1 and 0 for n = 2.
    assert chrf("ab", "ac") == pytest.approx(0.25)
    assert chrf("", "a") == chrf("a", "") == 0.0


@pytest.mark.parametrize(
    ("criterion", "src", "trg", "ref", "named"),
    [
        ("adequacy", "Built in 1968.", "Построен в 1986 году.", "Построен в 1968 году.", "1968"),
        ("adequacy", "Do not open it.", "Открывайте это.", "Не открывайте это.", "Negation"),
        (
            "adequacy",
            "It ends unless we renew it.",
            "Он кончится, unless we renew it.",
            "Он кончится, если не продлим.",
            "unless",
        ),
        ("adequacy", "At 17:45 sharp.", "Ровно в 15:45.", None, "17:45"),
        (
            "hallucination",
            "It rains.",
            "Идёт дождь, а завтра обещают снег и сильный ветер.",
            "Идёт дождь.",
            "обещают снег",
        ),
        ("hallucination", "It rains in June.", "В июне 2020 года идёт дождь.", None, "2020"),
        (
            "hallucination",
            "The talk was moved to May.",
            "Встречу перенесли на май. Встречу перенесли на май.",
            None,
            "Repeated",
        ),
        ("fluency", "It is in the house.", "Это в в доме.", "Это в доме.", None),
        ("fluency", "It is a big house.", "Это большой большой дом.", None, "большой большой"),
        ("fluency", "Tom & Ann left home.", "Том &amp; Анна ушли из дома.", None, "&amp;"),
        ("fluency", "A long word stands here.", "Длинное слoво стоит здесь.", None, "слoво"),
        ("punctuation", "When?", "Когда.", None, "“?”"),
        ("punctuation", "Where is it?", "Dónde está?", "¿Dónde está?", "¿"),
        ("punctuation", "The (old) house.", "Дом (старый.", None, "its pair: ("),
        ("punctuation", "I know that.", "Я знаю что это.", "Я знаю, что это.", "“,”"),
        ("punctuation", "He said “no”.", "Он сказал «нет.", None, "its pair: «"),
        ("punctuation", "Well, yes.", "Ну , да.", None, "space"),
    ],
)
def test_a_defect_is_named_where_it_belongs(criterion, src, trg, ref, named):
    found = judged(src, trg, ref)[criterion]
    if named is None:
        assert found["score"] is None
    else:
        blind = criterion == "fluency" or (criterion != "punctuation" and ref is None)
        assert found["score"] is None if blind else float(str(found["score"])) < 5
        assert named in str(found["why"])


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("trg", "ref"),
    [
        ("Ежик пошел.", "Ёжик пошёл."),
        ("Он - ежик; его звали 'Й'.", "Он — ёжик; его звали ’Й’."),
        ("Мой «ёж» ушёл…", "Мой “еж” ушел..."),
        ("В\u00a01990–1995\u00a0годах.", "В 1990-1995 годах."),
    ],
)
def test_spellings_that_readers_take_as_the_same_are_as_adequate(trg, ref, form):
    found = measure_all(JUDGE, segment("A source.", normalize(form, trg), ref))[""]
    assert found["adequacy"].parts["match"] == 1 and found["adequacy"].quality == 1


def test_a_perfect_segment_needs_no_reason():
    found = judged("The house is old.", "Дом старый.", "Дом старый.")
    assert {name: (part["score"], part["why"]) for name, part in found.items() if part["score"] is not None} == {
        "adequacy": (5, ""),
        "hallucination": (5, ""),
        "punctuation": (5, ""),
    }


def test_without_a_reference_meaning_is_not_judged():
    found = judged("The dog was chased by the goose.", "Собака гналась за гусем.")
    assert [found[name]["score"] for name in ("adequacy", "fluency", "terminology", "hallucination")] == [None] * 4
    assert all("embedded judge" in str(found[name]["why"]) for name in ("adequacy", "fluency", "hallucination"))


def test_a_lost_translation_is_the_worst_point():
    assert judged("The house is old.", "", "Дом старый.")["adequacy"]["score"] == 1


def test_a_batch_is_keyed_by_label_and_summed_up():
    items = [segment("Yes.", "Да.", "Да.", "x"), segment("When?", "Когда.", "Когда?", "y")]
    found = ask(JUDGE, *items, labels={"1": "x", "2": "y"})
    assert set(found["scores"]) == {"1", "2"}
    assert set(found["summary"]) == {criterion.name for criterion in JUDGE.scored}
    assert "1 of 2" in found["summary"]["punctuation"]


def test_an_item_is_judged_alike_alone_and_in_company():
    one, other = segment("Yes.", "Да.", "Да.", "x"), segment("Нет!", "no", "No!", "y")
    alone = ask(JUDGE, one, labels={"1": "x"})["scores"]["1"]
    assert ask(JUDGE, other, one, labels={"1": "y", "2": "x"})["scores"]["2"] == alone


def test_batch_summary_says_how_many_and_of_what():
    scores: dict[str, list[float]] = {"adequacy": [5, 4.9, 2], "punctuation": [5, 5]}
    said = batch_summary(JUDGE, scores)
    assert said["adequacy"] == "Segments without objections: 1 of 3; in the lower half of the scale: 1."
    assert "segments: 2" in said["punctuation"]
    assert said["fluency"] == "Not judged."
    russian = batch_summary(load_judge("translation", "ru"), scores)
    assert russian["adequacy"] == "Сегментов без замечаний: 1 из 3; в нижней половине шкалы: 1."
    assert russian["fluency"] == "Не оценивалось."
    assert "language model" in said["terminology"]


@pytest.mark.parametrize(
    ("ref", "trg", "named"),
    [
        ("Не открывайте это окно.", "Откройте это окно.", None),
        ("Не открывайте это окно.", "Открывайте это окно.", "turned"),
        ("Это не только окно, но и дверь.", "Это окно, но и дверь.", None),
        ("Двери тут отсутствуют совсем.", "Двери тут не отсутствуют совсем.", None),
        ("Старый мост закрыли весной на долгий сложный ремонт, а новый открыли.", "Мост закрыли.", "omitted"),
        ("Мост закрыли на долгий ремонт.", "Мост закрыли на ремонт.", None),
    ],
)
def test_a_loss_against_the_reference_is_named_only_when_it_is_sure(ref, trg, named):
    found = measure_all(JUDGE, segment("Source.", trg, ref))[""]["adequacy"]
    kinds = {finding.kind for finding in found.findings if finding.against} & {"turned", "omitted"}
    assert kinds == ({named} if named else set())


@pytest.mark.parametrize("label", ["[PERSON3]", "(SPEAKER2)", "@anna", "{name}", "<br/>"])
def test_a_label_is_kept_as_it_is_unless_most_others_change_it(label):
    source, kept, lost = f"{label} is here.", f"{label} здесь.", "Она здесь."
    for ref, others in ((None, ()), (kept, ()), (None, (kept, lost))):
        found = [measure_all(JUDGE, segment(source, text, ref, others=others))[""]["adequacy"] for text in (kept, lost)]
        assert [[f.reason for f in one.findings if f.kind == "names_missing"] for one in found] == [
            [],
            [f"Addresses or labels of the source that the translation lacks: {label}."],
        ]
        assert found[1].parts["names"] < found[0].parts["names"] == 1
    assert measure_all(JUDGE, segment(source, lost, lost))[""]["adequacy"].parts["names"] == 1


def test_an_address_is_kept_as_it_is():
    found = measure_all(JUDGE, segment("See https://example.org/a now.", "Смотрите http://example.com/b сейчас."))[""]
    assert "https://example.org/a" in found["adequacy"].reason
    assert "http://example.com/b" in found["hallucination"].reason


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_what_only_a_reader_can_judge_is_never_a_number(lang):
    judge = load_judge("translation", lang)
    items = [segment("The house is old.", text, "Дом старый.", str(n)) for n, text in enumerate(["Дом старый."] * 3)]
    for found in measure_many(judge, items):
        assert found[""]["fluency"].quality is None
        assert found[""]["terminology"].quality is None
        assert all(found[""][name].findings for name in ("fluency", "terminology"))


@pytest.mark.parametrize("piece", ["word ", "CIMT ", "12 ", "слово, ", "ab", "a@b.", "не 1,5 ", "第三。", "(", "two "])
def test_a_batch_of_hostile_texts_takes_time_in_step_with_its_length(piece):
    def work(text: str) -> object:
        texts = [f"{n} слово {text}" for n in range(3)]
        return measure_all(JUDGE, segment("The word 12 CIMT.", texts[0], f"слово {text}", others=texts[1:]))

    assert_linear(work, lambda size: (piece * size)[:size], 5_000, ratio=LARGE)


@pytest.mark.parametrize(
    ("lang", "added", "lost"), [("en", "nothing added", "nothing missing"), ("ru", "лишнего", "ничего не пропущено")]
)
def test_without_a_reference_a_criterion_clears_a_text_of_its_own_faults_alone(lang, added, lost):
    """A number that is missing is no addition, and one that was added is nothing missing."""
    judge = load_judge("translation", lang)
    for src, trg, cleared, named in (
        ("At 17:45 sharp.", "Ровно в срок.", "hallucination", added),
        ("Come on time.", "Приходите ровно в 17:45.", "adequacy", lost),
    ):
        found = ask(judge, segment(src, trg, None), labels={"s": "1"})["scores"]["s"]
        assert named in str(found[cleared])
        (other,) = {"adequacy", "hallucination"} - {cleared}
        assert "17:45" in str(found[other])


RU = "Перелом лечили в районной больнице. Кость срослась через шесть недель. Пациент вернулся к работе в марте."
EN = "The fracture was treated in a district hospital. The bone healed in six weeks. The patient worked again in March."
MORE = {
    RU: "Поэтому всем пациентам рекомендуется немедленная операция.",
    EN: "Urgent surgery is therefore advised for everyone.",
}


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(("ref", "more"), MORE.items())
def test_a_whole_sentence_is_added_or_omitted_whatever_the_length(lang, ref, more):
    judge = load_judge("translation", lang)
    longer = measure_all(judge, segment("One. Two. Three.", f"{ref} {more}", ref))[""]["hallucination"]
    assert [(finding.kind, finding.reason.count(more)) for finding in longer.findings] == [("added", 1)]
    assert longer.findings[0].at == (len(ref) + 1, len(ref) + 1 + len(more))
    shorter = measure_all(judge, segment("One. Two. Three. Four.", ref, f"{ref} {more}"))[""]["adequacy"]
    assert [finding.kind for finding in shorter.findings if finding.against] == ["omitted"]
    assert more in shorter.findings[0].reason


@pytest.mark.parametrize(
    ("ref", "trg"),
    [
        ("Кость срослась, и пациент вернулся к работе в марте.", "Кость срослась. Пациент вернулся на работу в марте."),
        ("The bone healed and the patient worked again.", "The bone healed. The patient was at work again."),
        (RU, RU.replace("Пациент вернулся к работе в марте", "Лечение окончили весной")),
    ],
)
def test_a_sentence_cut_in_two_or_told_in_other_words_is_not_added(ref, trg):
    for one, other in ((ref, trg), (trg, ref)):
        found = measure_all(JUDGE, segment("Source.", one, other))[""]
        assert not {f.kind for m in found.values() for f in m.findings} & {"added", "omitted"}


@pytest.mark.parametrize(("ref", "more"), MORE.items())
def test_a_sentence_of_the_source_that_the_reference_lacks_is_not_added(ref, more):
    found = measure_all(JUDGE, segment("One. Two. Three. Four.", f"{ref} {more}", ref))[""]["hallucination"]
    assert not found.faults


@pytest.mark.parametrize(
    ("ref", "trg"),
    [
        (
            "The watch is fine and heavy, the shop is near, and by the way this is the real deal.",
            "The watch is fine and heavy. The shop is near. Truly worth its price.",
        ),
        (
            "Часы хороши и тяжелы, магазин рядом, и, кстати, вещь подлинная.",
            "Часы хороши и тяжелы. Магазин рядом. Покупка точно стоит денег.",
        ),
    ],
)
def test_a_sentence_that_may_be_a_paraphrase_is_not_added(ref, trg):
    assert not measure_all(JUDGE, segment("Source.", trg, ref))[""]["hallucination"].faults


@pytest.mark.parametrize(("lang", "checked"), [("en", "whole sentence"), ("ru", "целых предложений")])
def test_what_was_looked_for_is_told_where_nothing_was_added(lang, checked):
    found = measure_all(load_judge("translation", lang), segment("Source.", RU, RU))[""]["hallucination"]
    assert checked in found.reason
