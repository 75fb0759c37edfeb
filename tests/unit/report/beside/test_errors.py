"""The table of errors: every error counted once under its category, with what it costs, in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.core.records import Source, Verdict
from adjudge.reply.combine import combine
from adjudge.reply.read import Expected, read
from adjudge.report.beside.errors import Errors
from adjudge.report.beside.row import Row
from tests.unit.report import sample
from tests.unit.spec.rows import bundled

SHOWN = Expected(sources={"": (Source(id="src", text="one two"),)}, outputs={"": "раз два"})


def verdict(item: str, *errors: tuple[str, str, str], lang: str = "en") -> Verdict:
    judge = bundled("translation-mqm", lang)
    listed: list[dict[str, Any]] = [
        {"span": span, "explanation": "x", "category": category, "severity": severity}
        for span, category, severity in errors
    ]
    return combine(judge, item, [read(judge, json.dumps({"errors": listed}), SHOWN).opinions[""]], sources=())


def gathered(*verdicts: Any, lang: str = "en") -> Errors:
    judge = bundled("translation-mqm", lang)
    table = Errors(judge, sample.state(judge, len(verdicts)))
    for one in verdicts:
        table.add(one, Row(judge, None))
    return table


@pytest.mark.parametrize(
    ("lang", "columns", "first"),
    [
        ("en", ("Category", "Critical", "Major", "Minor", "Penalty"), ("Omission", "1", "0", "1", "26")),
        ("ru", ("Категория", "Критическая", "Серьёзная", "Мелкая", "Штраф"), ("Пропуск", "1", "0", "1", "26")),
    ],
)
def test_errors_are_counted_by_category_and_severity(lang, columns, first):
    found = gathered(
        verdict("a", ("раз", "fluency/punctuation", "minor"), ("two", "accuracy/omission", "minor"), lang=lang),
        verdict("b", lang=lang),
        verdict("c", ("три", "accuracy/omission", "critical"), ("раз", "style/awkward", "major"), lang=lang),
        lang=lang,
    ).section()
    assert found is not None
    assert found.columns == columns
    assert found.rows[0] == first
    assert [row[-1].replace(",", ".") for row in found.rows] == ["26", "5", "0.1"]
    assert found.data == {
        "errors": 4,
        "flawed": 2,
        "texts": 3,
        "unplaced": 1,
        "criteria": {
            "errors": {
                "accuracy/omission": {"critical": 1, "major": 0, "minor": 1, "penalty": 26},
                "fluency/punctuation": {"critical": 0, "major": 0, "minor": 1, "penalty": 0.1},
                "style/awkward": {"critical": 0, "major": 1, "minor": 0, "penalty": 5},
            }
        },
    }


def test_without_an_error_there_is_no_table():
    assert gathered(verdict("a"), sample.failure("b")).section() is None


def test_a_stored_verdict_of_another_shape_is_passed_over():
    strange = Verdict(
        item="x",
        scores={"errors": 5.0},
        reasons={},
        derived={},
        native={"errors": [{"category": ["x"], "severity": {}}, 5, {"category": "other", "severity": "major"}]},
        findings=({"criterion": "errors", "kind": None},),
    )
    found = gathered(strange).section()
    assert found is not None and found.data["errors"] == 1
