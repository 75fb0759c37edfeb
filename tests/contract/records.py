"""Records for the stores' tests: some of them as hostile as texts can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from adjudge.core.records import Call, Reply, Settings, Verdict
from adjudge.core.runs import Run
from adjudge.store.store import Store

HOSTILE = "a'; DROP TABLE runs; -- \x00\x1a\x1a0000 \ud800 \ud83d\ude00 \U0001f600 %s ? ёЖ"
IDS = ("a", HOSTILE, "c", "d")

Opener = Callable[[], Store]


def a_run(run_id: str, **changes: object) -> Run:
    run = Run(
        id=run_id,
        judge="summary",
        judge_digest="j",
        lang="en",
        data="data.jsonl",
        data_digest="data",
        items=len(IDS),
        settings=Settings(model="m"),
    )
    return replace(run, **changes)  # type: ignore[arg-type]


def a_call(key: str, *items: str, **changes: object) -> Call:
    return replace(Call(key=key, stage="judge", items=items or ("a",)), **changes)  # type: ignore[arg-type]


def a_verdict(item: str, value: float = 4) -> Verdict:
    return Verdict(item=item, scores={"z": value, "a": {"X": 1.5}}, reasons={}, derived={}, native={"z": [1, HOSTILE]})


COMPLETE = Reply(text=HOSTILE, tokens_in=10, tokens_out=5, cost_usd=0.1, latency_s=0.25)
CUT = replace(COMPLETE, text="cut", finish="length")
