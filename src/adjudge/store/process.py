"""Who runs a run: this process, and whether another one still lives."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from adjudge.core import limits


@dataclass(frozen=True, kw_only=True, slots=True)
class Process:
    """A process that can be told from a later one with the same number."""

    host: str
    pid: int
    started: str

    def alive(self, beat: float) -> bool:
        """Whether it still runs; where it cannot be seen from here, its last heartbeat decides."""
        if self.host != _host() or os.name != "posix":
            return time.time() - beat < limits.HEARTBEAT_STALE_S
        if started := _started(self.pid):
            return started == self.started
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        # It is there and /proc does not show it running: a zombie where there is a /proc, unknown where there is none.
        return not self.started


def this_process() -> Process:
    """The process that asks."""
    return Process(host=_host(), pid=os.getpid(), started=_started(os.getpid()))


def _host() -> str:
    # Containers on one machine may share a name, and a pid means nothing outside its namespace.
    try:
        return f"{socket.gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def _started(pid: int) -> str:
    """The boot and the tick the process started at; empty when it is dead, or there is no /proc to see it in."""
    try:
        # The name, in parentheses, may itself hold spaces and parentheses.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else f"{boot} {fields[19]}"
