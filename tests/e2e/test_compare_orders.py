"""The order in which candidates are shown does not decide, and names come back to the right candidate."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from tests.fakes.server import Answer

CRITERIA = ["correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth"]


def shown(request: dict[str, Any]) -> dict[str, str]:
    """Label → answer text, in the order of the prompt."""
    user = request["messages"][1]["content"]
    return dict(re.findall(r"<<<[0-9a-f]{12} ([XYZ]\d)\n(.*?)\n[0-9a-f]{12}>>>", user, flags=re.DOTALL))


def scored(points: dict[str, int], conclusion: str = "done") -> Answer:
    one = {label: {"justification": f"{label} gets {n}", "score": n} for label, n in points.items()}
    return Answer(text=json.dumps({"scores": dict.fromkeys(CRITERIA, one), "conclusion": conclusion}))


def row(n: int, names: list[str]) -> dict[str, Any]:
    return {
        "id": f"q{n}",
        "question": "Why?",
        "sources": ["s"],
        "answers": {name: f"answer of {name}" for name in names},
    }


@pytest.mark.parametrize(
    ("n", "orders"),
    [*((n, None) for n in range(2, 9)), (2, "balanced"), (3, "balanced"), (8, "balanced"), (3, "all"), (3, 6)],
)
def test_a_judge_that_always_prefers_the_first_makes_nobody_win(n, orders, serve):
    server = serve(
        lambda request, _: scored({label: 5 if place == 0 else 1 for place, label in enumerate(shown(request))})
    )
    names = [f"Model{k}" for k in range(n)]
    rows = [row(k, names) for k in range(10)]
    run = adjudge.evaluate("rag-answers", rows, model="openai:m", base_url=server.url, orders=orders)
    report = run.report().as_json()
    bias = report["beside"]["orders"]["places"][0]
    assert bias["bias"] == pytest.approx(6 * (5 - (5 + n - 1) / n))
    assert 0 < bias["ci95"][0] <= bias["bias"] <= bias["ci95"][1]
    assert report["beside"]["ranking"]["leader"] is None
    assert any("The place moves the scores" in warning for warning in report["warnings"])
    assert sum(candidate["wins"] for candidate in report["candidates"].values()) == 0
    for outcome in run.outcomes():
        assert isinstance(outcome, adjudge.Verdict)
        assert outcome.native["winner"] is None and len(outcome.native["tied"]) >= 2
        assert "order_flip" in outcome.flags


def test_a_truthful_and_noisy_judge_finds_the_truth_and_says_how_surely(serve, capsys):
    worth = {"Ann": 4, "Bob": 3, "Cid": 3, "Dan": 1}

    def script(request, n):
        texts = shown(request)
        draw = random.Random(" ".join(texts.values()))
        return scored({label: worth[text.split()[-1]] + draw.choice((-1, 0, 1)) for label, text in texts.items()})

    server = serve(script)
    rows = [{**row(k, []), "answers": {name: f"answer {k} of {name}" for name in worth}} for k in range(30)]
    Path("q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    command = ["run", "rag-answers", "q.jsonl", "--orders", "balanced", "--model", "openai:m", "--base-url", server.url]
    assert run_command([*command, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["calls"] == 30 * 4 and "|orders:balanced|" in report["signature"]
    beside = report["beside"]
    assert beside["ranking"]["leader"] == "Ann"
    assert beside["ranking"]["candidates"]["Ann"]["best"] > 0.95
    for name, points in worth.items():
        if name != "Ann":
            low, high = beside["ranking"]["candidates"][name]["behind"]["ci95"]
            assert low <= 6 * (4 - points) <= high
    assert beside["orders"]["balanced"] is True
    assert all(one["ci95"][0] <= 0 <= one["ci95"][1] for one in beside["orders"]["places"])
    ann = report["candidates"]["Ann"]
    assert ann["wins"] + ann["ties"] + ann["not_separable"] <= 30
    assert ann["not_separable"] == beside["orders"]["not_separable"]["count"] > 0


def test_totals_hold_the_truth_as_often_as_they_say(serve):
    """Of 32 intervals of 95 %, six or more miss in less than one case of a hundred."""
    worth = {"Ann": 4, "Bob": 3, "Cid": 3, "Dan": 2}

    def script(request, _):
        texts = shown(request)
        draw = random.Random(" ".join(texts.values()))
        return scored({label: worth[text.split()[-1]] + draw.choice((-1, 0, 1)) for label, text in texts.items()})

    url, held = serve(script).url, 0
    for number in range(8):
        names = [(k, {name: f"answer {number}.{k} of {name}" for name in worth}) for k in range(25)]
        rows = [{**row(k, []), "answers": answers} for k, answers in names]
        run = adjudge.evaluate("rag-answers", rows, model="openai:m", base_url=url, orders=1)
        for name, found in run.report().as_json()["candidates"].items():
            low, high = found["total"]["ci95"]
            held += low <= 6 * worth[name] <= high
    assert held >= 27


def test_an_item_that_is_not_separable_names_no_winner(serve, capsys):
    """In one order Ann is ahead, in the other Bob, by less."""

    def script(request, _):
        ann, bob = (
            next(label for label, text in shown(request).items() if text.endswith(name)) for name in ("Ann", "Bob")
        )
        first = next(iter(shown(request))) == ann
        return scored({ann: 5 if first else 3, bob: 2 if first else 4})

    server = serve(script)
    run = adjudge.evaluate("rag-answers", [row(0, ["Ann", "Bob"])], model="openai:m", base_url=server.url)
    (outcome,) = run.outcomes()
    assert isinstance(outcome, adjudge.Verdict)
    assert outcome.native["winner"] == "Ann", "what the means say"
    assert "not_separable" in outcome.flags
    assert run_command(["show", "latest", "--item", "q0"]) == 0
    text = capsys.readouterr().out
    assert "Winner: not separable" in text and "shown as Ann, Bob, repeat 1: Ann 30, Bob 12" in text
    for form in ("markdown", "html"):
        assert run_command(["show", "latest", "--format", form]) == 0
        assert "not separable" in capsys.readouterr().out
    assert run_command(["export", "latest"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert list(line)[-1] == "trials"
    assert {(*trial["order"], trial["scores"]["depth"]["Ann"]) for trial in line["trials"]} == {
        ("Ann", "Bob", 5),
        ("Bob", "Ann", 3),
    }


def test_labels_are_mapped_back_whatever_the_order(serve):
    """A truthful judge, which reads the name in the answer's own text, gives every candidate its own score."""
    worth = {"Ann": 5, "Bob": 3, "X1": 1, "X2": 0}

    def script(request, _):
        points = {label: worth[text.removeprefix("answer of ")] for label, text in shown(request).items()}
        best = max(points, key=points.__getitem__)
        return scored(points, f"{best} is the best, A is a word, and {best}'s reasons hold")

    server = serve(script)
    run = adjudge.evaluate(
        "rag-answers", [row(k, list(worth)) for k in range(20)], model="openai:m", base_url=server.url
    )
    for outcome in run.outcomes():
        assert isinstance(outcome, adjudge.Verdict)
        assert outcome.scores["depth"] == worth
        assert outcome.native["winner"] == "Ann"
        assert outcome.native["totals"] == {name: 6 * points for name, points in worth.items()}
        assert outcome.native["conclusion"] == "Ann is the best, A is a word, and Ann's reasons hold"
        assert outcome.reasons["clarity"]["Bob"].startswith("Bob gets 3")
    prompts = [request.data["messages"][1]["content"] for request in server.requests]
    assert not any("Ann is" in prompt or "### Ann" in prompt for prompt in prompts)
    assert {tuple(shown({"messages": [None, {"content": prompt}]})) for prompt in prompts} == {("Y1", "Y2", "Y3", "Y4")}


