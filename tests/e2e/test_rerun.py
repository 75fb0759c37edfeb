"""A finished run made again: the same to the byte, whatever way it goes, and only where nothing has changed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.api import reading, stored
from adjudge.cli import run_command
from adjudge.core.errors import StoreError
from adjudge.data.dataset import read_dataset
from adjudge.data.rows import file_digest
from adjudge.report.build import figures
from adjudge.store.store import Store, open_store
from tests.crash.trial import LAYOUTS
from tests.e2e.test_run_http import run_json
from tests.e2e.until import judging, summaries
from tests.fakes.server import Answer, FakeModelServer
from tests.fakes.truthful import truthful

WAYS = {
    **{name: (one.judge, list(one.rows), one.options) for name, one in LAYOUTS.items()},
    "repeats": ("summary", summaries(6), ("--repeat", "3")),
    "balanced": (LAYOUTS["compare"].judge, list(LAYOUTS["compare"].rows), ("--orders", "balanced", "--lang", "ru")),
    "all orders": (LAYOUTS["compare"].judge, list(LAYOUTS["compare"].rows), ("--orders", "all")),
    "until": ("summary", summaries(120), ("--until", "ci(coverage) < 0.5", "--concurrency", "1")),
}
FORMATS = ("jsonl", "csv", "native", "replies")


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> str:
    return "sqlite:///file.db" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


def written(rows: list[dict[str, Any]], name: str = "rows.jsonl") -> str:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def command(server: FakeModelServer, judge: str, rows: str, *options: str) -> list[str]:
    return ["run", judge, rows, "--model", "openai:m", "--base-url", server.url, *options]


def settled(text: str, run: str) -> str:
    """The text without what differs from run to run."""
    text = re.sub(r"\d+(?:[.,]\d+)?[ \u00a0]?(s|с)\b", "TIME", text.replace(run, "RUN"))
    return re.sub(r'"(seconds|latency_s)": ?[\d.e-]+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?', "TIME", text)


def told(capsys: pytest.CaptureFixture[str], run: str, store: str) -> dict[str, str]:
    """All that the commands say of a run."""
    commands = [["export", run, "--format", form] for form in FORMATS]
    commands += [["show", run, "--format", form] for form in ("text", "json", "markdown", "html")]
    found = {}
    for args in commands:
        capsys.readouterr()
        assert run_command([*args, "--store", store]) == 0
        found[" ".join(args[2:])] = settled(capsys.readouterr().out, run)
    return found


def calls(found: dict[str, Any]) -> tuple[int, int, float, str]:
    return found["calls"], found["cached"], found["cost_usd"], found["status"]


@pytest.mark.parametrize("way", WAYS)
def test_a_rerun_says_what_the_long_way_says(serve, capsys, monkeypatch, store, way):
    server = serve(judging() if way in ("repeats", "until") else truthful)
    judge, rows, options = WAYS[way]
    run = [*command(server, judge, written(rows), *options), "--store", store]
    code, first = run_json(capsys, *run)
    assert (code, first["status"]) == (0, "complete")
    asked = server.calls
    _, short = run_json(capsys, *run)
    _, shorter = run_json(capsys, *run)  # made again of what was made again
    with monkeypatch.context() as patched:
        patched.setattr(Store, "create_twin", lambda *_, **__: False)
        patched.setattr(Store, "kept_report", lambda *_: None)
        patched.setattr(Store, "dataset_of", lambda *_: None)
        _, long = run_json(capsys, *run)
        said = [told(capsys, long["run"], store)]
    assert server.calls == asked
    assert calls(short) == calls(shorter) == calls(long) == (0, first["calls"] + first["cached"], 0.0, "complete")
    said += [told(capsys, one["run"], store) for one in (short, shorter, first)]
    assert said[0] == said[1] == said[2]
    assert {form: text for form, text in said[0].items() if form.split()[-1] in FORMATS} == {
        form: text for form, text in said[3].items() if form.split()[-1] in FORMATS
    }
    for one in (short, shorter, long):
        assert settled(json.dumps(one), one["run"]) == settled(json.dumps(long), long["run"])


def test_a_rerun_adds_nothing_but_itself_to_the_store(serve, capsys):
    server = serve(truthful)
    run = command(server, "summary", written(list(LAYOUTS["single"].rows)))
    run_json(capsys, *run)
    with open_store("adjudge.db") as store:
        count = "SELECT (SELECT COUNT(*) FROM calls), (SELECT COUNT(*) FROM outcomes), (SELECT COUNT(*) FROM items)"
        before = store._db.read(count)
        run_json(capsys, *run)
        assert store._db.read(count) == before
        assert len(store.runs()) == 2


@pytest.mark.parametrize(
    "other",
    [
        ("--lang", "ru"),
        ("--temperature", "0.5"),
        ("--max-tokens", "999"),
        ("--repeat", "2"),
        ("--limit", "19"),
        ("--fresh",),
    ],
)
def test_what_decides_the_answers_is_asked_for_anew(serve, capsys, other):
    server = serve(truthful)
    run = command(server, "summary", written(list(LAYOUTS["single"].rows)))
    run_json(capsys, *run)
    before = server.calls
    _, found = run_json(capsys, *run, *other)
    reused = {"--repeat": 20, "--limit": 19}.get(other[0], 0)
    wanted = {"--repeat": 40, "--limit": 19}.get(other[0], 20)
    assert (found["cached"], server.calls - before, found["calls"]) == (reused, wanted - reused, wanted - reused)
    _, model = run_json(capsys, *run[:3], "--model", "openai:other", *run[5:])
    assert (model["cached"], model["calls"]) == (0, 20)


def test_rows_that_were_added_changed_or_taken_out_go_the_long_way(serve, capsys):
    server = serve(truthful)
    rows = list(LAYOUTS["single"].rows)
    run = command(server, "summary", written(rows))
    run_json(capsys, *run)
    for changed, asked in (
        ([*rows, {"id": "new", "content": "A new story.", "text": "New."}], 1),
        ([{**rows[0], "text": "Another."}, *rows[1:]], 1),
        (rows[1:], 0),
        (rows[::-1], 0),
    ):
        written(changed)
        _, found = run_json(capsys, *run)
        assert (found["items"], found["calls"], found["cached"]) == (len(changed), asked, len(changed) - asked)
        assert run_command(["export", "latest"]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [line["id"] for line in lines] == [row["id"] for row in changed]


@pytest.mark.parametrize("fault", [Answer(status=400), Answer(text="no verdict"), Answer(text="{", finish="length")])
def test_a_run_with_failures_has_no_twin(serve, capsys, fault):
    def script(request: Any, n: int) -> Any:
        return fault if "Story number 3." in json.dumps(request) else truthful(request, n)

    server = serve(script)
    run = command(server, "summary", written(list(LAYOUTS["single"].rows)))
    code, first = run_json(capsys, *run)
    assert (code, first["status"], first["failed"]) == (3, "partial", 1)
    server.script = truthful
    before = server.calls
    code, found = run_json(capsys, *run)
    if fault.text == "no verdict":  # a whole reply stays: the same reply gives the same failure
        assert (code, found["failed"], found["calls"]) == (3, 1, 0)
    else:
        assert (code, found["status"], found["calls"], server.calls - before) == (0, "complete", 1, 1)
        assert found["cached"] == 19


def test_a_run_that_was_not_finished_has_no_twin(serve, capsys):
    Path("prices.yaml").write_text('prices: {"openai:m": {input: 1.0, output: 1.0, seen: "2026-01-31"}}')
    server = serve(truthful)
    run = [*command(server, "summary", written(list(LAYOUTS["single"].rows))), "--prices", "prices.yaml"]
    code, first = run_json(capsys, *run, "--max-cost", "0.003", "--concurrency", "1")
    assert (code, first["status"]) == (3, "partial") and 0 < first["judged"] < 20
    code, found = run_json(capsys, *run)
    assert (code, found["judged"], found["cached"], found["calls"]) == (0, 20, first["calls"], 20 - first["calls"])
    code, again = run_json(capsys, "resume", first["run"], "--max-cost", "1")
    assert (code, again["judged"], again["cached"]) == (0, 20, 20 - first["calls"])


def test_a_twin_can_be_resumed_labelled_and_compared(serve, capsys, store):
    server = serve(truthful)
    run = [*command(server, "summary", written(list(LAYOUTS["single"].rows))), "--store", store]
    _, first = run_json(capsys, *run)
    _, twin = run_json(capsys, *run, "--name", "again")
    code, same = run_json(capsys, "resume", "again", "--store", store)
    assert (code, same["run"], calls(same)) == (0, twin["run"], calls(twin))
    assert server.calls == 20
    shown = [run_json(capsys, "show", name, "--item", "i3", "--store", store)[1] for name in (first["run"], "again")]
    assert shown[0] | {"run": ""} == shown[1] | {"run": ""} and shown[0]["replies"]
    assert run_json(capsys, "compare", first["run"], "again", "--store", store)[0] == 0
    with open_store(store) as opened:
        opened.add_label(twin["run"], "i3", "", "coverage", "ann", 3)
        assert [len(list(opened.labels(one["run"]))) for one in (twin, first)] == [1, 0]
        assert opened.spending(twin["run"]) == [] and opened.spent_usd(twin["run"]) == 0.0
        assert opened.spending(first["run"]) != []


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose rows were read and checked since."""
    found: list[str] = []

    def noted(*args: Any, **options: Any) -> Any:
        found.append(options["name"])
        return read_dataset(*args, **options)

    monkeypatch.setattr(reading, "read_dataset", noted)
    return found


