"""Every judge, from a file over a real HTTP server to the formats of the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from tests.e2e.batches import unmarked
from tests.fakes.instance import instance
from tests.fakes.server import Answer

SAMPLES = Path(adjudge.__file__).parent / "samples"
JUDGES = ("summary", "rag-answers", "search-summary", "translation")
ITEMS = {"summary": 5, "rag-answers": 2, "search-summary": 2, "translation": 20}


def run_json(capsys, *args: str) -> tuple[int, dict[str, Any]]:
    code = run_command([*args, "--json"])
    out = capsys.readouterr().out
    assert out.count("\n") == 1, "one JSON object and nothing else"
    return code, json.loads(out)


def asked(request: dict[str, Any]) -> dict[str, Any]:
    """The schema that a request asks for."""
    return dict(request["response_format"]["json_schema"]["schema"])


def valid(request: dict[str, Any]) -> dict[str, Any]:
    """A reply as it should be."""
    return dict(instance(asked(request), request["messages"][-1]["content"]))


def sample(judge: str, lang: str = "en") -> str:
    return str(SAMPLES / f"{judge}.{lang}.jsonl")


def exported(capsys, form: str = "jsonl") -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_command(["export", "latest", "--format", form]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("judge", JUDGES)
def test_run_json_has_the_contract_s_shape(judge, lang, fake_server, capsys):
    code, found = run_json(
        capsys, "run", judge, sample(judge, lang), "--lang", lang, "--model", "openai:m", "--base-url", fake_server.url
    )
    assert code == 0
    assert found["status"] == "complete"
    assert (found["items"], found["judged"], found["failed"]) == (ITEMS[judge], ITEMS[judge], 0)
    assert found["calls"] == fake_server.calls
    assert found["cached"] == 0
    assert set(found["tokens"]) == {"in", "out"}
    assert found["cost_usd"] is None, "an unknown price is said, never guessed as zero"
    assert found["judge"] == judge and found["model"] == "openai:m"
    assert f"judge:{judge}@" in found["signature"]
    for criterion in found["criteria"].values():
        assert {"mean", "ci95", "n", "of", "min", "max", "better"} <= set(criterion)
        assert criterion["min"] <= criterion["mean"] <= criterion["max"]
    assert ("candidates" in found) == (judge == "rag-answers")
    assert ("summary" in found) == (judge == "translation")
    assert isinstance(found["warnings"], list)
    assert found["report"] is None


def test_export_lines_and_native_summary(fake_server, capsys):
    run_command(["run", "summary", sample("summary"), "--model", "openai:m", "--base-url", fake_server.url])
    lines = exported(capsys)
    keys = ["id", "status", "scores", "derived", "verdict", "failure", "flags", "calls", "signature"]
    keys += ["intervals", "findings"]
    assert [list(line) for line in lines] == [keys] * 5
    for line in lines:
        native = line["verdict"]
        criteria = ["coverage", "accuracy", "coherence", "conciseness", "hallucination_check"]
        assert list(native) == [*criteria, "overall"]
        assert all(list(native[name]) == ["score", "justification"] for name in criteria)
        mean = sum(native[name]["score"] for name in criteria) / 5
        assert native["overall"]["average_score"] == pytest.approx(mean, abs=0.005)
        assert line["derived"]["average_score"] == pytest.approx(sum(line["scores"].values()) / 5)


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_rag_answers_from_two_to_eight_candidates(n, lang, fake_server, capsys, tmp_path):
    names = [f"Model{chr(65 + i)}" for i in range(n)]
    row = {
        "id": "q",
        "question": "Why?",
        "sources": ["One.", "Two."],
        "answers": {name: f"Because {name}." for name in names},
    }
    Path("q.json").write_text(json.dumps(row))
    assert (
        run_command(
            ["run", "rag-answers", "q.json", "--lang", lang, "--model", "openai:m", "--base-url", fake_server.url]
        )
        == 0
    )
    (line,) = exported(capsys)
    native = line["verdict"]
    assert list(native) == ["scores", "totals", "winner", "tied", "conclusion"]
    assert list(native["scores"]) == [
        "correctness",
        "completeness",
        "retrieval_accuracy",
        "clarity",
        "conciseness",
        "depth",
    ]
    totals = {name: sum(row[name]["score"] for row in native["scores"].values()) for name in names}
    assert native["totals"] == totals
    best = [name for name in names if totals[name] == max(totals.values())]
    assert (native["winner"], native["tied"]) == ((best[0], []) if len(best) == 1 else (None, best))
    assert run_command(["show", "latest", "--format", "markdown"]) == 0
    page = capsys.readouterr().out
    first = {"en": "Criterion", "ru": "Критерий"}[lang]
    header = next(text for text in page.splitlines() if text.startswith(first) and names[0] in text)
    cells = [cell.strip() for cell in header.split("|")]
    assert cells[1 : n + 1] == names
    assert {"en": "**Total scores:**", "ru": "**Итоговые баллы:**"}[lang] in page
    assert {"en": "**Conclusion:**", "ru": "**Вывод:**"}[lang] in page


def test_search_summary_score_follows_from_the_claims(serve, capsys):
    def script(request, n):
        claims = [{"text": f"c{i}", "quote": "", "sources": [], "verdict": "minor"} for i in range(4)]
        questions = [{"question": f"q{i}", "answer_justification": "", "is_answered": i < 3} for i in range(6)]
        return Answer(
            text=json.dumps(
                {
                    "hallucination_evaluation": {
                        "claims": claims,
                        "hallucination_justification": "four",
                        "hallucination_score": 0,
                    },
                    "summary_quality_evaluation": {
                        "questions_and_answers": [{"source": 1, "questions": questions}],
                        "summary_quality_score": 99,
                    },
                    "answer_relevancy_evaluation": {
                        "relevant_search_result_urls": [1],
                        "relevancy_justification": "it answers",
                        "relevancy_score": 3,
                    },
                }
            )
        )

    server = serve(script)
    rows = [
        {
            "id": "a",
            "user_query": "q",
            "search_results": [{"url": "https://x.example/1", "content": "t"}],
            "summary": "s",
        }
    ]
    Path("s.json").write_text(json.dumps(rows))
    assert run_command(["run", "search-summary", "s.json", "--model", "openai:m", "--base-url", server.url]) == 0
    (line,) = exported(capsys)
    native = line["verdict"]
    assert native["hallucination_evaluation"]["hallucination_score"] == 2
    assert native["summary_quality_evaluation"]["summary_quality_score"] == 50
    assert native["answer_relevancy_evaluation"]["relevant_search_result_urls"] == ["https://x.example/1"]
    assert native["summary_quality_evaluation"]["questions_and_answers"][0]["text_url"] == "https://x.example/1"
    claim = native["hallucination_evaluation"]["claims"][0]
    assert list(claim) == ["text", "supported", "severity", "source_urls", "quote", "quote_found"]
    assert {"stated_hallucination_differs", "stated_quality_differs"} <= set(line["flags"])


def test_translation_native_has_dataset_order_and_one_merged_summary(fake_server, capsys):
    run_command(["run", "translation", sample("translation"), "--model", "openai:m", "--base-url", fake_server.url])
    assert fake_server.calls == 3, "two batches of ten and one merge"
    capsys.readouterr()
    run_command(["export", "latest", "--format", "native"])
    found = json.loads(capsys.readouterr().out)
    ids = [json.loads(line)["id"] for line in Path(sample("translation")).read_text().splitlines()]
    assert [row["id"] for row in found["scores"]] == ids
    criteria = ["adequacy", "fluency", "terminology", "hallucination", "punctuation"]
    assert all(list(row) == ["id", *criteria] for row in found["scores"])
    assert all(
        isinstance(row[name][0], int) and isinstance(row[name][1], str) for row in found["scores"] for name in criteria
    )
    assert list(found["summary"]) == criteria


def test_a_batch_that_loses_items_asks_again_for_those_only(serve, capsys):
    seen: list[list[str]] = []

    def script(request, n):
        found = valid(request)
        ids = list(found.get("scores", {}))
        seen.append(ids)
        if n == 1:
            del found["scores"][ids[3]]
            found["scores"][ids[4]]["adequacy"]["score"] = 9
        return Answer(text=json.dumps(found))

    server = serve(script)
    code, found = run_json(
        capsys,
        "run",
        "translation",
        sample("translation"),
        "--limit",
        "10",
        "--model",
        "openai:m",
        "--base-url",
        server.url,
    )
    assert (code, found["judged"], found["failed"]) == (0, 10, 0)
    assert len(seen[0]) == 10
    assert sorted(map(unmarked, seen[1])) == sorted(map(unmarked, [seen[0][3], seen[0][4]]))


def test_one_repair_question_shows_the_reply_and_the_reason_then_it_is_a_failure(serve, capsys):
    server = serve(lambda request, n: Answer(text='{"coverage": {"score": 7}}'))
    code, found = run_json(
        capsys, "run", "summary", sample("summary"), "--limit", "1", "--model", "openai:m", "--base-url", server.url
    )
    assert (code, found["status"], found["failed"], found["calls"]) == (3, "partial", 1, 2)
    assert found["criteria"]["coverage"]["n"] == 0 and found["criteria"]["coverage"]["mean"] is None
    repair = server.requests[1].data["messages"]
    assert repair[-2] == {"role": "assistant", "content": '{"coverage": {"score": 7}}'}
    assert "7" in repair[-1]["content"]
    (line,) = exported(capsys)
    assert line["status"] == "failed" and line["verdict"] is None and line["scores"] == {}
    assert line["failure"]["stage"] == "read" and line["failure"]["attempts"] == 2
    assert run_command(["show", "latest", "--item", line["id"]]) == 0
    assert '{"coverage": {"score": 7}}' in capsys.readouterr().out, "the raw text is one flag away"


def test_a_cut_off_reply_is_asked_again_with_more_room(serve, capsys):
    def script(request, n):
        text = json.dumps(valid(request))
        return Answer(text=text[:80], finish="length") if n == 1 else Answer(text=text)

    server = serve(script)
    code, _ = run_json(
        capsys, "run", "summary", sample("summary"), "--limit", "1", "--max-tokens", "50",
        "--model", "openai:m", "--base-url", server.url,
    )  # fmt: skip
    assert code == 0
    assert [request.data["max_tokens"] for request in server.requests] == [50, 2048]


def test_anthropic_speaks_its_own_protocol(fake_server, capsys, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-key-123456")
    code, found = run_json(
        capsys, "run", "summary", sample("summary"), "--model", "anthropic:claude", "--base-url", fake_server.url
    )
    assert (code, found["judged"]) == (0, 5)
    assert all(request.path.endswith("/v1/messages") for request in fake_server.requests)
    assert b"canary-key" not in Path("adjudge.db").read_bytes()


def test_rerun_makes_no_call_and_says_so_and_fresh_asks_again(fake_server, capsys):
    args = ("run", "summary", sample("summary"), "--model", "openai:m", "--base-url", fake_server.url)
    _, first = run_json(capsys, *args)
    before = fake_server.calls
    code, again = run_json(capsys, *args)
    assert (code, fake_server.calls - before, again["calls"], again["cached"]) == (0, 0, 0, 5)
    assert again["criteria"] == first["criteria"]
    _, fresh = run_json(capsys, *args, "--fresh")
    assert (fake_server.calls - before, fresh["calls"], fresh["cached"]) == (5, 5, 0)


def test_repeats_are_calls_of_their_own(fake_server, capsys):
    _, found = run_json(
        capsys,
        "run",
        "summary",
        sample("summary"),
        "--repeat",
        "3",
        "--model",
        "openai:m",
        "--base-url",
        fake_server.url,
    )
    assert fake_server.calls == found["calls"] == 15


def test_replies_exported_are_replayed_with_no_server(fake_server, capsys):
    run_command(["run", "rag-answers", sample("rag-answers"), "--model", "openai:m", "--base-url", fake_server.url])
    before = exported(capsys)
    assert run_command(["export", "latest", "--format", "replies", "-o", "replies.jsonl"]) == 0
    calls = fake_server.calls
    assert run_command(["run", "rag-answers", sample("rag-answers"), "--model", "replay:replies.jsonl"]) == 0
    after = exported(capsys)
    assert fake_server.calls == calls
    assert [line["verdict"] for line in after] == [line["verdict"] for line in before]


def test_resume_of_a_complete_run_reads_it_again_with_no_call(fake_server, capsys):
    run_command(["run", "summary", sample("summary"), "--model", "openai:m", "--base-url", fake_server.url])
    before, calls = exported(capsys), fake_server.calls
    code, found = run_json(capsys, "resume", "latest")
    assert (code, fake_server.calls, found["status"]) == (0, calls, "complete")
    assert exported(capsys) == before


def test_an_offline_run_is_replayed_too(capsys):
    run_command(["run", "summary", sample("summary")])
    before = exported(capsys)
    assert run_command(["export", "latest", "--format", "replies", "-o", "replies.jsonl"]) == 0
    assert run_command(["run", "summary", sample("summary"), "--model", "replay:replies.jsonl"]) == 0
    assert [line["scores"] for line in exported(capsys)] == [line["scores"] for line in before]


def test_repair_questions_are_replayed_too(serve, capsys):
    def script(request, n):
        return Answer(text="I would rather not." if len(request["messages"]) == 2 else json.dumps(valid(request)))

    server = serve(script)
    args = ["run", "summary", sample("summary"), "--limit", "2"]
    assert run_command([*args, "--model", "openai:m", "--base-url", server.url]) == 0
    assert server.calls == 4
    run_command(["export", "latest", "--format", "replies", "-o", "replies.jsonl"])
    assert run_command([*args, "--model", "replay:replies.jsonl"]) == 0


def test_room_grows_up_to_a_limit_and_then_the_item_fails_as_truncated(serve, capsys):
    server = serve(lambda request, n: Answer(text='{"coverage": {"justif', finish="length"))
    code, found = run_json(
        capsys, "run", "summary", sample("summary"), "--limit", "1", "--max-tokens", "9000",
        "--model", "openai:m", "--base-url", server.url,
    )  # fmt: skip
    assert (code, found["health"]["failures"]) == (3, {"truncated": 1})
    asked = [request.data["max_tokens"] for request in server.requests]
    assert asked == [9000, 18000, 18000]
    assert len(server.requests[-1].data["messages"]) == 4, "the last time it is asked to be brief"
