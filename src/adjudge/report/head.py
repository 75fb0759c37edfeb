"""The head of a report: what was judged, by whom, when, for how much, and all that decides the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from adjudge.core.runs import Run
from adjudge.report.element import Child, Markup, element
from adjudge.report.tables import Report
from adjudge.report.words import Words

#: Parts of the signature that stand elsewhere in the head, or say nothing to people.
_ELSEWHERE = frozenset({"adjudge", "judge", "lang", "data", "n", "model", "revision"})


def head(report: Report, say: Words) -> list[Markup]:
    """The title, the facts, and the signature whole."""
    run = report.state.run
    return [
        element("h1", report.title),
        element("p", run.shown, class_="sub"),
        _listed(_facts(report, say), "facts"),
        _listed(_further(report, say), "further"),
        _signature(run, say),
    ]


def _listed(facts: Iterable[tuple[str, Child]], kind: str) -> Markup:
    rows = [element("div", element("dt", name), element("dd", value)) for name, value in facts]
    return element("dl", rows, class_=kind)


def _facts(report: Report, say: Words) -> Iterator[tuple[str, Child]]:
    """What is asked for first."""
    state, run = report.state, report.state.run
    yield say("data"), run.data_name
    yield say("charts_judge"), f"{run.judge} ({run.lang})"
    yield say("model"), run.settings.model
    yield say("judged"), say.n_of(report.judged, run.items)
    if report.failed:
        yield say("failures"), say.number(report.failed, 0)
    yield say("cost"), say.cost(state.cost_usd)


def _further(report: Report, say: Words) -> Iterator[tuple[str, Child]]:
    """What is looked up."""
    state, run = report.state, report.state.run
    if run.started:
        yield say("charts_started"), element("time", moment(run.started), datetime=run.started)
    yield say("time"), say.duration(state.seconds)
    yield say("calls"), say.number(state.calls, 0)
    if state.cached:
        yield say("cached"), say.number(state.cached, 0)
    if state.tokens_in or state.tokens_out:
        yield say("tokens"), f"{say.number(state.tokens_in, 0)} / {say.number(state.tokens_out, 0)}"
    if settings := [f"{name} {value}" for name, value in run.parts.items() if name not in _ELSEWHERE]:
        yield say("charts_settings"), " · ".join(settings)


def moment(stamp: str) -> str:
    """A stored time to the minute, at Greenwich; as it is where it is none."""
    try:
        found = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    return f"{(found.astimezone(UTC) if found.tzinfo else found):%Y-%m-%d %H:%M} UTC"


def _signature(run: Run, say: Words) -> Markup:
    parts = [element("div", element("dt", name), element("dd", str(value))) for name, value in run.parts.items()]
    return element(
        "details",
        element("summary", say("signature"), " ", element("span", say("charts_signature_note"), class_="soft small")),
        element("p", element("code", run.signature)),
        element("dl", parts, class_="parts"),
        class_="signature",
    )
