"""The answer to a yes-or-no question → a score: from the odds of the two words, by a mapping that is data."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from adjudge.core import limits
from adjudge.core.errors import NoVerdict
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Opinion, Reply, Score

#: The marks around the texts in a prompt, which small models copy.
_FENCE = re.compile(r"<<<[0-9a-f]*|[0-9a-f]*>>>")
#: The step of reading, as reports count it.
STEP = "odds"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mapped:
    """What is in odds.yaml: spellings, the mapping to a scale, and words for people."""

    yes: frozenset[str]
    no: frozenset[str]
    slope: float
    shift: float
    spread: float
    words: Mapping[str, Mapping[str, str]]

    def say(self, lang: str, name: str) -> str:
        return self.words.get(lang, self.words["en"])[name]


@cache
def mapped() -> Mapped:
    """The data of this module."""
    data = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    return Mapped(
        yes=frozenset(data["yes_words"]),
        no=frozenset(data["no_words"]),
        slope=data["slope"],
        shift=data["shift"],
        spread=data["spread"],
        words=data["words"],
    )


def log_odds(words: Mapping[str, float]) -> float:
    """log(P(yes) / P(no)), every spelling counted; NoVerdict where neither is among the words.

    Where one of them is not listed, it is no likelier than the least likely word that is.
    """
    yes, no = _total(words, mapped().yes), _total(words, mapped().no)
    if yes is None and no is None:
        shown = ", ".join(repr(word) for word in sorted(words, key=lambda word: -words[word])[:3])
        raise NoVerdict(f"neither yes nor no is among the likely answers; the likeliest are {shown or 'not stated'}")
    least = min(words.values())
    return (least if yes is None else yes) - (least if no is None else no)


def _total(words: Mapping[str, float], spellings: Collection[str]) -> float | None:
    found = [logprob for word, logprob in words.items() if _bare(word) in spellings]
    if not found:
        return None
    top = max(found)
    return top + math.log(math.fsum(math.exp(one - top) for one in found))


def _bare(word: str) -> str:
    """A token as a word: some tokenizers write the blank before it as ▁ or Ġ."""
    letters = word.strip(" \t\r\n\u2581\u0120\u010a*_\"'«»“”.,:;!()[]`#")
    return letters.casefold()


def quality(odds: float) -> float:
    """Odds as a place between worst (0) and best (1)."""
    return _sigmoid(mapped().slope * odds + mapped().shift)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def answered(judge: Judge, reply: Reply) -> str:
    """The likelier of the two words, in the judge's language."""
    return mapped().say(judge.lang, "answer_yes" if log_odds(reply.odds) >= 0 else "answer_no")


def read_answer(judge: Judge, criterion: Criterion, reply: Reply) -> tuple[Score, str]:
    """The score that a reply gives to one criterion, and the step of reading."""
    scale = criterion.scale
    assert scale is not None
    odds = log_odds(reply.odds)
    place, half = quality(odds), mapped().spread

    def on_scale(share: float) -> float:
        return scale.worst + (scale.best - scale.worst) * min(max(share, 0.0), 1.0)

    low, high = sorted((on_scale(place - half), on_scale(place + half)))
    said = mapped().say(judge.lang, "reason")
    reason = said.format(answer=answered(judge, reply), p=f"{_sigmoid(abs(odds)):.2f}", question=criterion.question)
    return Score(value=on_scale(place), reason=reason, interval=(low, high)), STEP


def read_reason(reply: Reply) -> tuple[str, str]:
    """What a model said when asked why, on one line, and the step of reading; what was cut off is marked."""
    said = " ".join(_FENCE.sub(" ", reply.text).split())
    whole = reply.finish != "length" and len(said) <= limits.REASON_CHARS
    return said if whole or not said else said[: limits.REASON_CHARS].rstrip() + "…", "reason"


def opinion(
    judge: Judge,
    scores: Mapping[str, Mapping[str, Score]],
    candidates: Collection[str],
    flags: Collection[str] = (),
) -> Opinion:
    """What the answers to all questions say of an item; a criterion without a question is not judged."""
    say = mapped().say
    unasked = Score(value=None, reason=say(judge.lang, "no_question"))
    return Opinion(
        scores={c.name: scores[c.name] if c.question else dict.fromkeys(candidates, unasked) for c in judge.scored},
        texts={c.name: say(judge.lang, "text") for c in judge.criteria if c.kind == "text"},
        flags=tuple(flags),
    )
