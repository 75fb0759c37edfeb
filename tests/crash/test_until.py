"""A run with a question, killed wherever it can be: resumed, it ends at the same item with the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.nursery import Child, Nursery, Stop
from tests.crash.trial import command
from tests.e2e.until import judging, questions, summaries, translations
from tests.fakes.clock import wait_for
from tests.fakes.server import Answer, FakeModelServer

ASKED = {
    "summary": (summaries(120), "ci(coverage) < 0.4", ()),
    "rag-answers": (questions(60), "better(North, South)", ()),
    "translation": (translations(120), "ci(adequacy) < 0.5", ("--batch-size", "5")),
}


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery


def start(nursery: Nursery, url: str, judge: str, folder: Path, *, concurrency: int, stop: Stop | None = None) -> Child:
    rows, until, options = ASKED[judge]
    folder.mkdir(exist_ok=True)
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    args = ["run", judge, "rows.jsonl", "--model", "openai:m", "--base-url", url, "--until", until, *options]
    args += ["--concurrency", str(concurrency), "--store", "sqlite:///store.db", "--json"]
    return nursery.start(args, folder=folder, stop=stop)


def said(folder: Path) -> tuple[str, str, str]:
    """The exports, and what the report says, without what was spent."""
    store = f"sqlite:///{folder}/store.db"
    texts = []
    for args in (("export",), ("export", "--format", "native"), ("show", "--format", "json")):
        code, text, err = command(*args[:1], "latest", "--store", store, *args[1:])
        assert code == 0, err
        texts.append(text)
    report = json.loads(texts[2])
    for spent in ("run", "calls", "cached", "tokens", "seconds", "health", "cost_usd"):
        del report[spent]
    del report["beside"]["until"]["calls_saved"]
    return texts[0], texts[1], json.dumps(report)


@pytest.mark.parametrize("judge", ASKED)
def test_killed_anywhere_and_resumed_it_ends_at_the_same_item(judge, nursery, tmp_path):
    with FakeModelServer(judging(slow=True)) as server:
        whole = start(nursery, server.url, judge, tmp_path / "whole", concurrency=1)
        assert whole.wait() == 0, whole.err
        expected = said(tmp_path / "whole")
        tried = start(nursery, server.url, judge, tmp_path / "tried", concurrency=4)
        assert tried.wait() == 0 and said(tmp_path / "tried") == expected
        stops = [
            Stop(name=name, nth=nth)
            for name, times in sorted(tried.passed.items())
            for nth in sorted({1, times // 2 + 1})
        ]
        stops = stops[:: 4 if judge == "summary" else 8]
        assert len(stops) >= 4
        for number, stop in enumerate(stops):
            folder = tmp_path / f"killed{number}"
            killed = start(nursery, server.url, judge, folder, concurrency=4, stop=stop)
            killed.wait()
            store = f"sqlite:///{folder}/store.db"
            begun = command("runs", "--json", "--store", store)
            resumed = killed
            if begun[0] == 0 and json.loads(begun[1])["runs"]:
                resumed = nursery.start(["resume", "latest", "--store", "sqlite:///store.db", "--json"], folder=folder)
            else:
                resumed = start(nursery, server.url, judge, folder, concurrency=4)
            assert resumed.wait() == 0, f"{stop}: {resumed.err}"
            assert json.loads(resumed.out)["status"] == "complete"
            assert said(folder) == expected, f"{stop}: what is said differs from that of an undisturbed run"


def test_what_is_stored_are_the_first_draws_and_no_others(nursery, tmp_path):
    """So that whoever reads a store at any moment sees what one request at a time would have left."""
    with FakeModelServer(judging(slow=True)) as server:
        whole = start(nursery, server.url, "summary", tmp_path / "whole", concurrency=1)
        whole.wait()
        order = [line for line in whole._log.with_suffix(".ack").read_text().splitlines() if line]
        for nth in (5, 17, 30):
            folder = tmp_path / f"killed{nth}"
            stop = Stop(name="items.counted", nth=nth)
            start(nursery, server.url, "summary", folder, concurrency=8, stop=stop).wait()
            code, out, _ = command("export", "latest", "--store", f"sqlite:///{folder}/store.db")
            assert code == 0
            stored = {json.loads(line)["id"] for line in out.splitlines()}
            assert stored == set(order[: len(stored)])


def test_a_second_process_is_refused_while_the_first_lives(serve, nursery, tmp_path):
    server = serve(lambda request, n: Answer(stuck="silent"))
    first = start(nursery, server.url, "summary", tmp_path / "two", concurrency=2)
    store = f"sqlite:///{tmp_path}/two/store.db"
    wait_for(lambda: server.calls == 2)
    code, _, err = command("resume", "latest", "--store", store)
    assert code == 2 and "only one at a time" in err
    assert server.calls == 2
    first.kill()
    first.wait()
    server.script = judging()
    code, _, err = command("resume", "latest", "--store", store, "--json")
    assert code == 0, err
