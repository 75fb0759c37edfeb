"""What a call costs, stage by stage, in processor time: python -m bench.stages [--items N]

Every stage is done for all items by itself, on what a run has at that point, without a server and without waiting: the
least that each takes. What a run takes beyond their sum is the event loop, the sockets, and memory that other stages
have put out of the processor's cache. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from adjudge.api.stored import stored_item
from adjudge.core.records import Request, Settings
from adjudge.models.http1 import Incoming
from adjudge.models.openai import OpenAI
from adjudge.reply.combine import combine
from adjudge.run.plan import Options, Planner, numbered_sources
from adjudge.run.reading import reader_of
from adjudge.spec.load import load_judge
from adjudge.spec.prompt import render
from adjudge.store.sqlite import Sqlite
from adjudge.store.store import Store
from adjudge.store.writes import OutcomeDone, ReplyDone, placed, rows_of
from bench import items
from bench.tables import table

A = TypeVar("A")
B = TypeVar("B")
ROUNDS, GROUP = 7, 32
SAID = "The text keeps to its source throughout; one detail of lesser weight is left out."


class Stages:
    """The best of some rounds of each stage, in microseconds for one call."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self._sum = 0.0

    def each(self, name: str, work: Callable[[A], B], given: Sequence[A]) -> list[B]:
        """Do one stage for everything, and give what came of it."""
        found: list[B] = []
        best = float("inf")
        for _ in range(ROUNDS):
            found = []
            gc.collect()
            began = time.process_time()
            found = [work(one) for one in given]
            best = min(best, time.process_time() - began)
        self.note(name, best / len(given) * 1e6)
        return found

    def note(self, name: str, microseconds: float) -> None:
        self._sum += microseconds
        self.rows.append([name, f"{microseconds:.0f}"])

    def told(self) -> str:
        return table(["stage", "µs a call"], [*self.rows, ["all of these", f"{self._sum:.0f}"]], words=1)


def answer() -> bytes:
    """What the fake server sends: quotations that stand nowhere, which take longest to look up."""
    quoted = {"evidence": [{"source": 1, "quote": SAID}], "justification": SAID, "score": 1}
    rated = {"justification": SAID, "score": 1}
    verdict: dict[str, Any] = {"coverage": quoted, "accuracy": quoted, "coherence": rated, "conciseness": rated}
    verdict |= {"hallucination_check": rated, "overall": {"conclusion": SAID}}
    message = {"role": "assistant", "content": json.dumps(verdict)}
    usage = {"prompt_tokens": 2933, "completion_tokens": 254, "total_tokens": 3187}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def came(raw: bytes) -> Incoming:
    incoming = Incoming()
    assert incoming.feed(raw)
    return incoming


def measure(folder: Path, n: int) -> str:
    judge, stages = load_judge(items.JUDGE), Stages()
    settings = Settings(model=items.MODEL, base_url="http://localhost/v1")
    planner, model = (
        Planner(judge=judge, settings=settings, options=Options()),
        OpenAI("fake", base_url=settings.base_url),
    )
    lines = items.write(folder / "items.jsonl", n).read_text().splitlines()
    read = stages.each("reading the item from its stored row", lambda row: stored_item(judge, row), lines)
    units = stages.each("planning: the keys", lambda one: planner.planned(*one), list(enumerate(read)))
    prompts = stages.each("rendering", lambda unit: render(judge, unit.calls[0], unit.items), units)
    both = list(zip(units, prompts, strict=True))
    stages.each(
        "the request's body",
        lambda one: model.payload(
            Request(call=one[0].calls[0], prompt=one[1], judge=judge, items=one[0].items, settings=settings), "schema"
        ),
        both,
    )
    incoming = stages.each("the answer's HTTP", came, [answer()] * n)
    data = stages.each("the answer's JSON", lambda one: json.loads(one.body), incoming)
    replies = stages.each("the reply in it", lambda one: model.read(one, mode="schema", seconds=0.0123), data)
    readings = stages.each(
        "the verdict: JSON, checks, quotations looked up",
        lambda one: reader_of(judge, one[0][1], one[0][0].items)(one[1])[0],
        list(zip(both, replies, strict=True)),
    )
    verdicts = stages.each(
        "the outcome: means, derived values, native form",
        lambda one: combine(
            judge, one[0].id, [one[1].opinions[""]], sources=numbered_sources(judge, one[0]), calls=("0" * 64,)
        ),
        list(zip(read, readings, strict=True)),
    )
    rows = stages.each(
        "reply, call and outcome as rows",
        lambda one: [
            placed(ReplyDone(run="r", call=one[1].calls[0], span=(one[0], one[0]), reply=one[2], step="structured")),
            placed(OutcomeDone(run="r", position=one[0], outcome=one[3])),
        ],
        list(zip(range(n), units, replies, verdicts, strict=True)),
    )
    stages.note(f"writing and committing them, {GROUP} calls at once", _committed(folder, rows))
    return stages.told()


def _committed(folder: Path, rows: Sequence[list[Any]]) -> float:
    best = float("inf")
    for turn in range(ROUNDS):
        database = Sqlite(folder / f"{turn}.db", create=True)
        with Store(database) as store:
            database._writer.execute("PRAGMA foreign_keys = OFF")  # there is no run
            groups = [list(chain.from_iterable(rows[start : start + GROUP])) for start in range(0, len(rows), GROUP)]
            began = time.process_time()
            for group in groups:
                store.commit_rows(rows_of(group))
            best = min(best, time.process_time() - began)
    return best / len(rows) * 1e6


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.stages", description=__doc__)
    options.add_argument("--items", type=int, default=1000)
    chosen = options.parse_args()
    gc.disable()
    with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as name:
        print(measure(Path(name), chosen.items))


if __name__ == "__main__":
    main()
