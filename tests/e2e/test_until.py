"""`--until`: a run ends when its question is answered, at the same item whatever happens, and says what it saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from tests.e2e.test_run_http import run_json
from tests.e2e.until import judging, questions, rendered, summaries, translations
from tests.fakes.server import Answer

CI = "ci(coverage) < 0.25"


def dataset(rows: list[dict[str, Any]], name: str = "rows.jsonl") -> str:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def lines(capsys, store: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_command(["export", "latest", "--store", store]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_run_ends_when_the_mean_is_known_well_enough(serve, capsys):
    server = serve(judging())
    run = ["run", "summary", dataset(summaries(600)), "--model", "openai:m", "--base-url", server.url]
    code, found = run_json(capsys, *run, "--until", CI, "--concurrency", "1")
    asked = found["beside"]["until"]
    assert (code, found["status"], found["failed"]) == (0, "complete", 0)
    assert asked["answered"] and asked["question"] == CI and asked["half_width"] < 0.25
    assert 20 < asked["items"] == found["judged"] < 300 and found["items"] == asked["of"] == 600
    # one call an item, and not one more
    assert server.calls == found["calls"] == asked["items"]
    assert asked["calls_saved"] == 600 - server.calls
    assert asked["mean"] == pytest.approx(found["criteria"]["coverage"]["mean"])
    assert not any("not finished" in warning for warning in found["warnings"])
    # and what all of them would have come to is in the interval
    code, whole = run_json(capsys, *run)
    assert (code, whole["judged"], server.calls) == (0, 600, 600), (
        "the replies that there are were taken from the store"
    )
    low, high = asked["interval"]
    assert low <= whole["criteria"]["coverage"]["mean"] <= high


def test_a_gate_takes_the_interval_that_allows_for_the_looking(serve, capsys):
    server = serve(judging())
    run = ["run", "summary", dataset(summaries(300)), "--model", "openai:m", "--base-url", server.url, "--until", CI]
    _, found = run_json(capsys, *run)
    low, high = found["beside"]["until"]["interval"]
    assert found["criteria"]["coverage"]["ci95"] != [low, high]
    assert run_command(["gate", "latest", "--min", f"coverage={low + 0.001}", "--on", "ci", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    judged, held = told["bounds"]
    assert judged["met"] and (held["ci95"], held["reason"]) == ([low, high], "end")
    assert any("--until" in warning for warning in told["warnings"])
    assert run_command(["gate", "latest", "--min", f"coverage={low - 0.001}", "--on", "ci"]) == 0


@pytest.mark.parametrize("rows", [summaries(300), questions(120)])
def test_it_ends_at_the_same_item_whatever_is_in_flight(rows, serve, capsys):
    judge, until = ("summary", CI) if "text" in rows[0] else ("rag-answers", "better(North, South)")
    exports, tables = [], []
    server = serve(judging(slow=True))
    for concurrency in (1, 7, 32):
        server.requests.clear()
        store = f"sqlite:///c{concurrency}.db"
        run = ["run", judge, dataset(rows), "--model", "openai:m", "--base-url", server.url, "--store", store]
        code, found = run_json(capsys, *run, "--until", until, "--concurrency", str(concurrency))
        asked = found["beside"]["until"]
        assert (code, found["status"], asked["answered"]) == (0, "complete", True)
        assert server.calls == found["calls"]
        calls = 2 if judge == "rag-answers" else 1
        assert server.calls <= calls * (found["judged"] + 2 * concurrency), "what is under way is bounded"
        exports.append(lines(capsys, store))
        tables.append((asked["items"], asked["mean"], asked["interval"], found["criteria"], found["derived"]))
    assert exports[0] == exports[1] == exports[2]
    assert tables[0] == tables[1] == tables[2]
    ids = [line["id"] for line in exports[0]]
    assert ids == [row["id"] for row in rows if row["id"] in set(ids)], "exports stay in dataset order"
    assert ids != [row["id"] for row in rows][: len(ids)], "and the items were drawn from all over it"


def test_another_seed_draws_other_items_and_the_order_of_the_rows_decides_nothing(serve, capsys):
    url = serve(judging()).url
    rows = summaries(300)
    drawn = []
    for number, (given, seed) in enumerate([(rows, 0), (rows[::-1], 0), (rows, 1)]):
        store = f"sqlite:///s{number}.db"
        run = ["run", "summary", dataset(given, f"d{number}.jsonl"), "--model", "openai:m", "--base-url", url]
        assert run_json(capsys, *run, "--until", CI, "--seed", str(seed), "--store", store)[0] == 0
        drawn.append({line["id"]: line["scores"] for line in lines(capsys, store)})
    assert drawn[0] == drawn[1]
    assert drawn[0].keys() != drawn[2].keys()


def test_the_better_candidate_is_named_and_equals_stay_open(serve, capsys):
    server = serve(judging())
    run = ["run", "rag-answers", dataset(questions(150)), "--model", "openai:m", "--base-url", server.url]
    code, found = run_json(capsys, *run, "--until", "better(South, North)", "--concurrency", "1")
    asked = found["beside"]["until"]
    assert (code, asked["better"], asked["answered"]) == (0, "North", True)
    assert asked["question"] == "better(South, North, total)" and asked["interval"][1] < 0
    assert found["judged"] < 60 and server.calls == 2 * found["judged"]
    assert asked["calls_saved"] == 2 * (150 - found["judged"])
    code, found = run_json(capsys, *run, "--until", "better(South, East, clarity)")
    asked = found["beside"]["until"]
    assert (code, found["status"], found["judged"]) == (0, "complete", 150)
    assert (asked["answered"], asked["better"], asked["calls_saved"]) == (False, None, 0)
    capsys.readouterr()
    assert run_command(["show", "latest"]) == 0
    assert "the question is still open" in " ".join(capsys.readouterr().out.split())


def test_systems_are_compared_by_the_sources_that_both_rendered(serve, capsys):
    rows = rendered(80)
    run = ["run", "summary", dataset(rows), "--model", "openai:m", "--base-url", serve(judging(slow=True)).url]
    code, found = run_json(capsys, *run, "--until", "better(North, East)", "--concurrency", "16")
    asked = found["beside"]["until"]
    assert (code, asked["better"]) == (0, "North")
    ids = [line["id"] for line in lines(capsys, "sqlite:///adjudge.db")]
    drawn = {name.split("-")[1] for name in ids}
    assert len(ids) == 3 * len(drawn) == found["judged"] < 240, "whole sources are drawn"
    assert asked["counted"] == len(drawn)


def test_batches_are_drawn_whole_and_summed_up(serve, capsys):
    tables = []
    server = serve(judging(slow=True))
    for concurrency in (1, 8):
        run = ["run", "translation", dataset(translations(203)), "--model", "openai:m", "--base-url", server.url]
        options = ["--until", "ci(adequacy) < 0.4", "--batch-size", "5", "--concurrency", str(concurrency)]
        code, found = run_json(capsys, *run, *options, "--store", f"sqlite:///b{concurrency}.db")
        assert (code, found["status"]) == (0, "complete")
        assert found["judged"] < 203 and found["summary"]["adequacy"]
        places = sorted(int(line["id"][1:]) // 5 for line in lines(capsys, f"sqlite:///b{concurrency}.db"))
        assert all(places.count(batch) == (3 if batch == 40 else 5) for batch in places)
        tables.append((found["beside"]["until"]["items"], found["beside"]["until"]["interval"], found["summary"]))
    assert tables[0] == tables[1]


def test_the_embedded_judge_can_be_asked_too(capsys):
    rows = [
        {**row, "text": f"Story {k}. It ends." if k % 3 else "Snow fell on a ship."}
        for k, row in enumerate(summaries(300))
    ]
    code, found = run_json(capsys, "run", "summary", dataset(rows), "--until", "ci(average_score) < 0.3")
    assert (code, found["beside"]["until"]["answered"]) == (0, True)
    assert found["judged"] < 300


def test_items_that_failed_count_neither_way(serve, capsys):
    server = serve(judging(lost=r"Story \d*7\."))
    run = ["run", "summary", dataset(summaries(300)), "--model", "openai:m", "--base-url", server.url]
    code, found = run_json(capsys, *run, "--until", CI)
    asked = found["beside"]["until"]
    assert (code, found["status"], asked["answered"]) == (3, "partial", True)
    assert asked["counted"] == found["judged"] and asked["items"] == found["judged"] + found["failed"] < 300
    # resuming asks those again, and no others; where they fail again, all stays as it was
    before = server.calls
    code, again = run_json(capsys, "resume", "latest")
    assert (code, again["beside"]["until"]["interval"]) == (3, asked["interval"])
    assert server.calls - before <= 2 * found["failed"]
    server.script = judging()
    code, healed = run_json(capsys, "resume", "latest")
    assert (code, healed["status"], healed["failed"]) == (0, "complete", 0)
    assert healed["beside"]["until"]["answered"] and healed["judged"] <= asked["items"]


def test_a_resumed_run_makes_no_call_and_a_repeated_one_neither(serve, capsys):
    server = serve(judging())
    run = ["run", "summary", dataset(summaries(300)), "--model", "openai:m", "--base-url", server.url, "--until", CI]
    _, first = run_json(capsys, *run)
    calls = server.calls
    code, again = run_json(capsys, "resume", "latest")
    assert (code, server.calls, again["judged"]) == (0, calls, first["judged"])
    code, twin = run_json(capsys, *run)
    assert (code, server.calls, twin["calls"], twin["criteria"]) == (0, calls, 0, first["criteria"])
    assert run_command(["runs"]) == 0
    assert f"complete · {first['judged']} of 300 judged · until {CI}" in capsys.readouterr().out


def test_a_budget_and_a_limit_may_end_it_first(serve, capsys):
    Path("prices.yaml").write_text('prices: {"openai:m": {input: 1.0, output: 1.0, seen: "2026-01-31"}}')
    server = serve(judging())
    run = ["run", "summary", dataset(summaries(300)), "--model", "openai:m", "--base-url", server.url]
    spent = ["--until", CI, "--prices", "prices.yaml", "--max-cost", "0.02", "--concurrency", "4"]
    code, found = run_json(capsys, *run, *spent)
    assert (code, found["status"], found["beside"]["until"]["answered"]) == (3, "partial", False)
    assert any("not finished" in warning for warning in found["warnings"])
    code, found = run_json(capsys, "resume", "latest", "--max-cost", "10")
    assert (code, found["status"], found["beside"]["until"]["answered"]) == (0, "complete", True)
    _, whole = run_json(capsys, *run, "--until", CI, "--fresh", "--store", "sqlite:///whole.db")
    assert found["beside"]["until"]["interval"] == whole["beside"]["until"]["interval"]
    code, found = run_json(capsys, *run, "--until", CI, "--limit", "10")
    assert (code, found["items"], found["judged"]) == (0, 10, found["beside"]["until"]["items"])


def test_repeats_and_orders_go_along(serve, capsys):
    server = serve(judging())
    run = ["run", "rag-answers", dataset(questions(60)), "--model", "openai:m", "--base-url", server.url]
    options = ["--until", "better(North, East)", "--repeat", "2", "--orders", "balanced", "--concurrency", "4"]
    code, found = run_json(capsys, *run, *options)
    assert (code, found["beside"]["until"]["better"]) == (0, "North")
    assert server.calls == found["calls"] < 60 * 6


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("ci(coverge) < 0.1", "did you mean `coverage`?"),
        ("ci(coverage)", 'ask "ci(CRITERION) < 0.1"'),
        ("ci(coverage) < nought", "`nought` is no half-width above 0"),
        ("ci(coverage) < -1", "`-1` is no half-width above 0"),
        ("ci(coverage) < 2", "is true before anything is judged"),
        ("better(A, B)", "the data has no system `A`"),
        ("better(North, North)", "better than itself"),
        ("better(North, Suoth)", "did you mean `South`?"),
        ("better(North, South, coverge)", "did you mean `coverage`?"),
        ("worse(North, South)", "is no question"),
    ],
)
def test_what_is_no_question_is_said_before_anything_is_called(until, said, serve, capsys):
    server = serve(judging())
    run = ["run", "summary", dataset(rendered(5)), "--model", "openai:m", "--base-url", server.url, "--until", until]
    assert run_command(run) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert server.calls == 0 and not Path("adjudge.db").exists()


def test_sides_that_the_judge_or_a_batch_can_not_have_are_refused(serve, capsys):
    url = serve(judging()).url
    rows = [{**row, "system": ("North", "South")[n % 2]} for n, row in enumerate(translations(20))]
    run = ["run", "translation", dataset(rows), "--model", "openai:m", "--base-url", url]
    assert run_command([*run, "--until", "better(North, South)"]) == 2
    assert "--batch-size 1" in capsys.readouterr().err
    searched = {
        "user_query": "?",
        "search_results": [{"url": "https://e.example", "content": "x"}],
        "summary": "x [1].",
    }
    run = ["run", "search-summary", dataset([searched]), "--model", "openai:m", "--base-url", url]
    assert run_command([*run, "--until", "better(A, B)"]) == 2
    assert "compares candidates, or systems" in capsys.readouterr().err


def test_what_the_embedded_judge_can_not_score_is_said_beforehand(capsys):
    assert run_command(["run", "rag-answers", dataset(questions(5)), "--until", "ci(depth) < 0.1"]) == 2
    assert "the embedded judge can't score `depth`" in capsys.readouterr().err


def test_dry_run_says_that_it_is_the_most(capsys):
    assert run_command(["run", "summary", dataset(summaries(30)), "--until", CI, "--dry-run"]) == 0
    assert f"at most, since it ends when {CI} is answered" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "Answered after {n} of 300 items"), ("ru", "Ответ получен после {n} из 300 записей")]
)
def test_text_markdown_and_html_say_it_in_both_languages(lang, said, serve, capsys):
    run = ["run", "summary", dataset(summaries(300)), "--model", "openai:m", "--base-url", serve(judging()).url]
    _, found = run_json(capsys, *run, "--until", CI, "--lang", lang)
    for form in ("text", "markdown", "html"):
        assert run_command(["show", "latest", "--format", form]) == 0
        text = " ".join(capsys.readouterr().out.replace("&lt;", "<").split())
        assert said.format(n=found["judged"]) in text
        assert CI in text


def test_from_python_and_in_several_models_at_once(serve, capsys):
    server = serve(judging())
    run = adjudge.evaluate("summary", summaries(300), model="openai:m", base_url=server.url, until=CI)
    answer = run.report().state.answer
    assert answer is not None and answer.answered
    file = dataset(summaries(300))
    run_of = ["run", "summary", file, "--until", CI, "--store", "sqlite:///two.db"]
    code, found = run_json(capsys, *run_of, "--model", "openai:a", "--model", "openai:b", "--base-url", server.url)
    assert code == 0
    assert all(one["beside"]["until"]["answered"] for one in found["runs"])


def test_candidates_that_are_asked_for_their_answers_go_along(serve, capsys):
    judged = judging(slow=True)

    def script(request, n):
        if "response_format" not in request:
            about = request["messages"][-1]["content"]
            return Answer(text=f"answer of {request['model'].title()} to {about}")
        return judged(request, n)

    rows = [{name: row[name] for name in ("id", "question", "sources")} for row in questions(80)]
    server = serve(script)
    run = ["run", "rag-answers", dataset(rows), "--model", "openai:m", "--base-url", server.url]
    for name in ("North", "South"):
        run += ["--candidate", f"{name}=openai:{name.lower()}"]
    found = []
    for concurrency in (1, 8):
        store = f"sqlite:///a{concurrency}.db"
        options = ["--until", "better(South, North)", "--concurrency", str(concurrency), "--store", store]
        code, report = run_json(capsys, *run, *options)
        assert (code, report["beside"]["until"]["better"]) == (0, "North") and report["judged"] < 80
        answered = report["beside"]["answering"]["North"]
        found.append((lines(capsys, store), report["beside"]["until"]["interval"], answered.get("n")))
    assert found[0] == found[1]
    assert run_command([*run, "--until", "better(East, North)"]) == 2
    assert "no candidate `East`" in capsys.readouterr().err


def test_both_stores_draw_alike(serve, capsys, postgres_url):
    server = serve(judging())
    run = ["run", "rag-answers", dataset(questions(60)), "--model", "openai:m", "--base-url", server.url]
    found = []
    for store in ("sqlite:///here.db", postgres_url):
        code, report = run_json(capsys, *run, "--until", "better(North, South)", "--store", store, "--concurrency", "4")
        assert code == 0
        found.append((lines(capsys, store), report["beside"]["until"]["interval"]))
    assert found[0] == found[1]
