"""What can be said of a text without words."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.models.offline.coverage import central_words
from adjudge.models.offline.findings import Measured
from adjudge.models.offline.view import View

#: What a measure compares with: any of these must be there for a text without words to be the worst, not unjudged.
#: A measure that is not here needs nothing beside the text; one that has none here is never a number.
BASES: Mapping[str, tuple[str, ...]] = {
    "coverage": ("source",),
    "support": ("source",),
    "novelty": ("source",),
    "brevity": ("source", "reference"),
    "relevance": ("query",),
    "answer_support": ("source", "reference"),
    "answer_coverage": ("source", "reference"),
    "adequacy": ("reference",),
    "additions": ("reference",),
    "punctuation": ("source", "reference"),
    "fluency": (),
}
_MISSING = {("source",): "no_source", ("query",): "no_query", ("reference",): "no_reference", (): "no_measure"}


def nothing(view: View, measure: str) -> Measured:
    """The worst point where a text with words could have had a better one; not judged where it could not."""
    case = view.case
    said = view.find("no_words" if view.raw.strip() else "empty")
    # A judge that asks no question at all takes relevance for coverage.
    asked = case.query.stems if case.judge.with_role("query") else case.evidence.at
    there = {"source": not case.evidence.empty, "query": bool(asked), "reference": not case.reference.empty}
    bases = BASES.get(measure)
    if measure == "coverage" and there["source"] and not central_words(case.evidence).keys:
        return view.none("no_statement")
    if measure == "brevity" and not (there["source"] or case.sized or case.reference.empty):
        return view.none("short_reference")
    if bases is None or any(there[basis] for basis in bases):
        return Measured(quality=0.0, findings=(said,))
    return Measured(quality=None, findings=(*view.none(_MISSING.get(bases, "no_basis")).findings, said))
