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
#: The word that an answer is, within quotes and markup; one that goes on is another: "No idea", "no-one", "No. 5".
_ANSWER = re.compile(
    r"[\s\u2581\u0120*_`\"'«“„‘(\[#>-]*+(?P<word>[^\W\d_]++)[*_`\"'»“”’)\]]*+"
    r"(?:\s*+\Z|[^\S\r\n]*+[\r\n]|[.,;:!…。，—–<](?!\s*+\d)|[^\S\r\n]++[—–(<-])"
)
_WORD = re.compile(r"[^\W\d_]+")
#: What is less likely makes no difference to a score.
_NEVER = 1e-9
#: In how many ways tokens spell one word: with a blank or capitals, in both languages.
_SPELLINGS = 8
#: A word less likely than this is not said, at whatever temperature.
_UNSAID = 1e-6
#: For each word that a list has, it leaves out at most so many times the probability of the last one. Probabilities
#: fall off at least as fast as 1, 1/2, 1/3, ..., and of these a whole vocabulary leaves 8 to 10.
_TAIL = 10
#: A list of so many words has the likely answers in it.
_LONG_LIST = 10
#: How much of an answer an error shows.
_SHOWN = 40
#: The step of reading, as reports count it.
STEP = "odds"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mapped:
    """What is in odds.yaml: spellings, the mapping to a scale, and words for people."""

    yes: frozenset[str]
    no: frozenset[str]
    begins: frozenset[str]
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
        begins=frozenset(data["beginnings"]),
        slope=data["slope"],
        shift=data["shift"],
        spread=data["spread"],
        words=data["words"],
    )


def log_odds(words: Mapping[str, float]) -> float:
    """log(P(yes) / P(no)), every spelling counted; NoVerdict where neither is among the words.

    An estimate: a word that is not listed is given the probability of the least likely one that is. `bounds` says how
    far off it may be.
    """
    yes, no = _total(words, mapped().yes), _total(words, mapped().no)
    if yes is None and no is None:
        raise NoVerdict(f"neither yes nor no is among the likely answers; the likeliest are {_likeliest(words)}")
    least = min(words.values())
    return (least if yes is None else yes) - (least if no is None else no)


def bounds(words: Mapping[str, float], said: str) -> tuple[float, float]:
    """Between what log(P(yes) / P(no)) must be, whatever the words that are not listed; `said` is the reply's text.

    NoVerdict where yes and no are unlikely together, where the reply is not one of them, and where no score follows.
    """
    first = _said(said)
    listed = math.fsum(map(math.exp, words.values()))
    if listed > limits.PROBABILITY_MOST:
        raise NoVerdict(f"the stated probabilities add up to {listed:.2f}, more than 1")
    yes, no, open_yes, open_no = _shares(words, first)
    if yes + no < limits.YES_NO_MASS:
        raise NoVerdict(
            f"yes and no have a probability of {yes + no:.2g} together; the likeliest are {_likeliest(words)}"
        )
    unlisted = _unlisted(words, first, max(1.0 - listed, 0.0))
    low, high = _log_ratio(yes, no + open_no + unlisted), _log_ratio(yes + open_yes + unlisted, no)
    if quality(high) - quality(low) > limits.YES_NO_TOLERANCE:
        raise NoVerdict(f"too few probabilities are stated for a score; the likeliest are {_likeliest(words)}")
    return low, high


def _said(text: str) -> str:
    """The word that a reply is; NoVerdict where it is neither yes nor no, or both."""
    found = _ANSWER.match(text)
    word = found["word"].casefold() if found else ""
    if not any(word in whole for whole in _wholes()):
        raise NoVerdict(f"the answer is neither yes nor no: {text[:_SHOWN]!r}")
    told = {one.casefold() for one in _WORD.findall(text)}
    if all(told & whole for whole in _wholes()):
        raise NoVerdict(f"the answer says both yes and no: {text[:_SHOWN]!r}")
    return word


