"""What other texts made of the same source say of this one: evidence by agreement, named as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import median

from adjudge.models.offline.chrf import CHARS
from adjudge.models.offline.findings import Finding, weights
from adjudge.models.offline.form import form, kept, overlap, ratio
from adjudge.models.offline.overlap import alike
from adjudge.models.offline.text import fold, stem, tokens
from adjudge.models.offline.view import View

_MARK = re.compile(r"[^\w\s]")
#: Marks of one meaning in different scripts and keyboards.
_ALIKE = str.maketrans("«»“”„‚‘’—–，。？！：；（）、", '"""""\'\'\'--,.?!:;(),')
_BETA = 2.0
#: One other translation shows a difference, not which of the two is right.
LEAST = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class _Units:
    """A translation as it is compared with others: word stems, neighbouring pairs of them, marks, length."""

    stems: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    marks: Counter[str]
    size: int


@lru_cache(maxsize=64)
def _units(raw: str, lang: str) -> _Units:
    raw = raw[:CHARS]
    stems = [stem(token, lang) for token in tokens(fold(raw).lower())]
    return _Units(
        stems=frozenset(stems),
        pairs=frozenset(pairwise(stems)),
        marks=Counter(_MARK.findall(raw.translate(_ALIKE).replace("...", "…"))),
        size=len("".join(raw.split())),
    )


def voices(view: View) -> list[str]:
    """The reference and the other translations, where there are enough of them to tell who is right."""
    peers = view.peers[: weights("limits")["peers"]]
    reference = view.case.reference
    return [*([] if reference.empty else [reference.raw]), *(peers if len(peers) >= LEAST else ())]


def consensus(view: View) -> Mapping[str, float]:
    """How far the others bear a translation out, part by part; nothing when there are fewer than two others.

    `peers`: stems shared with them; `backed`: pairs of neighbouring words that another one has, too; `marks`:
    punctuation; `size`: length against their median; `length`: no shorter than each of them; and the form kept of
    each, on average.
    """
    lang = view.out.lang
    texts = view.peers[: weights("limits")["peers"]]
    if len(texts) < LEAST:
        return {}
    own, others = _units(view.raw, lang), [_units(text, lang) for text in texts]
    forms = [kept(form(view.raw, lang), form(text, lang)) for text in texts]
    known = frozenset[tuple[str, str]]().union(*(other.pairs for other in others))
    middle = median(other.size for other in others)
    return {
        "peers": _agreement(own, others),
        "backed": len(own.pairs & known) / len(own.pairs) if own.pairs else 1.0,
        "marks": sum(overlap(own.marks, other.marks) for other in others) / len(others),
        "size": ratio(own.size, middle),
        "length": sum(min(1.0, own.size / other.size) if other.size else 1.0 for other in others) / len(others),
        **{part: sum(one[part] for one in forms) / len(forms) for part in forms[0]},
    }


def told_beside(view: View) -> tuple[Finding, ...]:
    """How much a text has in common with the others: evidence by itself, which no score counts."""
    peers = view.peers[: weights("limits")["peers"]]
    if not peers or view.out.empty:
        return ()
    mean = sum(alike(view.raw, peer) for peer in peers) / len(peers)
    return (view.find("peers_agree", against=False, n=len(peers), percent=round(100 * mean)),)


def _agreement(own: _Units, others: list[_Units]) -> float:
    """The F-score (beta 2) of a translation's stems against all the others at once."""
    both = sum(len(own.stems & other.stems) for other in others)
    ours, theirs = len(own.stems) * len(others), sum(len(other.stems) for other in others)
    return (1 + _BETA**2) * both / (_BETA**2 * theirs + ours) if both else 0.0
