"""Several processes whose server gives no more: the run is paused, not interrupted, and says why."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.api.crew import helped
from adjudge.api.execute import Listener, cancelled_as
from adjudge.cli import run_command
from tests.fakes.clock import PATIENCE_S
from tests.fakes.server import Answer, FakeModelServer, refusal

#: The command line whose helpers take their part of the run, say so, and never ask: they end when they are told to.
HELPERS_THAT_WAIT = """
import asyncio, os, pathlib
from adjudge.run.ask import Asker

async def waits(*_, **__):
    pathlib.Path("at-work").touch()
    await asyncio.sleep(1e6)

os.register_at_fork(after_in_child=lambda: setattr(Asker, "consult", waits))
from adjudge.cli import main
main()
"""
REFUSED = {
    "429": Answer(status=429, headers={"retry-after": "3600"}, data=refusal(429, "daily quota").data),
    "402": refusal(402, "Payment required"),
}
WHY = {"429": "it asks to wait 1 h, longer than --max-wait 5 s; nothing more is asked", "402": "Payment required"}


def run(*command: str) -> tuple[int, str, str]:
    line = [sys.executable, "-c", HELPERS_THAT_WAIT, *command, "--processes", "2", "--max-wait", "5"]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE_S)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("refused", REFUSED)
def test_a_lasting_refusal_is_told_as_with_one_process(refused: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": f"i{n}", "content": f"Story number {n}. It ends.", "text": f"Story {n}."} for n in range(64)]
    Path("items.jsonl").write_text("\n".join(map(json.dumps, rows)))

    def script(data: Any, n: int) -> Answer:
        # a helper that has not begun yet could not be cancelled
        return Answer(**{**vars_of(REFUSED[refused]), "after": Path("at-work").exists})

    with FakeModelServer(script) as server:
        first = ["run", "summary", "items.jsonl", "--model", "openai:m", "--base-url", server.url]
        for command in (first, [*first, "--fresh", "--json"], ["resume", "latest"], ["resume", "latest", "--json"]):
            Path("at-work").unlink(missing_ok=True)
            code, out, said = run(*command)
            assert code == 3 and WHY[refused] in said, said
            assert "interrupted" not in said + out and said.count("go on with: adjudge resume") == 1
            if "--json" in command:
                assert json.loads(out)["status"] == "partial"
            capsys.readouterr()
            assert run_command(["runs", "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["runs"][0]["status"] == "partial"


def vars_of(answer: Answer) -> dict[str, Any]:
    return {name: getattr(answer, name) for name in answer.__dataclass_fields__}


@pytest.mark.parametrize(("error", "counts"), [(None, "partial"), (KeyboardInterrupt, "interrupted")])
def test_a_helper_counts_as_interrupted_only_where_its_parent_was(
    error: type[BaseException] | None, counts: str, tmp_path: Path
) -> None:
    async def work(_: Listener) -> None:
        (tmp_path / "begun").touch()
        try:
            await asyncio.sleep(PATIENCE_S)
        except asyncio.CancelledError:
            (tmp_path / "counts").write_text(cancelled_as.get()())
            raise

    def parent() -> None:
        with helped(1, work):
            while not (tmp_path / "begun").exists():
                pass
            if error is not None:
                raise error

    if error is None:
        parent()
    else:
        with pytest.raises(error):
            parent()
    assert (tmp_path / "counts").read_text() == counts
    assert cancelled_as.get()() == "interrupted", "and nothing is changed here"