def test_an_item_needs_every_order_of_a_repeat(serve):
    calls: list[str] = []

    def script(request, n):
        calls.append(request["messages"][1]["content"])
        return Answer(status=400, body=b"no") if n == 2 else scored(dict.fromkeys(shown(request), 3))

    server = serve(script)
    run = adjudge.evaluate("rag-answers", [row(0, ["a", "b"])], model="openai:m", base_url=server.url, concurrency=1)
    (outcome,) = run.outcomes()
    assert isinstance(outcome, adjudge.Failure)
    assert (outcome.kind, outcome.stage) == ("bad_request", "ask")
    assert len(outcome.calls) == 2


def test_evaluate_works_inside_a_running_loop():
    import asyncio

    async def notebook() -> adjudge.StoredRun:
        return adjudge.evaluate("summary", [{"content": "A story.", "text": "A story."}])

    run = asyncio.run(notebook())
    rows = run.scores()
    assert rows and set(rows[0]) == {"item", "candidate", "criterion", "score", "reason", "flags"}
    assert Path("adjudge.db").exists()


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_wins_and_the_mean_total_rest_on_the_same_items(lang):
    """The embedded judge can't judge an answer without content words: who wins that item wins no full one."""
    source = "The council voted for the new bridge. Fishermen oppose the bridge since it closes the harbour."
    whole = {"A": "The bridge closes the harbour.", "B": "The council voted for the new bridge and its harbour."}
    bare = {"A": "Fishermen oppose the bridge since it closes the harbour.", "B": "Nobody is against it."}
    question = "Who is against the new bridge of the council?"
    rows = [
        {"id": f"q{n}", "question": question, "sources": [source], "answers": answers}
        for n, answers in enumerate([whole, whole, bare])
    ]
    report = adjudge.evaluate("rag-answers", rows, model="offline", lang=lang).report().as_json()
    assert "orders" not in report["beside"]
    for one in report["candidates"].values():
        assert (one["total"]["n"], one["win_rate"]["n"], one["win_rate"]["of"]) == (2, 2, 3)
        assert one["wins"] + one["ties"] + one["not_separable"] in (0, 2)
