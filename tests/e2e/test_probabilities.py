"""`--probabilities` and `--repeat`: expected scores with their spread, from a file over a server to the exports."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.e2e.test_run_http import exported, run_json, sample, valid
from tests.fakes.server import Answer, answer_in_tokens, refusal


def split(digits: str) -> Mapping[str, float]:
    """As likely one point lower as in three of ten cases."""
    return {digits: math.log(0.7), str(max(int(digits) - 1, 1)): math.log(0.3)} if int(digits) > 1 else {digits: 0.0}


def scripted(request: dict[str, Any], n: int) -> Answer:
    return answer_in_tokens(json.dumps(valid(request), ensure_ascii=False), split)


def likely(judge: str, server: Any, *more: str) -> list[str]:
    return ["run", judge, sample(judge), "--model", "openai:m", "--base-url", server.url, "--probabilities", *more]


@pytest.mark.parametrize("judge", ["summary", "rag-answers", "translation"])
def test_expected_scores_in_every_layout(judge, serve, capsys):
    server = serve(scripted)
    code, found = run_json(capsys, *likely(judge, server))
    assert code == 0 and "|probabilities:True|" in found["signature"]
    assert all(request.data["logprobs"] and request.data["top_logprobs"] == 10 for request in server.requests[:2])
    per = 1 if judge != "rag-answers" else None
    for line in exported(capsys):
        assert not [flag for flag in line["flags"] if flag.startswith(("no_probabilities", "stated"))]
        for name, value in line["scores"].items():
            values = {"": value} if per else value
            spreads = {"": line["spreads"][name]} if per else line["spreads"][name]
            for who, one in values.items():
                if one == 1:
                    assert spreads[who] == 0
                elif judge != "rag-answers":  # two orders are averaged there
                    assert one % 1 == pytest.approx(0.7)
                    assert spreads[who] == pytest.approx(math.sqrt(0.21))
    spread = found["beside"]["spread"]
    for one in spread.values():
        assert (one["n"], one["probabilities"], one["repeats"], one["neither"]) == (one["of"], one["of"], 0, 0)


def test_the_native_verdict_has_points_and_the_replies_can_be_replayed(serve, capsys, tmp_path):
    server = serve(scripted)
    assert run_command(likely("summary", server)) == 0
    first = exported(capsys)
    for line in first:
        for name, value in line["scores"].items():
            assert line["verdict"][name]["score"] == math.floor(value + 0.5)
    file = str(tmp_path / "replies.jsonl")
    assert run_command(["export", "latest", "--format", "replies", "-o", file]) == 0
    again = ["run", "summary", sample("summary"), "--model", f"replay:{file}"]
    assert run_command([*again, "--probabilities"]) == 0
    assert [line["scores"] for line in exported(capsys)] == [line["scores"] for line in first]
    assert run_command(again) == 0
    assert all(value % 1 == 0 for line in exported(capsys) for value in line["scores"].values()), (
        "nobody asked for them"
    )


def test_a_server_that_states_none_leaves_the_score_and_a_flag(serve, capsys):
    server = serve(lambda request, n: Answer(text=json.dumps(valid(request), ensure_ascii=False)))
    code, found = run_json(capsys, *likely("summary", server))
    assert code == 0
    assert found["beside"]["spread"]["coverage"] == {
        "spread": None,
        "n": 0,
        "of": 5,
        "probabilities": 0,
        "repeats": 0,
        "neither": 5,
    }
    assert any("no_probabilities" in warning for warning in found["warnings"])
    for line in exported(capsys):
        assert "no_probabilities:coverage" in line["flags"] and "spreads" not in line
        assert all(value % 1 == 0 for value in line["scores"].values())


def test_a_server_that_refuses_them_is_asked_without(serve, capsys):
    def script(request: dict[str, Any], n: int) -> Answer | None:
        if request.get("top_logprobs", 0) > 5:
            return refusal(400, "top_logprobs must be at most 5")
        return refusal(400, "logprobs are not supported") if "logprobs" in request else None

    server = serve(script)
    code, found = run_json(capsys, *likely("summary", server, "--concurrency", "1"))
    assert (code, found["judged"]) == (0, 5)
    assert server.calls == 5 + 2, "what it refuses is found out once"


def test_fewer_words_are_asked_for_where_the_server_gives_fewer(serve, capsys):
    def script(request: dict[str, Any], n: int) -> Answer:
        return refusal(400, "top_logprobs must be at most 5") if request["top_logprobs"] > 5 else scripted(request, n)

    code, found = run_json(capsys, *likely("summary", serve(script)))
    assert code == 0 and found["beside"]["spread"]["coverage"]["probabilities"] == 5


def test_repeats_give_a_spread(serve, capsys):
    """The repeats of an item say 3, then 5."""
    seen: dict[str, int] = {}

    def script(request: dict[str, Any], n: int) -> Answer:
        key = re.sub("<<<[0-9a-f]*|[0-9a-f]*>>>", "", request["messages"][-1]["content"])  # the fences differ
        seen[key] = seen.get(key, 0) + 1
        verdict = valid(request)
        for name in ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check"):
            verdict[name] = {"score": 3 if seen[key] % 2 else 5, "justification": "so"}
        return Answer(text=json.dumps(verdict))

    run = ["run", "summary", sample("summary"), "--model", "openai:m", "--base-url", serve(script).url]
    code, found = run_json(capsys, *run, "--repeat", "2")
    assert code == 0
    assert found["criteria"]["coverage"]["mean"] == 4
    noise = found["beside"]["noise"]["coverage"]
    assert (noise["n"], noise["of"], noise["equal"], noise["within_one"]) == (5, 5, 0, 0)
    assert noise["sd"] == pytest.approx(math.sqrt(2)) and "spread" not in found["beside"]
    assert exported(capsys)[0]["spreads"]["coverage"] == pytest.approx(math.sqrt(2))


def test_both_add_up(serve, capsys):
    code, found = run_json(capsys, *likely("summary", serve(scripted), "--repeat", "2"))
    one = found["beside"]["spread"]["coverage"]
    assert code == 0 and (one["probabilities"], one["repeats"]) == (5, 5)


@pytest.mark.parametrize(
    ("model", "more", "told"),
    [
        ("anthropic:m", [], "speaks a protocol that has none"),
        ("offline", [], "is no language model"),
        ("openai:m", ["--ask", "yes-no"], "--ask yes-no reads nothing but probabilities"),
    ],
)
def test_where_they_can_t_be_had_that_is_said_before_any_call(model, more, told, capsys, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-a-key")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-either")
    assert run_command(["run", "summary", sample("summary"), "--model", model, "--probabilities", *more]) == 2
    err = capsys.readouterr().err
    assert told in err and "hint" in err.lower()
    assert not Path("adjudge.db").exists()
