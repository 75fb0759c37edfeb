"""A run that is stopped, gone on with and compared with one that nobody disturbed."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

from adjudge.cli import run_command
from adjudge.report.head import moment
from adjudge.store.store import open_store
from tests.crash.nursery import Child, Nursery, Stop
from tests.fakes.postgres import sql
from tests.fakes.server import FakeModelServer

CONCURRENCY = 4
SQLITE = "sqlite:///store.db"
_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A judge, its items and how many calls they take."""

    judge: str
    rows: tuple[dict[str, Any], ...]
    calls: int
    options: tuple[str, ...] = ()
    #: Models that are asked at the same time for one item.
    at_once: int = 1


LAYOUTS = {
    "single": Layout(
        judge="summary",
        rows=tuple({"id": f"i{n}", "content": f"Story number {n}. It ends.", "text": f"Story {n}."} for n in range(20)),
        calls=20,
    ),
    "compare": Layout(
        judge="rag-answers",
        rows=tuple(
            {
                "id": f"q{n}",
                "question": f"What happens in story {n}?",
                "sources": [{"id": "s", "text": f"Story {n} ends well."}],
                "answers": {"North": f"It ends well, {n}.", "South": f"Nobody knows, {n}."},
            }
            for n in range(5)
        ),
        calls=20,
        options=("--orders", "2", "--repeat", "2"),
    ),
    "batch": Layout(
        judge="translation",
        rows=tuple(
            {"id": f"t{n}", "src": f"Door {n} is open.", "trg": f"La puerta {n} está abierta.", "src_lang": "English",
             "trg_lang": "Spanish"}
            for n in range(20)
        ),
        calls=5,
        options=("--batch-size", "5"),
    ),
}  # fmt: skip
LAYOUTS["asked"] = Layout(
    judge="rag-answers",
    rows=tuple({name: row[name] for name in row if name != "answers"} for row in LAYOUTS["compare"].rows),
    calls=20,
    options=("--orders", "2", "--candidate", "North=openai:north", "--candidate", "South=openai:south"),
    at_once=2,
)
LAYOUTS["long"] = Layout(
    judge="summary",
    rows=tuple(
        {"id": f"b{n}", "content": "\n\n".join(f"Chapter {m} of book {n}. " + "It rains. " * 90 for m in range(20)),
         "text": f"Chapter 3 of book {n}. Chapter 90 of book {n}."}
        for n in range(2)
    ),
    calls=12,  # two parts of each, asked about and checked; the list of claims; what is asked without the source
    options=("--window", "6000"),
)  # fmt: skip
LAYOUTS["staged"] = Layout(
    judge="search-summary",
    # no source of two rows: processes may ask at the same moment what rows have in common
    rows=tuple(
        {"id": f"s{n}", "user_query": "How does it end?", "summary": f"It ends well [1]. It rains {n} times [2].",
         "search_results": [{"url": f"https://e.example/{m}", "content": f"Story {m} of {n} ends."} for m in range(2)]}
        for n in range(3)
    ),
    calls=24,  # of each: the other criteria, claims and their check, questions on two sources asked twice, answers
    options=("--staged",),
)  # fmt: skip
LAYOUTS["probe"] = replace(LAYOUTS["batch"], calls=8, options=(*LAYOUTS["batch"].options, "--probe-batch", "3"))


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What an undisturbed run asked, said, and came past."""

    asked: Counter[str]
    said: dict[str, str]
    passed: Counter[str]

    @property
    def points(self) -> list[tuple[str, int]]:
        """Every point, and every time it was come to."""
        return [(name, nth) for name, times in self.passed.items() for nth in range(1, times + 1)]


class Ground:
    """A model server, a nursery, and a folder to try things in."""

    def __init__(self, nursery: Nursery, server: FakeModelServer, folder: Path) -> None:
        self.nursery, self.server, self.folder = nursery, server, folder
        self._numbers = count(1)
        self.whole, self.seconds = cache(self._whole), cache(self._seconds)
        (folder / "prices.yaml").write_text('prices: {"openai:m": {input: 0.5, output: 1.5, seen: "2026-01-31"}}')

    def trial(self, layout: str, url: str = SQLITE) -> AbstractContextManager[Trial]:
        """A store of its own, empty at first and gone at the end."""
        self.whole(layout)
        return self._trial(layout, url)

    @contextmanager
    def _trial(self, layout: str, url: str) -> Iterator[Trial]:
        number = next(self._numbers)
        folder = self.folder / f"trial{number}"
        folder.mkdir()
        try:
            yield Trial(self, layout, url, folder, f"key-{number}")
        finally:
            shutil.rmtree(folder)
            self.server.requests.clear()
            if not url.startswith("sqlite"):
                sql(url, "DROP SCHEMA IF EXISTS adjudge CASCADE")

    def _whole(self, layout: str) -> Whole:
        with self._trial(layout, SQLITE) as trial:
            child = trial.go_on()
            assert child.wait() == 0, child.err + child.out
            assert child.acknowledged == {row["id"] for row in trial.layout.rows}
            assert trial.asked().total() == trial.layout.calls
            return Whole(asked=trial.asked(), said=trial.said(), passed=child.passed)

    def _seconds(self, layout: str, url: str) -> float:
        """How long an undisturbed process takes; what it says is the same on every store."""
        with self.trial(layout, url) as trial:
            began = time.monotonic()
            child = trial.go_on()
            child.wait()
            took = time.monotonic() - began
            trial.ended(child)
            return took


class Trial:
    """One run of a layout, from its first process to its last."""

    def __init__(self, ground: Ground, layout: str, url: str, folder: Path, key: str) -> None:
        self.ground, self.name, self.layout, self.url = ground, layout, LAYOUTS[layout], url
        self.folder, self._key = folder, key
        self.stops = 0
        self.acknowledged: set[str] = set()
        self.store = f"sqlite:///{folder}/store.db" if url == SQLITE else url
        (folder / "items.jsonl").write_text("\n".join(json.dumps(row) for row in self.layout.rows))

    def go_on(self, stop: Stop | None = None) -> Child:
        """Begin the run, or resume it where there is one."""
        return self._started(["resume", "latest"], stop) if self.runs() else self.begin(stop)

    def begin(self, stop: Stop | None = None) -> Child:
        """Begin the run, or one more that is the same."""
        return self._started(self._beginning(), stop)

    def _started(self, args: list[str], stop: Stop | None) -> Child:
        args = [*args, "--store", self.url, "--json"]
        return self.ground.nursery.start(args, folder=self.folder, stop=stop, env={_KEY: self._key})

    def _beginning(self) -> list[str]:
        options = ["--model", "openai:m", "--base-url", self.ground.server.url, "--concurrency", str(CONCURRENCY)]
        options += ["--name", "tried", "--prices", str(self.ground.folder / "prices.yaml")]
        return ["run", self.layout.judge, "items.jsonl", *options, *self.layout.options]

    def runs(self, store: str | None = None) -> list[dict[str, Any]]:
        """What `adjudge runs` lists; nothing where there is no store yet."""
        code, out, err = command("runs", "--json", "--store", store or self.store)
        if code:
            assert "there is no store here yet" in err, err
            return []
        return list(json.loads(out)["runs"])

    def stopped(self, child: Child, stop: Stop | None = None) -> None:
        """Check what a process that was stopped has left; what goes on after this is the first to open the store."""
        self.stops += 1
        self.acknowledged |= child.acknowledged
        store = self._copied()
        runs = self.runs(store)
        assert len(runs) <= 1
        assert runs or not self.acknowledged
        for run in runs:
            with open_store(store) as opened:
                stored = {outcome.item for outcome in opened.outcomes(run["run"])}
            assert self.acknowledged <= stored, f"lost: {self.acknowledged - stored}"
            assert (run["judged"], run["failed"], run["items"]) == (len(stored), 0, len(self.layout.rows))
            assert run["status"] in _said_after(stop)
            assert run["status"] == "interrupted" or len(stored) == len(self.layout.rows)

    def _copied(self) -> str:
        """The store as the dead left it, in a copy: looking at it would already mend it."""
        if self.url != SQLITE:
            return self.url
        copy = self.folder / "copy.db"
        for suffix in ("", "-wal", "-shm"):
            Path(f"{copy}{suffix}").unlink(missing_ok=True)
        for suffix in ("", "-wal"):
            if (path := self.folder / f"store.db{suffix}").exists():
                shutil.copyfile(path, f"{copy}{suffix}")
        if copy.exists():
            with closing(sqlite3.connect(copy)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return f"sqlite:///{copy}"

    def ended(self, *children: Child, again: int | None = None) -> None:
        """Check the end: every process that was left alone says so, and all is as if nothing had happened."""
        whole = self.ground.whole(self.name)
        for child in children:
            assert child.wait() == 0, child.err + child.out
            said = json.loads(child.out)
            assert (said["status"], said["judged"], said["failed"]) == ("complete", len(self.layout.rows), 0)
        (run,) = self.runs()
        assert (run["status"], run["judged"], run["failed"]) == ("complete", len(self.layout.rows), 0)
        with open_store(self.store) as opened:
            assert [outcome.item for outcome in opened.outcomes(run["run"])] == [row["id"] for row in self.layout.rows]
        asked = self.asked()
        assert set(asked) == set(whole.asked), "nothing was asked that is not in the plan, and nothing was left out"
        paid_twice = asked.total() - self.layout.calls
        flying = CONCURRENCY * self.layout.at_once
        assert 0 <= paid_twice <= (flying * self.stops if again is None else again), f"paid twice: {paid_twice}"
        for what, text in self.said().items():
            assert text == whole.said[what], f"{what} differs from that of an undisturbed run"

    def asked(self) -> Counter[str]:
        """What the server was asked in this trial, and how often."""
        mine = f"Bearer {self._key}"
        received = [one for one in self.ground.server.requests if one.headers.get("authorization") == mine]
        return Counter(json.dumps(one.data, sort_keys=True) for one in received)

    def said(self) -> dict[str, str]:
        """All that can be shown of the run, without what differs from run to run: its id, when it was, how long."""
        commands: list[Sequence[str]] = [("export", "--format", form) for form in ("jsonl", "native")]
        commands += [("show", "--format", form) for form in ("json", "text", "markdown", "html")]
        (run,) = self.runs()
        said = {"runs": json.dumps({**run, "started": "", "finished": ""}).replace(run["run"], "RUN")}
        for name, *options in commands:
            code, text, err = command(name, run["run"], "--store", self.store, *options)
            assert code == 0, err
            said[" ".join([name, *options])] = _settled(text, run)
        return said


def _said_after(stop: Stop | None) -> set[str]:
    """What a run may say of itself: complete only where it may have ended before the process did."""
    if stop is None:
        return {"interrupted", "complete"}
    if stop.signal == signal.SIGKILL:
        return {"complete" if stop.name == "finish.durable" else "interrupted"}
    # a signal that a process can hear comes too late where nothing is waited for any more
    return {"complete" if stop.name.startswith("finish.") else "interrupted"}


def _settled(text: str, run: dict[str, Any]) -> str:
    text = text.replace(run["run"], "RUN").replace(run["started"], "STARTED").replace(moment(run["started"]), "STARTED")
    # a curve over time is time
    text = re.sub(r'\n?<section class="spending">.*?</section>', "", text, flags=re.DOTALL)
    text = re.sub(r'"seconds": [\d.e-]+', '"seconds": S', text)
    return re.sub(r"(?<![\d.])\d+(?:\.\d+)? s(?![\w])", "S s", text)


def command(*args: str) -> tuple[int, str, str]:
    """The exit code, the output and the messages of a command in this process."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run_command([*args])
    return code, out.getvalue(), err.getvalue()