def test_a_file_that_was_read_before_is_not_read_again(capsys, read):
    rows = summaries(5)
    run = ("run", "summary", written(rows))
    run_json(capsys, *run)
    Path("copy.jsonl").write_bytes(Path("rows.jsonl").read_bytes())
    assert read == ["rows.jsonl"]
    for again in (run, ("run", "summary", "copy.jsonl"), (*run, "--seed", "1"), (*run, "--fresh")):
        code, found = run_json(capsys, *again)
        assert (code, found["judged"], read) == (0, 5, ["rows.jsonl"])
    written(rows[:4])
    assert run_json(capsys, *run)[1]["items"] == 4 and len(read) == 2


def test_a_file_is_read_again_where_its_rows_may_be_others(capsys, monkeypatch, read):
    rows = [{**row, "other": f"Another summary {number}."} for number, row in enumerate(summaries(4))]
    run = ("run", "summary", written(rows))
    for _ in range(2):
        _, first = run_json(capsys, *run)
    _, mapped = run_json(capsys, *run, "--map", "text=other")
    assert len(read) == 2 and mapped["signature"] != first["signature"]
    for _ in range(2):  # the first rows of a file are not the file
        assert run_json(capsys, *run, "--limit", "2")[1]["items"] == 2
    assert len(read) == 4
    monkeypatch.setattr(reading, "code_digest", lambda: "other code")
    run_json(capsys, *run)
    assert len(read) == 5
    run_json(capsys, *run, "--store", "sqlite:///other.db")
    assert len(read) == 6


