"""`adjudge compare` from files to the answer: embedded judge and scripted server, runs, candidates and systems."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from tests.e2e.test_run_http import run_json, valid
from tests.e2e.test_systems import batch, dataset
from tests.e2e.until import judging, summaries
from tests.fakes.server import Answer
from tests.fakes.verdicts import a_row, a_run

N = 40
STORE = "sqlite:///adjudge.db"


def story(number: int) -> list[str]:
    draw = random.Random(number)
    who = draw.choice(["Ilsa", "Tomas", "Vera"])
    return [
        f"{who} came to the mill in {draw.randint(1900, 2020)} to repair the bridge.",
        f"The council had set aside {draw.randint(2, 90)} thousand crowns for the work.",
        "Heavy rain washed away the scaffolding in the second week.",
        f"In the end {who} finished it alone, two months late, and left without being paid.",
    ]


def judged(name: str, tell: Callable[[int, list[str]], str], *, ids: bool = True, lang: str = "en") -> str:
    """A run of the embedded judge over summaries of the same stories; its name."""
    rows = []
    for number in range(N):
        told = story(number)
        row = {"content": " ".join(told), "text": tell(number, told)}
        rows.append({"id": f"s{number:02}", **row} if ids else row)
    Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run_command(["run", "summary", f"{name}.jsonl", "--name", name, "--lang", lang, "--json"]) == 0
    return name


def faithful(_: int, told: list[str]) -> str:
    return f"{told[0]} {told[3]}"


def slipping(number: int, told: list[str]) -> str:
    text = faithful(number, told)
    return text.replace(" in ", " in not ").replace("alone", "with nine others") if number % 3 else text


def compared(capsys, *args: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run_command(["compare", *args])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_better_run_is_named_in_every_form(capsys):
    names = [judged("old", slipping), judged("new", faithful)]
    code, out, _ = compared(capsys, *names)
    assert code == 0 and out.splitlines()[0] == "Summary: new against old"
    answer = out.split("\n\n")[1].replace("\n", " ")
    assert answer.startswith("new is better than old: +0.") and "in Average score on 40 items, p < 0.001" in answer
    assert max(map(len, out.splitlines())) <= 80
    for form, mark in (("markdown", "# Summary: new against old"), ("html", "<h1>Summary: new against old</h1>")):
        code, page, _ = compared(capsys, *names, "--format", form)
        assert code == 0 and mark in page and "new is better than old" in page
    code, data, _ = compared(capsys, *names, "--json")
    found = json.loads(data)
    assert data.count("\n") == 1 and found["answers"][0].startswith("new is better than old")
    assert found == adjudge.compare(names).as_json()
    code, said, told = compared(capsys, *names, "-o", "page.html", "--format", "html")
    assert (code, said, told) == (0, "", "wrote page.html\n") and "new is better" in Path("page.html").read_text()


def test_russian_runs_are_answered_in_russian(capsys):
    names = [judged("old", slipping, lang="ru"), judged("new", faithful, lang="ru")]
    code, out, _ = compared(capsys, *names)
    assert code == 0 and "new лучше, чем old: +0," in out.replace("\n", " ")
    assert "$" not in out


def test_runs_without_ids_are_paired_by_their_sources(capsys):
    names = [judged("old", slipping, ids=False), judged("new", faithful, ids=False)]
    code, out, _ = compared(capsys, *names, "--json")
    found = json.loads(out)
    assert (code, found["paired_by"], found["items"]) == (0, "source", N)
    assert found["overall"]["pairs"][0]["verdict"] == "better"
    assert any("paired by their source texts" in one for one in found["warnings"])


def test_two_runs_of_the_same_texts_are_the_same(capsys):
    names = [judged("one", faithful), judged("two", lambda number, told: faithful(number, told) + " ")]
    code, out, _ = compared(capsys, *names, "--margin", "0.5")
    assert code == 0 and "one and two are the same within ±0.5: 0.00" in out.replace("\n", " ")


def test_runs_that_have_nothing_in_common_are_refused_with_what_to_do(capsys):
    judged("old", slipping)
    Path("other.jsonl").write_text('{"id": "x", "content": "Another story.", "text": "Another."}\n')
    assert run_command(["run", "summary", "other.jsonl", "--name", "other", "--lang", "en"]) == 0
    code, out, err = compared(capsys, "old", "other", "-o", "page.txt")
    assert code == 2 and out == "" and "have no item in common" in err and "the same `id`" in err
    assert not Path("page.txt").exists()


def test_failures_block_an_answer_that_they_could_turn(serve, capsys):
    """A server that refuses every tenth summary of one of the two."""

    def answer(request: dict[str, Any], n: int) -> Answer:
        verdict, user = valid(request), "".join(one["content"] for one in request["messages"])
        new = "The new words" in user
        for name, value in verdict.items():
            if isinstance(value, dict) and "score" in value:
                value["score"] = 3 + (new and random.Random(name + user).random() < 0.3)
        bad = new and any(f"number {k}." in user for k in range(0, N, 10))
        return Answer(text="no verdict here" if bad else json.dumps(verdict))

    url = serve(answer).url
    for name in ("old", "new"):
        rows = [{"id": f"i{k}", "content": f"Story number {k}.", "text": f"The {name} words."} for k in range(N)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        run = ["run", "summary", f"{name}.jsonl", "--model", "openai:m", "--base-url", url, "--name", name]
        code, _ = run_json(capsys, *run, "--lang", "en")
        assert code == (0 if name == "old" else 3)
    code, out, _ = compared(capsys, "old", "new")
    text = " ".join(out.split())
    assert code == 0 and "It can't be said which of old and new is better in Average score" in text
    assert "new: failed 4." in text and "i10 new failed: no_verdict" in text
    code, out, _ = compared(capsys, "old", "new", "--json")
    found = json.loads(out)
    assert found["overall"]["pairs"][0]["verdict"] == "blocked" and found["sides"][1]["lacks"] == {"failed": 4}


def test_three_runs_are_ranked(capsys):
    names = [judged("old", slipping), judged("new", faithful), judged("cut", lambda _, told: told[2][:20])]
    code, out, _ = compared(capsys, *names)
    assert code == 0 and "new is the best of 3 in Average score" in out.replace("\n", " ")
    assert "Ranking by Average score" in out and "Average score: each against each" in out
    code, data, _ = compared(capsys, *names, "--json")
    ranking = json.loads(data)["overall"]["ranking"]
    assert ranking[0]["name"] == "new" and [one["rank"] for one in ranking] == [1, 2, 3]


def test_the_candidates_of_one_run(capsys):
    rows = []
    for number in range(12):
        told = story(number)
        answers = {"full": " ".join(told), "wrong": "The moon is made of cheese and nobody was there."}
        rows.append({"id": f"q{number}", "question": "Who repaired the bridge?", "sources": told, "answers": answers})
    Path("q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run_command(["run", "rag-answers", "q.jsonl", "--name", "q", "--lang", "en", "--json"]) == 0
    code, out, _ = compared(capsys, "q")
    assert code == 0 and "full is better than wrong: +" in out.replace("\n", " ")


def test_the_systems_of_one_run(serve, capsys, tmp_path):
    run = [
        "run",
        "translation",
        dataset(tmp_path, "translation"),
        "--model",
        "openai:m",
        "--base-url",
        serve(batch).url,
    ]
    assert run_json(capsys, *run, "--lang", "en", "--name", "t")[0] == 0
    code, out, _ = compared(capsys, "t", "--json")
    found = json.loads(out)
    assert (code, found["by"], found["paired_by"], found["items"]) == (0, "system", "source", 24)
    assert [side["name"] for side in found["sides"]] == ["north", "south", "west"]
    verdicts = {(one["a"], one["b"]): one["verdict"] for one in found["overall"]["pairs"]}
    assert verdicts["north", "west"] == verdicts["south", "west"] == "worse"
    assert verdicts["north", "south"] not in ("better", "worse")


def test_several_models_at_once_lead_here(serve, capsys):
    Path("rows.jsonl").write_text("".join(json.dumps({**row, "id": f"i{n}"}) + "\n" for n, row in enumerate(
        {"content": story(n)[0], "text": story(n)[0]} for n in range(12))))  # fmt: skip

    def answer(request: dict[str, Any], n: int) -> Answer:
        verdict = valid(request)
        for name, value in verdict.items():
            if isinstance(value, dict) and "score" in value:
                user = request["messages"][-1]["content"]
                value["score"] = 2 + 2 * (request["model"] == "mild") + random.Random(name + user).randint(0, 1)
        return Answer(text=json.dumps(verdict))

    model = ["--model", "openai:mild", "--model", "openai:stern", "--base-url", serve(answer).url]
    assert run_command(["run", "summary", "rows.jsonl", *model, "--lang", "en"]) == 0
    (told,) = (line for line in capsys.readouterr().err.splitlines() if "adjudge compare" in line)
    ids = told.split("adjudge compare ")[1].split()
    code, out, _ = compared(capsys, *ids)
    text = " ".join(out.split())
    assert code == 0 and "this tells how the judges differ, not which text is better" in text
    assert f"adjudge agree {ids[0]} {ids[1]}" in text and "better than" not in text.split("Verdict")[1]


def test_the_same_bytes_whatever_the_hash_seed():
    scores = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
    judge = adjudge.load_judge("summary", lang="en")
    for name, seed in (("one", 1), ("two", 2), ("three", 3)):
        draw = random.Random(seed)
        rows = [{**a_row(judge, n), "content": f"story {n // 2}", "text": f"{name} {n}"} for n in range(30)]
        given = [{key: [draw.randint(1, 5), draw.randint(1, 5)] for key in scores} for _ in range(30)]
        given[seed] = None  # type: ignore[call-overload]
        a_run(STORE, "summary", given, rows=rows, name=name)
    pages = set()
    for hashes in ("0", "1", "77"):
        for form in ("text", "json"):
            command = [sys.executable, "-m", "adjudge", "compare", "one", "two", "three", "--format", form]
            done = subprocess.run(
                command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": hashes, "COLUMNS": "80"}
            )
            pages.add(done.stdout)
    assert len(pages) == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["old"], "nothing to compare run"),
        (["old", "old"], "is given twice"),
        (["old", "nope"], "nope"),
        (["old", "new", "--margin", "x"], "no number of points"),
        (["old", "new", "--margin", "-1"], "no number of points"),
        (["old", "new", "--margin", "inf"], "no number of points"),
        (["old", "new", "--margin", "1", "--margin", "coverage=1"], "for all values and for one"),
        (["old", "new", "--margin", "taste=1"], "there is no `taste`"),
        (["old", "new", "--margin", "9"], "whose scale is 1 to 5"),
        (["old", "new", "--by", "system"], "old has no systems to compare"),
        (["old", "new", "--by", "candidate"], "no candidates to compare"),
        ([], "Missing argument"),
    ],
)
def test_what_can_t_be_asked_is_said_and_nothing_is_written(capsys, args, said):
    for name, score in (("old", 2), ("new", 3)):
        given = [dict.fromkeys(("coverage", "accuracy", "coherence", "conciseness", "hallucination_check"), score)] * 3
        a_run(STORE, "summary", given, name=name)
    code, out, err = compared(capsys, *args)
    assert code == 2 and out == "" and said in err


def test_items_that_a_run_did_not_ask_because_it_stopped_early_are_told_so(serve, capsys):
    run = ["run", "summary", "--model", "openai:m", "--base-url", serve(judging()).url]
    for name, more in (("whole", []), ("short", ["--until", "ci(coverage) < 0.4"])):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in summaries(120)), encoding="utf-8")
        assert run_command([*run, f"{name}.jsonl", "--name", name, *more]) == 0
    _, out, _ = compared(capsys, "whole", "short", "--json")
    found = json.loads(out)
    judged = found["sides"][1]["judged"]
    assert found["sides"][1]["lacks"] == {"stopped": 120 - judged} and judged < 120
    assert {gap["why"] for gap in found["judged_on_one_side"]["first"]} == {"stopped"}
    assert found["overall"]["pairs"][0]["verdict"] in ("blocked", "not_separable")
