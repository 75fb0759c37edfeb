"""The judge `translation-mqm` from rows to reports: a server lists errors, code finds their words and adds them up."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from adjudge.core.records import Item
from adjudge.spec.prompt import item_labels
from tests.fakes.server import Answer, answer_with_odds

ROWS: list[dict[str, Any]] = [
    {"id": "clean", "src": "The door is open.", "trg": "Дверь открыта."},
    {"id": "dose", "src": "Do not take more than two pills a day.", "trg": "Принимайте больше двух таблеток в день ."},
    {"id": "part", "src": "The old bridge was closed in May.", "trg": "Мост закрыли в мае."},
]


def error(span: str, category: str, severity: str, why: str = "because") -> dict[str, Any]:
    return {"span": span, "explanation": why, "category": category, "severity": severity}


LISTS: dict[str, list[dict[str, Any]]] = {
    "Дверь открыта.": [],
    "Принимайте больше двух таблеток в день .": [
        error("Принимайте больше двух", "accuracy/mistranslation", "critical", "The negation is lost"),
        error("день .", "fluency/punctuation", "minor", "No space before a full stop"),
    ],
    "Мост закрыли в мае.": [
        error("old", "accuracy/omission", "minor", "The age of the bridge is left out"),
        error("words that stand nowhere", "style/awkward", "minor"),
    ],
}


def judged(request: dict[str, Any]) -> str:
    found = re.search(r"<<<[0-9a-f]{12} trg\n(.*?)\n[0-9a-f]{12}>>>", request["messages"][1]["content"], re.DOTALL)
    assert found
    return found[1]


def lists(request: dict[str, Any], _: int) -> Answer:
    return Answer(text=json.dumps({"errors": LISTS[judged(request)]}, ensure_ascii=False))


def evaluated(server: Any, judge: Any = "translation-mqm", **options: Any) -> dict[str, Any]:
    run = adjudge.evaluate(judge, ROWS, model="openai:m", base_url=server.url, **options)
    return {outcome.item: outcome for outcome in run.outcomes()}


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_errors_become_places_penalties_and_a_report(lang, serve):
    server = serve(lists)
    found = evaluated(server, adjudge.load_judge("translation-mqm", lang=lang), name="mqm")
    assert {item: verdict.scores for item, verdict in found.items()} == {
        "clean": {"errors": 0},
        "dose": {"errors": 25.1},
        "part": {"errors": 2},
    }
    assert found["clean"].native == {"errors": [], "score": 0}
    first, second = found["dose"].native["errors"]
    assert first == {
        "span": "Принимайте больше двух",
        "category": "accuracy/mistranslation",
        "severity": "critical",
        "explanation": "The negation is lost",
        "start": 0,
        "end": 22,
    }
    assert ROWS[1]["trg"][second["start"] : second["end"]] == "день ."
    omitted, absent = found["part"].findings
    assert (omitted["at"], omitted["source"], omitted["source_at"]) == (None, "src", [4, 7])
    assert (absent["at"], absent["source_at"], absent["kind"]) == (None, None, "span_minor")
    assert found["part"].flags == ("span_not_found:errors",)
    asked = server.requests[0].schema
    assert asked["properties"]["errors"]["items"]["properties"]["severity"]["enum"] == ["critical", "major", "minor"]
    assert run_command(["show", "mqm", "--format", "html", "-o", "mqm.html"]) == 0
    page = Path("mqm.html").read_text(encoding="utf-8")
    assert re.search(r"<mark[^>]*>Принимайте больше двух</mark>", page)
    assert re.search(r"The <mark[^>]*>old</mark> bridge was closed in May\.", page)
    assert run_command(["export", "mqm", "--format", "jsonl", "-o", "mqm.jsonl"]) == 0
    exported = [json.loads(line) for line in Path("mqm.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["scores"]["errors"] for row in exported] == [0, 25.1, 2]
    assert exported[1]["findings"][0]["at"] == [0, 22]


def test_an_unknown_severity_is_asked_again_once_and_never_guessed(serve):
    def script(request, n):
        if judged(request) != ROWS[1]["trg"] or len(request["messages"]) > 2:
            return lists(request, n)
        return Answer(text=json.dumps({"errors": [error("двух", "other", "awful")]}))

    server = serve(script)
    found = evaluated(server)
    assert found["dose"].scores == {"errors": 25.1}
    assert server.calls == 4
    (repair,) = [one.user for one in server.requests if len(one.data["messages"]) > 2]
    assert "the severity 'awful' is none of critical, major, minor" in repair


def test_what_stays_unknown_is_a_failure_and_no_number(serve):
    server = serve(lambda request, _: Answer(text=json.dumps({"errors": [error("x", "taste", "minor")]})))
    found = evaluated(server)
    assert all(isinstance(outcome, adjudge.Failure) for outcome in found.values())
    assert {outcome.kind for outcome in found.values()} == {"malformed"}


def test_many_errors_stop_at_the_end_of_the_scale(serve):
    listed = [error("Дверь", "other", "critical")] * 9
    server = serve(lambda request, _: Answer(text=json.dumps({"errors": listed})))
    verdict = evaluated(server)["clean"]
    assert (verdict.scores, verdict.flags) == ({"errors": 100}, ("penalty_capped:errors",))
    assert len(verdict.native["errors"]) == 9


def test_repeats_give_the_mean_and_the_list_nearest_to_it(serve):
    counts = iter([0, 2, 4])
    rows, minor = ROWS[:1], error("Дверь", "style/awkward", "minor")
    server = serve(lambda request, _: Answer(text=json.dumps({"errors": [minor] * next(counts)})))
    run = adjudge.evaluate("translation-mqm", rows, model="openai:m", base_url=server.url, repeat=3, concurrency=1)
    (verdict,) = run.outcomes()
    assert isinstance(verdict, adjudge.Verdict)
    assert (verdict.scores, len(verdict.native["errors"])) == ({"errors": 2}, 2)


def test_the_page_shows_what_really_comes_out(serve):
    page = (Path(__file__).parents[2] / "docs" / "error-spans.md").read_text(encoding="utf-8")
    blocks = [body for _, body in re.findall(r"^```(json|text)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)]
    rows, report, native, omission = blocks
    shown = {one["id"]: one["errors"] for one in map(json.loads, native.splitlines())}
    lists = {row["trg"]: shown[row["id"]] for row in map(json.loads, rows.splitlines())}
    asked = ("span", "explanation", "category", "severity")

    def script(request, _):
        listed = [{key: one[key] for key in asked} for one in lists[judged(request)]]
        return Answer(text=json.dumps({"errors": listed}, ensure_ascii=False))

    Path("segments.jsonl").write_text(rows, encoding="utf-8")
    arguments = ["run", "translation-mqm", "segments.jsonl", "--model", "openai:m", "--base-url", serve(script).url]
    assert run_command([*arguments, "--name", "mqm"]) == 0
    for name, kind in (("native", "native"), ("all", "jsonl")):
        assert run_command(["export", "mqm", "--format", kind, "-o", name]) == 0
    assert Path("native").read_text(encoding="utf-8") == native
    exported = {row["id"]: row for row in map(json.loads, Path("all").read_text(encoding="utf-8").splitlines())}
    assert exported["bridge"]["findings"] == json.loads(omission)
    table = report.partition("Errors by category\n")[2].partition("\n\n")[0]
    assert run_command(["show", "mqm", "-o", "report"]) == 0
    assert table in Path("report").read_text(encoding="utf-8")


def test_lists_of_errors_come_in_batches_too(serve):
    folder = Path("batch")
    folder.mkdir()
    for name, text in adjudge.load_judge("translation-mqm").files.items():
        told = text.replace("layout: single", "layout: batch").replace("languages: [en, ru]", "languages: [en]")
        (folder / name).write_text(
            told + ("merge: 'Merge. {{format}}'\n" if name == "en.yaml" else ""), encoding="utf-8"
        )

    by_id = {row["id"]: row["trg"] for row in ROWS}
    labels = item_labels([Item(id=item, fields={}) for item in by_id])  # an id of words is not shown as it is

    def script(request, _):
        scores = {shown: {"errors": LISTS[by_id[item]]} for shown, item in labels.items()}
        return Answer(text=json.dumps({"scores": scores, "summary": {"errors": "Some."}}, ensure_ascii=False))

    server = serve(script)
    found = evaluated(server, str(folder.resolve()))
    assert server.calls == 1
    assert {item: verdict.scores["errors"] for item, verdict in found.items()} == {"clean": 0, "dose": 25.1, "part": 2}
    assert [one["at"] for one in found["dose"].findings] == [[0, 22], [34, 40]]


def test_the_embedded_judge_that_can_score_nothing_is_refused_before_anything_is_written(capsys):
    Path("segments.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    for more in ([], ["--dry-run"]):
        assert run_command(["run", "translation-mqm", "segments.jsonl", *more]) == 2
        told = capsys.readouterr().err
        assert "the embedded judge can't score any criterion of `translation-mqm`\n  hint: name a model" in told
    assert not Path("adjudge.db").exists()


def test_the_embedded_judge_lists_nothing_and_says_why():
    folder = Path("both")
    folder.mkdir()
    rated = "  fluent: {kind: rating, measure: punctuation, scale: {min: 1, max: 2, better: higher}}\n"
    worded = "  fluent: {title: Fluency, asks: Is it fluent?, labels: {1: It is not, 2: It is}}\n"
    for name, text in adjudge.load_judge("translation-mqm").files.items():
        told = text.replace("languages: [en, ru]", "languages: [en]")
        told = told.replace("output:\n", f"{rated}output:\n  fluent: fluent\n")
        (folder / name).write_text(told + worded * (name == "en.yaml"), encoding="utf-8")
    run = adjudge.evaluate(str(folder), ROWS)
    for verdict in run.outcomes():
        assert isinstance(verdict, adjudge.Verdict)
        assert (verdict.native["errors"], verdict.native["score"]) == (None, None) and verdict.scores["fluent"]
        assert "embedded judge" in verdict.reasons["errors"] and "not_all_judged" in verdict.flags
    assert run.report().as_json()["criteria"]["errors"]["n"] == 0


def test_by_a_yes_no_question_there_is_a_score_and_no_list(serve):
    server = serve(lambda request, _: answer_with_odds(0.9))
    found = evaluated(server, ask="yes-no")
    assert all(verdict.native["errors"] is None for verdict in found.values())
    assert all(0 < verdict.scores["errors"] < 50 for verdict in found.values())


def test_the_list_of_judges_tells_what_errors_cost(capsys):
    assert run_command(["judges", "--json"]) == 0
    judges = {one["judge"]: one for one in json.loads(capsys.readouterr().out)["judges"]}
    assert len(judges) == 5
    (errors,) = judges["translation-mqm"]["criteria"]
    assert errors["penalties"] == {"critical": 25, "major": 5, "minor": 1, "minor/punctuation": 0.1}
    assert errors["categories"]["accuracy/omission"] == "Omission"
