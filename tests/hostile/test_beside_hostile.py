"""Hostile names and findings through the tables beside the scores, and through what is shown of an item."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from adjudge.core.records import Item, Outcome, Verdict
from adjudge.data.items import make_item
from adjudge.report.build import build_with_rows
from adjudge.report.html import html
from adjudge.report.markdown import markdown
from adjudge.report.plain import width
from adjudge.report.tables import Report
from adjudge.report.text import text
from adjudge.spec.load import load_judge
from tests.hostile.test_report_hostile import every_payload, harmless, skeleton
from tests.unit.report import sample
from tests.unit.report.beside.scripted import judged

JUDGE = load_judge("rag-answers", lang="en")
TEXT = "The widow keeps the lighthouse on the northern rock."


@cache
def case(hostile: str) -> tuple[Report, list[Outcome], dict[str, Item]]:
    """Two items whose candidates, sources, findings, retrieved passages and failures are so named."""
    # as far as rows and options let them
    hostile = hostile[:150].replace("=", "≠").encode("utf-8", "replace").decode()
    names = (f"{hostile}1", f"{hostile}2")
    rows: list[dict[str, Any]] = [
        {
            "id": f"q{number}",
            "question": f"? {hostile}",
            "sources": [{"id": hostile[:100].strip() or "1", "text": TEXT, "url": hostile, "title": hostile}],
            "answers": dict.fromkeys(names, f"{TEXT} {hostile}"),
            "retrieved_by": {name: [{"id": hostile, "text": TEXT}] for name in names},
            "answering": {names[0]: {"seconds": 1.0, "cost_usd": 0.5}, names[1]: {"failed": hostile}},
        }
        for number in range(6)
    ]
    said = {"criterion": "correctness", "reason": hostile, "source": hostile, "against": True}
    found = [
        {**said, "candidate": name, "kind": kind}
        for name in names
        for kind in ("quote_not_found", "quote_verified", "claim_unsupported", "claim_supported", hostile)
    ]
    outcomes: list[Outcome] = []
    for number in range(6):
        one: Verdict = judged(JUDGE, f"q{number}", names, lambda _, name, place: 3.0 + (name == names[0]) - place)
        outcomes.append(replace(one, findings=tuple(found), flags=(*one.flags, "order_flip")))
    state = sample.state(JUDGE, len(rows), model="openai:m")
    state = replace(state, run=replace(state.run, candidates=tuple(f"{name}=cmd:{hostile}" for name in names)))
    items = {row["id"]: make_item(JUDGE, row, "a test", fewest=0) for row in rows}
    bodies = [json.dumps(row) for row in rows]
    return build_with_rows(JUDGE, state, zip(outcomes, bodies, strict=True)), outcomes, items


def test_every_table_is_there():
    report, _, _ = case("plain")
    shown = {section.name for section in report.sections}
    assert shown == {"ranking", "orders", "evidence", "claims", "answering", "retrieval"}


@every_payload
def test_pages_and_tables_stay_what_they_are(payload: str):
    pages, marked = [], []
    for word in ("plain", payload):
        report, outcomes, items = case(word)
        pages.append("".join(html(report, outcomes, items, JUDGE)))
        marked.append(markdown(report, outcomes, JUDGE, items=items))
    harmless(pages[1])
    assert skeleton(pages[1]) == skeleton(pages[0])
    harmless(marked[1])
    benign, page = (
        [line.count("|") for line in one.splitlines() if not line.startswith("Signature: `")] for one in marked
    )
    assert page == benign


@every_payload
def test_the_terminal_keeps_its_columns(payload: str):
    for columns in (80, 60):
        page = text(case(payload)[0], width=columns)
        harmless(page)
        assert max(map(width, page.splitlines())) <= columns
