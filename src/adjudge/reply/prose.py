"""What prose states: the places where a reply names its verdict, and which of them is the one it concludes with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from adjudge.core.errors import Ambiguous, Malformed, NoVerdict, ReplyError, Truncated
from adjudge.reply.extract import extract
from adjudge.reply.validate import Expected

V = TypeVar("V")

#: No one states a verdict this often; looking up each statement in the judged texts would no longer be linear.
STATEMENTS = 200
#: How far a sentence is looked at before and after a statement.
REACH = 160
_FINAL = re.compile(
    r"\b(?:final(?:ly)?|conclusion|conclud\w+|all in all|verdict|corrected|revised|окончательн\w*|итог\w*|вывод|вердикт"
    r"|заключени\w*)\b",
    re.IGNORECASE,
)
_THUS = re.compile(
    r"\b(?:therefore|thus|hence|overall|so|consequently|accordingly|in sum|in summary|to sum up|as a result|based on"
    r"|значит|следовательно|поэтому|таким образом|итак|в целом|в общем|исходя из)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:correction|actually|wait|scratch that|i take that back|on reflection|on second thoughts?|reconsider\w*"
    r"|let me revise|i revise|i change|i correct|исправля\w+|поправ\w+|вернее|точнее|пересмотр\w+|передумал\w*)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…](?=[\s*_\"'”»)])|\n")
_CLOSERS = re.compile(r"[\s.!*_`\"'”»’)\]}>$|<-]*\Z")
_LAYOUT = re.compile(r"[\s\\*_`#>]+")
_OPENERS, _ENDERS = "\"“«„`‘'>(\n", "\"”»“`’'\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement(Generic[V]):
    """A place that states a verdict. `rank`: 0 vague, 1 within a sentence, 2 in the form asked for, 3 marked up.

    `bare` is a statement of a number or letter alone, which any text may hold without quoting it.
    """

    value: V
    start: int
    end: int
    rank: int = 2
    bare: bool = False


class Prose:
    """The part of a reply that answers: without the reasoning, and aware of what it may quote."""

    def __init__(self, text: str, expected: Expected) -> None:
        extracted = extract(text)
        self.text = "" if extracted.reasoning else text[extracted.final_from :]
        self._judged = [_flat(judged) for judged in expected.judged if judged.strip()]

    def sentence(self, start: int) -> str:
        """What stands before a place in its sentence."""
        before = self.text[max(0, start - REACH) : start]
        ends = list(_SENTENCE_END.finditer(before))
        return before[ends[-1].end() :] if ends else before

    def at_end(self, end: int) -> bool:
        return _CLOSERS.match(self.text, end) is not None

    def quoted(self, found: Statement[V]) -> bool:
        """Whether a judged text holds the statement as it stands here, with the words next to it."""
        if not self._judged:
            return False
        before = re.split(f"[{re.escape(_OPENERS)}]", self.text[max(0, found.start - 24) : found.start])[-1]
        after = re.split(f"[{re.escape(_ENDERS)}]", self.text[found.end : found.end + 24])[0]
        near = _flat(before), _flat(after).strip(".,;:!?)")
        stated = _flat(self.text[found.start : found.end])
        alone = not any(near)
        if alone and (found.bare or not self.text[: found.start].strip() + self.text[found.end :].strip(" \n.*")):
            return False
        probe = near[0] + stated if near[0] else stated + near[1]
        return any(probe in judged for judged in self._judged)


def _flat(text: str) -> str:
    """Text without what quoting may change: spaces, escapes, emphasis, case."""
    return _LAYOUT.sub("", text).casefold()


@dataclass(frozen=True, slots=True)
class Conclusion(Generic[V]):
    """What a reply concludes with; whether it takes back something else; whether it says nothing more."""

    value: V
    corrected: bool
    alone: bool


def conclude(prose: Prose, found: Sequence[Statement[V]], finish: str) -> Conclusion[V]:
    """The value that the reply concludes with; ReplyError when there is none, or two."""
    if len(found) > STATEMENTS:
        raise Malformed(f"the reply states a verdict {len(found)} times")
    own = sorted((s for s in found if not prose.quoted(s)), key=lambda s: (s.end, s.start))
    if not own:
        raise no_verdict(finish)
    top = max(s.rank for s in own)
    best = [s for s in own if s.rank == top]
    pool = best + [s for s in own if 0 < s.rank < top and s.start >= best[-1].end]
    last = max(pool, key=lambda s: s.end)
    rivals = [s for s in pool if s.value != last.value]
    if rivals and not _corrects(prose, rivals, last):
        raise Ambiguous("the reply states two different verdicts, and none is called final")
    alone = not (prose.text[: last.start] + prose.text[last.end :]).strip(" \n\t.*_`\"'()[]")
    return Conclusion(last.value, bool(rivals), alone)


def no_verdict(finish: str) -> ReplyError:
    """The failure of a reply that states none."""
    if finish == "length":
        return Truncated("the reply was cut off before it stated a verdict")
    return NoVerdict("the reply states no verdict")


def _corrects(prose: Prose, rivals: Sequence[Statement[V]], last: Statement[V]) -> bool:
    if _CORRECTS.search(prose.text, max(r.end for r in rivals), last.start):
        return True
    return drawn(prose, last) > max(drawn(prose, rival) for rival in rivals)


def drawn(prose: Prose, found: Statement[V]) -> int:
    """How much the reply makes of a statement: called final, drawn as a conclusion, or the very last word."""
    lead = prose.sentence(found.start) + prose.text[found.start : found.end]
    return 2 * bool(_FINAL.search(lead)) + bool(_THUS.search(lead)) + prose.at_end(found.end)
