"""What changed for each item between two runs, as a table in pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import urlencode

from adjudge.api.changes import ORDERS, SHOWN, Change, Changes, Order, Shown
from adjudge.core.runs import RunState
from adjudge.report.element import Child, Markup, element
from adjudge.report.words import Words
from adjudge.web.message import Refused, Request
from adjudge.web.pages.query import page_number, within

#: Items of a page.
PAGE = 50
_SHOWN: Mapping[Shown, str] = {
    "all": "changes_show_all",
    "better": "changes_show_better",
    "worse": "changes_show_worse",
    "same": "changes_show_same",
    "failed": "changes_show_failed",
    "only_a": "changes_show_only_a",
    "only_b": "changes_show_only_b",
    "unscored": "changes_show_unscored",
    "texts": "changes_show_texts",
}
_ORDERS: Mapping[Order, str] = {
    "change": "changes_order_change",
    "worse": "changes_order_worse",
    "better": "changes_order_better",
    "number": "changes_order_number",
}
#: Of judges of the same texts: no text got better, it was rated otherwise.
_RATED = {
    "changes_show_better": "changes_rated_better",
    "changes_show_worse": "changes_rated_worse",
    "changes_state_better": "changes_rated_better",
    "changes_state_worse": "changes_rated_worse",
    "changes_order_better": "changes_rated_order_better",
    "changes_order_worse": "changes_rated_order_worse",
    "changes_better": "changes_rated_up",
    "changes_worse": "changes_rated_down",
}
_PAIRED = {"id": "changes_paired_id", "source": "changes_paired_source", "query": "changes_paired_query"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """What of the items is wanted, as the address says."""

    runs: tuple[str, str]
    show: Shown
    order: Order
    by: str
    search: str
    page: int

    def address(self, **other: str | int) -> str:
        asked = {"show": self.show, "order": self.order, "by": self.by, "q": self.search, "page": self.page} | other
        usual = {"show": "all", "order": "change", "by": "", "q": "", "page": 1}
        given = [(name, value) for name, value in asked.items() if value != usual[name]]
        return f"/compare?{urlencode([*(('run', run) for run in self.runs), *given], errors='replace')}#items"


def items(
    request: Request,
    states: Sequence[RunState],
    short: Sequence[str],
    changes: Changes,
    say: Words,
    *,
    means: bool,
    rates: bool,
) -> list[Child]:
    """The items of two runs: how many there are of each kind, and a page of them.

    `means`: their scores are means over candidates. `rates`: the runs are judges of the same texts.
    """
    if rates:
        say = replace(say, texts={**say.texts, **{usual: say(other) for usual, other in _RATED.items()}})
    asked = _asked(request, states, changes)
    counts = changes.counts(asked.by)
    total, rows = _page(asked, changes)
    if total and not rows:
        asked = replace(asked, page=within(asked.page, total, PAGE))
        _, rows = _page(asked, changes)
    return [
        element("h2", say("changes_items"), id="items"),
        element("p", say(_PAIRED[changes.by]), class_="soft small"),
        element("p", say("changes_means"), class_="soft small") if means else None,
        _filters(asked, counts, short, say),
        _controls(asked, changes, say),
        _table(asked, rows, short, changes, say) if rows else element("p", say("changes_nothing"), class_="soft"),
        _pager(asked, total, len(rows), say),
    ]


def _page(asked: _Asked, changes: Changes) -> tuple[int, Sequence[Change]]:
    return changes.page(
        show=asked.show, order=asked.order, by=asked.by, search=asked.search, offset=(asked.page - 1) * PAGE, limit=PAGE
    )


def _asked(request: Request, states: Sequence[RunState], changes: Changes) -> _Asked:
    show, order, by = request.asked("show", "all"), request.asked("order", "change"), request.asked("by")
    for name, value, known in (
        ("show", show, SHOWN),
        ("order", order, ORDERS),
        ("by", by, ("", *(axis.name for axis in changes.axes))),
    ):
        if value not in known:
            raise Refused(400, f"{name} has no `{value[:80]}`", hint=", ".join(one for one in known if one))
    return _Asked(
        runs=(states[0].run.id, states[1].run.id),
        show=cast("Shown", show),
        order=cast("Order", order),
        by=by,
        search=request.asked("q").strip()[:200],
        page=page_number(request),
    )


def _filters(asked: _Asked, counts: Mapping[Shown, int], short: Sequence[str], say: Words) -> Markup:
    """A link for each kind of change that there is; how many items it has stands with it."""
    whose = {"only_a": {"run": short[0]}, "only_b": {"run": short[1]}}
    links = [
        element(
            "a",
            say(_SHOWN[show], **whose.get(show, {})),
            " ",
            element("b", say.number(counts[show], 0)),
            href=asked.address(show=show, page=1),
            aria_current="true" if show == asked.show else None,
        )
        for show in SHOWN
        if counts[show] or show in ("all", "better", "worse", "same", asked.show)
    ]
    return element("nav", links, class_="filters", aria_label=say("changes_show"))


def _controls(asked: _Asked, changes: Changes, say: Words) -> Markup:
    measures = [("", say("changes_by_all")), *((axis.name, axis.title) for axis in changes.axes)]
    orders = [(name, say(_ORDERS[name])) for name in ORDERS]
    return element(
        "form",
        [element("input", type="hidden", name="run", value=run) for run in asked.runs],
        element("input", type="hidden", name="show", value=asked.show),
        _select("by", say("changes_by"), measures, asked.by),
        _select("order", say("changes_order"), orders, asked.order),
        element("label", say("changes_search"), for_="q"),
        element("input", type="search", name="q", id="q", value=asked.search, maxlength=200),
        element("button", say("changes_apply"), type="submit"),
        class_="controls",
        action="/compare#items",
        method="get",
    )


def _select(name: str, title: str, options: Sequence[tuple[str, str]], now: str) -> list[Markup]:
    choices = [element("option", text, value=value, selected=value == now) for value, text in options]
    return [element("label", title, for_=name), element("select", choices, name=name, id=name)]


def _table(asked: _Asked, rows: Sequence[Change], short: Sequence[str], changes: Changes, say: Words) -> Markup:
    heads = [say("changes_item"), say("changes_change"), *(axis.title for axis in changes.axes)]
    top = element("thead", element("tr", [element("th", head, scope="col") for head in heads]))
    signs = {axis.name: (axis.title, axis.sign) for axis in changes.axes}
    bodies = [_row(asked, one, short, signs, len(heads), say) for one in rows]
    drawn = element("table", top, bodies, class_="changes")
    return element("div", drawn, class_="scroll", tabindex=0, role="group", aria_label=say("changes_items"))


def _row(
    asked: _Asked, one: Change, short: Sequence[str], signs: Mapping[str, tuple[str, int]], wide: int, say: Words
) -> Markup:
    name = " / ".join(dict.fromkeys(filter(None, one.items)))
    numbers = [("number", number) for number in dict.fromkeys(one.numbers)]
    query = urlencode([*(("run", run) for run in asked.runs), *numbers], errors="replace")
    address = f"/compare/item?{query}"
    told = [element("span", _state(one, short, say), class_=f"moved {one.state}")]
    if one.other_texts:
        told.append(element("span", say("changes_texts"), class_="soft small"))
    cells = []
    for criterion, (before, after) in one.scores.items():
        title, sign = signs[criterion]
        cells.append(element("td", _moved(before, after, sign, say), data_title=title))
    verdicts = element(
        "details",
        element("summary", say("changes_open"), element("span", f" {name}", class_="unseen")),
        element("div", element("a", say("changes_open"), href=address), class_="opened"),
        hx_get=address,
        hx_trigger="toggle once",
        hx_target="find .opened",
        hx_swap="innerHTML",
    )
    return element(
        "tbody",
        element(
            "tr",
            element("th", name, scope="row"),
            element("td", element("b", _percent(one.change, say)), told, class_="change"),
            cells,
        ),
        element("tr", element("td", verdicts, colspan=wide), class_="more"),
    )


def _percent(change: float | None, say: Words) -> str:
    return "—" if change is None else f"{say.signed(100 * change, 0)} %"


def _state(one: Change, short: Sequence[str], say: Words) -> str:
    if one.state == "failed":
        runs = ", ".join(label for label, failed in zip(short, one.failed, strict=True) if failed)
        return say("changes_state_failed", runs=runs)
    if one.state in ("only_a", "only_b"):
        return say("changes_state_only", run=short[one.state == "only_b"])
    keys = {
        "better": "changes_state_better",
        "worse": "changes_state_worse",
        "same": "changes_state_same",
        "unscored": "changes_state_unscored",
    }
    return f"{_ARROWS.get(one.state, '')} {say(keys[one.state])}".strip()


_ARROWS = {"better": "▲", "worse": "▼"}


def _moved(before: float | None, after: float | None, sign: int, say: Words) -> list[Child]:
    """A score in both runs, with a word and an arrow where it moved; up is better, whichever end is the good one."""
    if before is None and after is None:
        return [element("span", "—", class_="soft")]
    if before is not None and after is not None and abs(after - before) < 1e-9:
        return [say.score(after), " ", element("span", say("changes_same"), class_="soft small")]
    drawn: list[Child] = [element("span", f"{say.score(before)} → {say.score(after)}", class_="figures")]
    if before is not None and after is not None:
        word = "better" if sign * (after - before) > 0 else "worse"
        told = say("changes_better" if word == "better" else "changes_worse")
        drawn += [" ", element("span", f"{_ARROWS[word]} {told}", class_=f"moved {word} small")]
    return drawn


def _pager(asked: _Asked, total: int, shown: int, say: Words) -> Markup | None:
    if not shown:
        return None
    first = (asked.page - 1) * PAGE + 1
    count = {"first": say.number(first, 0), "last": say.number(first + shown - 1, 0), "total": say.number(total, 0)}
    back = element("a", say("changes_previous"), href=asked.address(page=asked.page - 1), rel="prev")
    on = element("a", say("changes_next"), href=asked.address(page=asked.page + 1), rel="next")
    told = element("span", say("changes_shown", **count))
    links = [back if asked.page > 1 else None, told, on if first + shown <= total else None]
    return element("nav", links, class_="pager", aria_label=say("changes_pages"))
