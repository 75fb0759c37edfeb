"""The figures promised for real replies; `tests.unit.reply.real` measures them."""

from __future__ import annotations

import pytest

from adjudge.core.errors import ReplyError
from adjudge.reply.extract import document, extract
from adjudge.reply.read import read
from tests.unit.reply.judges import ANSWERS, SUMMARY, TRANSLATION
from tests.unit.reply.real import equal, reasoning_scores, recovered, rows


def test_every_complete_verdict_of_reasoning_models_is_read_and_no_other():
    wrong = [row["id"] for row in rows("reasoning_replies") if reasoning_scores(row["raw"]) != row["expected"]]
    assert wrong == []


def test_97_percent_of_broken_json_is_recovered():
    marked = [row for row in rows("broken_json") if row.get("expected_kind") == "repair"]
    lost = [row["id"] for row in marked if not recovered(row)]
    assert len(lost) <= 0.03 * len(marked), lost


def test_valid_json_is_never_changed():
    for row in rows("broken_json"):
        if row.get("expected_kind") == "strict":
            assert equal(document(row["raw"]).value, row["expected"]), row["id"]


@pytest.mark.parametrize("judge", [SUMMARY, ANSWERS, TRANSLATION], ids=["single", "compare", "batch"])
def test_nothing_broken_crashes_or_becomes_a_verdict(judge):
    for row in rows("broken_json"):
        extract(row["raw"])
        with pytest.raises(ReplyError):
            read(judge, row["raw"])
