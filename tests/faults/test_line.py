"""No way to the server, from some item on or for a moment: what was answered stays, and the rest is tried again."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

from adjudge.core import limits
from tests.fakes.clock import PATIENCE_S, Clock
from tests.fakes.faulty import FaultyModel, Line, Pattern, TlsLine, meets
from tests.fakes.server import FakeModelServer
from tests.faults.canary import misplaced
from tests.faults.running import IMPATIENT, POSITIONS, N, arguments, exported, publish, run_json

HOST = "model.test"


def down(position: str, pattern: Pattern) -> Callable[[int], bool]:
    """Whether connection number n meets the fault: every item is one connection, so the line breaks before an item."""
    before = POSITIONS[position]
    return lambda n: n > before and meets(pattern, n - before)


def check(
    position: str, pattern: Pattern, code: int, report: dict[str, Any], lines: dict[str, dict[str, Any]], **failed: Any
) -> None:
    """With a lasting fault the item and all after it fail, each after as many attempts as are stated."""
    lost = range(POSITIONS[position], N) if pattern == "always" else range(0)
    assert (code, report["status"]) == ((3, "partial") if lost else (0, "complete"))
    assert (report["judged"], report["failed"]) == (N - len(lost), len(lost))
    for number, line in enumerate(lines.values()):
        if number not in lost:
            assert (line["status"], line["failure"]) == ("judged", None)
            continue
        failure = line["failure"]
        message = failure.pop("message")
        assert failure == {"stage": "ask", "attempts": limits.TRANSPORT_ATTEMPTS, "kind": failed["kind"]}
        assert failed["says"] in message


def check_asked(model: FaultyModel, position: str, pattern: Pattern) -> None:
    """Each item was answered once; what never arrived was not counted twice."""
    through = POSITIONS[position] if pattern == "always" else N
    assert list(model.asked.values()) == list(model.answered.values()) == [1] * through


@pytest.mark.parametrize("pattern", get_args(Pattern))
@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("kind", ["refused", "silent"])
def test_no_connection(
    kind: Literal["refused", "silent"], position: str, pattern: Pattern, key: str, unseen: Any, capsys: Any,
    monkeypatch: pytest.MonkeyPatch, clock: Clock,
) -> None:  # fmt: skip
    expected = {
        "refused": {"kind": "unreachable", "says": "Connection refused"},
        "silent": {"kind": "unreachable", "says": f"could not be connected to within {limits.CONNECT_TIMEOUT_S:g} s"},
    }[kind]
    model = FaultyModel({})
    with (
        FakeModelServer(model) as server,
        Line(server.url, kind, down(position, pattern), clock).watch(monkeypatch) as line,
    ):
        code, report, said = run_json(capsys, *arguments(line.url, concurrency=1))
        check(position, pattern, code, report, exported(capsys), **expected)
        check_asked(model, position, pattern)
        lost = (N - POSITIONS[position]) if pattern == "always" else 0
        again = {"always": 0, "once": 1, "flapping": N - POSITIONS[position]}[pattern]
        assert line.tried == N - lost + limits.TRANSPORT_ATTEMPTS * lost + again
        line.mend()
        code, report, more = run_json(capsys, "resume", "latest")
        assert (code, report["status"], report["judged"]) == (0, "complete", N)
        check_asked(model, position, "once")
        assert misplaced(key, "authorization", server.requests) == []
    publish()
    unseen(said, more)


@pytest.mark.parametrize("pattern", get_args(Pattern))
@pytest.mark.parametrize("position", POSITIONS)
def test_no_name(
    position: str, pattern: Pattern, key: str, unseen: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """The name is looked up for every connection, and each is closed after one answer."""
    real, looked_up = socket.getaddrinfo, 0
    fails = down(position, pattern)

    def lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal looked_up
        if host not in (HOST, HOST.encode()):
            return real(host, *args, **kwargs)
        looked_up += 1
        if fails(looked_up):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real("127.0.0.1", *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    model = FaultyModel({})
    with (
        FakeModelServer(model) as server,
        Line(server.url, "refused", lambda n: False, clock).watch(monkeypatch) as line,
    ):
        url = line.url.replace("127.0.0.1", HOST)
        code, report, said = run_json(capsys, *arguments(url, concurrency=1))
        expected = {"kind": "unreachable", "says": "Name or service not known"}
        check(position, pattern, code, report, exported(capsys), **expected)
        check_asked(model, position, pattern)
        assert misplaced(key, "authorization", server.requests) == []
    publish()
    unseen(said)


def test_a_name_that_nobody_has(key: str, unseen: Any, capsys: Any) -> None:
    code, report, said = run_json(capsys, *arguments("http://no-such-model.invalid/v1"))
    check("first", "always", code, report, exported(capsys), kind="unreachable", says="no-such-model.invalid")
    publish()
    unseen(said)


@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl on this machine to make certificates with")
@pytest.mark.parametrize("pattern", get_args(Pattern))
@pytest.mark.parametrize(
    ("kind", "position"), [*(("stranger", position) for position in POSITIONS), ("plain", "first")]
)
def test_no_tls(
    kind: Literal["stranger", "plain"], position: str, pattern: Pattern, key: str, unseen: Any, capsys: Any,
    tmp_path: Path,
) -> None:  # fmt: skip
    """In a process of its own: which certificates are trusted is read from the environment when it starts."""
    model = FaultyModel({})
    with (
        FakeModelServer(model) as server,
        TlsLine(server.url, tmp_path, kind, down(position, pattern)) as line,
    ):
        done = subprocess.run(
            [sys.executable, "-c", IMPATIENT, *arguments(line.url, concurrency=1), "--json"],
            capture_output=True, text=True, timeout=PATIENCE_S, env={**os.environ, "SSL_CERT_FILE": str(line.trusted)},
        )  # fmt: skip
        says = {"stranger": "certificate verify failed", "plain": "127.0.0.1"}[kind]
        lines = exported(capsys)
        check(position, pattern, done.returncode, json.loads(done.stdout), lines, kind="unreachable", says=says)
        check_asked(model, position, pattern)
        lost = (N - POSITIONS[position]) if pattern == "always" else 0
        again = {"always": 0, "once": 1, "flapping": N - POSITIONS[position]}[pattern]
        assert line.tried == N - lost + limits.TRANSPORT_ATTEMPTS * lost + again
        assert misplaced(key, "authorization", server.requests) == []
    publish()
    unseen(done.stdout, done.stderr)
