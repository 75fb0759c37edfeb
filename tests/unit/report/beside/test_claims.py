"""The table of claims: shares over texts, and claims without a citation over texts that cite."""

from __future__ import annotations

import json

import pytest

from adjudge.core.judge import Judge
from adjudge.core.records import Verdict
from adjudge.report.beside.claims import Claims
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.spec.load import load_judge
from tests.unit.report import sample

SEARCH, SUMMARY = load_judge("search-summary", lang="en"), load_judge("summary", lang="en")


def table(judge: Judge, *texts: tuple[str, list[str]]) -> Section:
    """Texts with the kinds of their findings."""
    made = Claims(judge, sample.state(judge, len(texts)))
    for number, (text, kinds) in enumerate(texts):
        found = tuple({"criterion": "hallucination", "kind": kind, "reason": "r"} for kind in kinds)
        verdict = Verdict(item=str(number), scores={}, reasons={}, derived={}, native={}, findings=found)
        (output,) = judge.with_role("output")
        row = {"id": str(number), output.name: text}
        for field in judge.fields:
            if field.required and field.name not in row:
                results = [{"url": "https://a.example/1", "content": "It rains."}]
                row[field.name] = results if field.type == "search_results" else "t"  # type: ignore[assignment]
        made.add(verdict, Row(judge, json.dumps(row)))
    section = made.section()
    assert section is not None
    return section


def test_claims_without_a_citation_are_a_share_of_texts_that_cite():
    section = table(
        SEARCH,
        ("It rains [1]. It snows.", ["claim_supported", "claim_unsupported", "claim_uncited"]),
        ("It rains [1].", ["claim_supported"]),
        ("It rains. It snows.", ["claim_supported", "claim_supported"]),
    )
    assert section.data["texts"] == 3 and section.data["claims"] == 5
    assert section.data["claim_uncited"]["share"] == pytest.approx(25.0), "the third text cites nothing at all"
    assert section.data["claim_unsupported"]["share"] == pytest.approx(100 / 6)


def test_where_no_text_cites_there_is_no_such_line():
    section = table(SUMMARY, ("It rains [1].", ["claim_supported"]), ("It snows.", ["claim_contradicted"]))
    assert "Without a citation" not in {row[0] for row in section.rows}
    assert section.data["claim_uncited"] == {"n": 0, "share": None, "ci95": None}
