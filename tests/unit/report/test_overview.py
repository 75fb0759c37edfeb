"""The upper part of the page: the head says all, every chart is there once, and each in both languages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from adjudge.core.judge import Criterion
from adjudge.core.runs import Spent
from adjudge.core.scale import Scale
from adjudge.report.build import build
from adjudge.report.head import moment
from adjudge.report.overview import head_and_charts
from adjudge.report.people import Against
from adjudge.report.tables import Report
from adjudge.report.words import words
from tests.unit.report import sample

PEOPLE = (Against(title="Coverage", min=1, max=5, counts={(1, 2): 3, (4, 4): 9}, bias=-0.5),)
SPENDING = tuple(Spent(seconds=at, paused=0, calls=at, tokens=at, cost_usd=0.1 * (at + 1)) for at in range(5))


def single(lang: str = "en") -> Report:
    judge = sample.single(lang)
    return build(judge, sample.state(judge, 12, model="openai:m"), sample.summaries(lang))


def compare(lang: str = "en") -> Report:
    judge = sample.compare(lang)
    return build(judge, sample.state(judge, 2), sample.seed_comparisons(lang))


def drawn(report: Report, **more: object) -> str:
    return "\n".join(head_and_charts(report, words(report.lang), **more))  # type: ignore[arg-type]


def facts(page: str) -> dict[str, str]:
    found = re.findall(r"<div><dt>([^<]*)</dt><dd>(.*?)</dd></div>", page.partition("<details")[0])
    return {name: re.sub("<[^>]+>", "", value) for name, value in found}


def test_the_head_says_what_by_whom_when_and_for_how_much() -> None:
    report = single()
    state = replace(report.state, cost_usd=0.5, tokens_in=1000, tokens_out=20, cached=3, calls=9)
    run = replace(state.run, repeat=3, batch_size=10, name="nightly")
    page = drawn(replace(report, state=replace(state, run=run)))
    assert "<h1>Summary against its source</h1>" in page
    assert facts(page) == {
        "Data": "data.jsonl",
        "Judge": "summary (en)",
        "Model": "openai:m",
        "Judged": "11 of 12",
        "Not judged": "1",
        "Started": "2026-01-02 03:04 UTC",
        "Time": "3.4 s",
        "Cost": "$0.5000",
        "Calls": "9",
        "From the store": "3",
        "Tokens in / out": "1,000 / 20",
        "Settings": "temperature 0.0 · repeat 3 · batch 10 · seed 0",
    }
    assert "nightly (20260102-summary-7f3a)" in page


@pytest.mark.parametrize(("n", "folded"), [(0, 0), (3, 0), (4, 0), (5, 2), (12, 9)])
def test_many_warnings_do_not_push_the_numbers_off_the_screen(n: int, folded: int) -> None:
    page = drawn(replace(single(), warnings=tuple(f"warning {number}." for number in range(n))))
    box = page.partition('<section class="warnings"')[2].partition("</section>")[0]
    assert [f"warning {number}." in box for number in range(n)] == [True] * n
    assert box.partition("<details")[2].count("<li>") == folded
    assert (f"More warnings: {folded}" in box) == bool(folded)


def test_the_signature_stands_whole_near_the_head() -> None:
    report = single()
    page = drawn(report)
    upper = page.partition("<h2")[0]
    assert f"<code>{report.state.run.signature}</code>" in upper
    for name, value in report.state.run.parts.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in upper


@pytest.mark.parametrize(
    ("stamp", "shown"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02 03:04 UTC"),
        ("2026-01-02T03:04:05+03:00", "2026-01-02 00:04 UTC"),
        ("2026-01-02T03:04:05", "2026-01-02 03:04 UTC"),
        ("yesterday", "yesterday"),
    ],
)
def test_a_time_is_told_to_the_minute(stamp: str, shown: str) -> None:
    assert moment(stamp) == shown


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_every_chart_is_there_once_with_its_title(lang: str) -> None:
    say = words(lang)
    page = drawn(single(lang), people=PEOPLE, spending=SPENDING)
    for title in ("criteria", "charts_distributions", "charts_people_title", "charts_cost"):
        assert page.count(f"<h2>{say(title)}</h2>") == 1
    count = {name: page.count(f'class="{name}"') for name in ("interval", "histogram", "people", "curves")}
    assert count == {"interval": 4, "histogram": 4, "people": 1, "curves": 1}
    assert say("better_lower") in page
    page = drawn(compare(lang))
    assert page.count('class="standing"') == 3 and page.count('class="heat"') == 1
    assert page.count('class="interval"') == 3 + 3  # candidates, then criteria
    assert say("charts_losses") in page


def test_what_there_is_nothing_of_is_not_drawn() -> None:
    page = drawn(single())
    assert "charts_people_title" not in page and 'class="people"' not in page and "spending" not in page
    judge = sample.single()
    page = drawn(build(judge, sample.state(judge, 1), [sample.failure("i")]))
    assert "<svg" not in page and page.count("not judged") >= 3


def test_bars_lead_where_the_page_says() -> None:
    assert "<a " not in drawn(single())
    page = drawn(single(), link=lambda one: lambda label: f"/items?where={one.name}:{label}")
    assert 'href="/items?where=coverage:1"' in page
    assert "A bar leads to its items." in page


def test_eight_candidates_and_twelve_criteria_with_hostile_names() -> None:
    names = [f"<i>{'long name ' * 12}{number}</i>" for number in range(8)]
    base = sample.compare()
    criteria = tuple(
        Criterion(name=f"c{number}", kind="rating", title=f"<script>{number}</script>", scale=Scale(min=0, max=5))
        for number in range(12)
    )
    judge = replace(
        base,
        criteria=criteria,
        derived=(replace(base.derived[0], of=tuple(one.name for one in criteria)), base.derived[1]),
    )
    outcomes = [
        sample.comparison(
            f"q{item}", {one.name: {name: (at + item) % 6 for at, name in enumerate(names)} for one in criteria}
        )
        for item in range(3)
    ]
    page = drawn(build(judge, sample.state(judge, 3), outcomes))
    assert page.count('class="interval"') == 8 + 12 and page.count('class="histogram"') == 12
    assert "<script>" not in page and "<i>" not in page
    assert not re.search(r"\bnan\b|\binf\b", page)
