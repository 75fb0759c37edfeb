"""How far a run is: what its page asks for again and again while it goes on."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence

from adjudge.api.browse import last_failures
from adjudge.core.limits import WEB_PACED_RUNS, WEB_PACED_S
from adjudge.core.records import Failure
from adjudge.core.runs import RunState
from adjudge.report.element import Child, Markup, element
from adjudge.report.words import Words, words
from adjudge.web.message import Request, Response, see_other
from adjudge.web.pages.query import run_path
from adjudge.web.router import Route
from adjudge.web.shell import fragment
from adjudge.web.site import Site

#: The states of runs, and their words.
STATES = {
    "running": "pages_running",
    "interrupted": "pages_interrupted",
    "partial": "pages_partial",
    "complete": "pages_complete",
}


class Paces:
    """How fast runs go, by what was seen of them within the last minute; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: OrderedDict[str, deque[tuple[float, int]]] = OrderedDict()

    def of(self, run: str, done: int, now: float) -> float | None:
        """Items a second; none before they have been counted twice."""
        with self._lock:
            seen = self._seen.setdefault(run, deque(maxlen=1_000))
            self._seen.move_to_end(run)
            while len(self._seen) > WEB_PACED_RUNS:
                self._seen.popitem(last=False)
            while seen and now - seen[0][0] > WEB_PACED_S:
                seen.popleft()
            seen.append((now, done))
            (began, first), (ended, last) = seen[0], seen[-1]
            return (last - first) / (ended - began) if ended > began else None


_PACES = Paces()


def live(site: Site, request: Request) -> Response:
    """How far a run is; when it has ended, that the page is to be loaded anew."""
    run = site.run(request)
    state = run.state
    if not request.fragment:
        return see_other(run_path(run.id))
    if request.asked("short"):
        return Response(body=status_drawn(state, site.say(request)))
    if state.status != "running":
        return Response(headers={"HX-Refresh": "true"})
    return fragment(progress_drawn(state, last_failures(run), words(state.run.lang)))


def status_drawn(state: RunState, say: Words) -> Markup:
    """The state of a run in a list: a word, how far it is, and a bar that moves while it goes on."""
    run = state.run
    done = [element("div", say.n_of(state.judged, run.items), " ", say("pages_judged"), class_="soft small")]
    if state.failed:
        done.append(element("div", say("pages_n_failed", n=say.number(state.failed, 0)), class_="soft small"))
    word = element("span", say(STATES[state.status]), class_=f"state {state.status}")
    if state.status != "running":
        return element("div", word, done)
    # asked for by the browser, so that ticks and what is typed stay as they are
    return element(
        "div",
        word,
        _bar(state, say),
        done,
        hx_get=f"{run_path(run.id, 'live')}?short=1",
        hx_trigger="every 2s",
        hx_swap="outerHTML",
        hx_target="this",
    )


def polled(state: RunState, failures: Sequence[Failure], say: Words) -> Markup:
    """The progress of a running run, which asks for itself again until the run has ended."""
    again = element("p", element("a", say("pages_reload"), href=run_path(state.run.id)))
    return element(
        "section",
        element(
            "div",
            progress_drawn(state, failures, say),
            hx_get=run_path(state.run.id, "live"),
            hx_trigger="every 1500ms",
        ),
        element("noscript", again),
        class_="live",
        aria_label=say("pages_progress"),
    )


def progress_drawn(state: RunState, failures: Sequence[Failure], say: Words) -> list[Child]:
    """Counts, cost, rate and time left, and what failed last."""
    run, done = state.run, state.judged + state.failed
    rate = _PACES.of(run.id, done, time.monotonic())
    left = say.duration((run.items - done) / rate) if rate else "—"
    facts = [
        (say("judged"), say.n_of(state.judged, run.items)),
        (say("failures"), say.number(state.failed, 0)),
        (say("calls"), say.number(state.calls, 0)),
        (say("pages_spent"), say.cost(state.cost_usd)),
        (say("pages_rate"), "—" if rate is None else say("pages_per_second", n=say.score(round(rate, 1)))),
        # who asks a question may have the answer any time
        (say("pages_left_most" if run.until else "pages_left"), left),
    ]
    rows = [element("div", element("dt", name), element("dd", value)) for name, value in facts]
    told = [
        element("li", element("b", one.item), " ", element("span", f"{one.kind}: {one.message}", dir="auto"))
        for one in failures
    ]
    return [
        element("h2", say("pages_live")),
        _bar(state, say),
        element("dl", rows, class_="facts"),
        [element("h3", say("pages_last_failures")), element("ul", told, class_="claims failing")] if told else None,
    ]


def _bar(state: RunState, say: Words) -> Markup:
    done = state.judged + state.failed
    spoken = say("pages_done", n=say.number(done, 0), of=say.number(state.run.items, 0))
    return element("progress", spoken, value=done, max=max(1, state.run.items), aria_label=spoken)


ROUTES = (Route(method="GET", path="/runs/{run}/live", handler=live, says="how far a run is"),)
