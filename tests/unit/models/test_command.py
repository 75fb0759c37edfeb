"""A candidate that is a program: one process per question, within a time, whatever it does."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adjudge.core import limits
from adjudge.core.errors import AdjudgeError, ConfigError, ProgramFailed, TimedOut, TooLarge
from adjudge.core.records import Call, Item, Prompt, Reply, Request, Settings, Source
from adjudge.models.command import Command, revision
from adjudge.models.endpoint import payload
from tests.fakes.clock import PATIENCE_S, Clock, wait_for
from tests.unit.spec.rows import bundled

ITEM = Item(
    id="q1",
    fields={
        "question": "Why? \ud800 ё",
        "sources": (Source(id="1", text="Because.", title="T"), Source(id="d", text="")),
    },
)


def request(item: Item = ITEM) -> Request:
    return Request(
        call=Call(key="k", stage="answer", items=(item.id,)),
        prompt=Prompt(system="", user="", schema={}),
        judge=bundled("rag-answers"),
        items=(item,),
        settings=Settings(model="cmd:x"),
    )


def program(code: str) -> str:
    Path("program.py").write_text(code, encoding="utf-8")
    return f"'{sys.executable}' program.py"


def answer(code: str) -> Reply:
    return asyncio.run(Command(program(code), timeout_s=PATIENCE_S).answer(request()))


def problem(code: str) -> AdjudgeError:
    with pytest.raises(AdjudgeError) as caught:
        answer(code)
    return caught.value


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # a zombie that nobody has waited for is as dead
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def gone(pid: int) -> bool:
    wait_for(lambda: not alive(pid))
    return True


def given_up(code: str, clock: Clock) -> AdjudgeError:
    """How it ends when the time is up as soon as the program has made a file `ready`."""

    async def run() -> None:
        asking = asyncio.create_task(Command(program(code), timeout_s=600.0).answer(request()))
        while not Path("ready").exists():
            await asyncio.sleep(0.01)
        clock.skip(600.0)
        await asking

    with pytest.raises(AdjudgeError) as caught:
        asyncio.run(run())
    return caught.value


def test_it_reads_the_question_and_its_output_is_the_answer():
    reply = answer("import sys; sys.stdout.write(sys.stdin.read())")
    told: dict[str, Any] = json.loads(reply.text)
    assert told == {
        "id": "q1",
        "question": "Why? \ufffd ё",
        "sources": [{"id": "1", "text": "Because.", "title": "T"}, {"id": "d", "text": ""}],
    }
    assert (reply.finish, reply.cost_usd) == ("stop", 0.0) and reply.latency_s > 0
    assert payload(ITEM).decode() + "\n" == reply.text


def test_there_is_no_shell():
    reply = asyncio.run(Command("echo 'a b' $HOME; rm -rf *", timeout_s=PATIENCE_S).answer(request()))
    assert reply.text == "a b $HOME; rm -rf *\n"


def test_a_program_need_not_read_its_question():
    item = Item(id="q", fields={"question": "x" * 1_000_000, "sources": ()})
    assert asyncio.run(Command("echo yes", timeout_s=PATIENCE_S).answer(request(item))).text == "yes\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import sys; sys.exit(3)", "ended with exit code 3"),
        ("import sys; sys.exit('no index\\n\\x1b[31m here')", "exit code 1: no index [31m here"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9"),
        ("import sys; sys.stderr.write('e' * 3_000_000 + 'the end'); sys.exit(1)", "the end"),
    ],
)
def test_a_program_that_fails_says_how(code, told):
    error = problem(code)
    assert isinstance(error, ProgramFailed) and told in str(error)


def test_what_hangs_is_killed_with_its_children(clock):
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "os.rename('pids', 'ready')\n"
        "time.sleep(600)\n"
    )
    assert isinstance(given_up(code, clock), TimedOut)
    pids = [int(pid) for pid in Path("ready").read_text().split()]
    assert len(pids) == 2 and all(map(gone, pids))


def test_a_child_that_keeps_the_output_open_is_not_waited_for_without_end(clock):
    code = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open('pid', 'w').write(str(child.pid))\n"
        "os.rename('pid', 'ready')\n"
    )
    assert isinstance(given_up(code, clock), TimedOut)
    assert gone(int(Path("ready").read_text()))


def test_the_end_of_what_is_killed_is_left_to_the_loop(clock, monkeypatch, caplog):
    """Whoever asks for it first gets it, and asyncio complains of an unknown child when that was not asyncio."""
    kill, wait = os.killpg, os.waitpid

    def ended(pid: int) -> None:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    def killed(pid: int, number: int) -> None:
        kill(pid, number)
        ended(pid)

    def late(pid: int, options: int) -> tuple[int, int]:
        ended(pid)
        time.sleep(0.1)
        return wait(pid, options)

    monkeypatch.setattr(os, "killpg", killed)
    monkeypatch.setattr(os, "waitpid", late)
    assert isinstance(given_up("import time\nopen('ready', 'w').close()\ntime.sleep(600)", clock), TimedOut)
    assert caplog.messages == []


def test_what_shouts_is_stopped():
    code = "import os, sys\nopen('ready', 'w').write(str(os.getpid()))\nwhile True: sys.stdout.write('x' * 65536)"
    error = problem(code)
    assert isinstance(error, TooLarge) and f"{limits.CANDIDATE_BYTES:,}" in str(error)
    assert gone(int(Path("ready").read_text()))


def test_who_is_cancelled_leaves_nothing_behind():
    command = Command(
        program("import os, time\nopen('ready', 'w').write(str(os.getpid()))\ntime.sleep(600)"), timeout_s=PATIENCE_S
    )

    async def begun() -> None:
        task = asyncio.create_task(command.answer(request()))
        while not (Path("ready").exists() and Path("ready").read_text()):
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(begun())
    assert gone(int(Path("ready").read_text()))


def test_bytes_that_are_no_text_are_replaced():
    assert answer("import sys; sys.stdout.buffer.write(b'\\xff ok')").text == "\ufffd ok"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("./no-such-program", "there is no program"),
        ("'open", "No closing quotation"),
        ("  ", "names no program"),
    ],
)
def test_what_can_not_be_started_is_said_before_anything_is_asked(command, told):
    with pytest.raises(ConfigError, match=told):
        Command(command, timeout_s=1)


def test_an_edited_program_is_another_candidate():
    command = program("print('one')")
    first = revision(command)
    assert first and first == revision(command)
    program("print('two')")
    assert revision(command) not in (first, None)
    assert revision("echo yes") is None


#: Ways in which a program leaves a process behind that is not in its group.
ESCAPES = {
    "a session": "Popen(SLEEP, start_new_session=True)",
    "a group": "Popen(SLEEP, process_group=0)",
    "two forks": "os.fork() or (os.setsid(), os.fork() and os._exit(0), os.execv(SLEEP[0], SLEEP))",
    "a shell in the background": (
        "Popen(['setsid', 'sh', '-c', ' '.join(map(shlex.quote, SLEEP)) + ' & wait'], stdout=DEVNULL, stderr=DEVNULL)"
    ),
    "a session in a session": (
        "Popen([sys.executable, '-c', f'import subprocess; subprocess.Popen({SLEEP!r}, start_new_session=True)'],"
        " start_new_session=True)"
    ),
}
ENDS = {
    "answers": "print('yes')",
    "fails": "sys.exit(3)",
    "dies": "os.kill(os.getpid(), 9)",
    "hangs": "time.sleep(600)",
}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found through /proc")
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("escape", ESCAPES)
def test_what_a_program_leaves_in_another_session_ends_with_it(escape, end, clock):
    sleeper = (
        "import os, time; open('pid', 'w').write(str(os.getpid())); os.rename('pid', 'ready');"
        " [os.close(one) for one in (0, 1, 2)]; time.sleep(600)"
    )
    code = (
        "import os, shlex, sys, time\nfrom subprocess import DEVNULL, Popen\n"
        f"SLEEP = [sys.executable, '-c', {sleeper!r}]\n{ESCAPES[escape]}\n"
        f"while not os.path.exists('ready'):\n    time.sleep(0.01)\n{ENDS[end]}\n"
    )
    if end == "hangs":
        assert isinstance(given_up(code, clock), TimedOut)
    elif end == "answers":
        assert answer(code).text == "yes\n"
    else:
        assert isinstance(problem(code), ProgramFailed)
    assert gone(int(Path("ready").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="only there orphans stay below the program")
def test_what_has_no_mark_and_no_session_of_the_program_is_killed_with_it(clock):
    code = (
        "import os, time\n"
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if os.fork():\n"
        "        os._exit(0)\n"
        "    open('pid', 'w').write(str(os.getpid()))\n"
        "    os.rename('pid', 'ready')\n"
        "    [os.close(one) for one in (0, 1, 2)]\n"
        "    os.execve('/bin/sleep', ['sleep', '600'], {})\n"
        "time.sleep(600)\n"
    )
    assert isinstance(given_up(code, clock), TimedOut)
    assert gone(int(Path("ready").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="only there processes are looked for")
def test_other_children_of_this_process_are_left_alone(clock):
    other = subprocess.Popen(["sleep", "600"], start_new_session=True, env={})
    try:
        assert isinstance(given_up("import time\nopen('ready', 'w').close()\ntime.sleep(600)", clock), TimedOut)
        assert other.poll() is None and alive(other.pid)
    finally:
        other.kill()
        other.wait()
