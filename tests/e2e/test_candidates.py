"""From a golden dataset to a winner in one command: columns, files, models, programs and addresses that answer."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from adjudge.models.command import Command
from tests.e2e.test_run_http import exported, run_json
from tests.fakes.clock import wait_for
from tests.fakes.server import Answer, dead_url
from tests.unit.models.test_command import gone
from tests.unit.models.test_endpoint import served

GOLDEN = "Only experts know this golden sentence."
ROWS: list[dict[str, Any]] = [
    {
        "id": f"q{n}",
        "question": f"Who keeps lighthouse number {n}?",
        "relevant_texts": [f"Lighthouse number {n} is kept by the widow Marsh.", "The coast is long."],
        "answer": GOLDEN,
    }
    for n in range(4)
]
ECHO = "import json, sys\nrow = json.load(sys.stdin)\n"


@pytest.fixture(autouse=True)
def _golden() -> None:
    write("golden.jsonl", ROWS)


def write(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


def program(name: str, code: str) -> str:
    Path(f"{name}.py").write_text(ECHO + code, encoding="utf-8")
    return f"cmd:'{sys.executable}' {name}.py"


def run(*candidates: str, options: tuple[str, ...] = ()) -> list[str]:
    named = [word for one in candidates for word in ("--candidate", one)]
    return ["run", "rag-answers", "golden.jsonl", *named, *options]


def is_answering(request: dict[str, Any]) -> bool:
    return "response_format" not in request


def answering(request: dict[str, Any], n: int) -> Answer | None:
    """A model that answers questions by its name, and judges as well as any."""
    if not is_answering(request):
        return None
    return Answer(text=f"<think>So.</think>\n{request['model']} says the widow Marsh [1].")


def beside(found: dict[str, Any], name: str = "answering") -> dict[str, Any]:
    return dict(found["beside"][name])


def test_columns_and_files_make_a_normal_run(capsys):
    write("golden.jsonl", [{**row, "old": f"The widow Marsh, {row['id']}."} for row in ROWS])
    write("new.jsonl", [{"id": row["id"], "answer": "Nobody."} for row in ROWS])
    code, found = run_json(capsys, *run("old=column:old", "new=file:new.jsonl"))
    assert (code, found["judged"], list(found["candidates"])) == (0, 4, ["old", "new"])
    assert found["candidates"]["old"]["wins"] == 4
    assert "candidates:" not in found["signature"] and "answering" not in found["beside"]
    first = re.search(r"data:(\w+)", found["signature"])
    write("new.jsonl", [{"id": row["id"], "answer": "Somebody."} for row in ROWS])
    _, found = run_json(capsys, *run("old=column:old", "new=file:new.jsonl"))
    second = re.search(r"data:(\w+)", found["signature"])
    assert first and second and first[1] != second[1], "other answers are other data"


def test_a_row_without_an_answer_is_an_error_before_anything_is_called(fake_server, capsys):
    write("new.jsonl", [{"id": row["id"], "answer": "Nobody."} for row in ROWS[:-1]])
    model = ("--model", "openai:m", "--base-url", fake_server.url)
    assert run_command(run("a=openai:a", "new=file:new.jsonl", options=model)) == 2
    assert "golden.jsonl, line 4: the file of --candidate new has no answer for this row" in capsys.readouterr().err
    assert fake_server.calls == 0 and not Path("adjudge.db").exists()


def test_models_are_asked_with_the_same_sources_and_never_see_the_golden_answer(serve, capsys):
    server = serve(answering)
    model = ("--model", "openai:judge", "--base-url", server.url)
    code, found = run_json(capsys, *run("gpt=openai:gpt", f"qwen=openai:qwen@{server.url}", options=model))
    assert (code, found["status"], found["judged"]) == (0, "complete", 4)
    asked = [one for one in server.requests if is_answering(one.data)]
    judged = [one for one in server.requests if not is_answering(one.data)]
    assert len(asked) == 8 and len(judged) == 8 and found["calls"] == 16
    for one in asked:
        whole = json.dumps(one.data)
        assert GOLDEN not in whole and "widow Marsh" in whole and "Who keeps" in whole
    for one in judged:
        whole = json.dumps(one.data)
        assert GOLDEN in whole and "qwen says" in whole and "<think>" not in whole
        names = whole.replace("gpt says", "").replace("qwen says", "")
        assert not re.search(r"gpt|qwen", names), "the judge is told no name"
    told = beside(found)
    assert told["gpt"] | {"seconds": 0} == {
        "model": f"openai:gpt@{server.url}",
        "asked": 4,
        "answered": 4,
        "failures": {},
        "seconds": 0,
        "cost_usd": None,
    }
    assert all(len(line["calls"]) == 4 for line in exported(capsys))


def test_a_model_of_the_other_protocol_answers_too(serve, capsys, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    server = serve(answering)
    candidates = (f"claude=anthropic:claude@{server.url.removesuffix('/v1')}", f"gpt=openai:gpt@{server.url}")
    code, found = run_json(capsys, *run(*candidates))
    assert (code, found["judged"], found["tokens"]["out"] > 0) == (0, 4, True)
    assert {one.protocol for one in server.requests} == {"anthropic", "openai"}
    capsys.readouterr()
    assert run_command(["export", "latest", "--format", "replies"]) == 0
    replies = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    said = [one for one in replies if one["stage"] == "answer"]
    assert len(said) == 8 and {one["order"][0] for one in said} == {"claude", "gpt"}


def test_nothing_is_asked_twice_and_the_answers_serve_another_judge(serve, capsys):
    server = serve(answering)
    model = ("--base-url", server.url)
    candidates = ("a=openai:a", "b=openai:b")
    assert run_command(run(*candidates, options=("--model", "openai:one", *model))) == 0
    before = server.calls
    _, found = run_json(capsys.readouterr() and capsys, *run(*candidates, options=("--model", "openai:one", *model)))
    assert (found["calls"], found["cached"], server.calls) == (0, 16, before)
    _, found = run_json(capsys, *run(*candidates, options=("--model", "openai:two", *model)))
    assert (found["calls"], found["cached"]) == (8, 8), "only the judging is asked anew"
    _, found = run_json(capsys, *run("a=openai:a", "c=openai:c", options=("--model", "openai:one", *model)))
    assert (found["calls"], found["cached"]) == (12, 4), "one candidate has answered before"
    assert run_command(["export", "latest", "--format", "jsonl"]) == 0


def test_two_judges_side_by_side_ask_the_candidates_once(serve, capsys):
    server = serve(answering, latency_s=0.02)
    options = ("--model", "openai:one", "--model", "openai:two", "--base-url", server.url)
    code, found = run_json(capsys, *run("a=openai:a", "b=openai:b", options=options))
    assert code == 0 and [one["judged"] for one in found["runs"]] == [4, 4]
    assert sum(is_answering(one.data) for one in server.requests) == 8


def test_programs_that_answer_fail_hang_and_shout(capsys, clock):
    behaviours = {
        "good": "print(json.dumps({'answer': row['sources'][0]['text'], 'retrieved': row['sources']}))",
        "plain": "assert row.keys() == {'id', 'question', 'sources'}\nprint('Nobody keeps any lighthouse here.')",
        "failing": "sys.exit('no index' if row['id'] == 'q1' else print('Marsh.'))",
        "hanging": "import time\nif row['id'] == 'q2': open('hung', 'a').write('x'), time.sleep(600)\nprint('Well?')",
        "shouting": "print('x' * (9_000_000 if row['id'] == 'q3' else 9))",
        "silent": "print('' if row['id'] == 'q0' else 'Well.')",
    }
    candidates = [f"{name}={program(name, code)}" for name, code in behaviours.items()]
    hung = Path("hung")
    clock.skip_while_stuck(lambda: hung.stat().st_size if hung.exists() else 0, 300.0, by=(Command, "answer"))
    code, found = run_json(capsys, *run(*candidates, options=("--candidate-timeout", "600")))
    assert (code, found["judged"], found["failed"]) == (0, 4, 0)
    told = beside(found)
    assert {name: one["failures"] for name, one in told.items()} == {
        "good": {},
        "plain": {},
        "failing": {"program_failed": 1},
        "hanging": {"timed_out": 1},
        "shouting": {"too_large": 1},
        "silent": {"empty": 1},
    }
    assert {name: (one["asked"], one["answered"]) for name, one in told.items() if name != "plain"} == {
        "good": (4, 4), "failing": (4, 3), "hanging": (4, 3), "shouting": (4, 3), "silent": (4, 3)
    }  # fmt: skip
    assert found["cost_usd"] == 0.0
    lines = {line["id"]: line for line in exported(capsys)}
    assert "no_answer:failing (program_failed)" in lines["q1"]["flags"]
    assert "no_answer:hanging (timed_out)" in lines["q2"]["flags"]
    assert "failing" not in lines["q1"]["scores"]["correctness"] and len(lines["q1"]["scores"]["correctness"]) == 5
    assert found["candidates"]["failing"]["total"]["n"] == 3, "a failure is never a zero"
    assert any("failing gave no answer to 1 of 4 questions (program_failed 1)" in one for one in found["warnings"])


def test_with_fewer_than_two_answers_an_item_fails_and_resuming_asks_again(capsys):
    good = program("good", "print('Marsh.')")
    fine = "os.path.exists('fine') or row['id'] != 'q1'"
    moody = program("moody", f"import os\nsys.exit(print('Well.') if {fine} else 5)")
    code, found = run_json(capsys, *run(f"good={good}", f"moody={moody}"))
    assert (code, found["status"], found["judged"], found["failed"]) == (3, "partial", 3, 1)
    (failed,) = [line for line in exported(capsys) if line["status"] == "failed"]
    assert (failed["id"], failed["failure"]["kind"], failed["failure"]["stage"]) == ("q1", "program_failed", "answer")
    assert "1 answer came" in failed["failure"]["message"] and "exit code 5" in failed["failure"]["message"]
    assert run_command(["show", "latest", "--item", "q1"]) == 0
    Path("fine").touch()
    capsys.readouterr()
    code, found = run_json(capsys, "resume", "latest")
    assert (code, found["status"], found["judged"]) == (0, "complete", 4)
    assert beside(found)["moody"]["answered"] == 4


def test_an_address_answers(capsys):
    body = json.dumps({"answer": "The widow Marsh.", "retrieved": [{"id": "9", "text": "The coast is long."}]}).encode()
    with served(body=body) as (url, came), served(503, b"later") as (broken, _):
        plain = program("plain", "print('Nobody.')")
        code, found = run_json(
            capsys, *run(f"far={url}", f"near={plain}", f"broken={broken}", options=("--limit", "1"))
        )
    sources = [{"id": "1", "text": ROWS[0]["relevant_texts"][0]}, {"id": "2", "text": "The coast is long."}]
    assert [told for _, _, told in came] == [{"id": "q0", "question": ROWS[0]["question"], "sources": sources}]
    assert code == 0
    assert beside(found)["broken"]["failures"] == {"server_failed": 1}
    assert beside(found, "retrieval")["systems"]["far"]["recall"]["all"]["mean"] == 0.5


def test_a_candidate_that_is_dead_is_soon_not_asked_any_more(capsys):
    write("golden.jsonl", [{**ROWS[0], "id": f"q{n}", "question": f"Question {n}?"} for n in range(30)])
    good, fine = program("good", "print('Marsh.')"), program("fine", "print('Well.')")
    options = ("--concurrency", "30")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adjudge.core.limits.BACKOFF_CAP_S", 0.0)
        patch.setattr("adjudge.core.limits.BACKOFF_FIRST_S", 0.0)
        code, found = run_json(
            capsys, *run(f"good={good}", f"fine={fine}", f"dead=openai:m@{dead_url()}", options=options)
        )
    assert (code, found["judged"]) == (0, 30)
    assert beside(found)["dead"]["failures"] == {"unreachable": 30}


def test_the_report_and_one_item_show_the_answers(capsys):
    good = program("good", "print('A lamp called ' + row['id'])")
    plain = program("plain", "print('Nobody at all.')")
    assert run_command(run(f"good={good}", f"plain={plain}")) == 0
    told = capsys.readouterr().out
    assert "How the candidates answered" in told
    assert run_command(["show", "latest", "--format", "html", "-o", "report.html"]) == 0
    assert "A lamp called q2" in Path("report.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run_command(["show", "latest", "--item", "q2", "--json"]) == 0
    assert "A lamp called q2" in capsys.readouterr().out


def test_a_judge_among_its_candidates_is_said(serve, capsys):
    server = serve(answering)
    options = ("--model", "openai:m", "--base-url", server.url)
    _, found = run_json(capsys, *run("own=openai:m", "other=openai:n", options=options))
    assert [one for one in found["warnings"] if "is the model that judges" in one] == [
        "own is the model that judges. Models tend to prefer their own answers: judge with another one, "
        "or check against people."
    ]


def test_in_russian_the_candidates_are_asked_in_russian(serve, capsys):
    server = serve(answering)
    options = ("--model", "openai:m", "--base-url", server.url, "--lang", "ru")
    _, found = run_json(capsys, *run("a=openai:a", "b=openai:b", options=options))
    assert found["judged"] == 4
    asked = [one for one in server.requests if is_answering(one.data)]
    assert all("только по этим источникам" in one.user for one in asked)


def test_every_model_has_its_own_price_and_the_ceiling_is_over_all(serve, capsys):
    server = serve(answering)
    costs = {"openai:a": 1000, "openai:b": 0, "openai:m": 0}
    prices = {name: {"input": cost, "output": cost, "seen": "2026-01-31"} for name, cost in costs.items()}
    Path("prices.yaml").write_text(json.dumps({"prices": prices}), encoding="utf-8")
    options = ("--model", "openai:m", "--base-url", server.url, "--prices", "prices.yaml")
    _, found = run_json(capsys, *run("a=openai:a", "b=openai:b", options=options))
    told = beside(found)
    assert told["a"]["cost_usd"] > 0 == told["b"]["cost_usd"]
    assert found["cost_usd"] == pytest.approx(told["a"]["cost_usd"])
    ceiling = ("--max-cost", str(told["a"]["cost_usd"] / 3), "--concurrency", "1", "--fresh")
    code, found = run_json(capsys, *run("a=openai:a", "b=openai:b", options=(*options, *ceiling)))
    assert (code, found["status"]) == (3, "partial") and 0 < found["judged"] < 4
    _, again = run_json(capsys, "resume", "latest", "--max-cost", "100")
    assert (again["status"], again["judged"]) == ("complete", 4)
    assert again["cost_usd"] == pytest.approx(told["a"]["cost_usd"])


def test_a_free_judge_does_not_free_its_candidates(serve, capsys):
    server = serve(answering)
    assert run_command(run(f"a=openai:a@{server.url}", "b=cmd:echo yes", options=("--max-cost", "1"))) == 2
    assert "the price of openai:a (--candidate a) is not known" in capsys.readouterr().err and server.calls == 0


def test_a_dry_run_counts_the_answers_and_asks_nobody(serve, capsys):
    server = serve(answering)
    Path("never.py").write_text("open('asked', 'w')", encoding="utf-8")
    candidates = (f"a=openai:a@{server.url}", f"b=cmd:'{sys.executable}' never.py")
    _, found = run_json(capsys, *run(*candidates, options=("--dry-run", "--model", "openai:gpt-4.1-mini")))
    assert (found["items"], found["calls"]) == (4, 4 * 2 + 4 * 2)
    assert found["candidates"]["a"]["calls"] == 4 and found["candidates"]["a"]["tokens"]["in"] > 400
    nothing = {"in": 0, "out": 0}
    assert found["candidates"]["b"] == {"model": candidates[1][2:], "calls": 4, "tokens": nothing, "cost_usd": 0.0}
    assert found["cost_usd"] is None, "the price of a is not known"
    assert server.calls == 0 and not Path("asked").exists()
    assert run_command(run(*candidates, options=("--dry-run",))) == 0
    told = capsys.readouterr().out
    assert "16 calls, 8 of them to candidates for their answers" in told
    own = found["candidates"]["a"]["tokens"]
    assert f"about {own['in']:,} tokens in and {own['out']:,} out" in told, "the embedded judge is sent none"


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        ("a=offline:x", "`offline` answers no questions"),
        ("a=claude:x", "`claude` answers no questions"),
        ("a=cmd:./nothing-here", "there is no program"),
        ("a=anthropic:claude", "no API key"),
        ("a=http://me:s3cret@host/", "user name or password"),
        ("a=file:none.jsonl", "hint: check the path behind file:\n"),
        ("a=column:nope", "no column `nope` (--candidate a)\n  hint: the row has: id, question"),
    ],
)
def test_what_can_not_be_asked_is_said_before_anything_is_called(candidate, told, capsys):
    assert run_command(run(candidate, "b=cmd:echo yes")) == 2
    error = capsys.readouterr().err
    assert told in error and "s3cret" not in error and not Path("adjudge.db").exists()


def test_a_dry_run_finds_a_program_that_is_not_there(capsys):
    assert run_command(run("a=cmd:./nothing-here", "b=cmd:echo yes", options=("--dry-run",))) == 2
    assert "there is no program" in capsys.readouterr().err


def test_a_judge_without_a_server_leaves_server_and_key_to_the_candidates(serve, capsys, monkeypatch):
    server = serve(answering)
    monkeypatch.setenv("TEAM_KEY", "team-key-of-the-candidates")
    options = ("--base-url", server.url, "--api-key-env", "TEAM_KEY")
    code, found = run_json(capsys, *run("a=openai:a", "b=openai:b", options=options))
    assert (code, found["model"], server.calls) == (0, "offline", 8)
    assert {one.headers["authorization"] for one in server.requests} == {"Bearer team-key-of-the-candidates"}
    assert "url:" not in found["signature"], "the judge has none"
    columns = ("a=column:question", "b=column:answer")
    assert run_command(run(*columns, options=options)) == 2, "nobody is asked over a network"
    assert "--base-url means nothing to --model offline" in capsys.readouterr().err


def test_a_judge_without_a_server_beside_one_with_it_judges_the_same_answers(serve, capsys):
    server = serve(answering)
    options = ("--model", "openai:judge", "--model", "offline", "--base-url", server.url)
    code, found = run_json(capsys, *run("a=openai:a", "b=openai:b", options=options))
    assert code == 0 and [one["model"] for one in found["runs"]] == ["openai:judge", "offline"]
    assert sum(map(is_answering, (one.data for one in server.requests))) == 8, "each answer was asked for once"


def test_a_run_is_resumed_where_its_programs_are(capsys, monkeypatch):
    good, moody = program("good", "print('Marsh.')"), program("moody", "sys.exit(1)")
    assert run_command(run(f"good={good}", f"moody={moody}")) == 3
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert run_command(["resume", "latest", "--store", "sqlite:///../adjudge.db"]) == 2
    told = capsys.readouterr().err
    assert f"no longer what the run began with: good={good}" in told and "resume in the one where the run began" in told


def test_candidates_are_for_comparisons(capsys):
    Path("rows.jsonl").write_text(json.dumps({"content": "c", "text": "t"}), encoding="utf-8")
    assert run_command(["run", "summary", "rows.jsonl", "--candidate", "a=cmd:echo yes"]) == 2
    assert "--candidate is for the compare layout" in capsys.readouterr().err


def test_a_program_that_was_edited_is_not_gone_on_with(capsys):
    good, moody = program("good", "print('Marsh.')"), program("moody", "sys.exit(1)")
    assert run_command(run(f"good={good}", f"moody={moody}")) == 3
    program("good", "print('Something else.')")
    assert run_command(["resume", "latest"]) == 2
    assert "a candidate is no longer what the run began with" in capsys.readouterr().err


def test_killed_while_candidates_answer_a_run_goes_on_and_asks_only_what_is_missing(serve, capsys):
    waiting = "while row['id'] > 'q1' and not os.path.exists('go'): time.sleep(0.05)"
    slow = program("slow", f"import os, time\nopen(row['id'], 'a').write('x')\n{waiting}\nprint('Slowly.')")
    server = serve(answering)
    args = run(f"slow={slow}", f"quick=openai:quick@{server.url}", options=("--concurrency", "2"))
    child = subprocess.Popen([sys.executable, "-m", "adjudge", *args], start_new_session=True)
    wait_for(lambda: Path("q2").exists() and Path("q3").exists())
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert gone(child.pid)
    Path("go").touch()
    code, found = run_json(capsys, "resume", "latest")
    assert (code, found["status"], found["judged"]) == (0, "complete", 4)
    assert [len(Path(f"q{n}").read_text()) for n in range(4)] == [1, 1, 2, 2], "what was answered is not asked again"
    assert server.calls <= 4 + 2


@pytest.mark.parametrize("ask", ["rating", "yes-no"])
def test_answers_can_be_judged_by_questions_too(ask, serve, capsys):
    server = serve(lambda request, n: None if request.get("logprobs") else answering(request, n))
    options = ("--model", "openai:m", "--base-url", server.url, "--ask", ask)
    code, found = run_json(capsys, *run("a=openai:a", "b=openai:b", options=options))
    assert (code, found["judged"]) == (0, 4)


_FILE = re.compile(r"^`(?P<name>[\w.]+)`\n\n```\w+\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def settled(text: str) -> str:
    """Output without what differs from run to run."""
    return re.sub(r"\d+\.\d s|rag-answers-[\w-]+", "S", text)


def test_the_pages_show_what_their_command_says(monkeypatch, capsys):
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "golden.md").read_text(encoding="utf-8")
    for found in _FILE.finditer(page):
        Path(found["name"]).write_text(found["body"], encoding="utf-8")
    (command,) = re.findall(r"^```sh\nadjudge (.*)\n```$", page, re.MULTILINE)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert run_command(shlex.split(command)) == 0
    said = settled(capsys.readouterr().out)
    shown = _SHOWN.findall(page.partition("```sh")[2]) + _SHOWN.findall((docs / "retrieval.md").read_text("utf-8"))
    parts = [part.strip() for block in shown for part in re.split(r"\n\n(?=How the)", block)]
    assert len(parts) == 3
    for part in parts:
        assert settled(part) in said


def test_a_candidate_that_is_waited_for_is_named(monkeypatch):
    monkeypatch.setattr("adjudge.core.limits.SILENT_S", 0.2)
    waiting = "import os, time\nwhile not os.path.exists('told'): time.sleep(0.05)\nprint('Slowly.')"
    slow, quick = program("slow", waiting), program("quick", "print('Marsh.')")

    def listener(heard: Any) -> None:
        if heard.trouble.startswith("no answer of slow for 0.2 s"):
            Path("told").touch()

    adjudge.evaluate("rag-answers", ROWS[:1], candidates=(f"slow={slow}", f"quick={quick}"), listener=listener)
    assert Path("told").exists()
