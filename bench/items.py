"""The items that are judged, and the requests that adjudge makes of them."""

from __future__ import annotations

import json
import random
from pathlib import Path

from bench.process import adjudge
from bench.server import Servers

JUDGE, MODEL = "summary", "openai:fake"
_TEXT = (
    "the harbour clock stood still since a winter storm and nobody on the island would climb its tower until one"
    " morning the ferry brought a visitor who asked for keys oil lamp and ladder then wrote down what she found there"
)


def write(file: Path, n: int) -> Path:
    """A JSONL file of n items, each with a source of 100 words and a summary of 25, the same every time."""
    chance, known = random.Random(7), _TEXT.split()
    with file.open("w") as out:
        for place in range(n):
            content, text = (" ".join(chance.choices(known, k=words)) for words in (100, 25))
            out.write(json.dumps({"id": f"item-{place}", "content": content, "text": text}) + "\n")
    return file


def run(data: Path, url: str, store: str, concurrency: int) -> list[object]:
    """The arguments of a run over all of it."""
    return ["run", JUDGE, data, "--model", MODEL, "--base-url", url, "--store", store,
            "--concurrency", concurrency, "--json"]  # fmt: skip


def requests(servers: Servers, folder: Path, n: int) -> Path:
    """The very bodies that adjudge sends for n items, one a line."""
    found, data = folder / "requests", write(folder / "recorded.jsonl", n)
    with servers.start(record=found) as server:
        adjudge(*run(data, server.url, f"sqlite:///{folder}/recorded.db", 64))
    return found
