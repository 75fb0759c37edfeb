"""How well overlap of content tells the same passage from another: misses and false matches by threshold.

    python -m eval.retrieval        prints the table of docs/retrieval.md

Passages are cut from real texts at random. Two that share at least three fifths of the shorter one are the same, as two
ways to cut one text into chunks make them; two that share nothing, of one text or of two, are not.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

from adjudge.stats.retrieval import overlap, shingles
from eval.embedded.data import raw

#: The file, the field with the text, and how the table calls it.
SETS = (
    ("ru_literary_summaries", "source", "Russian chapters"),
    ("ragtruth", "context", "English passages of a RAG benchmark"),
)
PAIRS = 3000
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
_SHORTEST, _RELEVANT, _CHUNK = 20, 120, 300
Pair = tuple[str, str]


def texts(name: str, field: str) -> list[list[str]]:
    """The different texts of a file that are long enough to be cut, in words."""
    found = sorted({str(row[field]) for row in raw(name)})
    return [words for text in found if len(words := text.split()) > 2 * _RELEVANT]


def pairs(several: list[list[str]], draw: random.Random) -> Iterator[tuple[str, Pair]]:
    """Pairs of passages that are the same, of one text, or of two texts."""
    for _ in range(PAIRS):
        text, other = draw.choice(several), draw.choice(several)
        size, start = _window(text, _RELEVANT, draw)
        relevant = " ".join(text[start : start + size])
        length = draw.randint(_SHORTEST, min(_CHUNK, len(text)))
        shared = -(-3 * min(size, length) // 5)
        low, high = max(0, start + shared - length), min(len(text) - length, start + size - shared)
        place = draw.randint(low, high)
        yield "same", (relevant, " ".join(text[place : place + length]))
        apart = [at for at in range(len(text) - length) if at + length <= start or at >= start + size]
        if apart:
            place = draw.choice(apart)
            yield "one text", (relevant, " ".join(text[place : place + length]))
        if other is not text:
            length, place = _window(other, _CHUNK, draw)
            yield "two texts", (relevant, " ".join(other[place : place + length]))


def _window(text: list[str], longest: int, draw: random.Random) -> tuple[int, int]:
    size = draw.randint(_SHORTEST, min(longest, len(text)))
    return size, draw.randrange(len(text) - size + 1)


def main() -> None:
    out = [
        "| texts | threshold | same, missed | of one text, matched | of two texts, matched |",
        "|---|---|---|---|---|",
    ]
    for name, field, title in SETS:
        found: dict[str, list[float]] = {"same": [], "one text": [], "two texts": []}
        for kind, (one, other) in pairs(texts(name, field), random.Random(name)):
            found[kind].append(overlap(shingles(one), shingles(other)))
        for threshold in THRESHOLDS:
            missed = sum(value < threshold for value in found["same"]) / len(found["same"])
            wrong = [
                sum(value >= threshold for value in found[kind]) / len(found[kind])
                for kind in ("one text", "two texts")
            ]
            shares = " | ".join(f"{100 * share:.2f} %" for share in (missed, *wrong))
            out.append(f"| {title} | {threshold} | {shares} |")
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
