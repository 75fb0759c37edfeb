"""Replies in prose: a number, a letter, a number for each candidate, or which of two is better. Nothing is guessed."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from adjudge.core.errors import Malformed, Missing, NoVerdict, TooLarge, Truncated
from adjudge.core.judge import Judge
from adjudge.core.limits import REPLY_CHARS
from adjudge.core.records import Opinion, Score
from adjudge.core.scale import Scale
from adjudge.reply.each import number_each
from adjudge.reply.lettered import one_letter
from adjudge.reply.preferred import preference
from adjudge.reply.prose import Conclusion, Prose, no_verdict
from adjudge.reply.stated import one_number
from adjudge.reply.validate import Expected

#: The labels of adjudge's own prompts, and those of well-known ones.
_USUAL = tuple({label: label for label in pair} for pair in (("X1", "X2"), ("A", "B"), ("1", "2")))


def read_form(judge: Judge, text: str, expected: Expected, *, finish: str = "stop") -> tuple[Opinion, str]:
    """The opinion that a reply in prose states, and the name of its form; ReplyError when it states none.

    The judge has one rating; the prose becomes its reason.
    """
    if len(text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(text)} characters, more than {REPLY_CHARS}")
    (criterion,) = judge.scored
    assert criterion.scale is not None
    prose = Prose(text, expected)
    if judge.reply == "number":
        concluded = one_number(prose, criterion, finish)
        return _opinion(judge, prose, concluded, {"": concluded.value})
    if judge.reply == "letter":
        chosen = one_letter(prose, criterion.scale, finish)
        return _opinion(judge, prose, chosen, {"": float(chosen.value)})
    if judge.reply == "numbers":
        if not expected.labels:
            raise Missing("which candidates the numbers are for is not known")
        each = number_each(prose, criterion.scale, expected.labels, finish)
        return _opinion(judge, prose, each, each.value)
    labels, preferred = _preferred(prose, expected.labels, finish)
    return _opinion(judge, prose, preferred, _shares(criterion.scale, preferred.value, labels))


def _preferred(prose: Prose, labels: Mapping[str, str], finish: str) -> tuple[Mapping[str, str], Conclusion[int]]:
    """The preference and the labels it is stated with: those shown, or where they are not known the usual ones."""
    if labels and len(labels) != 2:
        raise Malformed(f"a preference is between two candidates, and {len(labels)} were shown")
    for pair in (labels,) if labels else _USUAL:
        with contextlib.suppress(NoVerdict, Truncated):
            return pair, preference(prose, pair, finish)
    raise no_verdict(finish)


def _shares(scale: Scale, degree: int, labels: Mapping[str, str]) -> dict[str, float]:
    """A degree of preference for the first candidate, from -2 to 2, as a point for each."""
    quarter = (scale.best - scale.worst) / 4
    signs = zip(labels.values(), (1, -1), strict=True)
    return {name: scale.worst + quarter * (2 + sign * degree) for name, sign in signs}


def _opinion(
    judge: Judge, prose: Prose, concluded: Conclusion[Any], values: Mapping[str, float]
) -> tuple[Opinion, str]:
    reason = "" if concluded.alone else prose.text.strip()
    flags = [f"no_text:{criterion.name}" for criterion in judge.criteria if criterion.kind == "text"]
    opinion = Opinion(
        scores={judge.scored[0].name: {who: Score(value=value, reason=reason) for who, value in values.items()}},
        flags=(*flags, "corrected") if concluded.corrected else tuple(flags),
    )
    return opinion, judge.reply
