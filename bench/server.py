"""The fake model server of the benchmarks: compiled from server.c, or the tests' own where that cannot be done."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("server.c")


@dataclass(frozen=True, kw_only=True)
class Stats:
    """What a server has seen; times are those of `time.monotonic`, and 0 before the first request."""

    requests: int
    first: float
    most_in_flight: int | None = None
    connections: int | None = None


@dataclass(frozen=True, kw_only=True)
class Server:
    """A running server."""

    url: str
    stats: Callable[[], Stats]


class Servers:
    """Starts servers; `kind` says which, for the table of the machine."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        self._binary = folder / "server"
        self.compiled = compiler is not None and _compile(compiler, self._binary)
        self.kind = "C, one thread"
        if not self.compiled:
            why = "server.c did not compile: it needs Linux" if compiler else "there is no C compiler here"
            self.kind = f"Python ({why}); it is slower than the fastest clients, and ratios flatter who is slower"

    def start(self, *, latency_ms: float = 0, record: Path | None = None) -> AbstractContextManager[Server]:
        """A server for the block; `record` is a file for the bodies of the requests, one a line."""
        return _compiled(self._binary, latency_ms, record) if self.compiled else _python(latency_ms, record)


def _compile(compiler: str, binary: Path) -> bool:
    # its own files go to our folder and its own processes end with it: a compiler is several
    environment = {**os.environ, "TMPDIR": str(binary.parent)}
    command = [compiler, "-O2", "-o", str(binary), str(SOURCE)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait() == 0
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def _asked(address: str) -> Stats:
    with urllib.request.urlopen(f"{address}/stats", timeout=10) as answer:
        told = json.load(answer)
    return Stats(**{name: told[name] for name in ("requests", "first", "most_in_flight", "connections")})


@contextmanager
def _compiled(binary: Path, latency_ms: float, record: Path | None) -> Iterator[Server]:
    command = [str(binary), "--latency-ms", str(latency_ms), *(("--record", str(record)) if record else ())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            address = f"http://127.0.0.1:{int(process.stdout.readline())}"
            yield Server(url=f"{address}/v1", stats=lambda: _asked(address))
        finally:
            process.terminate()


@contextmanager
def _python(latency_ms: float, record: Path | None) -> Iterator[Server]:
    """The tests' server in a thread: this process only waits for others meanwhile."""
    from tests.fakes.server import FakeModelServer

    seen: list[Any] = []
    first, requests = 0.0, 0

    def note(data: Any, _: int) -> None:
        nonlocal first, requests
        first = first or time.monotonic()
        requests += 1
        server.requests.clear()
        if record is not None:
            seen.append(data)

    with FakeModelServer(note, latency_s=latency_ms / 1000) as server:
        yield Server(url=server.url, stats=lambda: Stats(requests=requests, first=first))
    if record is not None:
        record.write_text("".join(json.dumps(data) + "\n" for data in seen))
