"""The tables of claims that were checked one by one, and of sources that were judged in parts."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.core.records import Failure, Verdict
from adjudge.report.beside.claims import Claims
from adjudge.report.beside.long import LongSources
from adjudge.report.beside.row import Row
from adjudge.spec.load import load_judge
from tests.unit.report import sample

JUDGES = {lang: load_judge("summary", lang=lang) for lang in ("en", "ru")}
FAILED = Failure(item="f", kind="timed_out", stage="ask", message="no")


def verdict(*flags: str, kinds: tuple[str, ...] = ()) -> Verdict:
    findings = tuple({"criterion": "accuracy", "kind": kind, "reason": "r", "against": False} for kind in kinds)
    return Verdict(item="a", scores={}, reasons={}, derived={}, native={}, flags=flags, findings=findings)


def gathered(table: Any, *outcomes: Any, lang: str = "en") -> Any:
    made = table(JUDGES[lang], sample.state(JUDGES[lang], len(outcomes)))
    for one in outcomes:
        made.add(one, Row(JUDGES[lang], None))
    return made.section()


@pytest.mark.parametrize(
    ("lang", "first", "note"),
    [
        ("en", ("Coverage", "of each part; mean by length"), "2 of 3 items, in 9 parts together (from 2 to 7 each)"),
        ("ru", ("Полнота", "по каждой части; среднее по длине"), "Записей: 2 из 3, частей всего: 9 (от 2 до 7"),
    ],
)
def test_the_report_says_how_long_sources_were_judged(lang, first, note):
    outcomes = (verdict("in_parts:7", "in_parts:3"), verdict("in_parts:2"), verdict("repeated"), FAILED)
    found = gathered(LongSources, *outcomes, lang=lang)
    assert found.rows[0][1] == first[1]
    assert found.notes[0].startswith(note)
    assert (found.data["items"], found.data["of"], found.data["parts"]) == (2, 3, 9)
    assert found.data["criteria"] == {
        "coverage": "each",
        "accuracy": "contradicted",
        "coherence": "once",
        "conciseness": "once",
        "hallucination_check": "unsupported",
        "conclusion": "once",
    }


@pytest.mark.parametrize("flag", ["in_parts:", "in_parts:x", "in_parts:²", "in_parts:" + "9" * 5_000, "in_part"])
def test_a_flag_that_says_no_number_says_nothing(flag):
    assert gathered(LongSources, verdict(flag)) is None


def test_claims_are_counted_and_their_shares_are_means_over_texts():
    first = ("claim_supported", "claim_supported", "claim_unsupported", "claim_elsewhere", "claim_uncited")
    second = ("claim_contradicted", "citation_dangling", "citation_dangling", "quote_verified", "part")
    found = gathered(Claims, verdict(kinds=first), verdict(kinds=second), verdict(kinds=("part",)), FAILED)
    assert (found.data["texts"], found.data["claims"], found.data["citation_dangling"]) == (2, 5, 2)
    assert found.data["claim_supported"] == {"n": 2, "share": 25.0, "ci95": [0.0, 100.0]}
    assert found.data["claim_contradicted"]["share"] == 50.0
    assert found.data["claim_uncited"]["n"] == 1
    assert found.notes[1] == "Citations that point to no source: 2; texts with them: 1."
    assert [row[:2] for row in found.rows][:2] == [("Supported", "2"), ("Supported, quote not found", "0")]


@pytest.mark.parametrize("outcome", [verdict(), verdict(kinds=("citation_dangling",)), FAILED])
def test_without_claims_there_is_no_table(outcome):
    assert gathered(Claims, outcome) is None
