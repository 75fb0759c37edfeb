"""Several models at once: one plan, interleaved, a run each, one ceiling, one comparison; and trouble told early."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from adjudge import api
from adjudge.cli import run_command
from adjudge.core import limits
from adjudge.run.engine import Engine
from tests.e2e.test_cost import priced
from tests.e2e.test_run_http import run_json, valid
from tests.fakes.server import Answer, dead_url

N = 20
PRICES = 'prices: {"openai:a": {input: 10, output: 100}, "openai:b": {input: 10, output: 100}}'


@pytest.fixture(autouse=True)
def _files():
    rows = [{"id": f"i{n}", "content": f"Story {n}.", "text": f"S{n}."} for n in range(N)]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    Path("prices.yaml").write_text(PRICES)


def two(server, *more: str) -> list[str]:
    return ["run", "summary", "d.jsonl", "--model", "openai:a", "--model", "openai:b", "--base-url", server.url, *more]


def rated(points: int):
    """A server that gives every criterion so many points, but item i0 one less."""

    def script(request, _):
        found = valid(request)
        less = "Story 0." in request["messages"][-1]["content"]
        for name, part in found.items():
            if name != "overall":
                part["score"] = points - less
        return Answer(text=json.dumps(found))

    return script


def test_requests_of_both_models_alternate(serve, capsys):
    server = serve(latency_s=0.02)
    code, found = run_json(capsys, *two(server, "--concurrency", "2"))
    assert (code, found["status"], found["cost_usd"]) == (0, "complete", None)
    names = [request.data["model"] for request in server.requests]
    assert (names.count("a"), names.count("b")) == (N, N)
    # in any half of the time both were asked about as often: neither waited for the other
    for part in (names[:N], names[N:]):
        assert abs(part.count("a") - part.count("b")) <= N // 2
    assert sum(one != other for one, other in pairwise(names)) >= N // 2


def test_each_has_its_run_and_they_are_compared_with_the_first(serve, capsys):
    kind, strict = serve(rated(5)), serve(rated(3))
    args = ["--model", f"openai:m@{kind.url}", "--model", f"openai:m@{strict.url}/", "--name", "pair"]
    code, found = run_json(capsys, "run", "summary", "d.jsonl", *args)
    assert (code, kind.calls, strict.calls) == (0, N, N)
    assert [run["model"] for run in found["runs"]] == ["openai:m", "openai:m"]
    for server, run in zip((kind, strict), found["runs"], strict=True):
        assert f"url:{server.url}|" in run["signature"]
    assert found["comparison"]["models"]["B"] == {
        "model": "openai:m", "base_url": strict.url, "run": found["runs"][1]["run"],
    }  # fmt: skip
    coverage = found["comparison"]["criteria"]["coverage"]
    assert coverage["A"]["against_first"] is None
    assert (coverage["A"]["mean"], coverage["A"]["n"]) == (found["runs"][0]["criteria"]["coverage"]["mean"], N)
    against = coverage["B"]["against_first"]
    assert (against["mean"], against["n"], against["unpaired"], against["rates"]) == (-2, N, 0, "worse")
    assert found["comparison"]["derived"]["average_score"]["B"]["against_first"]["mean"] == -2
    first, second = api.open_run("pair"), api.open_run("pair-2")
    assert [first.id, second.id] == [run["run"] for run in found["runs"]]


def test_a_server_in_the_name_is_the_server_given_as_base_url(fake_server, capsys):
    run_json(capsys, "run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", fake_server.url)
    code, again = run_json(capsys, "run", "summary", "d.jsonl", "--model", f"openai:m@{fake_server.url}")
    assert (code, again["model"], again["calls"], again["cached"]) == (0, "openai:m", 0, N)
    other = f"openai:m@{fake_server.url}"
    code, again = run_json(capsys, "run", "summary", "d.jsonl", "--model", other, "--base-url", dead_url())
    assert (code, again["calls"]) == (0, 0), "the model's own server counts"
    assert fake_server.calls == N


def test_a_base_url_goes_to_the_hosted_models_only(fake_server, capsys):
    args = ["--model", "offline", "--model", "openai:m", "--base-url", fake_server.url]
    code, found = run_json(capsys, "run", "summary", "d.jsonl", *args)
    assert (code, fake_server.calls) == (0, N)
    assert "url:" not in found["runs"][0]["signature"] and "url:" in found["runs"][1]["signature"]


def test_a_window_goes_to_the_models_that_have_one(fake_server, capsys):
    args = ["--model", "offline", "--model", "openai:m", "--base-url", fake_server.url, "--window", "50000"]
    code, found = run_json(capsys, "run", "summary", "d.jsonl", *args)
    assert code == 0
    assert "window:" not in found["runs"][0]["signature"] and "window:50000" in found["runs"][1]["signature"]


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (["--model", "openai:m", "--model", "openai:m"], "given twice"),
        (["--model", "openai:m", "--model", "openai:m@{url}/"], "given twice"),
        (["--model", "offline", "--model", "replay:r.jsonl"], "--base-url means nothing"),
        (["--model", "openai:m", "--model", "gpt-4"], "unknown model 'gpt-4'"),
        (["--model", "openai:m", "--model", "openai:n@https://api.openai.com/v1"], "OPENAI_API_KEY"),
        (["--model", "openai:a", "--model", "openai:m", "--max-cost", "1", "--prices", "prices.yaml"], "of openai:m"),
    ],
)
def test_what_is_wrong_with_any_model_is_found_before_a_call(args, wanted, fake_server, capsys):
    Path("r.jsonl").write_text('{"key": "k", "text": "t"}')
    given = [word.format(url=fake_server.url) for word in args]
    assert run_command(["run", "summary", "d.jsonl", *given, "--base-url", fake_server.url]) == 2
    assert wanted in capsys.readouterr().err
    assert fake_server.calls == 0 and not Path("adjudge.db").exists()


def test_standard_input_is_read_once_for_all(fake_server, capsys, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(Path("d.jsonl").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    args = two(fake_server)
    args[2] = "-"
    code, found = run_json(capsys, *args)
    assert (code, [run["judged"] for run in found["runs"]]) == (0, [N, N])


def test_the_ceiling_is_over_all_models_together(serve, capsys):
    server = serve(priced)
    more = ("--prices", "prices.yaml", "--max-cost", "0.2", "--concurrency", "2", "--model", "offline")
    code, found = run_json(capsys, *two(server, *more))
    assert (code, found["status"]) == (3, "partial")
    assert 10 <= server.calls <= 10 + 2 * 2, "two cents a call: the ceiling, and what was in flight for both"
    assert found["cost_usd"] == pytest.approx(0.02 * server.calls)
    assert [run["status"] for run in found["runs"]] == ["partial", "partial", "complete"], "what is free goes on"
    before = server.calls
    code, one = run_json(capsys, "resume", found["runs"][0]["run"])
    assert one["cost_usd"] <= 0.2 + 2 * 0.02, "resumed alone, a run has the ceiling that it was given"
    assert server.calls > before


def test_a_dry_run_foresees_each_and_all(fake_server, capsys):
    prices = ("--prices", "prices.yaml", "--dry-run")
    code, found = run_json(capsys, *two(fake_server, *prices))
    assert code == 0 and set(found) == {"plans", "cost_usd"}
    assert [plan["model"] for plan in found["plans"]] == ["openai:a", "openai:b"]
    assert found["cost_usd"] == pytest.approx(sum(plan["cost_usd"] for plan in found["plans"])) and found["cost_usd"]
    _, found = run_json(capsys, *two(fake_server, *prices, "--model", "openai:unpriced"))
    assert found["cost_usd"] is None
    run_command(two(fake_server, *prices))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and "openai:b" in lines[1]
    assert lines[2].startswith(f"together {2 * N} calls, about $")
    assert fake_server.calls == 0 and not Path("adjudge.db").exists()


def test_one_model_that_fails_leaves_the_other_alone(serve, capsys):
    def script(request, _):
        return Answer(text="no") if request["model"] == "b" and "Story 3." in json.dumps(request) else None

    code = run_command(two(serve(script)))
    said = capsys.readouterr()
    assert code == 3
    assert "19/20" in said.out and "1 unpaired" in said.out
    for word in ("milder", "stricter"):
        assert f" {word}\n" not in said.out, "no verdict where coverage is unequal"
    assert said.err.count("whole report: adjudge show summary-") == 2
    assert max(map(len, said.out.splitlines())) <= 80


def interrupted_after(server, calls: int) -> threading.Thread:
    """Press Ctrl-C once the server has seen so many calls; it answers no more."""
    server.script = lambda request, n: Answer(stuck="silent") if n > calls else None

    def press() -> None:
        while server.calls <= calls:
            done.wait(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    done = threading.Event()
    thread = threading.Thread(target=press, daemon=True)
    thread.start()
    return thread


def test_an_interruption_stops_all_and_says_how_to_go_on_with_each(serve, capsys):
    server = serve()
    thread = interrupted_after(server, 4)
    assert run_command(two(server, "--concurrency", "2", "--json")) == 130
    thread.join()
    server.script = None
    said = capsys.readouterr()
    found: dict[str, Any] = json.loads(said.out)
    assert found["status"] == "interrupted"
    for run in found["runs"]:
        assert run["status"] == "interrupted"
        assert f"interrupted; go on with: adjudge resume {run['run']}\n" in said.err
        assert run_json(capsys, "resume", run["run"])[1]["judged"] == N
    assert server.calls <= 2 * N + 4


def test_a_dead_server_is_told_of_at_once_and_once(capsys, monkeypatch):
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.01)
    url = dead_url()
    host = url.removeprefix("http://").removesuffix("/v1")
    code, said = run_said(capsys, "run", "summary", "d.jsonl", "--model", f"openai:m@{url}", "--json")
    assert code == 3
    lines = [line for line in said.splitlines() if "asked again" in line]
    assert lines == [f"adjudge: {host} cannot be reached: Connection refused; it will be asked again"]


def test_a_server_that_says_nothing_is_told_of_while_it_does(serve, capsys, monkeypatch):
    monkeypatch.setattr(limits, "SILENT_S", 0.2)
    told, tell = set[str](), Engine._tell

    def noted(engine: Engine, trouble: str) -> None:
        tell(engine, trouble)
        told.add(engine.progress.model)

    monkeypatch.setattr(Engine, "_tell", noted)
    server = serve(
        lambda request, n: Answer(text=json.dumps(valid(request)), after=lambda: f"openai:{request['model']}" in told)
    )
    code, said = run_said(capsys, *two(server, "--limit", "1", "--json"))
    assert code == 0
    for model in "ab":  # neither keeps the other's trouble from being told
        assert f"adjudge: openai:{model}: no answer for 0.2 s, with 1 request under way" in said
    assert "\x1b" not in said


def run_said(capsys, *args: str) -> tuple[int, str]:
    code = run_command(list(args))
    return code, capsys.readouterr().err


def test_the_library_runs_several_too(fake_server):
    options = api.options_for([f"openai:m@{fake_server.url}", "offline"], limit=3)
    prepared = api.prepare_all("summary", "d.jsonl", options)
    runs = asyncio.run(api.start_all(prepared))
    prepared[0].dataset.close()
    assert [run.state.run.settings.model for run in runs] == ["openai:m", "offline"]
    sides = api.side_by_side(runs, [run.report() for run in runs])
    assert [row.against[0].difference.n for row in sides.criteria] == [3] * 5
