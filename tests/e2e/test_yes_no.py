"""`--ask yes-no` from a file over a real HTTP server to the formats of the contract: calls, keys, faults, resuming."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from tests.e2e.test_run_http import JUDGES, exported, run_json, sample
from tests.fakes.server import Answer, FakeModelServer, answer_with_odds, refusal
from tests.unit.spec.files import ENGLISH, changed, folder

#: Questions for one item of the samples.
QUESTIONS = {"summary": 5, "rag-answers": 18, "search-summary": 2, "translation": 5}


def yes_no(judge: str, server: FakeModelServer, *more: str, data: str = "", model: str = "openai:m") -> list[str]:
    return ["run", judge, data or sample(judge), "--model", model, "--base-url", server.url, "--ask", "yes-no", *more]


def question(request: dict[str, Any]) -> str:
    return str(request["messages"][1]["content"]).rpartition("\n\n")[2]


def rows(judge: str, lang: str = "en") -> int:
    return len(Path(sample(judge, lang)).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("judge", JUDGES)
def test_every_judge_can_be_asked_in_questions(judge, lang, fake_server, capsys):
    code, found = run_json(capsys, *yes_no(judge, fake_server, "--lang", lang, data=sample(judge, lang)))
    items = rows(judge, lang)
    assert (code, found["status"], found["judged"]) == (0, "complete", items)
    assert found["calls"] == fake_server.calls == items * QUESTIONS[judge]
    assert "|ask:yes-no|" in found["signature"]
    for name, criterion in found["criteria"].items():
        if name == "quality":
            assert (criterion["n"], criterion["mean"]) == (0, None), "a share of questions is no answer to one"
        else:
            assert criterion["n"] == items
            assert criterion["min"] <= criterion["mean"] <= criterion["max"]
    assert ("candidates" in found) == (judge == "rag-answers")
    assert ("summary" in found) == (judge == "translation")
    for line in exported(capsys):
        assert len(line["calls"]) == len(set(line["calls"])) == QUESTIONS[judge]
        assert line["intervals"].keys() == line["scores"].keys()


def test_the_native_verdict_says_what_was_asked_and_what_was_not(serve, capsys):
    server = serve(lambda request, n: answer_with_odds(0.9))
    assert run_command(yes_no("search-summary", server)) == 0
    verdict = exported(capsys)[0]["verdict"]
    assert verdict["hallucination_evaluation"]["hallucination_score"] == 0, "yes is good where low is good"
    told = verdict["hallucination_evaluation"]["hallucination_justification"]
    assert told.startswith("Yes with probability 0.90 to: Is every factual statement")
    assert verdict["summary_quality_evaluation"] == {"summary_quality_score": None, "questions_and_answers": []}


def test_questions_on_an_item_follow_one_another(serve, capsys):
    server = serve()
    assert run_command(yes_no("summary", server, "--concurrency", "1", "--limit", "5")) == 0
    texts = [received.user.rpartition("\n\n")[0] for received in server.requests]
    assert [texts.index(text) for text in texts] == [n // 5 * 5 for n in range(25)]
    assert len({question(received.data) for received in server.requests}) == 5


def test_a_second_run_and_a_replay_ask_nothing(serve, capsys):
    server = serve()
    _, first = run_json(capsys, *yes_no("rag-answers", server))
    code, second = run_json(capsys, *yes_no("rag-answers", server))
    assert (code, second["calls"], second["cached"]) == (0, 0, 18 * rows("rag-answers"))
    assert run_command(["export", "latest", "--format", "replies", "-o", "replies.jsonl"]) == 0
    capsys.readouterr()
    again = ("run", "rag-answers", sample("rag-answers"), "--model", "replay:replies.jsonl", "--ask", "yes-no")
    code, third = run_json(capsys, *again)
    assert (code, server.calls) == (0, 18 * rows("rag-answers"))
    assert first["criteria"] == second["criteria"] == third["criteria"]


def test_resuming_asks_only_what_is_missing(serve, capsys):
    server = serve(lambda request, n: refusal(400, "no") if n in (3, 9) else None)
    code, found = run_json(capsys, *yes_no("summary", server, "--concurrency", "1", "--limit", "5"))
    assert (code, found["judged"], found["failed"]) == (3, 3, 2)
    assert server.calls == 25 - 2 - 4, "an item is not asked about any further once it can't be judged"
    server.script = None
    code, found = run_json(capsys, "resume", "latest")
    assert (code, found["status"], found["judged"]) == (0, "complete", 5)
    assert server.calls == 25 + 2, "two were asked twice, and no other"


def test_neither_yes_nor_no_is_asked_again_once_and_then_a_failure(serve, capsys):
    odd = Answer(text="Perhaps", odds=[{"Perhaps": -0.1, "The": -3.0}])
    server = serve(lambda request, n: odd if "agree with the source" in question(request) else None)
    code, found = run_json(capsys, *yes_no("summary", server, "--limit", "1"))
    assert (code, found["judged"], found["failed"]) == (3, 0, 1)
    failure = exported(capsys)[0]["failure"]
    assert (failure["kind"], failure["stage"], failure["attempts"]) == ("no_verdict", "read", 2)
    assert "'Perhaps'" in failure["message"]
    assert server.calls == 3, "coverage, accuracy, and accuracy again"
    assert "one word, Yes or No, and write nothing before it" in server.requests[-1].user


def test_a_repaired_answer_counts(serve, capsys):
    odd = Answer(text="Perhaps", odds=[{"Perhaps": -0.1}])
    server = serve(lambda request, n: odd if n == 1 else answer_with_odds(0.8))
    code, found = run_json(capsys, *yes_no("summary", server, "--limit", "1"))
    assert (code, found["judged"], found["calls"], found["health"]["asked_again"]) == (0, 1, 6, 1)


@pytest.mark.parametrize("answer", [Answer(text="Yes"), refusal(400, "logprobs is not supported by this model")])
def test_a_server_without_probabilities_is_asked_once_and_says_what_to_do(answer, serve, capsys):
    server = serve(lambda request, n: answer)
    code, found = run_json(capsys, *yes_no("translation", server))
    assert (code, found["failed"], server.calls) == (3, rows("translation"), 1)
    failures = [line["failure"] for line in exported(capsys)]
    assert {failure["kind"] for failure in failures} == {"no_odds"}
    assert all("--ask rating" in failure["message"] for failure in failures)


def test_a_run_ahead_of_itself_is_foreseen(serve, capsys):
    server = serve()
    code, plan = run_json(capsys, *yes_no("rag-answers", server, "--repeat", "2", "--dry-run"))
    calls = 2 * 18 * rows("rag-answers")
    assert (code, plan["calls"], server.calls) == (0, calls, 0)
    assert plan["tokens"]["out"] == 2 * calls
    assert plan["tokens"]["in"] > 100 * calls


def test_repeats_are_calls_of_their_own(serve, capsys):
    server = serve(lambda request, n: answer_with_odds(0.2 if n % 2 else 0.8))
    code, found = run_json(capsys, *yes_no("search-summary", server, "--repeat", "3", "--limit", "1"))
    assert (code, found["calls"]) == (0, 6)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--model", "offline", "--ask", "yes-no"), "--model offline is no language model"),
        (("--model", "anthropic:m", "--ask", "yes-no"), "--model anthropic speaks a protocol that has none"),
        (("--model", "openai:m", "--ask", "yes-no", "--orders", "2"), "--orders means nothing with --ask yes-no"),
        (("--model", "local:none.gguf"), "none.gguf: the model file can't be read"),
        (("--model", "local"), "set ADJUDGE_LOCAL_MODEL"),
    ],
)
def test_what_can_t_be_asked_is_said_before_anything_is(more, said, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "x" * 20)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-" + "x" * 20)
    assert run_command(["run", "rag-answers", sample("rag-answers"), *more]) == 2
    assert said in capsys.readouterr().err
    assert not Path("adjudge.db").exists()


def test_a_judge_of_ones_own_needs_one_question_at_least(serve, tmp_path, capsys):
    server = serve()
    Path("rows.jsonl").write_text(json.dumps({"article": "a", "note": "b"}) + "\n", encoding="utf-8")
    folder(tmp_path / "mine")
    assert run_command(yes_no(str(tmp_path / "mine"), server, data="rows.jsonl")) == 2
    assert "no criterion of `mine` has a question for --ask yes-no in `en`" in capsys.readouterr().err
    words = changed(ENGLISH, "asks: Is it clear?", "asks: Is it clear?\n    question: Is it clear?")
    folder(tmp_path / "mine", english=words)
    code, found = run_json(capsys, *yes_no(str(tmp_path / "mine"), server, data="rows.jsonl"))
    assert (code, server.calls, found["criteria"]["brevity"]["n"]) == (0, 1, 0)
    (line,) = exported(capsys)
    assert "not_all_judged" in line["flags"]
    assert line["verdict"]["brevity"]["score"] is None
    assert line["verdict"]["brevity"]["justification"].startswith("Not judged")


def test_several_models_are_each_asked_in_their_own_way(serve, capsys):
    server = serve()
    models = ["--model", f"openai:m@{server.url}", "--model", f"openai:n@{server.url}"]
    assert run_command(["run", "summary", sample("summary"), *models, "--ask", "yes-no"]) == 0
    assert server.calls == 2 * 5 * rows("summary")
    capsys.readouterr()
    assert run_command(["run", "summary", sample("summary"), "--model", "offline", *models, "--ask", "yes-no"]) == 2


def test_from_python(serve):
    server = serve(lambda request, n: answer_with_odds(0.75))
    run = adjudge.evaluate(
        "summary", [{"content": "a", "text": "b"}], model="openai:m", base_url=server.url, ask="yes-no"
    )
    rows = run.scores()
    assert len(rows) == 5
    assert all(1 <= row["score"] <= 5 for row in rows)


def explain(request: dict[str, Any], n: int) -> Answer:
    """A model that answers questions with a word, and says why when it is asked."""
    return (
        Answer(text="The ferry\n is late.") if "in one or two sentences" in question(request) else answer_with_odds(0.9)
    )


def test_reasons_are_calls_of_their_own(serve, capsys):
    server = serve(explain)
    code, found = run_json(capsys, *yes_no("summary", server, "--reasons", "--limit", "2"))
    assert (code, found["calls"], server.calls) == (0, 20, 20)
    assert "|reasons:True|" in found["signature"]
    line = exported(capsys)[0]
    assert len(line["calls"]) == len(set(line["calls"])) == 10
    told = line["verdict"]["coverage"]["justification"]
    assert told.startswith("Yes with probability 0.90 to: ") and told.endswith("? The ferry is late.")
    asked = [received.data for received in server.requests if "in one or two sentences" in question(received.data)]
    assert len(asked) == 10 and "The answer is: Yes." in question(asked[0])
    assert {request["max_tokens"] for request in asked} == {200} and "logprobs" not in asked[0]
    again = yes_no("summary", server, "--limit", "2")
    assert run_json(capsys, *again)[1]["cached"] == 10, "the answers are the same calls with and without reasons"


def test_a_reason_that_does_not_come_costs_no_score(serve, capsys):
    def script(request: dict[str, Any], n: int) -> Answer:
        asked = question(request)
        refused = "in one or two sentences" in asked and "agree with the source" in asked
        return refusal(400, "no") if refused else explain(request, n)

    server = serve(script)
    code, found = run_json(capsys, *yes_no("summary", server, "--reasons", "--limit", "1"))
    assert (code, found["judged"]) == (0, 1)
    line = exported(capsys)[0]
    assert line["flags"] == ["no_reason:accuracy"]
    assert len(line["scores"]) == 5


def test_reasons_are_for_questions_only(fake_server, capsys):
    assert run_command(["run", "summary", sample("summary"), "--reasons"]) == 2
    assert "--reasons is for --ask yes-no" in capsys.readouterr().err
    assert fake_server.calls == 0


def test_a_dry_run_counts_the_reasons(fake_server, capsys):
    one, two = (
        run_json(capsys, *yes_no("summary", fake_server, "--dry-run", *more))[1]["calls"]
        for more in ([], ["--reasons"])
    )
    assert two == 2 * one
