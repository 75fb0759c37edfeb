"""Runs, a run and an item in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from adjudge.api.stored import list_runs
from adjudge.store.store import open_store
from adjudge.web.site import Site
from tests.fakes.browser import serving, watched
from tests.fakes.verdicts import a_run

CRITERIA = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
QUIET: tuple[list[str], list[str], list[str]] = ([], [], [])


def even(score: int) -> dict[str, int]:
    return dict.fromkeys(CRITERIA, score)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two runs on the same 120 items, one of which is bad and two of which failed, and a comparison in Russian."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db"
    given = [even(4) | {"coverage": 2 if number in (40, 80) else 4} for number in range(120)]
    given[60] = even(1)
    rows = [{"id": f"i{n}", "content": f"Ferry {n} leaves.", "text": f"It leaves at {n}."} for n in range(120)]
    rows[60]["text"] = "The lighthouse burnt down."
    a_run(url, "summary", given, rows=rows, name="ferries", model="openai:small")
    a_run(url, "summary", [None, None, *given[2:]], rows=rows, name="ferries again", model="openai:large")
    candidates = [{name: {"Искра": 4, "Перо": 2} for name in RAG} for _ in range(3)]
    a_run(url, "rag-answers", candidates, lang="ru", name="вопросы", model="offline")
    return url


RAG = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")


def run_of(url: str, name: str) -> str:
    return next(state.run.id for state in list_runs(store=url) if state.run.name == name)


def test_runs_are_filtered_and_searched_as_one_types(browser, store):
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(address)
        assert page.locator("table.runs tbody th a").all_inner_texts() == ["вопросы", "ferries again", "ferries"]
        page.select_option("#by-judge", "summary")
        page.get_by_text("Runs: 2 of 3").wait_for()
        page.locator("#q").press_sequentially("LARGE")
        page.get_by_text("Runs: 1 of 3").wait_for()
        assert page.locator("table.runs tbody th a").all_inner_texts() == ["ferries again"]
        assert page.evaluate("document.activeElement.id") == "q"
        assert page.url == f"{address}/?q=LARGE&judge=summary"
        page.reload()
        assert page.get_by_text("Runs: 1 of 3").is_visible()
        page.select_option("#by-status", "complete")
        page.get_by_text("Nothing matches").wait_for()
        page.get_by_role("link", name="Clear all filters").click()
        page.get_by_text("Runs: 3 of 3").wait_for()
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_two_runs_are_ticked_and_compared(browser, store):
    first, second = run_of(store, "ferries"), run_of(store, "ferries again")
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/?judge=summary")
        page.get_by_label("Compare ferries again").check()
        page.get_by_label("Compare ferries", exact=True).check()
        page.get_by_role("button", name="Compare the two ticked runs").click()
        page.wait_for_url("**/compare?*")
        assert page.url.endswith(f"/compare?run={second}&run={first}")
        assert page.locator("h1").is_visible()
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_a_bad_item_is_found_from_the_histogram(browser, store):
    run = run_of(store, "ferries")
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/runs/{run}")
        page.locator("svg.histogram a").first.click()
        page.wait_for_url("**bar=coverage*")
        assert page.get_by_text("Items: 1 of 120").is_visible()
        page.locator("table.items tbody th a").click()
        page.get_by_text("The lighthouse burnt down.").wait_for()
        assert page.locator("h1").inner_text() == "i60"
        assert page.get_by_text("1 of 1 in the list").is_visible()
        page.get_by_role("link", name="Back to the list").click()
        page.wait_for_url("**bar=coverage%3A1#items")
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def arrived(page: Page, text: str) -> None:
    """A page with the text is there, and its scripts, which come after the text, hear keys."""
    page.get_by_text(text).wait_for()
    page.wait_for_load_state()


def test_items_are_walked_through_with_keys_in_the_order_of_the_list(browser, store):
    run = run_of(store, "ferries")
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/runs/{run}?bar=coverage:2")
        page.get_by_role("link", name="No.").click()
        page.wait_for_url("**sort=.number**")
        assert page.locator("table.items tbody th a").all_inner_texts() == ["i40", "i80"]
        page.locator("table.items tbody th a").first.click()
        arrived(page, "1 of 2 in the list")
        page.keyboard.press("j")
        arrived(page, "2 of 2 in the list")
        assert page.locator("h1").inner_text() == "i80"
        page.keyboard.press("j")
        page.keyboard.press("k")
        arrived(page, "1 of 2 in the list")
        # the same key of a Russian keyboard
        page.evaluate(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'о', code: 'KeyJ', bubbles: true}))"
        )
        arrived(page, "2 of 2 in the list")
        page.keyboard.press("u")
        page.wait_for_url(f"**/runs/{run}?*#items")
        page.locator("#q").press_sequentially("jku")
        page.get_by_text("Items: 0 of 120").wait_for()
        assert page.locator("#q").input_value() == "jku"
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_items_are_sorted_searched_filtered_and_paged(browser, store):
    run = run_of(store, "ferries again")
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/runs/{run}")
        assert page.locator("table.items tbody th a").first.inner_text() == "i60"
        page.select_option("#by-sort", "-coverage")
        page.wait_for_url("**sort=-coverage")
        assert page.locator("table.items tbody th a").first.inner_text() == "i2"
        page.get_by_role("link", name="Next →").click()
        page.wait_for_url("**page=2#items")
        assert page.get_by_text("Page 2 of 3").is_visible()
        assert page.locator("table.items tbody tr").count() == 50
        page.select_option("#by-status", "failed")
        page.get_by_text("Items: 2 of 120").wait_for()
        assert page.get_by_text("failed: timed_out").count() == 2
        page.select_option("#by-status", "")
        page.locator("#q").fill("LIGHTHOUSE")
        page.get_by_text("Items: 1 of 120").wait_for()
        assert page.get_by_text("Searched: all ids, and the texts of 120 items.").is_visible()
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_the_labels_of_people_stand_beside_the_judge(browser, store):
    run = run_of(store, "ferries")
    with open_store(store) as opened:
        opened.add_label(run, "i60", "", "coverage", "Anna", 2.0, "it says nothing of the ferry")
        opened.add_label(run, "i60", "", "coverage", "Boris", None)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/runs/{run}/items/61")
        table = page.locator("table.people")
        assert table.locator("thead th").all_inner_texts() == ["Criterion", "The judge", "Anna", "Boris"]
        assert table.locator("tbody tr").all_inner_texts() == ["Coverage\t1\t2\twould not say"]
        assert page.get_by_text("Anna · Coverage: it says nothing of the ferry").is_visible()
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_everything_works_without_script(browser, store):
    run = run_of(store, "ferries")
    with (
        serving(Site(store=store)) as address,
        watched(browser, origin=address, java_script_enabled=False) as (page, seen),
    ):
        page.goto(address)
        page.locator("#q").fill("again")
        page.get_by_role("button", name="Filter").click()
        assert page.locator("table.runs tbody th a").all_inner_texts() == ["ferries again"]
        page.goto(f"{address}/runs/{run}")
        page.locator("svg.histogram a").first.click()
        assert page.get_by_text("Items: 1 of 120").is_visible()
        page.get_by_role("link", name="Remove the filter Coverage: 1").click()
        page.locator("#q").fill("lighthouse")
        page.get_by_role("button", name="Filter").click()
        page.locator("table.items tbody th a").click()
        assert page.locator("h1").inner_text() == "i60"
        page.get_by_role("link", name="Show what was sent").click()
        assert page.get_by_text("No call of this item is stored.").is_visible()
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_a_run_in_russian_is_shown_in_russian_on_a_phone_too(browser, store):
    run = run_of(store, "вопросы")
    with (
        serving(Site(store=store)) as address,
        watched(browser, origin=address, locale="ru-RU", **PHONE) as (page, seen),
    ):
        for path, word in (("/", "Прогоны"), (f"/runs/{run}", "Записи"), (f"/runs/{run}/items/1", "Запись 1")):
            page.goto(f"{address}{path}")
            assert word in page.inner_text("main")
            assert page.locator("html").get_attribute("lang") == "ru"
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto(f"{address}/runs/{run}")
        assert "Победитель: Искра" in page.inner_text("main")
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_files_are_downloaded(browser, store):
    run = run_of(store, "ferries")
    with serving(Site(store=store)) as address, watched(browser, origin=address, accept_downloads=True) as (page, seen):
        page.goto(f"{address}/runs/{run}")
        page.get_by_text("Downloads").click()
        for name, start in (
            ("Report, HTML", "<!doctype html>"),
            ("Report, Markdown", "# "),
            ("Items, JSONL", '{"id":'),
            ("Scores, CSV", "id,status,coverage"),
            ("Verdicts, native JSON", "{"),
        ):
            with page.expect_download() as waited:
                page.get_by_role("link", name=name).click()
            assert waited.value.path().read_text("utf-8").startswith(start), name
            assert waited.value.suggested_filename.startswith(f"{run}.")
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_an_empty_store_says_what_to_type(browser, tmp_path):
    url = f"sqlite:///{tmp_path}/empty.db"
    open_store(url).close()
    with serving(Site(store=url)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(address)
        typed = page.locator("code").all_inner_texts()
        assert typed[0] == "adjudge judges"
        assert typed[1].startswith("adjudge run summary my.jsonl --store sqlite:///")
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET


def test_on_a_phone_the_reasons_of_an_item_are_all_in_sight(browser, store):
    with serving(Site(store=store)) as address, watched(browser, origin=address, **PHONE) as (page, seen):
        page.goto(f"{address}/runs/{run_of(store, 'ferries')}/items/61")
        reasons = page.locator("table.single td.reason")
        assert reasons.count() == len(CRITERIA)
        for place in range(len(CRITERIA)):
            box = reasons.nth(place).bounding_box()
            assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
        assert page.evaluate("[...document.querySelectorAll('.scroll')].every(e => e.scrollWidth <= e.clientWidth)")
        assert (seen.dialogs, seen.requests, seen.errors) == QUIET
