"""Replies in prose: one number, a number for each candidate, or which of two is better. Nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.core.errors import TooLarge
from adjudge.core.judge import Criterion, Judge
from adjudge.core.limits import REPLY_CHARS
from adjudge.core.records import Opinion, Score
from adjudge.core.scale import Scale
from adjudge.reply.preferred import preference
from adjudge.reply.prose import Prose
from adjudge.reply.stated import one_number, several_numbers
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
        number, corrected = one_number(prose, criterion, finish)
        values: Mapping[str, float] = {"": number}
    elif judge.reply == "numbers":
        values, corrected = several_numbers(prose, criterion, expected.labels, finish)
    else:
        degree, corrected = preference(prose, expected.labels, finish)
        values = _shares(criterion.scale, degree, tuple(expected.labels.values()))
    return _opinion(judge, criterion, values, prose.text.strip(), corrected), judge.reply


def _shares(scale: Scale, degree: int, candidates: tuple[str, ...]) -> dict[str, float]:
    """A degree of preference for the first candidate, from -2 to 2, as a point for each."""
    quarter = (scale.best - scale.worst) / 4
    return {name: scale.worst + quarter * (2 + sign * degree) for name, sign in zip(candidates, (1, -1), strict=True)}


def _opinion(
    judge: Judge, criterion: Criterion, values: Mapping[str, float], prose: str, corrected: bool
) -> Opinion:
    reason = prose if any(char.isalpha() for char in prose) else ""
    flags = [f"no_text:{other.name}" for other in judge.criteria if other.kind == "text"]
    return Opinion(
        scores={criterion.name: {who: Score(value=value, reason=reason) for who, value in values.items()}},
        flags=(*flags, "corrected") if corrected else tuple(flags),
    )
