"""Commands in processes of their own that need not import anything first: one process of one thread forks them all.

with Nursery() as nursery:
    child = nursery.start(["run", ...], folder=folder, stop=Stop(name="commit.written", nth=3))
    code = child.wait()                     # -9 when it was killed
    child.acknowledged                      # the ids of the items that it had counted
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Self

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Stop:
    """The process sends itself a signal when it comes to a point for the n-th time."""

    name: str
    nth: int
    signal: int = signal.SIGKILL

    def __str__(self) -> str:
        return f"{signal.Signals(self.signal).name} at {self.name} number {self.nth}"


class Child:
    """A command that was started."""

    def __init__(self, nursery: Nursery, pid: int, log: Path) -> None:
        self._nursery, self.pid, self._log = nursery, pid, log
        self._code: int | None = None

    def wait(self) -> int:
        """The exit code; minus the signal that ended it."""
        if self._code is None:
            self._code = int(self._nursery.ask({"wait": self.pid}))
        return self._code

    def kill(self) -> None:
        """Nothing where it has ended by itself: it is a zombie until `wait`, so that the number stays its own."""
        os.kill(self.pid, signal.SIGKILL)

    @property
    def out(self) -> str:
        return self._log.with_suffix(".out").read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        return self._log.with_suffix(".err").read_text(encoding="utf-8")

    @property
    def acknowledged(self) -> set[str]:
        """The items that it said it had counted; what it was still writing when it died does not count."""
        path = self._log.with_suffix(".ack")
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        return {line[:-1] for line in lines if line.endswith("\n")}

    @property
    def passed(self) -> Counter[str]:
        """How often it came to each point; only where it ended by itself."""
        return Counter(json.loads(self._log.with_suffix(".points").read_text()))


class Nursery:
    """Starts children. They end with it."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path])},
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(
        self,
        args: Sequence[str],
        *,
        folder: Path,
        stop: Stop | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Child:
        """Start `adjudge ARGS` in a folder."""
        log = folder / f"child{next(self._numbers)}"
        order = {"args": list(args), "log": str(log), "stop": stop and asdict(stop), "env": dict(env or {})}
        return Child(self, int(self.ask(order)), log)

    def ask(self, order: Mapping[str, Any]) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


class _Trap:
    """Stands in the place of `points.reached`, which several threads call."""

    def __init__(self, stop: Stop | None) -> None:
        self._stop, self._lock = stop, threading.Lock()
        self.passed: Counter[str] = Counter()

    def __call__(self, name: str) -> None:
        with self._lock:
            self.passed[name] += 1
            here = self._stop and (name, self.passed[name]) == (self._stop.name, self._stop.nth)
        if here and self._stop:
            os.kill(os.getpid(), self._stop.signal)


def _run(order: Mapping[str, Any]) -> int:
    from adjudge.cli import run_command
    from adjudge.core import points
    from adjudge.run.engine import Engine
    from adjudge.store.writes import OutcomeDone

    log = Path(order["log"])
    os.chdir(log.parent)
    os.environ.update(order["env"])
    for number, name, how in (
        (0, os.devnull, os.O_RDONLY),
        (1, log.with_suffix(".out"), 0),
        (2, log.with_suffix(".err"), 0),
    ):
        os.dup2(os.open(name, how or os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    acknowledging = os.open(log.with_suffix(".ack"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    trap = points.reached = _Trap(Stop(**order["stop"]) if order["stop"] else None)
    count_items = Engine._count

    def counted(engine: Engine, writes: Any) -> None:
        count_items(engine, writes)
        done = [write.outcome.item for write in writes if isinstance(write, OutcomeDone)]
        os.write(acknowledging, "".join(f"{item}\n" for item in done).encode())
        trap("items.counted")

    Engine._count = counted  # type: ignore[method-assign,assignment]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run_command(order["args"])
    sys.stderr.flush()
    log.with_suffix(".points").write_text(json.dumps(trap.passed))
    return code


def _learn() -> None:
    """Read what every command reads first and what nothing can change: it is then there in all of them."""
    from adjudge.core.code import code_digest
    from adjudge.report.words import words
    from adjudge.spec import wording

    importlib.import_module("numpy.ma")  # by np.quantile, at its first call
    code_digest()
    for each in (words, wording.words):
        each("en")
    # what is there by now is looked through by no child, and so copied by none
    gc.freeze()


def main() -> None:
    """Fork what is ordered, one order a line, until there are no more orders."""
    import adjudge

    for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    _learn()
    living: set[int] = set()
    # Ctrl-C is for the tests; they close this pipe when they end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            _, status = os.waitpid(order["wait"], 0)
            living.discard(order["wait"])
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if not answer:
                code = 70
                try:
                    code = _run(order)
                finally:
                    os._exit(code)
            living.add(answer)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    for pid in living:
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
