"""Sources longer than the model's window, from a file over a real HTTP server to the verdict and the report."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from adjudge.run.plan import CHARACTERS_PER_TOKEN
from tests.e2e.test_run_http import exported, run_json
from tests.fakes.server import Answer, refusal
from tests.fakes.truthful import asked_for, fenced, truthful

#: Eleven sentences on each of the places of a journey; no two paragraphs are alike.
CHAPTER, BOOK = 40_000, 1_000_000
SUMMARY = (
    "At mile 3 the road crosses a river of 33 yards. At mile 20 the road crosses a river of 7 yards. A dragon came."
)


def journey(characters: int) -> str:
    parts: list[str] = []
    length = mile = 0
    while length < characters:
        mile += 1
        parts.append(f"At mile {mile} the road crosses a river of {mile * 11} yards. " + f"Walker {mile} went on. " * 9)
        length += len(parts[-1]) + 2
    return "\n\n".join(parts)[:characters]


def rows(*contents: str, text: str = SUMMARY) -> str:
    lines = [json.dumps({"id": f"i{n}", "content": content, "text": text}) for n, content in enumerate(contents)]
    Path("long.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "long.jsonl"


def long_run(server: Any, data: str, *more: str, model: str = "openai:m", judge: str = "summary") -> list[str]:
    return ["run", judge, data, "--model", model, "--base-url", server.url, *more]


def first_keys(server: Any) -> Counter[str]:
    return Counter(asked_for(one.data) for one in server.requests)


def scored_by_part(request: Any, n: int) -> Answer | None:
    """Coverage is 5 where mile 3 is told of and 2 elsewhere; everything else as a careful model has it."""
    if asked_for(request) != "coverage" or "accuracy" in json.dumps(request["response_format"]):
        return truthful(request, n)
    told = re.search(r"part (\d+) of (\d+)", request["messages"][1]["content"])
    assert told
    content = fenced(request)["content"]
    verdict = {"justification": f"words {told[1]}", "score": 5 if "At mile 3 the" in content else 2}
    return Answer(text=json.dumps({"coverage": {**instance_of_evidence(request), **verdict}}))


def instance_of_evidence(request: Any) -> dict[str, Any]:
    shape = request["response_format"]["json_schema"]["schema"]["properties"]["coverage"]["properties"]
    return {name: [] for name in shape if name not in ("justification", "score")}


@pytest.mark.parametrize("characters", [CHAPTER, BOOK])
def test_a_chapter_and_a_book_are_judged_in_parts_that_cover_all_of_it(characters, serve, capsys):
    content = journey(characters)
    server = serve(scored_by_part)
    code, found = run_json(capsys, *long_run(server, rows(content), "--window", "8000"))
    assert (code, found["judged"]) == (0, 1)
    assert "|window:8000|" in found["signature"]
    shown = [fenced(one.data)["content"] for one in server.requests if asked_for(one.data) == "coverage"]
    of = len(shown)
    assert of > characters // 20_000
    assert set(first_keys(server)) == {"coverage", "coherence", "claims", "checks"}
    assert first_keys(server)["claims"] == 1
    assert first_keys(server)["checks"] == of
    longest = max(sum(len(message["content"]) for message in one.data["messages"]) for one in server.requests)
    assert longest / CHARACTERS_PER_TOKEN <= 8000 - 2000
    (line,) = exported(capsys)
    assert f"in_parts:{of}" in line["flags"]
    parts = sorted((one for one in line["findings"] if one["kind"] == "part"), key=lambda one: one["source_at"])
    assert "".join(content[slice(*one["source_at"])] for one in parts) == content, "nothing is cut"
    assert sorted(shown) == sorted(content[slice(*one["source_at"])] for one in parts)


def test_the_scores_follow_from_the_parts_by_code(serve, capsys):
    content = journey(CHAPTER)
    server = serve(scored_by_part)
    assert run_command(long_run(server, rows(content), "--window", "8000")) == 0
    (line,) = exported(capsys)
    parts = [one for one in line["findings"] if one["kind"] == "part"]
    lengths = [end - start for start, end in (one["source_at"] for one in parts)]
    points = [5 if "At mile 3 the" in content[slice(*one["source_at"])] else 2 for one in parts]
    mean = sum(length * point for length, point in zip(lengths, points, strict=True)) / len(content)
    assert line["scores"]["coverage"] == pytest.approx(mean)
    told = line["verdict"]["coverage"]["justification"]
    assert f"Mean over the {len(parts)} parts of the source, weighted by their length" in told
    assert ": 2) words" in told.split("(Part", 2)[1], "the lowest part comes first"
    assert (line["scores"]["accuracy"], line["scores"]["hallucination_check"]) == (4, 4)
    assert line["verdict"]["accuracy"]["justification"] == (
        "1 of 3 claims contradict the source: “At mile 20 the road crosses a river of 7 yards.” (minor; source [1] "
        "says otherwise: “At mile 20 the road crosses a river of 220 yards”)"
    )
    assert "“A dragon came.” (minor; no source says so)" in line["verdict"]["hallucination_check"]["justification"]
    (contradicted,) = [one for one in line["findings"] if one["kind"] == "claim_contradicted"]
    assert content[slice(*contradicted["source_at"])] == "At mile 20 the road crosses a river of 220 yards"
    assert SUMMARY[slice(*contradicted["at"])] == "At mile 20 the road crosses a river of 7 yards."
    assert line["verdict"]["overall"]["conclusion"]


def test_what_is_asked_once_is_asked_without_the_source(serve, capsys):
    server = serve(scored_by_part)
    assert run_command(long_run(server, rows(journey(CHAPTER)), "--window", "8000")) == 0
    (asked,) = [one.data for one in server.requests if asked_for(one.data) == "coherence"]
    assert set(fenced(asked)) == {"text"}
    assert "too long to be shown here" in asked["messages"][1]["content"]
    shape = asked["response_format"]["json_schema"]["schema"]["properties"]
    assert set(shape) == {"coherence", "conciseness", "overall"}


def test_a_source_that_fits_is_asked_about_in_one_call(serve, capsys):
    server = serve(truthful)
    code, found = run_json(capsys, *long_run(server, rows(journey(9_000)), "--window", "8000"))
    assert (code, found["calls"]) == (0, 1)
    assert not [flag for flag in exported(capsys)[0]["flags"] if flag.startswith("in_parts")]


def test_where_no_window_is_known_the_server_s_word_counts(serve, capsys):
    refused: list[int] = []

    def script(request: Any, n: int) -> Answer | None:
        if sum(len(message["content"]) for message in request["messages"]) > 24_000:
            refused.append(n)
            return refusal(400, "maximum context length is 8192 tokens", code="context_length_exceeded")
        return scored_by_part(request, n)

    server = serve(script)
    code, found = run_json(capsys, *long_run(server, rows(journey(CHAPTER))))
    assert (code, found["judged"]) == (0, 1)
    (line,) = exported(capsys)
    of = next(int(flag.split(":")[1]) for flag in line["flags"] if flag.startswith("in_parts:"))
    assert of >= 3
    asked = len(refused)
    code, _ = run_json(capsys, *long_run(server, rows(journey(CHAPTER))))
    assert (code, server.calls - found["calls"]) == (0, len(refused) - asked), "whatever was answered is in the store"
    assert exported(capsys)[0]["verdict"] == line["verdict"]


def test_a_judge_that_needs_all_at_once_fails_and_says_what_to_do(serve, capsys):
    row = {"id": "a", "question": "?", "sources": [journey(CHAPTER)], "answers": {"A": "yes", "B": "no"}}
    Path("rag.jsonl").write_text(json.dumps(row), encoding="utf-8")
    server = serve(truthful)
    code, found = run_json(capsys, *long_run(server, "rag.jsonl", "--window", "8000", judge="rag-answers"))
    assert (code, found["failed"], found["calls"], server.calls) == (3, 1, 0, 0)
    (line,) = exported(capsys)
    assert line["failure"]["kind"] == "context_too_long"
    assert "more than the 8,000 of --window; shorten the sources or choose a model" in line["failure"]["message"]


def test_a_judged_text_that_leaves_no_room_is_a_failure_with_its_reason(serve, capsys):
    server = serve(truthful)
    data = rows(journey(CHAPTER), text=journey(CHAPTER))
    code, found = run_json(capsys, *long_run(server, data, "--window", "8000"))
    assert (code, found["failed"], server.calls) == (3, 1, 0)
    assert "has no room for a part of the source" in exported(capsys)[0]["failure"]["message"]


def test_shorter_parts_are_not_tried_where_the_judged_text_is_too_long(serve, capsys):
    def script(request: Any, n: int) -> Answer | None:
        return refusal(400, "maximum context length is 8192 tokens", code="context_length_exceeded")

    server = serve(script)
    code, found = run_json(capsys, *long_run(server, rows(journey(CHAPTER), text=journey(CHAPTER))))
    assert (code, found["failed"], server.calls) == (3, 1, 2), "the whole, and what is asked without the source"
    assert exported(capsys)[0]["failure"]["kind"] == "context_too_long"


@pytest.mark.parametrize("content", ["x", "It rains."])
def test_a_short_source_beside_a_long_text_is_one_part(content, serve, capsys):
    """The whole prompt does not fit, and what is asked of a part does."""
    server = serve(scored_by_part)
    data = rows(content, text="It rains. " * 1300)
    _, plan = run_json(capsys, *long_run(server, data, "--window", "7400", "--dry-run"))
    code, found = run_json(capsys, *long_run(server, data, "--window", "7400"))
    assert (code, found["judged"]) == (0, 1)
    assert 0 < found["calls"] <= plan["calls"] + 3
    assert "in_parts:1" in exported(capsys)[0]["flags"]


def test_repeats_list_the_claims_once(serve, capsys):
    server = serve(scored_by_part)
    code, _ = run_json(capsys, *long_run(server, rows(journey(CHAPTER)), "--window", "8000", "--repeat", "2"))
    assert code == 0
    assert first_keys(server)["claims"] == 1
    assert first_keys(server)["coherence"] == 2


def test_an_empty_summary_gets_the_lowest_points(serve, capsys):
    assert run_command(long_run(serve(scored_by_part), rows(journey(CHAPTER), text=""), "--window", "8000")) == 0
    (line,) = exported(capsys)
    assert (line["scores"]["accuracy"], line["scores"]["hallucination_check"]) == (1, 1)
    assert {"no_claims:accuracy", "no_claims:hallucination_check"} <= set(line["flags"])


@pytest.mark.parametrize("characters", [CHAPTER, BOOK])
def test_the_embedded_judge_has_no_window(characters, capsys):
    code, found = run_json(capsys, "run", "summary", rows(journey(characters)))
    assert (code, found["judged"]) == (0, 1)
    assert not [flag for flag in exported(capsys)[0]["flags"] if flag.startswith("in_parts")]


def test_a_dry_run_says_about_how_many_calls_it_takes(serve, capsys):
    server = serve(scored_by_part)
    data = rows(journey(CHAPTER))
    assert run_command(long_run(server, data, "--window", "8000", "--repeat", "2", "--dry-run")) == 0
    told = capsys.readouterr().out
    assert re.match(r"1 item, about \d+ calls to openai:m, about [\d,]+ tokens in", told), told
    code, plan = run_json(capsys, *long_run(server, data, "--window", "8000", "--repeat", "2", "--dry-run"))
    assert (code, server.calls, plan["calls_estimated"]) == (0, 0, True)
    code, found = run_json(capsys, *long_run(server, data, "--window", "8000", "--repeat", "2"))
    assert plan["calls"] == found["calls"]
    shown = sum(len(message["content"]) for one in server.requests for message in one.data["messages"])
    assert plan["tokens"]["in"] == pytest.approx(shown / CHARACTERS_PER_TOKEN, rel=0.1)


def test_a_batch_that_exceeds_the_window_is_judged_one_by_one(serve, capsys):
    lines = [{"id": f"t{n}", "src": f"Door {n} is open. " * 60, "trg": f"La puerta {n}. " * 60} for n in range(6)]
    Path("batch.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    server = serve()
    args = long_run(server, "batch.jsonl", "--window", "5000", "--batch-size", "6", judge="translation")
    code, found = run_json(capsys, *args)
    assert (code, found["judged"]) == (0, 6)
    asked = [one for one in server.requests if "scores" in asked_properties(one.data)]
    assert len(asked) == 6


def asked_properties(request: Any) -> set[str]:
    return set(request["response_format"]["json_schema"]["schema"]["properties"])
