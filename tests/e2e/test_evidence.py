"""Quotes from a scripted model, looked up by code: exact, repaired, of another source, invented; and what shows."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.e2e.test_run_http import asked, exported, run_json, valid
from tests.fakes.server import Answer

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
CONTENT = "The clock stopped in 1987 – at twenty past four.\n\nIlsa found the note behind the dial, and Tomas wept."
RAG_SOURCES = [{"id": "log", "text": CONTENT}, {"id": "letter", "text": "Nobody had wound the clock for 1,5 years."}]
EXACT, REPAIRED, ELSEWHERE, INVENTED = (
    "Ilsa found the note behind the dial",
    "the clock stopped in 1987 - at twenty … found the note",
    "Nobody had wound the clock for 1,5 years",
    "The clock stopped in 1988",
)
KINDS = {EXACT: "verified", REPAIRED: "repaired", ELSEWHERE: "misattributed", INVENTED: "not_found"}


def quotes(*given: str) -> list[dict[str, Any]]:
    return [{"source": 1, "quote": quote} for quote in given]


def rows(**fields: Any) -> str:
    Path("d.jsonl").write_text(json.dumps({"id": "clock", **fields}, ensure_ascii=False), "utf-8")
    return "d.jsonl"


def summary_row() -> str:
    return rows(content=CONTENT, text="The clock stopped in 1988.")


def rag_row() -> str:
    return rows(question="When?", sources=RAG_SOURCES, answers={"mine": "In 1988.", "theirs": "In 1987."})


def quoting(*given: str):
    """A model that rests every criterion that asks for evidence on these quotes."""

    def script(request, _):
        found = valid(request)
        for part in found.values():
            if isinstance(part, dict) and "evidence" in part:
                part.update(evidence=quotes(*given), score=3)
        for per in found.get("scores", {}).values():
            for part in per.values():
                if "evidence" in part:
                    part.update(evidence=quotes(*given), score=3)
        return Answer(text=json.dumps(found, ensure_ascii=False))

    return script


def shown(capsys, *args: str) -> str:
    capsys.readouterr()
    assert run_command(["show", "latest", *args]) == 0
    return str(capsys.readouterr().out)


def test_a_rating_is_asked_for_its_evidence_first(serve, capsys):
    server = serve(quoting(EXACT))
    run_json(capsys, "run", "summary", summary_row(), "--model", "openai:m", "--base-url", server.url)
    schema = asked(server.requests[0].data)["properties"]
    assert [*schema["accuracy"]["properties"]] == ["evidence", "justification", "score"]
    assert [*schema["coherence"]["properties"]] == ["justification", "score"]
    run_json(capsys, "run", "rag-answers", rag_row(), "--model", "openai:m", "--base-url", server.url)
    schema = asked(server.requests[1].data)["properties"]["scores"]["properties"]
    first = {name: next(iter(per["properties"].values()))["required"][0] for name, per in schema.items()}
    assert [name for name, key in first.items() if key == "evidence"] == ["correctness", "retrieval_accuracy"]


def test_each_quote_has_its_place_and_the_verdict_its_shape(serve, capsys):
    server = serve(quoting(EXACT, REPAIRED, INVENTED))
    code, found = run_json(capsys, "run", "summary", summary_row(), "--model", "openai:m", "--base-url", server.url)
    assert code == 0
    counts = {"quotes": 3, "verified": 1, "repaired": 1, "misattributed": 0, "not_found": 1}
    evidence = found["beside"]["evidence"]
    assert evidence["criteria"]["accuracy"].items() >= counts.items()
    assert evidence["together"]["quotes"] == 6 and evidence["together"]["found"] == pytest.approx(2 / 3)
    low, high = evidence["together"]["ci95"]
    assert 0.2 < low < 2 / 3 < high < 1
    (line,) = exported(capsys)
    assert [*line["verdict"]["accuracy"]] == ["score", "justification"]
    assert {"quote_not_found:accuracy", "quote_not_found:coverage"} <= set(line["flags"])
    own = [one for one in line["findings"] if one["criterion"] == "accuracy"]
    assert [(one["reason"], one["kind"].removeprefix("quote_"), one["against"]) for one in own] == [
        (EXACT, "verified", False), (REPAIRED, "repaired", False), (INVENTED, "not_found", True),
    ]  # fmt: skip
    assert CONTENT[slice(*own[0]["source_at"])] == EXACT
    assert CONTENT[slice(*own[1]["source_at"])].startswith("The clock stopped in 1987 – at twenty past four.")
    assert (own[0]["source"], own[2]["source"], own[2]["source_at"]) == ("content", None, None)


def test_the_reports_count_mark_and_list_them(serve, capsys):
    server = serve(quoting(EXACT, ELSEWHERE, INVENTED))
    run_command(["run", "rag-answers", rag_row(), "--model", "openai:m", "--base-url", server.url])
    (line,) = exported(capsys)
    assert {one["candidate"] for one in line["findings"]} == {"mine", "theirs"}
    elsewhere = next(one for one in line["findings"] if one["reason"] == ELSEWHERE)
    assert elsewhere.items() >= {"kind": "quote_misattributed", "source": "letter", "source_at": [0, 40]}.items()
    for page in (shown(capsys), shown(capsys, "--format", "markdown")):
        assert "Quotes looked up in the sources" in page
        assert re.search(r"Together\W+24\W+8\W+0\W+8\W+8\W+33 %", page)
        assert "16 of 24 quotes do not stand in the sources" in " ".join(page.split())
    page = unescape(shown(capsys, "--format", "html"))
    assert f'<mark title="stands there letter for letter" class="quoted">{EXACT}</mark>' in page
    other = "stands in another source than the named one"
    assert f'<mark title="{other}" class="quoted">{ELSEWHERE}</mark>' in page
    assert f"<b>✗ </b><b>mine: </b>Quote: {INVENTED} (stands in no source)" in page
    assert json.loads(shown(capsys, "--format", "json"))["beside"]["evidence"]["together"]["not_found"] == 8


def test_quotes_invented_in_the_second_order_alone_are_counted(serve, capsys):
    honest, inventive = quoting(EXACT), quoting(INVENTED)

    def script(request, number):
        shown_first = "In 1988." in request["messages"][-1]["content"].split("In 1987.")[0]
        return (honest if shown_first else inventive)(request, number)

    server = serve(script)
    args = ["rag-answers", rag_row(), "--model", "openai:m", "--base-url", server.url]
    _, found = run_json(capsys, "run", *args)
    figures = found["beside"]["evidence"]["together"]
    assert (figures["quotes"], figures["verified"], figures["not_found"]) == (8, 4, 4)
    assert any(warning.startswith("4 of 8 quotes do not stand") for warning in found["warnings"])
    (line,) = exported(capsys)
    assert len(line["findings"]) == 4 and "quotes" not in line, "exports keep the quotes of one opinion"


def test_models_that_judge_the_same_items_have_their_rates_side_by_side(serve, capsys):
    honest, inventive = serve(quoting(EXACT, EXACT)), serve(quoting(EXACT, *[INVENTED] * 5))
    args = ["--model", f"openai:m@{honest.url}", "--model", f"openai:m@{inventive.url}"]
    _, found = run_json(capsys, "run", "summary", summary_row(), *args)
    figures = found["comparison"]["evidence"]
    assert [(figures[one]["quotes"], figures[one]["verified"]) for one in "AB"] == [(4, 4), (12, 2)]
    assert run_command(["run", "summary", summary_row(), *args]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^\W*A\W+4\W+4\W+0\W+0\W+0\W+100 %", text, re.MULTILINE)
    assert re.search(r"^\W*B\W+12\W+2\W+0\W+0\W+10\W+17 %", text, re.MULTILINE)
    assert "! B: 10 of 12 quotes do not stand" in text


def test_a_model_that_never_heard_of_evidence_is_still_read(serve, capsys):
    def script(request, _):
        found = valid(request)
        for part in found.values():
            part.pop("evidence", None)
        found["accuracy"] = {"score": 2, "justification": "It was 1987."}
        found["coverage"] = [5, ""]
        return Answer(text=json.dumps(found))

    server = serve(script)
    code, found = run_json(capsys, "run", "summary", summary_row(), "--model", "openai:m", "--base-url", server.url)
    assert (code, server.calls, found["judged"]) == (0, 1, 1)
    assert "evidence" not in found.get("beside", {})
    (line,) = exported(capsys)
    assert "no_evidence:accuracy" in line["flags"] and "no_evidence:coverage" not in line["flags"]


def test_the_embedded_judge_is_asked_for_none(capsys):
    code, found = run_json(capsys, "run", "summary", summary_row())
    assert code == 0 and "evidence" not in found.get("beside", {})
    (line,) = exported(capsys)
    assert not [flag for flag in line["flags"] if flag.startswith(("no_evidence", "quote_"))]


BATCH = {
    "judge.yaml": """
