"""The verdict in the judge's own shape: `judge.output` with values in its leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from adjudge.core.judge import Judge, Leaf, Output
from adjudge.core.records import Claim, Opinion, Question, Score, Source


def native(judge: Judge, opinion: Opinion, derived: Mapping[str, Any], sources: Sequence[Source]) -> Any:
    """The native verdict of one item. Scores are points of the scale; null with a reason where not judged."""
    places = {source.id: source.url or source.id for source in sources}

    def build(output: Output) -> Any:
        if isinstance(output, Leaf):
            return leaf_value(output)
        if isinstance(output, tuple):
            return [leaf_value(leaf) for leaf in output]
        return {name: build(child) for name, child in output.items()}

    def leaf_value(leaf: Leaf) -> Any:
        if value := judge.derived_value(leaf.name):
            found = derived[leaf.name]
            if value.operation == "winner":
                return found["tied" if leaf.part == "tied" else "winner"]
            return _shown(found)
        match leaf.part:
            case "claims":
                return [_claim(claim, places) for claim in opinion.claims.get(leaf.name, ())]
            case "questions":
                return _questions(opinion.questions.get(leaf.name, ()), places)
            case "selected":
                return [places.get(source, source) for source in opinion.selected.get(leaf.name, ())]
            case "text":
                return opinion.texts.get(leaf.name, "")
            case _:
                return _rating(judge, leaf, opinion.scores[leaf.name])

    return build(judge.output)


def _rating(judge: Judge, leaf: Leaf, scores: Mapping[str, Score]) -> Any:
    scale = judge.criterion(leaf.name).scale
    assert scale is not None
    points = {name: None if score.value is None else scale.point(score.value) for name, score in scores.items()}
    if leaf.part:
        return points[""] if leaf.part == "score" else scores[""].reason
    whole = {name: {"score": points[name], "justification": score.reason} for name, score in scores.items()}
    return whole if judge.layout == "compare" else whole[""]


def _claim(claim: Claim, places: Mapping[str, str]) -> dict[str, Any]:
    return {
        "text": claim.text,
        "supported": claim.supported,
        "severity": claim.severity,
        "source_urls": [places.get(source, source) for source in claim.sources],
        "quote": claim.quote,
        "quote_found": claim.quote_found,
    }


def _questions(questions: Sequence[Question], places: Mapping[str, str]) -> list[dict[str, Any]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for question in questions:
        grouped.setdefault(question.source, []).append(
            {"question": question.text, "is_answered": question.answered, "answer_justification": question.reason}
        )
    return [{"text_url": places.get(source, source), "questions": asked} for source, asked in grouped.items()]


def _shown(value: Any) -> Any:
    """Two decimals are what a reader can use, halves up as people round; whole numbers stay whole."""
    if isinstance(value, Mapping):
        return {name: _shown(child) for name, child in value.items()}
    if isinstance(value, float):
        shown = float(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))
        return int(shown) if shown.is_integer() else shown
    return value
