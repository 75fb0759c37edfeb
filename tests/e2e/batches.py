"""A scripted judge of batches: what it says of an item follows from the item, its place and its neighbours.

By hand, the one of docs/batches.md: python -m tests.e2e.batches [PORT, 8000]
"""

from __future__ import annotations

import hashlib
import json
import re
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tests.fakes.server import Answer, FakeModelServer

CRITERIA = ("adequacy", "fluency", "terminology", "hallucination", "punctuation")
#: The points of an item, by its id, its place in the batch and all ids of the batch.
Points = Callable[[str, int, Sequence[str]], int]


def rows(n: int) -> list[dict[str, str]]:
    return [{"id": f"t{place}", "src": f"Satz {place}.", "trg": f"Sentence {place}."} for place in range(n)]


def worth(item: str) -> int:
    """What an item deserves, from 1 to 5."""
    return 1 + hashlib.sha256(item.encode()).digest()[0] % 5


def shown(request: dict[str, Any]) -> list[str]:
    """The ids of a request in the order of the batch; none in a request to merge."""
    return list(map(unmarked, _labels(request)))


def unmarked(label: str) -> str:
    """The id of a label, without what tells it from a count: t1 of t1-6e14."""
    return re.sub(r"-[0-9a-f]{4}\Z", "", label)


def _labels(request: dict[str, Any]) -> list[str]:
    scores = request["response_format"]["json_schema"]["schema"]["properties"].get("scores", {})
    return list(scores.get("properties", {}))


def judging(
    points: Points, merged: str = "Names are lost [1].", steady: Sequence[str] = ()
) -> Callable[[dict[str, Any], int], Answer]:
    """A script for the fake server; on the criteria of `steady` an item gets what it deserves, wherever it stands."""

    def script(request: dict[str, Any], _: int) -> Answer:
        ids = shown(request)
        if not ids:
            return Answer(text=json.dumps(dict.fromkeys(CRITERIA, merged)))
        scores = {
            label: {
                name: {"why": "as it is", "score": worth(item) if name in steady else points(item, place, ids)}
                for name in CRITERIA
            }
            for place, (label, item) in enumerate(zip(_labels(request), ids, strict=True))
        }
        return Answer(text=json.dumps({"scores": scores, "summary": dict.fromkeys(CRITERIA, f"Of {ids[0]}.")}))

    return script


def tiring(item: str, place: int, ids: Sequence[str]) -> int:
    """A judge that takes a point off for every three places from the beginning of the batch."""
    return max(1, worth(item) - place // 3)


def main(port: int) -> None:
    """Serve until told to stop."""
    said = "Endings are lost throughout [1, 2]. Wrong numbers are an exception [2]."
    with FakeModelServer(judging(tiring, said, CRITERIA[1:]), port=port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
