"""Where in the judged text a claim is made: at its own words, or else in the sentence that says nearly the same."""

from __future__ import annotations

import re

from adjudge.core.records import Source
from adjudge.reply.evidence import locate

_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?…](?=\s)|$)", re.MULTILINE)
_WORD = re.compile(r"\w{3,}")
#: Endings differ in a claim that a model words anew, beginnings hardly.
_STEM = 5
#: Of the claim's words, how many a sentence must have: in part, and at least.
_SHARE, _LEAST = 0.6, 3


def place_of(claim: str, text: str) -> tuple[int, int] | None:
    """The place, or none where no sentence has most of the claim's words.

    >>> place_of("Seven ships sailed away", "It rained. Seven ships sailed off at dawn.")
    (11, 42)
    """
    located = locate(claim, [Source(id="", text=text)])
    if located is None or located.at:
        return located.at if located else None
    wanted = _stems(claim)
    best, at = max(_LEAST, _SHARE * len(wanted)), None
    for sentence in _SENTENCE.finditer(text):
        shared = len(wanted & _stems(sentence[0]))
        if shared >= best and (at is None or shared > best):
            best, at = shared, sentence.span()
    return at


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.casefold())}
