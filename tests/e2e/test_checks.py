"""Ratings made of checks, from a judge's files to verdicts: the server says yes or no, and code makes the point."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.core.errors import ConfigError, UserError
from tests.fakes.server import Answer

JUDGE = """\
judge: news
layout: single
languages: [en]
fields:
  article: {type: text, role: source}
  summary: {type: text, role: output}
criteria:
  facts:
    kind: rating
    scale: {min: 1, max: 5, better: higher}
    checks: {who: 2, where: 1, invented: 3}
  style: {kind: rating, scale: {min: 1, max: 2, better: higher}}
derived:
  mean: {mean: [facts, style]}
"""
ENGLISH = """\
title: News
instructions: |
  Judge the summary.

  {{criteria}}

  {{format}}
item: |
  {{article}}

  {{summary}}
fields: {article: Article, summary: Summary}
criteria:
  facts:
    title: Facts
    asks: Is the news told right?
    checks:
      who: Does it say who did it?
      where: Does it say where it happened?
      invented: Is everything in it from the article?
  style:
    title: Style
    asks: Is it easy to read?
    labels: {1: Hard, 2: Easy}
derived: {mean: Mean}
"""
ROWS = [{"id": f"r{n}", "article": "Ann fell in Rome.", "summary": f"Ann fell, number {n}."} for n in range(3)]


def folder(judge: str = JUDGE, english: str = ENGLISH) -> str:
    at = Path("news")
    at.mkdir(exist_ok=True)
    (at / "judge.yaml").write_text(judge, encoding="utf-8")
    (at / "en.yaml").write_text(english, encoding="utf-8")
    return str(at.resolve())


def checks(**met: bool) -> dict[str, Any]:
    return {"checks": {name: {"why": f"See {name}.", "met": one} for name, one in met.items()}}


def answered(facts: dict[str, Any]) -> Answer:
    return Answer(text=json.dumps({"facts": facts, "style": {"justification": "", "score": 2}}))


def test_the_point_is_made_by_code_and_unmet_checks_are_its_reason(serve):
    server = serve(lambda request, _: answered(checks(who=True, where=False, invented=True)))
    run = adjudge.evaluate(folder(), ROWS, model="openai:m", base_url=server.url)
    for verdict in run.outcomes():
        assert isinstance(verdict, adjudge.Verdict)
        assert verdict.scores["facts"] == pytest.approx(1 + 4 * 5 / 6)
        assert verdict.native["facts"] == {"score": 4, "justification": "✗ Does it say where it happened? See where."}
        assert verdict.derived["mean"] == pytest.approx((1 + 4 * 5 / 6 + 2) / 2)
        assert [one["kind"] for one in verdict.findings] == ["check_met", "check_unmet", "check_met"]
    asked = server.requests[0].schema["properties"]["facts"]["properties"]
    assert list(asked) == ["checks"] and list(asked["checks"]["properties"]) == ["who", "where", "invented"]
    assert "where: Does it say where it happened?" in server.requests[0].data["messages"][0]["content"]


def test_a_server_that_answers_by_the_schema_is_read(fake_server):
    run = adjudge.evaluate(folder(), ROWS, model="openai:m", base_url=fake_server.url)
    assert all(isinstance(outcome, adjudge.Verdict) for outcome in run.outcomes())
    assert fake_server.calls == len(ROWS)


def test_an_absent_check_is_asked_for_again_and_not_filled_in(serve):
    def script(request, n):
        whole = checks(who=True, where=True, invented=True)
        if len(request["messages"]) == 2:
            del whole["checks"]["where"]
        return answered(whole)

    server = serve(script)
    run = adjudge.evaluate(folder(), ROWS[:1], model="openai:m", base_url=server.url)
    (verdict,) = run.outcomes()
    assert isinstance(verdict, adjudge.Verdict) and verdict.scores["facts"] == 5
    assert "facts.where: neither true nor false" in server.requests[1].user
    server = serve(lambda request, _: answered({"justification": "fine", "score": 5}))
    (failure,) = adjudge.evaluate(folder(), ROWS[1:2], model="openai:m", base_url=server.url).outcomes()
    assert isinstance(failure, adjudge.Failure) and failure.kind == "missing"


def test_each_candidate_of_a_comparison_has_its_checks(serve):
    judge = JUDGE.replace("layout: single", "layout: compare").replace(
        "summary: {type: text, role: output}", "summary: {type: answers, role: output}"
    )
    rows = [{"id": "r", "article": "Ann fell in Rome.", "summary": {"good": "Ann fell in Rome.", "bad": "It fell."}}]

    def script(request, _):
        shown = dict(re.findall(r"<<<[0-9a-f]{12} (X\d)\n(.*?)\n", request["messages"][1]["content"]))
        met = {label: text == "Ann fell in Rome." for label, text in shown.items()}
        facts = {label: checks(who=one, where=one, invented=True) for label, one in met.items()}
        style = {label: {"justification": "", "score": 2} for label in shown}
        return Answer(text=json.dumps({"facts": facts, "style": style}))

    server = serve(script)
    run = adjudge.evaluate(folder(judge), rows, model="openai:m", base_url=server.url)
    (verdict,) = run.outcomes()
    assert isinstance(verdict, adjudge.Verdict)
    assert verdict.scores["facts"] == {"good": 5, "bad": 3}
    assert verdict.native["facts"]["bad"]["justification"].startswith("✗ Does it say who did it?")
    assert {one["candidate"] for one in verdict.findings if one["against"]} == {"bad"}
    assert server.calls == 2


def test_the_embedded_judge_measures_the_criterion_or_is_refused(serve):
    with pytest.raises(ConfigError, match="can't score any criterion of `news`"):
        adjudge.evaluate(folder(), ROWS[:1])
    measured = JUDGE.replace("checks: {who", "measure: support\n    checks: {who")
    (verdict,) = adjudge.evaluate(folder(measured), ROWS[:1]).outcomes()
    assert isinstance(verdict, adjudge.Verdict) and 1 <= verdict.native["facts"]["score"] <= 5


def test_the_page_shows_what_really_comes_out(serve):
    """The headline judge of docs/new-judge.md with the criterion of checks that the page puts into it."""
    page = (Path(__file__).parents[2] / "docs" / "new-judge.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    structure, wording = re.findall(r"^```yaml\n(  faithful:.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (promised,) = re.findall(r'^```text\n(\{"id": "tease".*?)^```$', page, re.MULTILINE | re.DOTALL)
    judge = re.sub(r"^  faithful: .*\n", lambda _: structure, files["headline/judge.yaml"], count=1, flags=re.MULTILINE)
    english, n = re.subn(
        r"^  faithful:\n.*?(?=^  bait:)", lambda _: wording, files["headline/en.yaml"], flags=re.MULTILINE | re.DOTALL
    )
    assert n == 1
    verdict = json.loads(promised)
    told = verdict["faithful"]["justification"]
    unmet = dict(zip(("who", "what"), re.findall(r"\? (.*?)(?= ✗|$)", told), strict=True))
    answers = {name: {"why": unmet.get(name, ""), "met": name not in unmet} for name in ("who", "what", "extent")}
    rest = {"bait": verdict["bait"], "overall": {"advice": verdict["overall"]["advice"]}}
    server = serve(lambda request, _: Answer(text=json.dumps({"faithful": {"checks": answers}, **rest})))
    Path("tease.jsonl").write_text(files["headlines.jsonl"].splitlines()[1], encoding="utf-8")
    run = adjudge.evaluate(folder(judge, english), "tease.jsonl", model="openai:m", base_url=server.url)
    (outcome,) = run.outcomes()
    assert isinstance(outcome, adjudge.Verdict)
    assert {"id": "tease", **outcome.native} == verdict
    assert f"{outcome.scores['faithful']:.2f} of 5" in page.replace("\n", " ")


def test_a_mistake_in_the_files_is_named_with_its_line():
    with pytest.raises(UserError) as caught:
        adjudge.check(folder(JUDGE.replace("invented: 3", "invented: 0")))
    assert "judge.yaml:11" in str(caught.value.where) and "without weight" in str(caught.value)
