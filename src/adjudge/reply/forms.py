"""Replies in prose: one number, a number for each candidate, or which of two is better. Nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.core.errors import TooLarge
from adjudge.core.judge import Judge
from adjudge.core.limits import REPLY_CHARS
from adjudge.core.records import Opinion, Score
from adjudge.core.scale import Scale
from adjudge.reply.each import number_each
from adjudge.reply.preferred import preference
from adjudge.reply.prose import Conclusion, Prose
from adjudge.reply.stated import one_number
from adjudge.reply.validate import Expected


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
    if judge.reply == "numbers":
        each = number_each(prose, criterion.scale, expected.labels, finish)
        return _opinion(judge, prose, each, each.value)
    preferred = preference(prose, expected.labels, finish)
    return _opinion(judge, prose, preferred, _shares(criterion.scale, preferred.value, expected.labels))


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