def test_one_content_is_read_as_the_name_says(capsys, read):
    content = "id,content,text\n1,A long story.,Story.\n"
    for name in ("a.csv", "a.tsv"):
        Path(name).write_text(content)
    assert run_json(capsys, "run", "summary", "a.csv")[0] == 0
    assert run_command(["run", "summary", "a.tsv"]) == 2
    assert read == ["a.csv", "a.tsv"]


def test_a_file_is_good_for_one_judge_and_not_for_another(capsys, read):
    run = ("run", "summary", written(summaries(3)))
    run_json(capsys, *run)
    assert run_command(["run", "translation", "rows.jsonl"]) == 2
    assert "rows.jsonl, line 1" in capsys.readouterr().err


def test_what_is_wrong_in_a_file_is_said_every_time(capsys):
    Path("rows.jsonl").write_text('{"id": "1", "content": "A story.", "text": "Story."}\n{"id": "1"}\n')
    for _ in range(2):
        assert run_command(["run", "summary", "rows.jsonl"]) == 2
        assert "rows.jsonl, line 2" in capsys.readouterr().err
    assert not Path("adjudge.db").exists()


def test_a_dry_run_of_a_known_file_leaves_the_store_alone(capsys, read):
    run = ("run", "summary", written(summaries(3)))
    run_json(capsys, *run)
    before = Path("adjudge.db").read_bytes()
    assert run_json(capsys, *run, "--dry-run")[1]["items"] == 3
    assert Path("adjudge.db").read_bytes() == before and len(read) == 2


