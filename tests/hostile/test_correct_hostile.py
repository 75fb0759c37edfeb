"""Hostile ids, texts, candidates and label files in what people label and in the corrected figures: they stay text."""

from __future__ import annotations

import csv
import io
import json

import pytest

from adjudge.api.correct import correct
from adjudge.api.sample import sample
from adjudge.core.errors import UserError
from tests.fakes.labelled import NAMES
from tests.fakes.verdicts import a_run
from tests.hostile.test_report_hostile import PAYLOADS

FORMULAS = ["=1+1", "+1", "-1", "@sum", "\t=1", " =1", "\u200b=1", "\uff1d1"]


def a_hostile_run(url: str, payload: str, named: bool):
    rows = [
        {
            "id": f"{payload[:60]} {n}",
            "content": f"{payload} {n}",
            "text": f"{payload} {n}",
            # a language may be named in any words, and names the strata
            "lang": f"{payload} {n % 2}" if named else "en",
        }
        for n in range(40)
    ]
    rows = json.loads(json.dumps(rows))  # as a file would bring them
    return a_run(url, "summary", [dict.fromkeys(NAMES, 1 + n % 5) for n in range(40)], rows=rows, model=payload[:60])


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_rows_stay_text_on_every_sheet(tmp_path, payload):
    run = a_hostile_run(f"sqlite:///{tmp_path / 'runs.db'}", payload, named=True)
    chosen = sample(run, 24)
    labels = [{**row, **dict.fromkeys(NAMES, 1 + n % 4)} for n, row in enumerate(chosen.rows)]
    for sheet in (chosen.sheet, correct(run, labels, passes=["coverage>=3"])):
        page, text, markdown = "".join(sheet.html()), sheet.text(), sheet.markdown()
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "<svg" not in page
        assert not {"\x1b", "\x00", "\u202e", "\x9b"} & {*page, *text, *markdown}
        page.encode("utf-8")


@pytest.mark.parametrize("payload", FORMULAS)
def test_no_cell_of_the_file_starts_a_formula_and_it_is_read_back(tmp_path, payload):
    run = a_hostile_run(f"sqlite:///{tmp_path / 'runs.db'}", payload, named=True)
    chosen = sample(run, 24)
    text = "".join(chosen.write("csv"))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    for row in rows:
        for cell in row.values():
            shown = cell.lstrip(" \u200b")
            assert not shown or shown[0] not in "=+-@\t\uff1d"
    path = tmp_path / "labels.csv"
    filled = [{**row, **dict.fromkeys(NAMES, 1 + n % 4)} for n, row in enumerate(rows)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(filled[0]))
        writer.writeheader()
        writer.writerows(filled)
    found = correct(run, str(path))
    assert found.data["criteria"]["coverage"]["n"] == 24
    assert found.data["sample"] is not None


@pytest.mark.parametrize(
    "cells",
    [
        {"sample_run": "x" * 10_000},
        {"sample_run": "../../etc"},
        {"sample_code": "b1'; drop table runs"},
        {"sample_code": "x" * 10_000},
        {"sample_code": 1e308},
        {"sample_run": ["a"]},
        {"sample_code": {"b": 1}},
    ],
)
def test_forged_strata_are_refused_in_words(tmp_path, cells):
    run = a_hostile_run(f"sqlite:///{tmp_path / 'runs.db'}", "text", named=False)
    rows = [{**row, **dict.fromkeys(NAMES, 1 + n % 4), **cells} for n, row in enumerate(sample(run, 24).rows)]
    with pytest.raises(UserError) as error:
        correct(run, rows)
    assert len(str(error.value)) < 1_000
