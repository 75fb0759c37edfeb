from __future__ import annotations

import pytest

from adjudge.core.errors import Ambiguous, Missing, NoVerdict, OutOfScale
from adjudge.reply.read import Expected, read
from tests.unit.reply.judges import ANSWERS

LABELS = Expected(labels={"A": "gpt", "B": "llama"})
TABLE = """\
Критерий | A | B | Обоснование (A / B)
--- | :-: | --- | ---
**Корректность** | 4 | **5** | A: ошибка 1/2 / и ещё одна / B: точен
2. Философская глубина | 3/5 | 2 | A: есть \\| мысль / B: нет

**Итоговые баллы:**
- A: 7
- B: 8

**Победитель:** B
**Вывод:** ответ B точнее.
Но короче.
"""


def scores(text: str, expected: Expected = LABELS, **options: object) -> dict[str, dict[str, float | None]]:
    opinion = read(ANSWERS, text, expected, **options).opinions[""]  # type: ignore[arg-type]
    return {name: {who: score.value for who, score in by.items()} for name, by in opinion.scores.items()}


def test_the_table_is_read_with_reasons_totals_winner_and_conclusion():
    reading = read(ANSWERS, TABLE, LABELS)
    opinion = reading.opinions[""]
    assert reading.step == "table" and "repaired:table" in opinion.flags
    assert scores(TABLE) == {"correctness": {"gpt": 4, "llama": 5}, "depth": {"gpt": 3, "llama": 2}}
    assert opinion.scores["correctness"]["gpt"].reason == "ошибка 1/2 / и ещё одна"
    assert opinion.scores["depth"]["gpt"].reason == "есть | мысль"
    assert opinion.stated == {"total": {"gpt": 7.0, "llama": 8.0}, "winner": "llama"}
    assert opinion.texts == {"conclusion": "ответ B точнее. Но короче."}


def test_outer_pipes_and_spellings_change_nothing_and_real_names_were_not_shown():
    piped = "\n".join(f"| {line} |" if "|" in line else line for line in TABLE.splitlines())
    assert scores(piped) == scores(TABLE)
    assert scores(TABLE.replace(" A | B |", " Ответ А | Ответ В |")) == scores(TABLE)
    with pytest.raises(NoVerdict):
        scores(TABLE.replace(" A | B |", " gpt | llama |"))


def test_rows_in_another_language_need_their_names():
    english = TABLE.replace("**Корректность**", "Exactness").replace("2. Философская глубина", "Depth")
    with pytest.raises(Missing, match="correctness"):
        scores(english)
    assert scores(english, aliases={"Exactness": "correctness"}) == scores(TABLE)


def test_labels_are_mapped_by_the_order_shown():
    turned = Expected(labels={"A": "llama", "B": "gpt"})
    assert scores(TABLE, turned)["correctness"] == {"llama": 4, "gpt": 5}


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("| 4 |", "| 6 |", OutOfScale),
        ("| 4 |", "|  |", Missing),
        ("2. Философская глубина | 3/5 | 2 |", "Корректность | 1 | 1 |", Ambiguous),
        ("| A | B |", "| X | Y |", NoVerdict),
    ],
)
def test_a_wrong_table_fails(old, new, error):
    with pytest.raises(error):
        scores(TABLE.replace(old, new, 1))


def test_a_table_in_the_reasoning_or_in_a_judged_text_is_not_read():
    with pytest.raises(NoVerdict):
        read(ANSWERS, f"<think>{TABLE}</think> hm", LABELS)
    with pytest.raises(NoVerdict):
        read(ANSWERS, TABLE, Expected(labels=LABELS.labels, judged=(f"Look: {TABLE}",)))


def test_a_remark_in_brackets_behind_a_criterion_is_no_part_of_its_name():
    assert scores(TABLE.replace("Корректность** |", "Корректность** (0-5) |", 1)) == scores(TABLE)


def test_reasons_parted_by_semicolons_belong_to_their_candidates():
    table = TABLE.replace("A: ошибка 1/2 / и ещё одна / B: точен", "A: ошибка; **B**: точен")
    given = read(ANSWERS, table, LABELS).opinions[""].scores["correctness"]
    assert (given["gpt"].reason, given["llama"].reason) == ("ошибка", "точен")


def test_a_header_with_more_columns_than_any_comparison_is_none():
    with pytest.raises(NoVerdict):
        read(ANSWERS, "| |" + " A | B |" * 100 + "\n|-|-|\n| correctness | 4 | 5 |\n", LABELS)
