"""Silent, slow and many clients: the others are answered, and nothing is left behind."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path

import pytest

from adjudge.core import limits
from adjudge.web.app import router
from adjudge.web.site import Site
from tests.fakes.browser import serving
from tests.fakes.clock import PATIENCE_S
from tests.fakes.wire import a_store, addresses, ask, connect, exchange

IDLE = 200


def test_two_hundred_idle_connections_hold_nobody_up(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    a_store(url)
    assert limits.WEB_CONNECTIONS < IDLE
    with serving(Site(store=url)) as address:
        idle = [connect(address) for _ in range(IDLE)]
        for _ in range(5):
            assert ask(address, "GET", "/api/runs").status == 200
        assert threading.active_count() < IDLE
        for line in idle:
            line.close()


def test_two_hundred_that_never_end_their_request_hold_nobody_up(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    a_store(url)
    starts = (
        b"GET /api/runs HTTP/1.1\r\nHost: 127",
        b"POST /api/runs/old/labels HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 9\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n",
        b"G",
    )
    with serving(Site(store=url)) as address:
        slow = [connect(address) for _ in range(IDLE)]
        stop = threading.Event()

        def drip() -> None:
            for number, line in enumerate(slow):
                _send(line, starts[number % len(starts)])
            while not stop.wait(0.05):
                for line in slow:
                    _send(line, b"a")

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            for _ in range(10):
                assert ask(address, "GET", "/api/runs").status == 200
                time.sleep(0.05)
        finally:
            stop.set()
            dripping.join()
        for line in slow:
            line.close()


def _send(line, data: bytes) -> None:
    try:
        line.sendall(data)
    except OSError:  # it was hung up on, as it should be
        return


def _handles() -> int:
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


def test_five_hundred_requests_leave_nothing_open(tmp_path):
    """Answers of every route, errors, clients that go in the middle: all is closed afterwards."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("open files are not listed on this system")
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_store(url)[0]
    site = Site(store=url)
    with serving(site) as address:
        each = [*addresses(router(site), run=run), "/none", "/runs/none", "/api/runs/none", "//", "/static/none"]

        def cycle(times: int) -> None:
            for number in range(times):
                at = each[number % len(each)]
                if number % 7 == 3:
                    with connect(address) as line:
                        line.sendall(f"GET {at} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                elif number % 7 == 5:
                    exchange(address, b"nonsense\r\n\r\n")
                else:
                    assert ask(address, "HEAD" if number % 2 else "GET", at).status < 500, at

        cycle(len(each) * 2)
        before = _settled(lambda: True)
        cycle(500)
        after = _settled(lambda: _handles() <= before[0] and threading.active_count() <= before[1])
    assert after[0] <= before[0]
    assert after[1] <= before[1]


def _settled(enough) -> tuple[int, int]:
    """Open handles and threads, once the last connections have ended."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        time.sleep(0.2)
        if enough():
            break
    return _handles(), threading.active_count()


def test_many_who_ask_at_once_all_get_their_answers(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_store(url)[0]
    site, faults = Site(store=url), list[object]()
    each = [*addresses(router(site), run=run), "/compare?run=old&run=new", "/api/compare?run=new&run=old"]
    label = b'{"annotator": "ann", "number": 1, "criterion": "coverage", "value": 4}'

    def look(number: int) -> None:
        try:
            for at in each[number:] + each[:number]:
                found = ask(address, "GET", at).status
                if found >= 500:
                    faults.append((at, found))
            kind = {"Content-Type": "application/json"}
            if (found := ask(address, "POST", f"/api/runs/{run}/labels", kind, label).status) != 200:
                faults.append(found)
        except (OSError, AssertionError) as error:
            faults.append(error)

    with serving(site) as address:
        people = [threading.Thread(target=look, args=(number,)) for number in range(8)]
        for person in people:
            person.start()
        for person in people:
            person.join()
    assert faults == []
