"""A scripted judge for `--until`: what it says of a text follows from the text, and some answers take longer.

By hand, the one of docs/until.md: python -m tests.e2e.until [PORT, 8000]
"""

from __future__ import annotations

import json
import random
import re
import signal
import sys
from collections.abc import Callable
from typing import Any

from tests.e2e.test_compare_orders import scored, shown
from tests.e2e.test_run_http import valid
from tests.fakes.server import Answer, FakeModelServer, refusal

#: How much better or worse the texts of a name are.
WORTH = {"North": 1, "South": 0, "East": 0}


def summaries(n: int) -> list[dict[str, Any]]:
    return [{"id": f"i{k}", "content": f"Story {k}. It ends.", "text": f"Text {k}."} for k in range(n)]


def rendered(n: int) -> list[dict[str, Any]]:
    """Summaries of three systems, each of the same stories."""
    return [
        {"id": f"{name}-{k}", "content": f"Story {k}. It ends.", "text": f"Text {k} of {name}.", "system": name}
        for name in WORTH
        for k in range(n)
    ]


def questions(n: int) -> list[dict[str, Any]]:
    return [
        {"id": f"q{k}", "question": f"Why {k}?", "sources": ["s"], "answers": {w: f"answer {k} of {w}" for w in WORTH}}
        for k in range(n)
    ]


def translations(n: int) -> list[dict[str, Any]]:
    return [{"id": f"t{k}", "src": f"Satz {k}.", "trg": f"Sentence {k}."} for k in range(n)]


def points(text: str) -> int:
    """From 1 to 5, most often 4; a point more or less by whose text it is."""
    draw = random.Random(text)
    better = sum(worth for name, worth in WORTH.items() if re.search(rf"\b{name}\b", text))
    return min(5, max(1, draw.choice((2, 3, 3, 4, 4, 4)) + better))


def delay(request: dict[str, Any]) -> float:
    """Whatever the item, some wait longer than others."""
    return random.Random(json.dumps(request["messages"][-1])).random() * 0.01


def judging(slow: bool = False, lost: str = "") -> Callable[[dict[str, Any], int], Answer | None]:
    """A script for the fake server; texts that match `lost` get no verdict."""

    def script(request: dict[str, Any], n: int) -> Answer | None:
        user = request["messages"][-1]["content"]
        if lost and re.search(lost, request["messages"][1]["content"]):
            return refusal(400, "this text is too long for me")
        if answers := shown(request):
            said = scored({label: points(text) for label, text in answers.items()})
        else:
            verdict = valid(request)
            for name, value in verdict.items():
                if isinstance(value, dict) and "score" in value:
                    text = re.search(r"Text \d+[^.]*\.", user)
                    value["score"] = points(f"{text.group() if text else user} {name}")
            for item, entry in verdict.get("scores", {}).items():
                for name, value in entry.items():
                    value["score"] = points(f"{item} {name}")
            said = Answer(text=json.dumps(verdict))
        return Answer(text=said.text, delay_s=delay(request)) if slow else said

    return script


def main(port: int) -> None:
    """Serve until told to stop."""
    with FakeModelServer(judging(), port=port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
