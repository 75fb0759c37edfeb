"""What prose states: the places where a reply names its verdict, and which of them is the one it concludes with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from adjudge.core.errors import Ambiguous, Malformed, NoVerdict, ReplyError, Truncated
from adjudge.reply.denial import is_taken_back
from adjudge.reply.extract import extract
from adjudge.reply.validate import Expected

V = TypeVar("V")

#: No one states a verdict this often; looking up each statement in the judged texts would no longer be linear.
STATEMENTS = 200
#: How far a sentence is looked at before and after a statement.
REACH = 160
#: How much of what stands next to a statement is compared with the judged texts.
NEAR = 24
_FINAL = re.compile(
    r"\b(?:final(?:ly)?|conclusion|conclud\w+|all in all|corrected|revised"
    r"|окончательн\w*|итог\w*|вывод|заключени\w*)\b",
    re.IGNORECASE,
)
_THUS = re.compile(
    r"\b(?:verdict|therefore|thus|hence|overall|so|consequently|accordingly|in sum|in summary|to sum up|as a result"
    r"|based on|вердикт|значит|следовательно|поэтому|таким образом|итак|в целом|в общем|исходя из)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:correction|actually|wait|scratch that|i take that back|on reflection|on second thoughts?|reconsider\w*"
    r"|let me revise|i revise|i change|i correct|исправля\w+|поправ\w+|вернее|точнее|пересмотр\w+|передумал\w*)\b",
    re.IGNORECASE,
)
#: What the last line may hold before a verdict that a judged text holds too.
_OWN_WORDS = re.compile(
    r"[\s*_`]*(?:(?:my|the|final|overall|verdict|is|so|therefore|итак|мой|итоговый|окончательный|вердикт)\b[\s:,*_`—-]*)*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…](?=[\s*_\"'”»)])|\n")
LINE = re.compile(r"\S[^\n]*")
_LONG_SPACE = re.compile(r"\s{16,}")
_CLOSERS = re.compile(r"[\s.!*_`\"'”»’)\]}>$|<-]*\Z")
_LAYOUT = re.compile(r"^[ >#]+|[\s\\*_`\"'«»“”„‘’]+", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement(Generic[V]):
    """A place that states a verdict. `rank`: 0 vague, 1 within a sentence, 2 in the form asked for, 3 marked up.

    `bare` is a number or letter alone, which any text may hold without being quoted; `last_word` says that to stand
    at the very end makes it the conclusion.
    """

    value: V
    start: int
    end: int
    rank: int = 2
    bare: bool = False
    last_word: bool = False


class Prose:
    """The part of a reply that answers: without the reasoning, and aware of what it may quote."""

    def __init__(self, text: str, expected: Expected) -> None:
        extracted = extract(text)
        # patterns that allow space in several places would try every way to share a long run of it
        self.text = "" if extracted.reasoning else _LONG_SPACE.sub(_squeezed, text[extracted.final_from :])
        self._judged = [_flat(judged) for judged in expected.judged if judged.strip()]

    def sentence(self, start: int) -> str:
        """What stands before a place in its sentence."""
        before = self.text[max(0, start - REACH) : start]
        ends = list(_SENTENCE_END.finditer(before))
        return before[ends[-1].end() :] if ends else before

    def at_end(self, end: int) -> bool:
        return _CLOSERS.match(self.text, end) is not None

    def quoted(self, found: Statement[V]) -> bool:
        """Whether the statement may be one that a judged text makes.

        What a judged text says word for word counts only as the last line, which is what the prompt asks for, and
        only when what stands before it is not from that text as well.
        """
        stated, after = _flat(self.text[found.start : found.end]), self.text[found.end : found.end + NEAR]
        if found.bare:
            stated += _flat(after.partition("\n")[0])
            return len(stated) > NEAR // 2 and self._judged_says(stated)
        if not self._judged_says(stated):
            return False
        before = self.text[max(0, found.start - 2 * NEAR) : found.start]
        if not self.at_end(found.end) or not _OWN_WORDS.fullmatch(before.rpartition("\n")[2]):
            return True
        lead = _flat(before)
        return lead.endswith(":") or (bool(lead) and self._judged_says(lead[-NEAR:] + stated))

    def _judged_says(self, stated: str) -> bool:
        return any(stated in judged for judged in self._judged)


def _squeezed(run: re.Match[str]) -> str:
    return "\n\n" if "\n" in run[0] else "  "


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
    """The value that the reply concludes with; ReplyError when there is none, or two and neither is called final."""
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
    if finish != "stop" and _could_go_on(prose.text, last, finish):
        raise Truncated("the reply was cut off in its verdict")
    if is_taken_back(prose.text, last.end):
        raise Ambiguous("the reply takes back its verdict, and gives no other")
    alone = not (prose.text[: last.start] + prose.text[last.end :]).strip(" \n\t.*_`\"'()[]")
    return Conclusion(last.value, bool(rivals), alone)


def _could_go_on(text: str, last: Statement[V], finish: str) -> bool:
    """Whether the statement ends where the text was cut: "1" may have been "10", and "A" have been "A>B"."""
    return last.end >= len(text.rstrip()) and (finish == "length" or text.rstrip()[-1:].isdigit())


def outer_lines(text: str) -> list[re.Match[str]]:
    """The first line that says something, and the last one if it is another."""
    first = LINE.search(text)
    last = LINE.search(text, text.rfind("\n", 0, len(text.rstrip())) + 1)
    if first is None or last is None:
        return []
    return [first] if first.start() == last.start() else [first, last]


def no_verdict(finish: str) -> ReplyError:
    """The failure of a reply that states none."""
    if finish != "stop":
        return Truncated("the reply was cut off before it stated a verdict")
    return NoVerdict("the reply states no verdict")


def _corrects(prose: Prose, rivals: Sequence[Statement[V]], last: Statement[V]) -> bool:
    if _CORRECTS.search(prose.text, max(r.end for r in rivals), last.start):
        return True
    return drawn(prose, last) > max(drawn(prose, rival) for rival in rivals)


def drawn(prose: Prose, found: Statement[V]) -> int:
    """How much the reply makes of a statement: whether it is called final, or drawn as a conclusion."""
    lead = prose.sentence(found.start) + prose.text[found.start : found.end]
    last_word = found.last_word and prose.at_end(found.end)
    return 2 * bool(_FINAL.search(lead)) + (bool(_THUS.search(lead)) or last_word)
