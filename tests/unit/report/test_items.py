"""Rows of items: which are in the file, in which order, and what of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from adjudge.core.records import Call, Failure, Item, Outcome, Reply, Verdict
from adjudge.report.bars import Bars
from adjudge.report.build import build
from adjudge.report.items import Held, Record, Shown, items_drawn, shown
from adjudge.report.words import words
from tests.unit.report import sample

SAY = words("en")
JUDGE = sample.single()


def judged(n: int) -> list[Outcome]:
    """Items of which each is a little better than the one before."""
    return [sample.verdict(f"i{place}", {"coverage": 1 + 4 * place / n}) for place in range(n)]


def item(name: str, text: str = "the judged text") -> Item:
    return Item(id=name, fields={"content": "the source", "text": text})


def kept(outcomes: Sequence[Outcome], *, limit: int = 100, size: int = 1_000_000) -> Shown:
    report = build(JUDGE, sample.state(JUDGE, len(outcomes)), outcomes)
    items = {one.item: item(one.item, f"the text of {one.item} " * 20) for one in outcomes}
    records = Held(outcomes, items)
    return shown(report, outcomes, records, JUDGE, Bars(report, JUDGE), SAY, limit=limit, size=size)


def drawn(outcomes: Sequence[Outcome], **how: int) -> str:
    report = build(JUDGE, sample.state(JUDGE, len(outcomes)), outcomes)
    return "".join(items_drawn(report, kept(outcomes, **how), Bars(report, JUDGE), SAY))


def ids(found: Shown) -> list[str]:
    return [re.findall('<span class="name">([^<]+)', row)[0] for row in found.rows]


def test_the_worst_come_first_and_failures_last_whatever_the_order_of_rows():
    outcomes = [sample.failure("lost"), *reversed(judged(9))]
    found = kept(outcomes)
    assert ids(found) == [*(f"i{place}" for place in range(9)), "lost"]
    assert [place for place, row in enumerate(found.rows) if re.match(r"<details[^>]* open>", row)] == [0]


def test_failures_give_way_to_judged_items_but_never_altogether():
    failures = [sample.failure(f"f{place}") for place in range(50)]
    assert ids(kept([*failures, *judged(50)], limit=20)) == [*(f"i{place}" for place in range(18)), "f0", "f1"]
    assert ids(kept([*failures, *judged(5)], limit=20)) == [*(f"i{n}" for n in range(5)), *(f"f{n}" for n in range(15))]
    assert ids(kept(failures, limit=3)) == ["f0", "f1", "f2"]
    assert ids(kept(judged(5), limit=0)) == []


def test_texts_are_left_out_of_the_better_items_when_the_file_grows_too_long():
    outcomes = judged(40)
    whole, cut = kept(outcomes), kept(outcomes, size=40_000)
    assert (whole.full, len(whole.rows)) == (40, 40)
    assert 0 < cut.full < 40
    assert len(cut.rows) == 40
    assert [row.startswith("<details") for row in cut.rows] == [place < cut.full for place in range(40)]
    assert sum(len(row.encode()) for row in cut.rows) <= 40_000
    page = drawn(outcomes, size=40_000)
    assert f"With texts, reasons and raw replies: {cut.full} of them" in page
    assert re.search(r"adjudge show \S+ --item ID", page)


def test_not_even_the_rows_outgrow_the_file():
    found = kept(judged(40), size=3_000)
    assert 0 < len(found.rows) < 40
    assert found.full == 0
    assert sum(len(row.encode()) for row in found.rows) <= 3_000
    assert f"In this file: {len(found.rows)} of 40 items" in drawn(judged(40), size=3_000)


def test_texts_take_no_room_from_the_rows_to_come_however_long_those_are():
    outcomes = [sample.verdict(f"i{n}" + "x" * 40 * n, {"coverage": 1 + n / 25}) for n in range(100)]
    found = kept(outcomes, size=400_000)
    assert len(found.rows) == 100
    assert 0 < found.full < 100
    assert sum(len(row.encode()) for row in found.rows) <= 400_000


def test_an_item_larger_than_the_file_is_a_row_without_its_texts():
    huge = sample.verdict("i", {"coverage": 1.0}, reasons={"coverage": "x" * 50_000})
    found = kept([huge, *judged(2)], size=20_000)
    assert (len(found.rows), found.full) == (3, 0)


@pytest.mark.parametrize("flags", [(), ("no_reason:coverage", "<b>|odd")])
def test_a_row_has_what_it_is_sorted_and_filtered_by(flags):
    one = replace(sample.verdict("i", {"coverage": 2.4, "accuracy": 5.0}), flags=flags)
    (row,) = kept([one]).rows
    assert re.search(r'class="item b0-1 b1-4 b\d+-\d+"', row)
    assert 'data-scores="2.4 5 - 3.7"' in row
    assert ('data-flags="no_reason|&lt;b&gt; odd"' in row) == bool(flags)
    assert ("a score without its reason · coverage · [no_reason]" in row) == bool(flags)


def test_a_failed_item_shows_why_and_its_texts():
    lost = Failure(item="i", kind="no_verdict", stage="repair", message="no <object>", attempts=3, flags=("repaired",))
    (row,) = kept([lost]).rows
    assert row.startswith('<details class="item failed"')
    for part in ("no_verdict", "no &lt;object&gt;", "Attempts: 3.", "the text of i", "the reply was mended"):
        assert part in row
    assert "data-scores" not in row


def replied(name: str, *calls: Call, text: str = '{"a": "<b>"}') -> Record:
    replies = [(call, Reply(text=text, finish="length")) for call in calls]
    return Record(outcome=sample.verdict(name, {"coverage": 1.0}), item=item(name), replies=replies)


class Stored:
    """What a stored run is to the page."""

    def __init__(self, *found: Record) -> None:
        self._found = {one.outcome.item: one for one in found}
        self.asked: list[tuple[int, bool]] = []

    def records(self, ids: Sequence[str], *, replies: bool = True) -> list[Record]:
        self.asked.append((len(ids), replies))
        found = [self._found[name] for name in ids if name in self._found]
        return found if replies else [replace(one, replies=()) for one in found]

    def rows(self, size: int = 1_000_000) -> Sequence[str]:
        outcomes = [one.outcome for one in self._found.values()]
        report = build(JUDGE, sample.state(JUDGE, len(outcomes)), outcomes)
        return shown(report, outcomes, self, JUDGE, Bars(report, JUDGE), SAY, limit=10_000, size=size).rows


def test_raw_replies_are_behind_a_line_that_says_what_they_are():
    call = Call(key="k", stage="judge", items=("i",), order=("B", "<A>"), repeat=1)
    (row,) = Stored(replied("i", call, text="<raw> " * 10_000)).rows()
    told = "Raw reply: verdict · candidates shown: B, &lt;A&gt; · repeat 2 · cut off at the limit of tokens"
    assert f'<details class="raw"><summary>{told}</summary><pre dir="auto" tabindex="0">&lt;raw&gt;' in row
    assert "20,000 of 60,000 characters" in row


def test_a_reply_that_items_share_is_in_the_file_once():
    shared = Call(key="k", stage="judge", items=("a", "b"))
    first, second = Stored(replied("a", shared), replied("b", shared)).rows()
    assert (first.count("<pre"), second.count("<pre")) == (1, 0)
    anchor = re.findall(r' id="([^"]+)"', first)[0]
    assert f'<a href="#{anchor}">shown with another item</a>' in second


def test_a_store_is_asked_seldom_and_for_replies_only_while_they_are_shown():
    stored = Stored(*(replied(f"i{n}", Call(key=f"k{n}", stage="judge", items=(f"i{n}",))) for n in range(250)))
    assert len(stored.rows(size=150_000)) == 250
    assert stored.asked == [(100, False), (100, False), (50, False), (100, True)]


def test_an_item_that_is_gone_from_the_store_has_no_row():
    outcomes, stored = judged(2), Stored(replied("i1"))
    report = build(JUDGE, sample.state(JUDGE, 2), outcomes)
    assert ids(shown(report, outcomes, stored, JUDGE, Bars(report, JUDGE), SAY, limit=9, size=99_999)) == ["i1"]


def test_a_verdict_is_counted_in_the_bars_that_its_histograms_count_it_in():
    outcomes = [
        *(sample.verdict(f"i{n}", {"coverage": 1 + n % 5, "accuracy": 2.0, "hallucination": 0.0}) for n in range(10)),
        sample.verdict("partial", {"coverage": 3.0}),
    ]
    report = build(JUDGE, sample.state(JUDGE, 11), outcomes)
    bars = Bars(report, JUDGE)
    counts: dict[str, int] = {}
    for one in outcomes:
        assert isinstance(one, Verdict)
        for name in bars.of(one):
            counts[name] = counts.get(name, 0) + 1
    expected = {
        f"b{place}-{at}": count
        for place, measure in enumerate(bars.measures)
        for at, (_, count) in enumerate(measure.histogram)
        if count
    }
    assert counts == expected
    assert len({name.split("-")[0] for name in counts}) == len(bars.measures) > 3
    links = {bars.link(one)(label) for one in bars.measures for label, count in one.histogram if count}
    notes = "".join(bars.notes(counts, SAY))
    assert {f"#{name}" for name in re.findall(r'id="(bar-[\d-]+)"', notes)} == links
    assert len(bars.rules().splitlines()) == len(links)


def test_a_comparison_falls_into_the_bars_of_all_its_candidates_and_is_sorted_by_their_totals():
    judge, outcomes = sample.compare(), sample.seed_comparisons("en")
    report = build(judge, sample.state(judge, 2), outcomes)
    bars, (first, _) = Bars(report, judge), outcomes
    assert isinstance(first, Verdict)
    assert [name for name in bars.of(first) if name.startswith("b0-")] == ["b0-4", "b0-5", "b0-3"]
    titles = [title for title, _ in bars.sorted_by]
    values = dict(zip(titles, bars.values(first).split(), strict=True))
    assert values["Correctness"] == "4"
    assert [values[f"{report.candidates[0].total.title}: Model{one}"] for one in "ABC"] == ["13", "14", "10"]
