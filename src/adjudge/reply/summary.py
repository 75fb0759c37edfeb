"""The reply to the last call of a batch run: one text per criterion."""

from __future__ import annotations

from typing import Any

from adjudge.core.errors import Missing, NoVerdict, TooLarge, Truncated
from adjudge.core.judge import Judge
from adjudge.core.limits import REPLY_CHARS
from adjudge.core.records import Reply
from adjudge.reply.extract import extract
from adjudge.reply.findings import plain_text
from adjudge.reply.keys import ALIASES, look_up


def read_summary(judge: Judge, reply: Reply) -> tuple[dict[str, str], str]:
    """The merged summary and the step of the ladder; every criterion must have its text."""
    if len(reply.text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(reply.text)} characters, more than {REPLY_CHARS}")
    missing: list[str] = []
    for candidate in reversed([found for found in extract(reply.text).candidates if found.final]):
        texts = _texts(judge, candidate.value)
        missing = [criterion.name for criterion in judge.scored if criterion.name not in texts]
        if not missing:
            return texts, candidate.step
        if texts:
            break
    if reply.finish == "length":
        raise Truncated("the reply was cut off before the summary was complete")
    if len(missing) < len(judge.scored):
        raise Missing(f"the summary says nothing of {', '.join(missing)}")
    raise NoVerdict("the reply holds no summary")


def _texts(judge: Judge, value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    inner = look_up(value, ALIASES["summary"], "summary")[0]
    given = inner if isinstance(inner, dict) else value
    found = {name: plain_text(look_up(given, (name, title), "summary")[0]) for name, title in _names(judge)}
    return {name: text for name, text in found.items() if text}


def _names(judge: Judge) -> list[tuple[str, str]]:
    return [(criterion.name, criterion.title or criterion.name) for criterion in judge.scored]
