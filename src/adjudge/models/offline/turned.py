"""A sentence of a translation that denies what the reference asserts, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from adjudge.models.offline.findings import Finding, weights
from adjudge.models.offline.lexicon import lexicon, load
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Sentence, Text, stem
from adjudge.models.offline.view import View

_SENTENCES = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    sentence: Sentence
    stems: frozenset[str]
    denials: int


def turned(view: View) -> list[Finding]:
    """The first sentence with another negation than the one of the reference that is most like it."""
    reference, rules = view.case.reference, weights("adequacy")
    if view.out.lang != reference.lang:
        return []
    lang, ours, theirs = view.out.lang, _reads(view.out), _reads(reference)
    if len({read.denials for read in (*ours, *theirs)}) < 2:
        return []
    nearest, back = _nearest(ours, theirs, rules["alike"]), _nearest(theirs, ours, rules["alike"])
    for at, mine in enumerate(ours):
        # Of sentences that tell of two groups in the same words, one may deny what the other asserts.
        if any(theirs[there].denials == mine.denials for there in nearest[at]):
            continue
        for there in nearest[at]:
            settled = any(ours[here].denials == theirs[there].denials for here in back[there])
            if at in back[there] and not settled and _against(mine, theirs[there], lang):
                return [view.find("turned", at=mine.sentence, near=(0, theirs[there].sentence))]
    return []


def _nearest(some: Sequence[_Read], others: Sequence[_Read], least: float) -> list[list[int]]:
    """For each sentence the places of those most like it, where they are alike enough."""
    found: list[list[int]] = []
    for one in some:
        shares = [len(one.stems & other.stems) / max(1, len(one.stems | other.stems)) for other in others]
        most = max(shares, default=0.0)
        found.append([at for at, share in enumerate(shares) if share == most] if most >= least else [])
    return found


@once
def _reads(text: Text) -> list[_Read]:
    return [
        _Read(sentence=sentence, stems=frozenset(sentence.stems), denials=_denials(sentence.tokens, text.lang))
        for sentence in text.sentences[:_SENTENCES]
    ]


def _denials(tokens: Sequence[str], lang: str) -> int:
    """How many negations a sentence has, and words that deny without one."""
    words, marks = lexicon(lang).negation, load("marks.yaml")
    stems, only = tuple(marks["denying"]), marks["not_only"]
    return sum(
        ((token in words or token.endswith("n't")) and following not in only) or token.startswith(stems)
        for token, following in zip_longest(tokens, tokens[1:], fillvalue="")
    )


def _against(mine: _Read, other: _Read, lang: str) -> bool:
    """Whether a word is denied by the one that denies more, and stands in the other without its negation."""
    more, less = (mine, other) if mine.denials > other.denials else (other, mine)
    if not less.denials:
        return bool(more.sentence.negated & less.stems) and not _undone(more)
    # Both deny something: several negations may be one (никто не), and one may reach over several words (nor, или).
    if (more.denials - less.denials) % 2 == 0 or less.sentence.negated - more.sentence.negated:
        return False
    bare = (_plainly(more.sentence, lang) - less.sentence.negated) & less.stems
    return bool(bare) and not _reached(less.sentence.tokens, lang)


def _undone(read: _Read) -> bool:
    """Whether a sentence has just a "not" and a "without", which may come to what has neither."""
    without = load("marks.yaml")["without"]
    plain = [token in without for token in read.sentence.tokens if _plain(token)]
    return read.denials == len(plain) == 2 and sum(plain) == 1


def _plain(token: str) -> bool:
    marks = load("marks.yaml")
    return token in marks["plainly"] or token in marks["without"] or token.endswith("n't")


def _plainly(sentence: Sentence, lang: str) -> set[str]:
    """The stems right after a negation that is always one by itself."""
    stop = lexicon(lang).stop
    found: set[str] = set()
    for at, token in enumerate(sentence.tokens):
        if _plain(token):
            following = next((word for word in sentence.tokens[at + 1 :] if word not in stop), "")
            found.add(stem(following, lang))
    return found & sentence.negated


def _reached(tokens: Sequence[str], lang: str) -> bool:
    """Whether a sentence has a word that shares a negation out or denies by halves."""
    return not frozenset(tokens).isdisjoint(_sharing() | lexicon(lang).denying)


@cache
def _sharing() -> frozenset[str]:
    return frozenset(load("marks.yaml")["sharing"])
