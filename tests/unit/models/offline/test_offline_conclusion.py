from __future__ import annotations

import pytest

from adjudge.core.records import Finding
from adjudge.models.offline.conclusion import of_candidate, of_one
from adjudge.models.offline.findings import Measured, words
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import ask, summary

SOURCES = {
    "en": (
        "Ninety adults with asthma joined the trial at three clinics in the north. Patients with kidney disease were "
        "not admitted to the trial. For six months every patient used the new inhaler twice a day. The inhaler did not "
        "reduce the number of attacks at night. Nurses kept a diary and called each week. Money came from a regional "
        "fund. The authors plan a second, longer trial with children, once another clinic has been found for it."
    ),
    "ru": (
        "Девяносто взрослых с астмой участвовали в исследовании в трёх северных клиниках. Пациентов с болезнями почек "
        "в исследование не включали. Полгода каждый пациент дважды в день пользовался новым ингалятором. Ингалятор не "
        "уменьшил число ночных приступов. Медсёстры вели дневник и звонили каждую неделю. Деньги дал областной фонд. "
        "Авторы готовят второе, более долгое исследование с детьми, как только для него найдётся ещё одна клиника."
    ),
}
TURNED = {
    "en": (
        "Ninety adults with asthma joined the trial at three clinics in the north. Patients with kidney disease were "
        "admitted to the trial. The inhaler did not reduce the number of attacks at night."
    ),
    "ru": (
        "Девяносто взрослых с астмой участвовали в исследовании в трёх северных клиниках. Пациентов с болезнями почек "
        "в исследование включали. Ингалятор не уменьшил число ночных приступов."
    ),
}


def measured(quality: float | None, *against: bool) -> Measured:
    findings = tuple(Finding(kind="x", reason=f"{n} {bad}", against=bad) for n, bad in enumerate(against))
    return Measured(quality=quality, findings=findings)


@pytest.mark.parametrize(("lang", "named"), [("en", "states what the source denies"), ("ru", "источник отрицает")])
def test_a_text_with_a_finding_against_it_is_not_called_free_of_weak_points(lang, named):
    found = ask(load_judge("summary", lang), summary(SOURCES[lang], TURNED[lang]))
    assert named in found["accuracy"]["justification"]
    assert words(lang).say("conclusion_even") not in found["overall"]["conclusion"]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_worst_with_a_finding_is_named_by_the_first_that_is_against_the_text(lang):
    said = of_one(words(lang), {"A": measured(0.8, False, True), "B": measured(0.85, True), "C": measured(0.95, False)})
    assert "A. 1 True" in said and words(lang).say("conclusion_good", names="C") in said
    assert words(lang).say("conclusion_bad", name="A", finding="1 True") in said


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_what_is_not_the_lowest_is_not_called_the_weakest(lang):
    for quality in (0.8, None):
        said = of_one(words(lang), {"A": measured(quality, True), "B": measured(0.4, False)})
        assert said == words(lang).say("conclusion_found", name="A", finding="0 True")


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_without_a_finding_the_score_decides(lang):
    even = words(lang).say("conclusion_even")
    assert of_one(words(lang), {"A": measured(0.8, False), "B": measured(0.9)}) == even
    low = of_one(words(lang), {"A": measured(0.6, False), "B": measured(0.9)})
    assert words(lang).say("conclusion_bad", name="A", finding="0 False") in low
    assert of_one(words(lang), {"A": measured(None, True)}) == ""


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_candidate_is_told_by_what_is_against_it(lang):
    said = of_candidate(words(lang), "a", {"A": measured(0.3, False, True), "B": measured(0.9)})
    assert said.endswith("1 True")
