"""The report's file in a real browser, with no network: from a histogram to a bad item, with and without script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from adjudge.api.stored import StoredRun
from adjudge.core.records import Call, Reply
from adjudge.report.html import html
from adjudge.store.store import open_store
from adjudge.store.writes import ReplyDone
from tests.fakes.browser import watched
from tests.fakes.verdicts import Given, a_run

CRITERIA = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
N = 230
#: Of all items these three miss what their sources say; two have no verdict at all.
BAD, LOST = ("i40", "i90", "i140"), ("i7", "i8")
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def given(number: int) -> Given:
    if f"i{number}" in LOST:
        return None
    scores = dict(zip(CRITERIA, (4, 3 + number % 3, 4, 5, 5), strict=True))
    return scores | ({"coverage": 1} if f"i{number}" in BAD else {})


def written(run: StoredRun, file: Path) -> Path:
    file.write_text("".join(html(run.report(), run.outcomes(), run, run.judge)), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    run = a_run(f"sqlite:///{folder}/a.db", "summary", [given(number) for number in range(N)])
    with open_store(run.store) as store:
        for number in (7, 40):
            call = Call(key=f"k{number}", stage="judge", items=(f"i{number}",))
            reply = Reply(text=f'{{"raw": "<b>reply of i{number}</b>"}}')
            store.commit([ReplyDone(run=run.id, call=call, span=(number, number), reply=reply)])
    return written(run, folder / "report.html")


@contextmanager
def opened(browser: Browser, file: Path, **how: Any) -> Iterator[Page]:
    """The page, which in the end must have asked for nothing, said nothing and gone wrong nowhere."""
    with watched(browser, offline=True, **({"viewport": WIDE} | how)) as (page, seen):
        page.set_default_timeout(30_000)  # how long it takes is measured elsewhere
        page.goto(file.as_uri())
        yield page
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


def rows(page: Page) -> Locator:
    """The ids of the items that can be seen."""
    return page.locator(".item:visible .name")


def names(page: Page) -> list[str]:
    # a row outside the window is not laid out, and has no inner text
    return rows(page).all_text_contents()


def choose_bar(page: Page) -> None:
    """The bar of the worst point of the first criterion, by mouse."""
    page.locator("svg.histogram a").first.click()
    expect(page.locator("p.bar:visible")).to_have_count(1)


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_bar_of_the_histogram_leads_to_its_items_and_back(browser, report, script):
    with opened(browser, report, java_script_enabled=script) as page:
        everything = 50 if script else N
        expect(rows(page)).to_have_count(everything)
        choose_bar(page)
        expect(rows(page)).to_have_count(3)
        assert sorted(names(page)) == sorted(BAD)
        assert page.locator("p.bar:visible").inner_text().startswith("Coverage: 1. Scores: 3; items in this file: 3.")
        page.get_by_role("link", name="Show all items").click()
        expect(rows(page)).to_have_count(everything)
        assert page.locator("p.bar:visible").count() == 0


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_bad_item_is_found_and_read_with_the_keyboard_alone(browser, report, script):
    with opened(browser, report, java_script_enabled=script) as page:
        page.locator("svg.histogram a").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("p.bar:visible")).to_be_focused()
        target = page.locator(".item", has=page.locator(".name", has_text=re.compile("^i140$"))).locator("> summary")
        for _ in range(40):
            if target.evaluate("node => node === document.activeElement"):
                break
            page.keyboard.press("Tab")
        expect(target).to_be_focused()
        page.keyboard.press("Enter")
        text = page.locator("details.item[open]", has_text="i140").last.inner_text()
        for part in ("text of item 140: the ferry leaves at 140.", "content of item 140", "gave 1"):
            assert part in text


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_raw_replies_open_on_demand_of_judged_and_failed_items(browser, report, script):
    with opened(browser, report, java_script_enabled=script) as page:
        for name in ("i40", "i7"):
            if script:
                page.get_by_label("Find in the items").fill(f"reply of {name}<")
            row = page.locator(".item", has_text=f"reply of {name}<")
            if row.get_attribute("open") is None:
                row.locator("> summary").click()
            assert not row.locator("pre").is_visible()
            row.locator(".raw > summary").click()
            assert row.locator("pre").inner_text() == f'{{"raw": "<b>reply of {name}</b>"}}'
        assert "no answer in time" in row.inner_text()


def test_items_are_sorted_by_any_criterion_in_both_directions(browser, report):
    with opened(browser, report) as page:
        assert names(page)[:3] == sorted(BAD, key=lambda name: (int(name[1:]) % 3, name))
        accuracy = page.get_by_role("button", name="Accuracy")
        accuracy.click()
        expect(accuracy).to_have_attribute("aria-pressed", "true")
        assert {int(name[1:]) % 3 for name in names(page)} == {0}
        assert "Order: Accuracy, lowest first." in page.get_by_role("status").inner_text()
        accuracy.click()
        assert {int(name[1:]) % 3 for name in names(page)} == {2}
        assert "highest first" in page.get_by_role("status").inner_text()
        page.get_by_role("button", name="id", exact=True).click()
        assert names(page)[:11] == [f"i{number}" for number in range(11)]
        expect(accuracy).to_have_attribute("aria-pressed", "false")


def test_items_are_paged_searched_and_filtered(browser, report):
    with opened(browser, report) as page:
        pager = page.get_by_role("navigation", name="Pages of items")
        assert "1 of 5" in pager.inner_text()
        first = names(page)
        page.get_by_role("button", name="Next page").click()
        assert not set(first) & set(names(page))
        page.get_by_role("button", name="Last page").click()
        assert names(page)[-2:] == list(LOST)
        expect(page.get_by_role("button", name="Next page")).to_be_disabled()
        page.get_by_label("Show", exact=True).select_option(label="not judged (2)")
        assert names(page) == list(LOST)
        assert "Items: 2 of 230." in page.get_by_role("status").inner_text()
        page.get_by_role("button", name="Show all", exact=True).click()
        page.get_by_label("Find in the items").fill("item 123:")
        assert names(page) == ["i123"]
        page.get_by_label("Find in the items").fill("no such words")
        assert names(page) == []
        assert "Items: 0 of 230." in page.get_by_role("status").inner_text()


def test_an_address_of_an_item_opens_it_wherever_it_stands(browser, report):
    with opened(browser, report) as page:
        page.get_by_role("button", name="Last page").click()
        anchor = page.locator(".item").last.get_attribute("id")
        page.get_by_role("button", name="First page").click()
        page.evaluate("anchor => { location.hash = anchor }", anchor)
        expect(page.locator(f"#{anchor}")).to_have_attribute("open", "")
        expect(page.locator(f"#{anchor} > summary")).to_be_focused()


def test_a_link_to_an_item_works_again_after_its_page_was_turned(browser, report):
    with opened(browser, report) as page:
        anchor = page.locator(".item").last.get_attribute("id")
        link = (
            "anchor => { const link = document.createElement('a'); link.href = '#' + anchor; link.textContent = 'it'; "
        )
        page.evaluate(link + "document.querySelector('h1').append(link) }", anchor)
        for _ in range(2):
            page.get_by_role("link", name="it", exact=True).click()
            expect(page.locator(f"#{anchor} > summary")).to_be_focused()
            page.get_by_role("button", name="Last page").click()
            expect(page.locator(f"#{anchor}")).to_have_count(0)


def test_the_best_come_first_and_what_has_no_score_stands_last_in_both_orders(browser, report):
    with opened(browser, report) as page:
        best = page.get_by_role("button", name="worst first")
        best.click()
        assert "Order: best first." in page.get_by_role("status").inner_text()
        assert not {*BAD, *LOST} & set(names(page))
        page.get_by_role("button", name="Last page").click()
        assert set(names(page)[-5:-2]) == set(BAD)
        assert names(page)[-2:] == list(LOST)


def test_on_paper_are_all_items_that_were_found(browser, report):
    with opened(browser, report) as page:
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert len(names(page)) == N
        assert page.get_by_role("button").count() == 0
        assert "Items: 230 of 230. Order: worst first." in page.get_by_role("status").inner_text()
        page.emulate_media(media="screen")
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert len(names(page)) == 50


@pytest.mark.parametrize("how", [{"viewport": PHONE}, {"viewport": PHONE, "color_scheme": "dark"}, {}])
def test_nothing_is_wider_than_the_page(browser, report, how):
    with opened(browser, report, **how) as page:
        choose_bar(page)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        small = page.evaluate(
            "Array.from(document.querySelectorAll('.controls button, .controls input, .pager button, .item summary'))"
            ".map(node => node.getBoundingClientRect())"
            ".filter(box => box.height && (box.height < 24 || box.width < 24)).length"
        )
        assert small == 0


def test_ten_thousand_items_open_and_sort(browser, tmp_path):
    run = a_run(f"sqlite:///{tmp_path}/a.db", "summary", [given(number) for number in range(10_000)])
    with opened(browser, written(run, tmp_path / "many.html")) as page:
        assert page.get_by_role("status").inner_text().startswith("Items: 10,000 of 10,000.")
        page.get_by_role("button", name="Conciseness").click()
        page.get_by_role("button", name="Last page").click()
        assert len(names(page)) == 50
        choose_bar(page)
        expect(rows(page)).to_have_count(3)
        assert sorted(names(page)) == sorted(BAD)
