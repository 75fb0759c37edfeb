"""Retrieved passages against relevant texts: which match by content, and recall, precision, MRR and nDCG at k.

With relevance of one kind these are the measures of trec_eval (Voorhees and Harman, TREC, 2005; Järvelin and
Kekäläinen, Cumulated gain-based evaluation of IR techniques, 2002):

    recall@k     found relevant texts among the first k passages / relevant texts
    precision@k  passages among the first k that match a relevant text / k
    MRR@k        1 / place of the first passage that matches one, 0 where none of the first k does
    nDCG@k       sum over i <= k of g(i) / log2(i + 1), divided by the same sum for the best possible list

A relevant text counts once, however many passages match it: for recall it is found or not, and g(i) is 1 for a passage
that matches a relevant text which no earlier one matched, else 0. Precision is about passages: every one that matches
counts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: Share of the shorter text's shingles that must stand in the longer one; measured in docs/retrieval.md.
THRESHOLD = 0.5
#: Words in a row: single words of a language are found in every long text of it.
SHINGLE = 3
#: Ranks at which lists are looked at. A list that ends before is a list with nothing more to offer, as in trec_eval.
RANKS = (1, 3, 5, 10)
_WORD = re.compile(r"\w+")

Shingles = frozenset[tuple[str, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A text with its id, "" where it has none of its own."""

    text: str
    id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """The measures of one list at one rank."""

    recall: float
    precision: float
    mrr: float
    ndcg: float


def shingles(text: str) -> Shingles:
    """Runs of three words, in lower case and with ё as е; a shorter text is one run."""
    words = _WORD.findall(text.casefold().replace("ё", "е"))
    if len(words) <= SHINGLE:
        return frozenset([tuple(words)] if words else [])
    return frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))


def overlap(one: Shingles, other: Shingles) -> float:
    """The share of the shorter text's shingles that the other one has too."""
    shorter = min(len(one), len(other))
    return len(one & other) / shorter if shorter else 0.0


def matches(
    retrieved: Sequence[Passage], relevant: Sequence[Passage], threshold: float = THRESHOLD
) -> list[frozenset[int]]:
    """For each retrieved passage, which relevant texts it matches: by its id, or by content."""
    wanted = [shingles(one.text) for one in relevant]
    by_id: dict[str, set[int]] = {}
    holders: dict[tuple[str, ...], list[int]] = {}
    for number, (one, own) in enumerate(zip(relevant, wanted, strict=True)):
        if one.id:
            by_id.setdefault(one.id, set()).add(number)
        for shingle in own:
            holders.setdefault(shingle, []).append(number)
    found = []
    for passage in retrieved:
        own = shingles(passage.text)
        shared = Counter(number for shingle in own for number in holders.get(shingle, ()))
        alike = {n for n, count in shared.items() if count >= threshold * min(len(own), len(wanted[n]))}
        found.append(frozenset(alike | by_id.get(passage.id, set()) if passage.id else alike))
    return found


def figures(found: Sequence[frozenset[int]], relevant: int, k: int | None = None) -> Figures:
    """The measures at rank k, or over the whole list; `found` is what each passage matches, best first."""
    if relevant < 1:
        raise ValueError("without a relevant text there is nothing to find")
    depth = len(found) if k is None else k
    seen: set[int] = set()
    hits, gained, first = 0, 0.0, 0
    for place, matched in enumerate(found[:depth], start=1):
        hits += bool(matched)
        first = first or (place if matched else 0)
        if matched - seen:
            gained += 1 / math.log2(place + 1)
        seen |= matched
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(relevant, depth) + 1))
    return Figures(
        recall=len(seen) / relevant,
        precision=hits / depth if depth else 0.0,
        mrr=1 / first if first else 0.0,
        ndcg=gained / ideal if ideal else 0.0,
    )


def ranked(retrieved: Sequence[Passage], relevant: Sequence[Passage]) -> Mapping[int | None, Figures]:
    """The measures at every rank, and over the whole list (None)."""
    found = matches(retrieved, relevant)
    return {k: figures(found, len(relevant), k) for k in (*RANKS, None)}
