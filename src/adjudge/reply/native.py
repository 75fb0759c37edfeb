"""The verdict in the judge's own shape: `judge.output` with values in its leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from adjudge.core.judge import Judge, Leaf, Output
from adjudge.core.records import Claim, ErrorSpan, Finding, Opinion, Question, Score, Source

#: Makes one place of the native verdict of an opinion, its derived values and the addresses of its sources.
Build: TypeAlias = Callable[[Opinion, Mapping[str, Any], Mapping[str, str]], Any]
#: Below this, a float that equals itself rounded to two decimals is written with no more than two.
_SHORT = 1e9


def native(judge: Judge, opinion: Opinion, derived: Mapping[str, Any], sources: Sequence[Source]) -> Any:
    """The native verdict of one item. Scores are points of the scale; null with a reason where not judged."""
    return _whole(judge)(opinion, derived, {source.id: source.url or source.id for source in sources})


@lru_cache(maxsize=64)
def _whole(judge: Judge) -> Build:
    return _build(judge, judge.output)


def _build(judge: Judge, output: Output) -> Build:
    """The shape with a function for each place, so that the judge is looked up once and not for every verdict."""
    if isinstance(output, Leaf):
        return _leaf(judge, output)
    if isinstance(output, tuple):
        parts = [_leaf(judge, leaf) for leaf in output]
        return lambda opinion, derived, places: [part(opinion, derived, places) for part in parts]
    children = {name: _build(judge, child) for name, child in output.items()}
    return lambda opinion, derived, places: {name: child(opinion, derived, places) for name, child in children.items()}


def _leaf(judge: Judge, leaf: Leaf) -> Build:
    name = leaf.name
    if value := judge.derived_value(name):
        if value.operation == "winner":
            part = "tied" if leaf.part == "tied" else "winner"
            return lambda opinion, derived, places: derived[name][part]
        return lambda opinion, derived, places: _shown(derived[name])
    match leaf.part:
        case "claims":
            return lambda opinion, derived, places: [_claim(claim, places) for claim in opinion.claims.get(name, ())]
        case "questions":
            return lambda opinion, derived, places: _questions(opinion.questions.get(name, ()), places)
        case "evidence":
            return lambda opinion, derived, places: [_quote(one, places) for one in _quotes(opinion, name)]
        case "spans":
            return lambda opinion, derived, places: _spans(opinion.spans.get(name))
        case "selected":
            return lambda opinion, derived, places: [
                places.get(source, source) for source in opinion.selected.get(name, ())
            ]
        case "text":
            return lambda opinion, derived, places: opinion.texts.get(name, "")
        case _:
            return _rating(judge, leaf)


def _rating(judge: Judge, leaf: Leaf) -> Build:
    name, scale = leaf.name, judge.criterion(leaf.name).scale
    assert scale is not None
    nearest: Callable[[float], float] = scale.nearest if scale.whole else float

    def point(score: Score) -> float | None:
        return None if score.value is None else nearest(score.value)

    def pair(score: Score) -> dict[str, Any]:
        return {"score": None if score.value is None else nearest(score.value), "justification": score.reason}

    if leaf.part == "score":
        return lambda opinion, derived, places: point(opinion.scores[name][""])
    if leaf.part:
        return lambda opinion, derived, places: opinion.scores[name][""].reason
    if judge.layout == "compare":
        return lambda opinion, derived, places: {who: pair(score) for who, score in opinion.scores[name].items()}
    return lambda opinion, derived, places: pair(opinion.scores[name][""])


def _claim(claim: Claim, places: Mapping[str, str]) -> dict[str, Any]:
    return {
        "text": claim.text,
        "supported": claim.supported,
        "severity": claim.severity,
        "source_urls": [places.get(source, source) for source in claim.sources],
        "quote": claim.quote,
        "quote_found": claim.quote_found,
    }


def _quotes(opinion: Opinion, name: str) -> Sequence[Finding]:
    return opinion.findings.get(name, {}).get("", ())


def _quote(finding: Finding, places: Mapping[str, str]) -> dict[str, Any]:
    """A quotation that a rating rests on: the source it was found in, and how it stands there."""
    source = places.get(finding.source, finding.source) or None
    return {"quote": finding.reason, "source": source, "found": finding.kind.removeprefix("quote_")}


def _spans(spans: Sequence[ErrorSpan] | None) -> list[dict[str, Any]] | None:
    """The errors that were listed; null where nothing was listed because nothing was judged so."""
    if spans is None:
        return None
    return [
        {
            "span": span.text,
            "category": span.category,
            "severity": span.severity,
            "explanation": span.explanation,
            "start": span.at[0] if span.at else None,
            "end": span.at[1] if span.at else None,
        }
        for span in spans
    ]


def _questions(questions: Sequence[Question], places: Mapping[str, str]) -> list[dict[str, Any]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for question in questions:
        grouped.setdefault(question.source, []).append(
            {"question": question.text, "is_answered": question.answered, "answer_justification": question.reason}
        )
    return [{"text_url": places.get(source, source), "questions": asked} for source, asked in grouped.items()]


def _shown(value: Any) -> Any:
    """Two decimals are what a reader can use, halves up as people round; whole numbers stay whole."""
    if isinstance(value, float):
        shown = value if abs(value) < _SHORT and round(value, 2) == value else _rounded(value)
        return int(shown) if shown.is_integer() else shown
    if isinstance(value, Mapping):
        return {name: _shown(child) for name, child in value.items()}
    return value


def _rounded(value: float) -> float:
    return float(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))
