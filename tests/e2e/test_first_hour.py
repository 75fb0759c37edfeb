"""What people do in their first hour: odd paths, odd encodings, pipes, a dead server, names, mixed datasets."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge
from adjudge.cli import run_command
from adjudge.core import limits
from tests.e2e.test_run_http import run_json, sample
from tests.fakes.clock import PATIENCE_S
from tests.fakes.server import Answer, dead_url
from tests.fakes.verdicts import a_run

ROWS = [{"id": f"i{n}", "content": f"Story {n}.", "text": f"S{n}."} for n in range(60)]


@pytest.fixture
def many() -> str:
    Path("many.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    return "many.jsonl"


def shell(*args: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "adjudge", *args]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **env})


def answers(n: int, row: int) -> dict[str, object]:
    texts = {f"m{k}": f"answer {k}" for k in range(n)}
    return {"id": f"q{row}", "question": "Why?", "sources": ["s"], "answers": texts}


def test_more_orders_than_an_item_has_are_all_it_has(fake_server, capsys):
    Path("q.json").write_text(json.dumps([answers(8, 0), answers(2, 1)]))
    code, found = run_json(
        capsys, "run", "rag-answers", "q.json", "--orders", "5", "--model", "openai:m", "--base-url", fake_server.url
    )
    assert (code, found["judged"], fake_server.calls) == (0, 2, 5 + 2)
    told = "--orders 5: 2 candidates are shown in 2 orders at most (1 of 2 items)."
    assert found["warnings"].count(told) == 1 and "orders:5" in found["signature"]


@pytest.mark.parametrize(("orders", "most"), [("100", 2), ("2", None), ("all", None), ("balanced", None)])
def test_the_dry_run_says_where_there_are_fewer_orders_than_asked_for(capsys, orders, most):
    Path("q.json").write_text(json.dumps([answers(2, 0), answers(2, 1)]))
    args = ["run", "rag-answers", "q.json", "--orders", orders, "--dry-run"]
    _, found = run_json(capsys, *args)
    assert len(found.get("warnings", ())) == (most is not None)
    assert run_command(args) == 0
    told = capsys.readouterr().out.count(f"! --orders {orders}: 2 candidates are shown in {most} orders at most")
    assert told == (most is not None)


def test_an_empty_store_file_is_no_store(capsys):
    assert run_command(["runs"]) == 0
    without = capsys.readouterr().out
    Path("adjudge.db").touch()
    assert run_command(["runs"]) == 0
    assert capsys.readouterr().out == without == "no runs yet; start one with: adjudge run summary my.jsonl\n"


def test_the_wrong_file_of_a_judge_is_named_with_its_folder(capsys):
    folder = Path("mine")
    shutil.copytree(Path(adjudge.__file__).parent / "judges" / "summary", folder)
    whole = (folder / "ru.yaml").read_text()
    (folder / "ru.yaml").write_text(whole + "bogus: 1\n")
    for command in (["check", "./mine"], ["run", "mine", "d.jsonl", "--lang", "ru"]):
        assert run_command(command) == 2
        assert f"adjudge: {folder / 'ru.yaml'}:{len(whole.splitlines()) + 1} (bogus): " in capsys.readouterr().err


def test_exported_cells_are_as_short_as_their_values(capsys):
    score = {"coverage": 4.4, "accuracy": 4.7, "coherence": 4.6, "conciseness": 4.6, "hallucination_check": 4.3}
    run = a_run("sqlite:///adjudge.db", "summary", [score])
    whole = json.loads("".join(map(str, run.export("jsonl"))))["derived"]["average_score"]
    (line,) = "".join(map(str, run.export("csv"))).splitlines()[1:]
    assert len(str(whole)) > 10 and f",{round(whole, 10)}," in line


def test_too_many_orders_are_refused_before_any_call(fake_server, capsys):
    Path("q.json").write_text(json.dumps([answers(2, 0), answers(8, 1)]))
    args = ["run", "rag-answers", "q.json", "--orders", "all", "--model", "openai:m", "--base-url", fake_server.url]
    assert run_command(args) == 2
    assert "40,320 calls" in capsys.readouterr().err
    assert fake_server.calls == 0 and not Path("adjudge.db").exists()


def test_candidates_keep_the_order_of_the_dataset(capsys):
    row = {"id": "q", "question": "Why?", "sources": ["s"], "answers": {"zeta": "s", "alpha": "s", "mid": "s"}}
    run = adjudge.evaluate("rag-answers", [row])
    (outcome,) = run.outcomes()
    assert isinstance(outcome, adjudge.Verdict)
    assert list(outcome.native["scores"]["clarity"]) == ["zeta", "alpha", "mid"]


def test_output_never_replaces_a_pipe_a_link_or_a_folder(many, capsys):
    assert run_command(["run", "summary", many, "--limit", "1"]) == 0
    Path("real.txt").write_text("old")
    Path("link.txt").symlink_to("real.txt")
    assert run_command(["show", "latest", "-o", "link.txt"]) == 0
    assert Path("link.txt").is_symlink() and "summary" in Path("real.txt").read_text()
    Path("folder").mkdir()
    assert run_command(["show", "latest", "-o", "folder"]) == 2
    assert "cannot write folder" in capsys.readouterr().err
    os.mkfifo("pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE)
    assert run_command(["export", "latest", "-o", "pipe"]) == 0
    assert json.loads(reader.communicate(timeout=PATIENCE_S)[0])["id"] == "i0"
    assert Path("pipe").is_fifo()
    assert run_command(["show", "latest", "-o", "no/such/folder/x"]) == 2


@pytest.mark.parametrize("encoding", ["ascii", "cp1251", "utf-8"])
def test_pipes_get_utf8_whatever_the_locale(encoding):
    done = shell("run", "summary", sample("summary", "ru"), "--lang", "ru", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert "Полнота" in done.stdout.decode("utf-8")


def test_a_closed_pipe_is_no_fault(many):
    shell("run", "summary", many)
    command = f"{sys.executable} -m adjudge export latest | head -1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_no_output_at_all_is_no_fault(many, closed):
    command = f"{sys.executable} -m adjudge run summary {many} --limit 1 --json {closed}"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0


def test_a_full_disk_is_said_plainly(many):
    shell("run", "summary", many, "--limit", "1")
    command = f"{sys.executable} -m adjudge export latest > /dev/full"
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    assert done.returncode == 2 and "No space left" in done.stderr


def test_a_dead_server_is_not_hammered_and_every_item_has_its_reason(many, serve, capsys):
    server = serve(lambda request, n: Answer(status=401, body=b'{"error": {"message": "bad key"}}'))
    code, found = run_json(
        capsys, "run", "summary", many, "--concurrency", "4", "--model", "openai:m", "--base-url", server.url
    )
    assert (code, found["status"], found["failed"]) == (3, "partial", 60)
    assert limits.DEAD_AFTER_CALLS <= server.calls < limits.DEAD_AFTER_CALLS + 4
    run_command(["export", "latest"])
    failures = [json.loads(line)["failure"] for line in capsys.readouterr().out.splitlines()]
    assert {failure["kind"] for failure in failures} == {"not_authorised"}
    assert failures[-1]["message"].startswith("not asked, since the first") and failures[-1]["attempts"] == 0


def test_a_server_that_answered_once_is_never_given_up(many, serve, capsys):
    def script(request, n):
        return None if n == 1 else Answer(status=400, body=b"no")

    server = serve(script)
    _, found = run_json(
        capsys, "run", "summary", many, "--concurrency", "1", "--model", "openai:m", "--base-url", server.url
    )
    assert (found["judged"], found["failed"], server.calls) == (1, 59, 60)


def test_an_unreachable_server_ends_in_failures_and_can_be_resumed(fake_server, capsys, monkeypatch):
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.001)
    code, found = run_json(capsys, "run", "summary", sample("summary"), "--model", "openai:m", "--base-url", dead_url())
    assert (code, found["health"]["failures"]) == (3, {"unreachable": 5})


def test_a_dry_run_needs_no_key(capsys):
    assert run_command(["run", "summary", sample("summary"), "--model", "openai:gpt-4.1-mini", "--dry-run"]) == 0
    assert "about $" in capsys.readouterr().out


@pytest.mark.parametrize("args", [["run"], ["run", "summary", "x", "--modle", "y"], ["rn"], ["runs", "--limit", "x"]])
def test_usage_errors_under_json_are_one_object_too(args, capsys):
    assert run_command([*args, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "usage"


def test_every_command_takes_json_and_store(capsys):
    from adjudge.cli import COMMANDS, cli

    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        options = {option for parameter in command.params for option in parameter.opts}
        assert {"--json", "--store"} <= options, name
        assert "Example: adjudge" in (command.epilog or ""), name


def test_names_of_runs(many, capsys):
    for name in ("latest", "two\nlines", "x" * 300):
        assert run_command(["run", "summary", many, "--name", name]) == 2
    assert run_command(["run", "summary", many, "--limit", "1", "--name", "nightly"]) == 0
    assert run_command(["run", "summary", many, "--limit", "2", "--name", "nightly"]) == 0
    capsys.readouterr()
    _, found = run_json(capsys, "show", "nightly")
    assert found["items"] == 2, "a name given again means the newest run"


def test_hints_carry_the_store(many, capsys):
    assert run_command(["run", "summary", many, "--limit", "1", "--store", "sqlite:///other.db"]) == 0
    said = capsys.readouterr().err
    assert re.search(r"whole report: adjudge show \S+ -o report.html --store sqlite:///other.db\n", said)
    assert "in a browser: adjudge serve --store sqlite:///other.db\n" in said


def test_json_with_an_output_file_says_what_was_written(many, capsys):
    run_command(["run", "summary", many, "--limit", "1"])
    capsys.readouterr()
    code, said = run_json(capsys, "export", "latest", "--format", "csv", "-o", "x.csv")
    assert (code, said["wrote"], said["format"]) == (0, "x.csv", "csv")
    assert Path("x.csv").read_text().startswith("id,status,")
    code, said = run_json(capsys, "show", "latest", "--format", "html", "-o", "x.html")
    assert (code, Path("x.html").read_text()[:15]) == (0, "<!doctype html>")
    assert run_command(["export", "latest", "--format", "csv", "--json"]) == 2


def test_an_unknown_option_from_python_is_named_with_the_nearest(many):
    with pytest.raises(adjudge.UserError, match="did you mean `model`"):
        adjudge.evaluate("summary", many, mdel="offline")
