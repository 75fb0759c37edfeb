from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.core import limits
from adjudge.store.process import this_process
from tests.fakes.clock import wait_for

STALE = limits.HEARTBEAT_STALE_S + 1

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")


def test_this_process_lives_whatever_its_heartbeat() -> None:
    assert this_process().alive(time.time() - STALE)
    assert this_process().pid == os.getpid()


def test_an_ended_process_is_dead_at_once() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert not replace(this_process(), pid=child.pid).alive(time.time())


@needs_proc
def test_a_killed_process_is_dead_before_its_parent_looks() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    stat = Path(f"/proc/{child.pid}/stat")
    started = f"{this_process().started.split()[0]} {stat.read_text().rpartition(')')[2].split()[19]}"
    process = replace(this_process(), pid=child.pid, started=started)
    try:
        assert process.alive(time.time() - STALE)
        child.kill()
        wait_for(lambda: stat.read_text().rpartition(")")[2].split()[0] == "Z")
        assert not process.alive(time.time())
    finally:
        child.kill()
        child.wait()


@needs_proc
def test_a_later_process_with_the_same_number_is_another() -> None:
    assert not replace(this_process(), started="boot 1").alive(time.time())


def test_a_process_that_cannot_be_seen_lives_by_its_heartbeat() -> None:
    elsewhere = replace(this_process(), host="elsewhere")
    assert elsewhere.alive(time.time())
    assert not elsewhere.alive(time.time() - STALE)
