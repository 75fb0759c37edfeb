from __future__ import annotations

import pytest

from adjudge.models.offline.judge import measure_all
from adjudge.spec.load import load_judge
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.asking import segment


def kinds(trg: str, ref: str, lang: str = "en") -> list[str]:
    found = measure_all(load_judge("translation", lang), segment("Source.", trg, ref))[""]["adequacy"]
    return [finding.kind for finding in found.findings if finding.kind == "turned"]


@pytest.mark.parametrize(
    ("ref", "trg"),
    [
        (
            "После операции пациент не мог ходить без поддержки.",
            "После операции пациент мог ходить без поддержки.",
        ),
        (
            "After surgery the patient could not walk without support.",
            "After surgery the patient could walk without support.",
        ),
        ("Препарат без примесей не вызвал аллергии.", "Препарат без примесей вызвал аллергию."),
        ("The drug without additives didn't cause an allergy.", "The drug without additives caused an allergy."),
        ("Никто не умер, и опухоль не выросла.", "Никто не умер, и опухоль выросла."),
        ("Больной никогда не курил.", "Больной курил."),
        ("The patient never smoked.", "The patient smoked."),
    ],
)
def test_a_negation_is_missed_beside_another(ref, trg):
    assert kinds(trg, ref) == kinds(ref, trg) == ["turned"]


@pytest.mark.parametrize(
    ("ref", "trg"),
    [
        ("Никто из пациентов не умер.", "Пациенты не умерли."),
        ("Он никогда не курил табак.", "Он не курил табак."),
        ("Осложнений не было никаких.", "Осложнений не было."),
        ("Он не курил и не пил.", "Он не курил или пил."),
        ("She did not smoke and did not drink.", "She did not smoke or drink."),
        ("She neither smoked nor drank.", "She did not smoke or drink."),
        ("Больной не мог ходить без поддержки.", "Больной едва мог ходить без поддержки."),
        ("The patient could not walk without support.", "The patient could hardly walk without support."),
        ("The patient could not walk without support.", "The patient was unable to walk without support."),
        ("Лечение не обошлось без осложнений.", "Лечение обошлось вполне с осложнениями."),
        ("The dose may not be changed without advice.", "Without advice the dose may not be changed."),
        ("Первая группа не ходила без опоры. Вторая группа ходила без опоры.", "Вторая группа ходила без опоры."),
        ("Group A did not walk without help. Group B walked without help.", "Group B walked without help."),
    ],
)
def test_other_words_for_the_same_negation_are_no_fault(ref, trg):
    assert kinds(trg, ref) == kinds(ref, trg) == []


@pytest.mark.parametrize("piece", ["не мог без ", "not without a word. ", "Не мог. "])
def test_a_hostile_text_takes_time_in_step_with_its_length(piece):
    assert_linear(lambda text: kinds(text, text + "не"), lambda size: (piece * size)[:size], 5_000, ratio=LARGE)
