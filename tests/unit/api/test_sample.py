"""Choosing items from a run: blind rows, every part of the range, the same ones again."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.api.sample import sample
from adjudge.core.errors import ConfigError, DataError
from tests.fakes.labelled import NAMES, RAG, kind_judge, two_candidates
from tests.fakes.verdicts import a_run


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}"


def test_rows_have_what_a_person_needs_and_nothing_of_the_verdict(url):
    run, _ = kind_judge(url, failed=5)
    found = sample(run, 40, seed=3)
    assert len({row["id"] for row in found.rows}) == 40
    for row in found.rows:
        number = row["id"].removeprefix("i")
        assert int(number) >= 5, "an item without a verdict was chosen"
        assert f"of item {number}:" in row["content"]
        assert f"of item {number}:" in row["text"]
        assert [row[name] for name in NAMES] == [""] * 5
        assert (row["sample_run"], row["sample_seed"]) == (run.id, 3)
        assert not any("gave" in str(cell) for cell in row.values())
    assert sum(one["items"] for one in found.sheet.data["strata"]) == 195
    assert sum(one["chosen"] for one in found.sheet.data["strata"]) == 40
    assert found.sheet.data["failed"] == 5


def test_neither_codes_nor_the_order_of_rows_tell_what_the_judge_thinks(url):
    """Each code is of one item alone, and the first rows, two of each band, are in no order."""
    run, _ = kind_judge(url)
    quality = {row["item"]: row["score"] for row in run.scores() if row["criterion"] == "coverage"}
    rising = 0
    for seed in range(60):
        rows = sample(run, 50, seed=seed).rows
        assert len({row["sample_code"] for row in rows}) == 50
        first, last = (quality[rows[place]["id"]] for place in (0, 3))
        rising += (first < last) - (first > last)
        assert [*rows[0]][-3:] == ["sample_run", "sample_seed", "sample_code"]
    assert abs(rising) < 30


def strata_names(found) -> list[str]:
    return [one["name"] for one in found.sheet.data["strata"]]


def test_who_wrote_a_text_is_not_shown(url):
    rows = [
        {"id": f"i{n}", "content": f"source {n}", "text": f"summary {n}", "system": ["alpha", "beta"][n % 2]}
        for n in range(60)
    ]
    run = a_run(url, "summary", [dict.fromkeys(NAMES, 1 + n % 5) for n in range(60)], rows=rows)
    found = sample(run, 20)
    assert not any(
        who in str(cell) for row in found.rows for cell in (*row, *row.values()) for who in ("alpha", "beta")
    )
    assert {name.rpartition(" b")[0] for name in strata_names(found)} == {"en alpha", "en beta"}
    odd = sum(int(row["id"][1:]) % 2 for row in found.rows)
    assert abs(odd - (20 - odd)) <= 2


def test_languages_have_strata_of_their_own(url):
    russian, english = "Паром отправляется утром из гавани.", "The ferry leaves the harbour in the morning."
    rows = [{"id": f"i{n}", "content": f"{n}", "text": f"{[english, russian][n % 2]} {n}"} for n in range(60)]
    run = a_run(url, "summary", [dict.fromkeys(NAMES, 1 + n % 5) for n in range(60)], rows=rows)
    assert {name.split()[0] for name in strata_names(sample(run, 20))} == {"en", "ru"}


def test_a_larger_choice_begins_with_the_smaller_one(url):
    run, _ = kind_judge(url)
    ids = [row["id"] for row in sample(run, 80).rows]
    assert [row["id"] for row in sample(run, 30).rows] == ids[:30]
    assert [row["id"] for row in sample(run, 80).rows] == ids
    assert [row["id"] for row in sample(run, 80, seed=1).rows] != ids


def test_comparisons_have_a_row_for_each_candidate_and_do_not_say_which(url):
    run, _ = two_candidates(url)
    found = sample(run, 60)
    assert len(found.rows) == 120
    pairs = [found.rows[place : place + 2] for place in range(0, 120, 2)]
    assert all(one["id"] == other["id"] and one["candidate"] != other["candidate"] for one, other in pairs)
    assert len({row["candidate"] for row in found.rows}) == 120
    assert 15 < sum(one["answers"].startswith("A says") for one, _ in pairs) < 45
    first = found.rows[0]
    assert all(name in first for name in RAG)
    assert first["sources"].startswith("[")


def test_more_than_there_is_chooses_everything_and_says_so(url):
    run, _ = kind_judge(url, n=30)
    found = sample(run, 99)
    assert len(found.rows) == 30
    assert any("all of them" in one for one in found.sheet.warnings)


def test_too_few_for_the_strata_and_runs_without_verdicts_are_refused(url):
    run, _ = kind_judge(url)
    with pytest.raises(ConfigError, match="need 8 labels"):
        sample(run, 4)
    with pytest.raises(DataError, match="no verdict"):
        sample(a_run(url, "summary", [None, None]), 4)


def test_cells_cannot_start_a_formula_and_ids_are_read_back(url, tmp_path):
    rows = [{"id": f"-{n}", "content": "=1+1", "text": f"@sum {n}", "system": ""} for n in range(40)]
    run = a_run(url, "summary", [dict.fromkeys(NAMES, 1 + n % 5) for n in range(40)], rows=rows)
    found = sample(run, 20)
    text = "".join(found.write("csv"))
    assert text.startswith("id,content,text,coverage")
    for line in text.splitlines()[1:]:
        assert line.startswith("'-")
        assert ",'=1+1,'@sum" in line
    assert all(row["id"].startswith("-") for row in found.rows)
    assert "".join(found.write("jsonl")).count("\n") == 20