def _wholes() -> tuple[frozenset[str], frozenset[str]]:
    """The words for yes, and for no, without those that are only beginnings."""
    data = mapped()
    return data.yes - data.begins, data.no - data.begins


def _unlisted(words: Mapping[str, float], first: str, missing: float) -> float:
    """How likely a word can be that is not listed, in all its spellings; `missing` is what the list leaves out."""
    if len(words) <= 2:
        return missing
    least, second = sorted(words, key=lambda word: words[word])[:2]
    # no unlisted word is likelier than a listed one, except the reply's own, which is added to every list
    most = math.exp(words[second if first.startswith(_bare(least)) else least])
    # what is missing is more than such words can come to: the list is padded, and says nothing of others
    return missing if missing > _TAIL * len(words) * most else min(missing, _SPELLINGS * most)


def _log_ratio(one: float, other: float) -> float:
    return math.log(max(one, _NEVER)) - math.log(max(other, _NEVER))


def _likeliest(words: Mapping[str, float]) -> str:
    return ", ".join(repr(word) for word in sorted(words, key=lambda word: -words[word])[:3]) or "not stated"


def _shares(words: Mapping[str, float], first: str) -> tuple[float, float, float, float]:
    """The probabilities of yes, of no, and of what may go on to be yes, or no; `first` is the word that was said."""
    data, bare, wholes = mapped(), {word: _bare(word) for word in words}, _wholes()
    # the token that the reply begins with, or those that it may be
    begun = {one for one in bare.values() if one and first.startswith(one)}

    def share(those: Collection[str]) -> float:
        return math.fsum(math.exp(logprob) for word, logprob in words.items() if bare[word] in those)

    def shares(whole: frozenset[str]) -> tuple[float, float]:
        sure, beginnings = set(whole), {one[:end] for one in whole for end in range(len(one))}
        # where the word itself is not listed, the model may have no token for it
        if not any(one in whole for one in bare.values()):
            if first in whole and len(begun) == 1:
                sure |= begun
            if len(words) >= _LONG_LIST:
                sure |= {one for one in beginnings & data.begins if len(one) == 1}
        return share(sure), share(beginnings - sure)

    if share(begun) < _UNSAID:
        raise NoVerdict(f"the answer {first!r} is not among the likely ones; the likeliest are {_likeliest(words)}")
    (yes, open_yes), (no, open_no) = map(shares, wholes)
    return yes, no, open_yes, open_no


def _total(words: Mapping[str, float], spellings: Collection[str]) -> float | None:
    found = [logprob for word, logprob in words.items() if _bare(word) in spellings]
    if not found:
        return None
    top = max(found)
    return top + math.log(math.fsum(math.exp(one - top) for one in found))


def _bare(word: str) -> str:
    """A token as a word: some tokenizers write the blank before it as ▁ or Ġ."""
    letters = word.strip(" \t\r\n\u2581\u0120\u010a\ufffd*_\"'«»“”.,:;!()[]`#<>-")
    return letters.casefold()


def quality(odds: float) -> float:
    """Odds as a place between worst (0) and best (1)."""
    return _sigmoid(mapped().slope * odds + mapped().shift)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _odds(reply: Reply) -> float:
    low, high = bounds(reply.odds, reply.text)
    return min(max(log_odds(reply.odds), low), high)


def answered(judge: Judge, reply: Reply) -> str:
    """The likelier of the two words, in the judge's language."""
    return mapped().say(judge.lang, "answer_yes" if _odds(reply) >= 0 else "answer_no")


def read_answer(judge: Judge, criterion: Criterion, reply: Reply) -> tuple[Score, str]:
    """The score that a reply gives to one criterion, and the step of reading."""
    scale = criterion.scale
    assert scale is not None
    odds = _odds(reply)
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
    whole = reply.finish == "stop" and len(said) <= limits.REASON_CHARS
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
