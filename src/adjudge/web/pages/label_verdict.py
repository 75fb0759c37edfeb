"""The judge's verdict beside one's own answers, when these are complete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adjudge.api.labelling import Desk, Task
from adjudge.core.judge import Criterion
from adjudge.core.labels import Label
from adjudge.core.records import Verdict
from adjudge.report.element import Child, Markup, element
from adjudge.report.page import prose
from adjudge.report.verdicts import by_candidate, conclusion, interval_of, reason_of
from adjudge.report.words import Words
from adjudge.web.pages.label_texts import letters


def revealed(desk: Desk, task: Task, say: Words) -> list[Markup | None]:
    """Scores beside one's own, with their reasons; the desk refuses while anything is open."""
    outcome = desk.verdict(task.place)
    head = element("h2", say("label_page_verdict"))
    if not isinstance(outcome, Verdict):
        why = outcome.message if outcome else say("not_judged")
        return [head, element("p", say("label_page_failed", why=why))]
    table = (_compared if desk.layout == "compare" else _beside)(desk, task, outcome, say)
    return [
        head,
        element("div", table, class_="scroll", tabindex=0, role="group", aria_label=say("label_page_verdict")),
        *(
            element("p", element("b", title), ": ", prose(text), class_="verdict")
            for title, text in conclusion(desk.judge, outcome)
        ),
    ]


def _beside(desk: Desk, task: Task, verdict: Verdict, say: Words) -> Markup:
    """A row for each criterion of the one text."""
    heads = [say("criterion"), say("label_page_you"), say("label_page_judge"), say("reasons")]
    rows = [
        [
            element("td", _own(task.answers.get(("", one.name)), say), class_="l-own"),
            element("td", _score(verdict, one, "", say), class_="l-own"),
            element("td", prose(reason_of(verdict, one.name)), class_="reason", dir="auto"),
        ]
        for one in desk.criteria
    ]
    return _table(desk, heads, rows)


def _compared(desk: Desk, task: Task, verdict: Verdict, say: Words) -> Markup:
    """A column for each candidate, under its letter and now its name."""
    called = letters(task)
    heads = [say("criterion")]
    heads += [say("label_page_is", letter=called[code], name=task.names[code]) for code in task.candidates]
    rows = [
        [
            element(
                "td",
                element(
                    "div",
                    [say("label_page_you"), " ", element("b", _own(task.answers.get((code, one.name)), say)), " · "],
                    [say("label_page_judge"), " ", element("b", _score(verdict, one, task.names[code], say))],
                    class_="l-both",
                ),
                element("div", prose(reason_of(verdict, one.name, task.names[code])), class_="reason", dir="auto"),
            )
            for code in task.candidates
        ]
        for one in desk.criteria
    ]
    return _table(desk, heads, rows)


def _table(desk: Desk, heads: Sequence[str], rows: Iterable[Sequence[Markup]]) -> Markup:
    top = element("tr", [element("th", head, scope="col") for head in heads])
    body = [
        element("tr", element("th", one.title or one.name, scope="row"), cells)
        for one, cells in zip(desk.criteria, rows, strict=True)
    ]
    return element("table", element("thead", top), element("tbody", body))


def _score(verdict: Verdict, criterion: Criterion, name: str, say: Words) -> str:
    score = by_candidate(verdict.scores.get(criterion.name)).get(name)
    return say.judged(score, interval_of(verdict, criterion.name, name))


def _own(label: Label | None, say: Words) -> Child:
    if label is None or not isinstance(label.value, int | float):
        return [element("span", "—", aria_hidden="true"), element("span", say("label_page_skipped"), class_="l-unseen")]
    return say.score(label.value)
