"""Summaries made by hand with the scores that a strict but fair reader would give, and some that say nothing."""

from __future__ import annotations

import random
from typing import Any

_WHO = ["The miller", "A fisherman", "The old clock", "Her sister", "The night train", "A grey heron", "The baker"]
_DOES = ["carried", "repaired", "forgot", "painted", "followed", "measured", "counted", "borrowed"]
_WHAT = ["seven lanterns", "the broken gate", "a sack of flour", "the northern map", "two silver spoons", "the ledger"]
_WHERE = ["behind the mill", "near the harbour", "under the bridge", "at the market", "in the chapel", "by the orchard"]
_WHEN = ["before dawn", "during the flood", "after the fair", "in late autumn", "on a Sunday", "at low tide"]


def sentence(generator: random.Random) -> str:
    """One of some thousands of plain sentences."""
    return " ".join(generator.choice(words) for words in (_WHO, _DOES, _WHAT, _WHERE, _WHEN)) + "."


def rows(count: int = 120, *, per_source: int = 5, seed: int = 0, informed: bool = True) -> list[dict[str, Any]]:
    """Summaries of four sentences, some of them foreign to the source; unless `informed`, the score is chance."""
    generator = random.Random(seed)
    made: list[dict[str, Any]] = []
    for number in range(count):
        if number % per_source == 0:
            source = [sentence(generator) for _ in range(12)]
        known = generator.randint(0, 4)
        chosen = generator.sample(source, known) + [sentence(generator) for _ in range(4 - known)]
        score = 2 + known / 2 + generator.gauss(0, 0.3) if informed else generator.uniform(1, 5)
        label = round(min(5.0, max(1.0, score)), 2)
        made.append({"id": f"s{number}", "content": " ".join(source), "text": " ".join(chosen), "accuracy": label})
    return made
