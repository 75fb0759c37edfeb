"""What a verdict lists of a text: its statements, checked against the sources."""

from __future__ import annotations

from typing import Any

from adjudge.models.base import well_formed
from adjudge.models.offline.evidence import Check
from adjudge.models.offline.findings import Measured, weights
from adjudge.models.offline.support import citations, disagreements, sentence_support, unsupported
from adjudge.models.offline.text import bare
from adjudge.models.offline.view import View


def claims(view: View) -> tuple[list[dict[str, Any]] | None, Measured]:
    """Each sentence as a statement with its nearest place in the sources, and what is to be said of them all."""
    if view.out.empty and not view.case.evidence.empty:
        said = view.find("no_words" if view.raw.strip() else "empty")
        # A text that says nothing invents nothing, but the best point for it would reward saying nothing.
        none = {"text": said.reason, "quote": "", "sources": [], "verdict": "significant"}
        return [none], Measured(quality=0.0, findings=(said,))
    if view.comparable:
        return None, view.none(view.comparable)
    # That the sources are silent is no statement of what they tell of.
    checks = [check for check in view.checks if not check.silent]
    found = [_claim(check) for check in checks]
    verdicts = [claim["verdict"] for claim in found]
    bad = len(found) - verdicts.count("supported")
    weak = [check for check, verdict in zip(checks, verdicts, strict=True) if verdict == "minor"]
    faults = [*disagreements(view, checks), *unsupported(view, checks), *citations(view)]
    faults += unsupported(view, weak, key="loosest")
    key = "claims_some" if bad else "claims_all" if found else "claims_none"
    said = view.find(key, against=bool(bad), n=bad or len(found), total=len(found))
    shares = {name: 1 - verdicts.count(name) / len(found) if found else 1.0 for name in ("minor", "significant")}
    good = shares["significant"] - (1 - shares["minor"]) / 2
    return found, Measured(quality=good, findings=(said, *view.partly, *faults), parts=shares)


def _claim(check: Check) -> dict[str, Any]:
    limits, value = weights("thresholds"), sentence_support(check)
    misplaced = check.numbers and check.match.share >= limits["place"]
    wrong = bool(check.turned or check.opposed or check.denied or misplaced)
    if wrong or value < limits["claim_minor"]:
        verdict = "significant"
    else:
        held = value >= limits["claim_supported"] and not check.names and not check.numbers and not check.doubted
        verdict = "supported" if held else "minor"
    # What is not supported has nothing to quote, unless the source says otherwise: then that is the proof.
    return {
        "text": well_formed(bare(check.sentence.text)),
        "quote": well_formed(check.match.text) if verdict == "supported" or wrong else "",
        "sources": [check.match.source] if verdict == "supported" else [],
        "verdict": verdict,
    }
