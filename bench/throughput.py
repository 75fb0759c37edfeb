"""adjudge beside bare clients on the same server, with the same requests, in interleaved rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from typing import Any

from bench import items
from bench.clients import CLIENTS, Client
from bench.process import adjudge
from bench.server import Server, Servers
from bench.tables import Section, table

#: The share of the bare aiohttp client's rate that adjudge is to reach, by latency in milliseconds.
WANTED = {0: 0.60, 50: 0.95}
BASE, OURS, AGAIN, TEAM = "bare aiohttp", "adjudge", "adjudge, all from the store", "adjudge with PostgreSQL"
Note = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is asked."""

    requests: int
    #: Rounds of `concurrency` requests where there is latency: enough that start and end weigh little.
    waves: int
    #: The slow clients get fewer; their rate does not depend on it.
    slow: int
    rounds: int


FULL = Size(requests=2000, waves=40, slow=1000, rounds=3)
QUICK = Size(requests=500, waves=8, slow=200, rounds=1)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One client, once."""

    name: str
    n: int
    seconds: float
    #: The command from its start to its end, where it does more than the run.
    whole_s: float | None = None
    in_flight: int | None

    @property
    def rate(self) -> float:
        return self.n / self.seconds


@dataclass(frozen=True, kw_only=True)
class Setting:
    latency_ms: int
    concurrency: int
    n: int


class Bench:
    """Everything that is measured under one setting, round by round."""

    def __init__(self, servers: Servers, folder: Path, size: Size, postgres: Any) -> None:
        self.servers, self.folder, self.size, self.postgres = servers, folder, size, postgres
        self._stores = count()
        self.data = {n: items.write(folder / f"{n}.jsonl", n) for n in {self._n(*pair) for pair in SETTINGS}}
        self.requests = items.requests(servers, folder, size.requests)

    def _n(self, latency_ms: int, concurrency: int) -> int:
        return max(self.size.requests, self.size.waves * concurrency if latency_ms else 0)

    def setting(self, latency_ms: int, concurrency: int) -> Setting:
        return Setting(latency_ms=latency_ms, concurrency=concurrency, n=self._n(latency_ms, concurrency))

    def round(self, at: Setting) -> Iterator[Sample]:
        """Everybody once."""
        for client in CLIENTS:
            if client.installed:
                yield self._bare(client, at)
        with self.servers.start(latency_ms=at.latency_ms) as server, self._sqlite() as store:
            yield self._judged(OURS, at, server, store)
            if not at.latency_ms:
                asked = server.stats().requests
                yield self._judged(AGAIN, at, server, store)
                if server.stats().requests != asked:
                    raise SystemExit("a rerun asked again what is in the store")
        if self.postgres is not None:
            with self.servers.start(latency_ms=at.latency_ms) as server, self.postgres.database() as store:
                yield self._judged(TEAM, at, server, store)

    def _bare(self, client: Client, at: Setting) -> Sample:
        n = at.n if client.name == "aiohttp" else min(at.n, self.size.slow)
        with self.servers.start(latency_ms=at.latency_ms) as server:
            seconds = client.seconds(server.url, self.requests, n, at.concurrency)
            most = server.stats().most_in_flight
        return Sample(name=f"bare {client.name}", n=n, seconds=seconds, in_flight=most)

    def _judged(self, name: str, at: Setting, server: Server, store: str) -> Sample:
        done = adjudge(*items.run(self.data[at.n], server.url, store, at.concurrency))
        # a rerun is over before the engine starts its clock: only the whole command tells what it takes
        seconds = done.wall_s if name == AGAIN else done.said["seconds"]
        most = server.stats().most_in_flight
        return Sample(name=name, n=at.n, seconds=seconds, whole_s=done.wall_s, in_flight=most)

    @contextmanager
    def _sqlite(self) -> Iterator[str]:
        name = f"store{next(self._stores)}.db"
        yield f"sqlite:///{self.folder / name}"
        for file in self.folder.glob(f"{name}*"):
            file.unlink()


SETTINGS = tuple(product(WANTED, (64, 256)))


def postgres_server(stack: ExitStack) -> tuple[Any, str]:
    """A PostgreSQL server for the block, durable as in real use, or the reason why there is none."""
    try:
        import pytest
        from tests.fakes.postgres import PostgresServer
    except ImportError as error:
        return None, f"PostgreSQL was not measured: {error}"
    try:
        return stack.enter_context(PostgresServer(fsync=True)), ""
    except pytest.skip.Exception as skipped:
        return None, f"PostgreSQL was not measured: {skipped.msg}"


def measure(servers: Servers, folder: Path, size: Size, note: Note) -> Section:
    """All settings, each with its rounds."""
    rows: list[list[str]] = []
    missed: list[str] = []
    with ExitStack() as stack:
        postgres, absent = postgres_server(stack)
        bench = Bench(servers, folder, size, postgres)
        for latency_ms, concurrency in SETTINGS:
            at = bench.setting(latency_ms, concurrency)
            taken: dict[str, list[Sample]] = {}
            for turn in range(size.rounds):
                for sample in bench.round(at):
                    seen = f" ({sample.in_flight} in flight at the most)" if latency_ms else ""
                    told = f"{latency_ms} ms, {concurrency} in flight, round {turn + 1}"
                    note(f"{told}: {sample.name} {sample.seconds:.2f} s{seen}")
                    taken.setdefault(sample.name, []).append(sample)
            rows += _rows(at, taken, missed)
    head = [
        "latency",
        "in flight",
        "client",
        "requests",
        "best, s",
        "whole command, s",
        "requests/s",
        "of bare aiohttp",
        "rounds",
        "wanted",
    ]
    absences = [
        f"{client.name} is not installed here, and was not measured" for client in CLIENTS if not client.installed
    ]
    notes = "".join(f"\n\n{told}." for told in (*absences, absent) if told)
    return Section(title="Throughput", body=table(head, rows, words=3) + notes, missed=tuple(missed))


def _rows(at: Setting, taken: dict[str, list[Sample]], missed: list[str]) -> Iterator[list[str]]:
    base = taken[BASE]
    fastest = max(sample.rate for sample in base)
    for name, samples in taken.items():
        best = max(samples, key=lambda sample: sample.rate)
        ratio = best.rate / fastest
        each = sorted(mine.rate / bare.rate for mine, bare in zip(samples, base, strict=True))
        wanted = WANTED[at.latency_ms] if name == OURS else None
        if wanted and ratio < wanted:
            missed.append(
                f"{at.latency_ms} ms, {at.concurrency} in flight: {ratio:.0%} of the bare rate, wanted {wanted:.0%}"
            )
        yield [
            f"{at.latency_ms} ms",
            f"{at.concurrency}",
            name,
            f"{best.n:,}",
            f"{best.seconds:.2f}",
            f"{best.whole_s:.2f}" if best.whole_s else "",
            f"{best.rate:,.0f}",
            f"{ratio:.0%}",
            f"{each[0]:.0%} to {each[-1]:.0%}" if name != BASE and len(each) > 1 else "",
            f"{wanted:.0%}" if wanted else "",
        ]
