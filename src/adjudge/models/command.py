"""`cmd:COMMAND`: a candidate that is a program. One process for each question, without a shell, within a time."""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import os
import shlex
import shutil
import signal
import sys
import time
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from adjudge.core import limits
from adjudge.core.errors import ConfigError, ProgramFailed, TimedOut, TooLarge
from adjudge.core.records import Reply, Request
from adjudge.models.base import well_formed
from adjudge.models.endpoint import payload
from adjudge.models.faults import excerpt

_READ_BYTES = 1 << 16
#: Every process that a question starts has it in its environment, with a value of its own.
_MARK = "ADJUDGE_QUESTION"
_PR_SET_CHILD_SUBREAPER = 36
#: Linux alone has it; looked up here, since between fork and exec nothing may wait for a lock.
_PRCTL = getattr(ctypes.PyDLL(None), "prctl", None) if sys.platform == "linux" else None


class Command:
    """Reads the question as JSON from standard input, writes its answer to standard output."""

    embedded = False
    rest_s = 0.0

    def __init__(self, command: str, *, timeout_s: float) -> None:
        self._words, self._timeout_s = startable(command), timeout_s

    async def answer(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        began = loop.time()
        mark = f"{_MARK}={uuid4().hex}"
        try:
            # as `create_subprocess_exec` does, which keeps the transport to itself: what is given up must be closed
            transport, protocol = await loop.subprocess_exec(
                lambda: SubprocessStreamProtocol(limit=_READ_BYTES, loop=loop),
                *self._words,
                start_new_session=True,  # a group of its own, so that its own children end with it
                env={**os.environ, **dict([mark.split("=")])},  # and those that leave the group are found by it
                preexec_fn=_keep_orphans if _PRCTL else None,  # or, while it runs, by being below it
            )
        except OSError as error:
            raise ProgramFailed(f"{self._words[0]} could not be started: {error.strerror}") from None
        process = Process(transport, protocol, loop)
        try:
            async with asyncio.timeout(self._timeout_s):
                said, complained = await _exchange(process, payload(request.items[0]))
                code = await process.wait()
        except BaseException as error:
            await _end(process, transport)
            if isinstance(error, TimeoutError):
                raise TimedOut(f"{self._words[0]} gave no whole answer within {self._timeout_s:g} s") from None
            raise
        finally:
            transport.close()
            await asyncio.to_thread(_end_marked, mark.encode())
        if code:
            told = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            words = excerpt(complained.decode("utf-8", "replace"), None)
            raise ProgramFailed(f"{self._words[0]} {told}" + (f": {words}" if words else ""))
        text = well_formed(said.decode("utf-8", "replace"))
        return Reply(text=text, cost_usd=0.0, latency_s=loop.time() - began)

    async def close(self) -> None:
        """Every process ends with its question."""


async def _exchange(process: Process, question: bytes) -> tuple[bytes, bytes]:
    """What the program writes to standard output, and the end of what it complains of."""
    assert process.stdin and process.stdout and process.stderr
    try:
        async with asyncio.TaskGroup() as group:
            said = group.create_task(_output(process.stdout))
            complained = group.create_task(_tail(process.stderr))
            group.create_task(_put(process.stdin, question))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return said.result(), complained.result()


async def _put(stream: asyncio.StreamWriter, question: bytes) -> None:
    with suppress(ConnectionError):  # a program need not read its question
        stream.write(question + b"\n")
        await stream.drain()
        stream.close()
        await stream.wait_closed()


async def _output(stream: asyncio.StreamReader) -> bytes:
    found = bytearray()
    while data := await stream.read(_READ_BYTES):
        found += data
        if len(found) > limits.CANDIDATE_BYTES:
            raise TooLarge(f"the program wrote more than {limits.CANDIDATE_BYTES:,} bytes")
    return bytes(found)


async def _tail(stream: asyncio.StreamReader) -> bytes:
    found = b""
    while data := await stream.read(_READ_BYTES):
        found = (found + data)[-limits.EXCERPT_CHARS :]
    return found


async def _end(process: Process, transport: asyncio.SubprocessTransport) -> None:
    """Nothing of a program that is given up goes on: it may be gone already, and its children not."""
    try:
        if process.returncode is None:
            await asyncio.to_thread(_end_below, process.pid)
    finally:
        with suppress(ProcessLookupError, PermissionError):  # one that runs as somebody else is not ours to end
            os.killpg(process.pid, signal.SIGKILL)
    # The end of a process is told when its pipes are closed, and what nobody reads any more never ends by itself. The
    # transport itself is closed later: it would take the exit status from under the loop, which complains of that.
    for number in range(3):
        if (pipe := transport.get_pipe_transport(number)) is not None:
            pipe.close()
    await process.wait()


def _keep_orphans() -> None:
    """Have what this process starts stay below it when those between have ended, whatever session it is in."""
    assert _PRCTL
    _PRCTL(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_below(program: int) -> None:
    """End all that runs below a program of ours, which itself is stopped, so that it starts nothing more."""
    for _ in range(limits.PROGRAM_SWEEPS):
        processes = _processes()
        if program not in processes or processes[program][0] != os.getpid():  # its number may be another's by now
            return
        with suppress(OSError):
            os.kill(program, signal.SIGSTOP)
        processes = _processes()
        killed = [pid for pid in _below(program, processes) if _killed(pid)]
        if all(processes[pid][1] for pid in killed):
            return
        time.sleep(limits.PROGRAM_SWEEP_S)


def _processes() -> dict[int, tuple[int, bool]]:
    """The parent of each process, and whether it has ended and only waits to be asked for."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
            found[int(path.parent.name)] = int(parent), state in (b"Z", b"X")
    return found


def _below(program: int, processes: Mapping[int, tuple[int, bool]]) -> set[int]:
    """The children of a process, their children, and so on."""
    family, size = {program}, 0
    while size < len(family):
        size = len(family)
        family |= {pid for pid, (parent, _) in processes.items() if parent in family}
    return family - {program}


def _killed(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return False
    return True


def _end_marked(mark: bytes) -> None:
    """End what a program started in sessions of its own; where there is no /proc, only its group has ended."""
    for _ in range(limits.PROGRAM_SWEEPS):  # one that is being looked for may start another meanwhile
        found = [path for path in Path("/proc").glob("[0-9]*/environ") if _bears(path, mark)]
        for path in found:
            with suppress(OSError):
                os.kill(int(path.parent.name), signal.SIGKILL)
        if not found:
            return
        time.sleep(limits.PROGRAM_SWEEP_S)


def _bears(environ: Path, mark: bytes) -> bool:
    try:  # one that has ended has none, and one that runs as somebody else shows none
        return mark in environ.read_bytes().split(b"\0")
    except OSError:
        return False


def startable(command: str) -> list[str]:
    """The words of a command whose program is there."""
    words = split(command)
    if shutil.which(words[0]) is None:
        raise ConfigError(
            f"cmd:{command[: limits.NAME_CHARS]}: there is no program `{words[0][: limits.NAME_CHARS]}`",
            hint="write its path, such as cmd:./my_rag, and make it executable (chmod +x)",
        )
    return words


def split(command: str) -> list[str]:
    """The words of a command, as a shell would split them."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"cmd:{command[: limits.NAME_CHARS]}: {error}", hint="close every quote") from None
    if not words:
        raise ConfigError("cmd: names no program", hint="as in cmd:./my_rag or cmd:'python my_rag.py'")
    return words


def revision(command: str) -> str | None:
    """A hash of the files that a command names: an edited program is another candidate."""
    files = [Path(word) for word in split(command) if Path(word).is_file()]
    found = hashlib.sha256()
    for file in files:
        try:
            with file.open("rb") as stream:
                found.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError:
            continue
    return found.hexdigest()[:12] if files else None
