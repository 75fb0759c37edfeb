"""`--until` with every way of asking, and what may be done with a run that ended early."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.e2e.staged import judge_folder, row, rows_file
from tests.e2e.test_run_http import run_json
from tests.e2e.test_until import CI, dataset, lines
from tests.e2e.until import delay, judging, questions, summaries
from tests.fakes.server import Answer, answer_with_odds
from tests.fakes.truthful import truthful


def waiting(said: Answer | None, request: dict[str, Any]) -> Answer | None:
    """The same answer, and some later than others."""
    return None if said is None else Answer(**{**vars(said), "delay_s": delay(request)})


def stopped_alike(capsys: Any, server: Any, run: list[str]) -> dict[str, Any]:
    """With one request in flight and with eight: the same answer after the same item; the first report."""
    found = []
    for concurrency in (1, 8):
        server.requests.clear()
        store = f"sqlite:///c{concurrency}.db"
        code, report = run_json(capsys, *run, "--concurrency", str(concurrency), "--store", store)
        assert (code, report["status"], report["failed"]) == (0, "complete", 0)
        assert report["beside"]["until"]["answered"] and report["calls"] == server.calls
        until = {name: value for name, value in report["beside"]["until"].items() if name != "calls_saved"}
        found.append((report, until, lines(capsys, store)))
    assert found[0][1:] == found[1][1:]
    return found[0][0]


def test_claims_that_are_checked_in_stages(serve, capsys):
    wrong = "The roof is of gold [1]. It has 9 arches [2]."
    texts = [wrong if k % 3 == 0 else "The tower is 40 metres high [1]." for k in range(150)]
    data = rows_file(*(row(f"i{k}", query=f"What {k}?", text=text) for k, text in enumerate(texts)))
    server = serve(lambda request, n: waiting(truthful(request, n), request))
    run = ["run", judge_folder(), data, "--model", "openai:m", "--base-url", server.url, "--staged"]
    report = stopped_alike(capsys, server, [*run, "--until", "ci(claims) < 0.5"])
    asked = report["beside"]["until"]
    assert 20 < asked["items"] == report["judged"] < 150
    low, high = asked["interval"]
    assert low <= report["criteria"]["claims"]["mean"] <= high
    assert report["calls"] >= asked["items"], "several calls an item, but for those that the store has"


def test_questions_that_are_answered_with_yes_or_no(serve, capsys):
    def script(request: dict[str, Any], n: int) -> Answer:
        likely = random.Random(request["messages"][1]["content"].partition("\n\n")[0]).choice((0.2, 0.8, 0.9))
        return waiting(answer_with_odds(likely), request) or Answer()

    server = serve(script)
    run = ["run", "summary", dataset(summaries(120)), "--model", "openai:m", "--base-url", server.url]
    report = stopped_alike(capsys, server, [*run, "--ask", "yes-no", "--until", "ci(coverage) < 0.5"])
    assert 10 < report["judged"] == report["beside"]["until"]["items"] < 120


@pytest.fixture
def answered(serve, capsys) -> dict[str, dict[str, Any]]:
    """Two runs of the same items that ended early, at different ones: model `b` knows its mean later."""
    found = {}
    for name, until in (("a", CI), ("b", "ci(coverage) < 0.2")):
        run = [
            "run",
            "summary",
            dataset(summaries(300)),
            "--model",
            f"openai:{name}",
            "--base-url",
            serve(judging()).url,
        ]
        code, found[name] = run_json(capsys, *run, "--until", until, "--name", name)
        assert code == 0
    assert found["a"]["judged"] < found["b"]["judged"] < 300
    return found


def test_an_answered_run_is_shown_and_exported_as_it_ended(answered, capsys):
    for name, found in answered.items():
        capsys.readouterr()
        assert run_command(["show", name, "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["status"] == "complete" and shown["beside"]["until"] == found["beside"]["until"]
        assert shown["criteria"] == found["criteria"]
        assert run_command(["export", name]) == 0
        assert len(capsys.readouterr().out.splitlines()) == found["judged"]


def test_an_answered_run_can_be_gated(answered, capsys):
    mean = answered["a"]["criteria"]["coverage"]["mean"]
    assert run_command(["gate", "a", "--min", f"coverage={mean - 0.5:.2f}"]) == 0
    assert run_command(["gate", "a", "--min", f"coverage={mean + 0.5:.2f}"]) == 1


def test_answered_runs_are_compared_on_the_items_of_both(answered, capsys):
    code, found = run_json(capsys, "compare", "a", "b")
    assert code == 0
    # the same draws, so those of the one are among those of the other
    assert {pair["n"] for pair in numbered(found)} == {answered["a"]["judged"]}


def numbered(found: Any) -> list[dict[str, Any]]:
    """Every difference of two means that an answer states."""
    below = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else []
    own = [found] if isinstance(found, dict) and {"n", "difference"} <= found.keys() else []
    return own + [one for part in below for one in numbered(part)]


def test_a_comparison_that_ended_early_ranks_what_it_saw(serve, capsys):
    run = ["run", "rag-answers", dataset(questions(80)), "--model", "openai:m", "--base-url", serve(judging()).url]
    code, found = run_json(capsys, *run, "--until", "better(North, South)")
    assert code == 0
    assert found["beside"]["strengths"]["n"] == found["judged"] < 80
    assert found["beside"]["strengths"]["condorcet"] == "North"
