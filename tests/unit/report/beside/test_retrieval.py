"""What was retrieved: lists that are empty, and rows in any order."""

from __future__ import annotations

import json

import pytest

from adjudge.core.records import Failure
from adjudge.report.beside.retrieval import Retrieval
from adjudge.report.beside.row import Row
from adjudge.spec.load import load_judge
from tests.unit.report import sample

JUDGE = load_judge("rag-answers", lang="en")
TEXT = "The widow keeps the lighthouse on the northern rock."
ANSWERS = {"x": "The widow.", "y": "Nobody."}


def row(**more):
    return {"question": "Who?", "sources": [{"id": "a", "text": TEXT}], "answers": ANSWERS, **more}


def gathered(rows):
    found = Retrieval(JUDGE, sample.state(JUDGE, len(rows)))
    for number, one in enumerate(rows):
        body = json.dumps({"id": str(number), **one})
        found.add(Failure(item=str(number), kind="timeout", stage="ask", message=""), Row(JUDGE, body))
    return found.section()


def test_nothing_retrieved_is_nothing_found_and_not_an_item_less():
    told = gathered([row(retrieved=[TEXT]), row(retrieved=[]), row()]).data["systems"]["retrieved"]
    assert (told["n"], told["of"]) == (2, 3)
    assert told["recall"]["all"]["mean"] == pytest.approx(0.5)


def test_the_order_of_rows_decides_nothing():
    rows = [row(retrieved_by={"zeta": [TEXT]}), row(retrieved_by={"alpha": ["Other words stand here."]})]
    one, other = gathered(rows), gathered(rows[::-1])
    assert one == other
    assert list(one.data["systems"]) == ["alpha", "zeta"]