def test_a_file_that_changes_while_it_is_read_is_known_by_what_was_read(capsys, monkeypatch, read):
    """Its bytes are hashed as they are read: nobody's rows are taken for those of other bytes."""
    rows, later = summaries(4), summaries(7)[4:]

    def changed(name: str) -> str:
        found = file_digest(name)
        written(later, name)
        return found

    run = ("run", "summary", written(summaries(2), "other.jsonl"))
    run_json(capsys, *run)  # there must be a store to look into
    with monkeypatch.context() as patched:
        patched.setattr(reading, "file_digest", changed)
        _, found = run_json(capsys, "run", "summary", written(rows))
    assert found["items"] == 3
    _, first = run_json(capsys, "run", "summary", written(rows))
    _, again = run_json(capsys, "run", "summary", written(later))
    assert (first["items"], again["items"], again["cached"]) == (4, 3, 3)
    assert read == ["other.jsonl", "rows.jsonl", "rows.jsonl"]


def test_a_report_is_kept_by_the_code_that_made_it(capsys, monkeypatch):
    made: list[Any] = []

    def noted(*args: Any) -> Any:
        made.append(args)
        return figures(*args)

    monkeypatch.setattr(stored, "figures", noted)
    run = ("run", "summary", written(summaries(12)), "--model", "offline")
    _, first = run_json(capsys, *run)
    _, again = run_json(capsys, *run)
    assert run_json(capsys, "show", "latest")[1]["criteria"] == first["criteria"] == again["criteria"]
    assert len(made) == 1
    monkeypatch.setattr(stored, "code_digest", lambda: "other code")
    run_json(capsys, "show", "latest")
    run_json(capsys, "show", "latest")
    assert len(made) == 3, "who only looks changes nothing"
    run_json(capsys, *run)
    run_json(capsys, "show", first["run"])
    assert len(made) == 4


def test_a_report_that_cannot_be_kept_is_shown(capsys, monkeypatch):
    def full(*_: Any) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Store, "keep_report", full)
    code, found = run_json(capsys, "run", "summary", written(summaries(3)))
    assert (code, found["judged"]) == (0, 3)


def test_a_cost_that_is_unknown_is_said_of_the_run_that_paid(serve, capsys):
    server = serve(truthful)
    run = command(server, "summary", written(list(LAYOUTS["single"].rows)))
    _, first = run_json(capsys, *run)
    _, again = run_json(capsys, *run)
    unknown = "The cost is unknown: this model has no known price."
    assert unknown in first["warnings"] and again["warnings"] == [one for one in first["warnings"] if one != unknown]
    assert run_json(capsys, "show", first["run"])[1]["warnings"] == first["warnings"]


def test_two_processes_make_a_run_again_at_once(serve, store):
    server = serve(truthful)
    args = [*command(server, "summary", written(list(LAYOUTS["single"].rows))), "--store", store, "--json"]
    assert run_command(args) == 0
    started = [
        subprocess.Popen([sys.executable, "-m", "adjudge", *args], stdout=subprocess.PIPE, env=os.environ)
        for _ in range(3)
    ]
    found = [json.loads(process.communicate()[0]) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert [calls(one) for one in found] == [(0, 20, 0.0, "complete")] * 3
    assert len({one["run"] for one in found}) == 3 and server.calls == 20
