"""The items of the page: a row each, the worst first, with all that is known of it as far as the file may grow."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, runtime_checkable

from adjudge.core.judge import Judge
from adjudge.core.records import Call, Item, Outcome, Reply, Verdict
from adjudge.report.bars import Bars
from adjudge.report.chips import chips
from adjudge.report.element import Markup, element
from adjudge.report.flags import flag_names, flag_told
from adjudge.report.page import anchor, failed, inside
from adjudge.report.plain import fit
from adjudge.report.tables import Report
from adjudge.report.verdicts import Items, item_of, worst_first
from adjudge.report.words import Words
from adjudge.store.url import with_store

_ASKED_COLUMNS = 240
#: Read at once, so that a store is asked seldom and memory holds few.
_AT_ONCE = 100
#: Of the rows and of the bytes, what failed items may take from judged ones.
_FAILED_SHARE = 10
#: What the script says.
_SPOKEN = {
    "sort": "items_js_sort",
    "worst": "items_js_worst",
    "best": "items_js_best",
    "id": "items_js_id",
    "up": "items_js_up",
    "down": "items_js_down",
    "search": "items_js_search",
    "show": "items_js_show",
    "all": "items_js_all",
    "failed": "items_js_failed",
    "reset": "items_js_reset",
    "found": "items_js_found",
    "sorted": "items_js_sorted",
    "pages": "items_js_pages",
    "page": "items_js_page",
    "first": "items_js_first",
    "previous": "items_js_previous",
    "next": "items_js_next",
    "last": "items_js_last",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """An outcome with its item and the replies that it rests on, as far as they are at hand."""

    outcome: Outcome
    item: Item | None = None
    replies: Sequence[tuple[Call, Reply]] = ()


@runtime_checkable
class Records(Protocol):
    """Where outcomes are found again by the ids of their items, many at a time, such as a stored run."""

    def records(self, ids: Sequence[str], *, replies: bool = True) -> Iterable[Record]:
        """Those that there are, in the order of the ids."""


class Held:
    """Outcomes that are at hand already."""

    def __init__(self, outcomes: Iterable[Outcome], items: Items) -> None:
        self.outcomes, self._items = {one.item: one for one in outcomes}, items

    def records(self, ids: Sequence[str], *, replies: bool = True) -> Iterator[Record]:
        for name in ids:
            yield Record(outcome=self.outcomes[name], item=item_of(self._items, name))


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """The rows in the file, as markup: `names` are the items that have one, `counts` how many of them fall into a bar.

    `full` is how many have their texts.
    """

    rows: Sequence[str]
    names: Collection[str]
    counts: Mapping[str, int]
    full: int
    intervals: bool


def shown(
    report: Report,
    outcomes: Iterable[Outcome],
    records: Records,
    judge: Judge,
    bars: Bars,
    say: Words,
    *,
    limit: int,
    size: int,
) -> Shown:
    """The worst items, then failed ones, in at most so many rows and about so many bytes."""
    # those that failed give way to judged ones, but never altogether
    room = min(report.failed, max(limit // _FAILED_SHARE, limit - report.judged))
    judged, lost = _chosen(judge, outcomes, limit - room, room)
    draw = _Drawer(judge, bars, records, say)
    after = draw.rows(lost, size // _FAILED_SHARE)
    before = draw.rows(judged, size - draw.size)
    return Shown(rows=[*before, *after], names=draw.names, counts=draw.counts, full=draw.full, intervals=draw.intervals)


def items_drawn(report: Report, kept: Shown, bars: Bars, say: Words) -> Iterator[str]:
    """The items with what must be known of them, in pieces."""
    notes = list(_notes(report, kept, say))
    yield element("h2", say("items"), id="items", tabindex=-1) + "\n"
    yield "\n".join(element("p", note, class_="soft small") for note in notes) + "\n"
    if kept.rows:
        yield "\n".join(bars.notes(kept.counts, say)) + "\n"
        frame = element("div", class_="items", data_words=_words(report, bars, say))
        yield frame.removesuffix("</div>") + "\n"
        for row in kept.rows:
            yield row + "\n"
        yield "</div>\n"


def _notes(report: Report, kept: Shown, say: Words) -> Iterator[str]:
    if not report.judged:
        yield say("no_items")
    every = report.judged + report.failed
    counts = {"shown": say.number(len(kept.rows), 0), "of": say.number(every, 0)}
    if kept.rows:
        yield say("items_in_file", **counts)
    if kept.full < len(kept.rows):
        yield say("items_full", n=say.number(kept.full, 0))
    if kept.full < every:
        run, store = report.state.run.id, report.state.store
        show, serve = with_store(f"adjudge show {run} --item ID", store), with_store("adjudge serve", store)
        yield say("items_others", show=show, serve=serve)
    if kept.intervals:
        yield say("interval_note")


def _words(report: Report, bars: Bars, say: Words) -> str:
    """What the script needs to name things; it makes its controls itself, so that a page without it has none."""
    texts = {name: say(key) for name, key in _SPOKEN.items()}
    flags = {name: flag_told(name, say) for word, _ in report.flags for name in flag_names([word])}
    return json.dumps({**texts, "measures": bars.sorted_by, "flags": flags}, ensure_ascii=False)


def _chosen(judge: Judge, outcomes: Iterable[Outcome], judged: int, room: int) -> tuple[list[str], list[str]]:
    """The ids of the worst items and of those that failed; verdicts themselves are not kept."""
    key, lost = worst_first(judge), list[str]()

    def keys() -> Iterator[tuple[float, float, str]]:
        for outcome in outcomes:
            if isinstance(outcome, Verdict):
                yield key(outcome)
            elif len(lost) < room:
                lost.append(outcome.item)

    # of none the heap would read nothing, and those that failed would not be met
    worst = heapq.nsmallest(max(judged, 1), keys())[:judged]
    return [item for *_, item in worst], lost


class _Drawer:
    """Draws rows, and counts what they take and what is in them."""

    def __init__(self, judge: Judge, bars: Bars, records: Records, say: Words) -> None:
        self._judge, self._bars, self._records, self._say = judge, bars, records, say
        self._opened = False
        self.size = self.full = 0
        self.names: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.intervals = False
        #: Where the replies stand that are in the file, by the keys of their calls: many items may share one.
        self._said: dict[str, str] = {}

    def rows(self, ids: Sequence[str], size: int) -> list[str]:
        """A row for each as far as there is room, then their texts as far as they leave room."""
        drawn: dict[str, str] = {}
        used = 0
        for one in self._read(ids, replies=False):
            row = self._row(one)
            if used + (taken := len(row.encode())) > size:
                break
            used += taken
            drawn[one.outcome.item] = row
            self._count(one)
        for one in self._read(list(drawn), replies=True):
            row, name = self._row(one, texts=True), one.outcome.item
            if used + (more := len(row.encode()) - len(drawn[name].encode())) > size:
                break
            used += more
            drawn[name] = row
            self._opened |= isinstance(one.outcome, Verdict)
            self.full += 1
            for call, _ in one.replies:
                self._said.setdefault(call.key, f"#{anchor(name)}")
        self.size += used
        return list(drawn.values())

    def _read(self, ids: Sequence[str], *, replies: bool) -> Iterator[Record]:
        left = iter(ids)
        while some := list(islice(left, _AT_ONCE)):
            yield from self._records.records(some, replies=replies)

    def _count(self, one: Record) -> None:
        self.names.add(one.outcome.item)
        if isinstance(one.outcome, Verdict):
            self.counts.update(self._bars.of(one.outcome))
            self.intervals |= bool(one.outcome.intervals)

    def _row(self, one: Record, *, texts: bool = False) -> Markup:
        outcome, classes = one.outcome, ["item"] if texts else ["item", "short"]
        judged = isinstance(outcome, Verdict)
        about = {
            "class_": " ".join([*classes, *(self._bars.of(outcome) if isinstance(outcome, Verdict) else ["failed"])]),
            "id": anchor(outcome.item),
            "data_scores": self._bars.values(outcome) if isinstance(outcome, Verdict) else None,
            "data_flags": "|".join(flag_names(outcome.flags)) or None,
        }
        top = [
            element("span", outcome.item, class_="name"),
            self._scores(outcome),
            self._asked(one),
        ]
        if not texts:
            return element("div", top, **about)
        return element("details", element("summary", top), self._inside(one), **about, open=judged and not self._opened)

    def _scores(self, outcome: Outcome) -> Markup:
        if isinstance(outcome, Verdict):
            return element("span", chips(self._judge, outcome, self._say), class_="chips")
        told = [self._say("not_judged"), ": ", element("b", fit(outcome.kind, _ASKED_COLUMNS))]
        return element("span", element("span", told, class_="chip"), class_="chips")

    def _asked(self, one: Record) -> Markup | None:
        asked = " ".join(one.item.text(field.name) for field in self._judge.with_role("query")) if one.item else ""
        return element("span", fit(asked, _ASKED_COLUMNS), class_="asked") if asked.strip() else None

    def _inside(self, one: Record) -> Markup:
        if isinstance(one.outcome, Verdict):
            return inside(self._judge, one.outcome, one.item, self._say, one.replies, self._said)
        return failed(self._judge, one.outcome, one.item, self._say, one.replies, self._said)
