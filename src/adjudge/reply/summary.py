"""The reply to the last calls of a batch run: one text per criterion, whose sentences name the batches they rest on."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjudge.core.errors import Missing, NoVerdict, TooLarge, Truncated
from adjudge.core.judge import Judge
from adjudge.core.limits import CITED_BATCHES, REPLY_CHARS
from adjudge.core.records import Reply
from adjudge.reply.extract import extract
from adjudge.reply.findings import plain_text
from adjudge.reply.keys import ALIASES, look_up

#: [3], [3, 7], [3-7]: numbers of batches. Every repetition has a limit, so that no text takes long.
_CITED = re.compile(r" ?\[ ?(\d{1,9}(?: ?[,;–—-] ?\d{1,9}){0,199}) ?\]")
_NUMBERS = re.compile(r"(\d{1,9})(?: ?[–—-] ?(\d{1,9}))?")


def read_summary(judge: Judge, reply: Reply) -> tuple[dict[str, str], str]:
    """The merged summary and the step of the ladder; every criterion must have its text."""
    if len(reply.text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(reply.text)} characters, more than {REPLY_CHARS}")
    missing = [criterion.name for criterion in judge.scored]
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


def uncited(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts of one batch: a number that stands in brackets there is a quotation, and must not pass for a batch's."""
    return {name: _CITED.sub(lambda found: f"{_space(found)}({found[1]})", text) for name, text in texts.items()}


def cited(text: str, known: Sequence[int], shown: Callable[[Sequence[int]], str]) -> str:
    """The text with every mention of batches written as `shown` does; numbers that no batch has are dropped.

    `known` are the numbers of batches that there are, in order.
    """

    def one(found: re.Match[str]) -> str:
        numbers: dict[int, None] = {}
        for first, last in _NUMBERS.findall(found[1]):
            low, high = bisect_left(known, int(first)), bisect_right(known, int(last or first))
            numbers |= dict.fromkeys(known[low : min(high, low + CITED_BATCHES)])
        said = shown(list(numbers)[:CITED_BATCHES]) if numbers else ""
        return f"{_space(found)}{said}" if said else ""

    return _CITED.sub(one, text)


def _space(found: re.Match[str]) -> str:
    return " " if found[0].startswith(" ") else ""
