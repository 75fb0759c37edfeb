"""The order in which candidates are shown does not decide, and names come back to the right candidate."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import adjudge
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


@pytest.mark.parametrize("n", range(2, 9))
def test_a_judge_that_always_prefers_the_first_makes_nobody_win(n, serve):
    server = serve(
        lambda request, _: scored({label: 5 if place == 0 else 1 for place, label in enumerate(shown(request))})
    )
    names = [f"Model{k}" for k in range(n)]
    run = adjudge.evaluate("rag-answers", [row(k, names) for k in range(10)], model="openai:m", base_url=server.url)
    report = run.report().as_json()
    assert sum(candidate["wins"] for candidate in report["candidates"].values()) == 0
    for outcome in run.outcomes():
        assert isinstance(outcome, adjudge.Verdict)
        assert outcome.native["winner"] is None and len(outcome.native["tied"]) >= 2
        assert "order_flip" in outcome.flags


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