judge: fit
layout: batch
languages: [en]
fields:
  src: {type: text, role: source}
  trg: {type: text, role: output}
criteria:
  fit: {kind: rating, scale: {min: 1, max: 3, better: higher}, evidence: true}
output:
  fit: [fit.score, fit.reason]
""",
    "en.yaml": """
title: Fit
instructions: "Judge. {{criteria}} {{format}}"
item: "{{src}} {{trg}}"
merge: "Merge. {{format}}"
fields: {src: Source, trg: Text}
criteria:
  fit:
    title: Fit
    asks: Does it fit?
    labels: {1: bad, 2: fair, 3: good}
""",
}


def batch_judge(output: str = "[fit.score, fit.reason]") -> None:
    Path("fit").mkdir(exist_ok=True)
    for name, text in BATCH.items():
        Path("fit", name).write_text(text.replace("[fit.score, fit.reason]", output), "utf-8")


def test_items_of_a_batch_have_evidence_too(serve, capsys):
    batch_judge()
    lines = [{"id": str(n), "src": f"Source number {n}.", "trg": "x"} for n in range(4)]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, lines)))

    def script(request, _):
        found = valid(request)
        for part in found.get("scores", {}).values():
            part["fit"].update(evidence=quotes("Source number 1"), score=2)
        return Answer(text=json.dumps(found))

    server = serve(script)
    code, found = run_json(capsys, "run", "./fit", "d.jsonl", "--model", "openai:m", "--base-url", server.url)
    assert code == 0
    figures = found["beside"]["evidence"]["criteria"]["fit"]
    assert (figures["quotes"], figures["verified"], figures["not_found"]) == (4, 1, 3)
    native = exported(capsys)
    assert [len(line["verdict"]["fit"]) for line in native] == [2, 2, 2, 2]


def test_evidence_needs_a_place_in_the_output(capsys):
    batch_judge("{points: fit.score, why: fit.reason}")
    assert run_command(["check", "./fit"]) == 2
    assert "add `fit_evidence: fit.evidence`" in capsys.readouterr().err
    batch_judge("{points: fit.score, why: fit.reason, quotes: fit.evidence}")
    assert run_command(["check", "./fit"]) == 0


def block(kind: str, number: int = 0) -> str:
    found = re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return str(found[number])


def documented(request, _):
    """The reply that the page shows, completed: claims as they stand there, and an honest rest."""
    found, said = valid(request), json.loads(block("json", 1))
    found["hallucination_evaluation"]["claims"] = said["claims"]
    question = {"question": "How warm?", "answer_justification": "Gentle warmth.", "is_answered": True}
    groups = [{"source": n, "questions": [{**question, "question": f"{n}.{k}?"} for k in range(6)]} for n in (1, 2, 3)]
    found["summary_quality_evaluation"]["questions_and_answers"] = groups
    found["answer_relevancy_evaluation"].update(relevant_search_result_urls=said["relevant"], relevancy_score=3)
    return Answer(text=json.dumps(found, ensure_ascii=False))


def test_the_output_on_the_page_is_real(serve, capsys):
    Path("honey.json").write_text(block("json"), "utf-8")
    server = serve(documented)
    assert run_command(["run", "search-summary", "honey.json", "--model", "openai:m", "--base-url", server.url]) == 0
    assert block("text").strip() in capsys.readouterr().out
    native = [{"quote": one["quote"], "quote_found": one["quote_found"]} for one in _claims(capsys)]
    assert native == [json.loads(line) for line in block("text", 1).splitlines()]
    assert block("markdown").strip() in shown(capsys, "--format", "markdown")
    told = "Relevant sources: Honey and infant botulism [2] https://example.com/health/infant-botulism; Storing honey"
    assert told in shown(capsys, "--item", "honey")


def _claims(capsys) -> list[dict[str, Any]]:
    (line,) = exported(capsys)
    return list(line["verdict"]["hallucination_evaluation"]["claims"])


def test_relevant_sources_are_links_with_their_citation_numbers(serve, capsys):
    results = [
        {"url": url, "content": f"Text {n}.", "metadata": {"title": title} if title else {}}
        for n, (url, title) in enumerate(
            [
                ("https://one.example/a?b=1&c=(2)", "One <b>bold</b>"),
                ("javascript:alert(1)", "Two [x](javascript:alert(2))"),
                ("http://three.example/", ""),
                ("https://user@evil.example/", "Four"),
            ]
        )
    ]

    def script(request, _):
        found = valid(request)
        found["answer_relevancy_evaluation"]["relevant_search_result_urls"] = [4, 3, 2, 1]
        return Answer(text=json.dumps(found))

    server = serve(script)
    args = ["run", "search-summary", "d.jsonl", "--model", "openai:m", "--base-url", server.url]
    rows(user_query="q", search_results=results, summary="s")
    assert run_command(args) == 0
    page = shown(capsys, "--format", "html")
    link = '<a href="{}" rel="noopener noreferrer">{}</a> [{}]'
    assert link.format("https://one.example/a?b=1&amp;c=%282%29", "One &lt;b&gt;bold&lt;/b&gt;", 1) in page
    assert link.format("http://three.example/", "http://three.example/", 3) in page
    assert "<li>Two [x](javascript:alert(2)) [2]</li>" in page and "<li>Four [4]</li>" in page
    assert re.findall(r'href="(?!#)([^"]*)"', page) == [
        "http://three.example/",
        "https://one.example/a?b=1&amp;c=%282%29",
    ]
    text = shown(capsys, "--format", "markdown")
    assert r"[One &lt;b&gt;bold&lt;/b&gt;](https://one.example/a?b=1&amp;c=%282%29) \[1\]" in text
    assert not re.search(r"(?<!\\)\]\((?!https?://)", text)
    cited = ["http://three.example/", {"url": "https://one.example/a?b=1&c=(2)"}]
    rows(user_query="q", search_results=results, summary="s", citations=cited)
    assert run_command(args) == 0
    page = shown(capsys, "--format", "html")
    assert "http://three.example/</a> [1]" in page and "&lt;/b&gt;</a> [2]" in page
    assert "<li>Four</li>" in page, "it is not among the citations, and has no number there"
