"""Two runs side by side, and judges with their prompts, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from adjudge.api.judges import SAMPLES
from adjudge.web.site import Site
from tests.fakes.axe import violations
from tests.fakes.browser import serving, watched
from tests.fakes.verdicts import a_run
from tests.unit.api.test_changes import even, rows

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
CLIPBOARD = ["clipboard-read", "clipboard-write"]
WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture
def url(tmp_path) -> str:
    """A store with two runs of a judge in each language, and one of another judge."""
    url = f"sqlite:///{tmp_path}/a.db"
    for lang, names in (("en", ("old", "new")), ("ru", ("старый", "новый"))):
        bodies = rows(12)
        a_run(url, "summary", [*([even(3)] * 11), None], rows=bodies, name=names[0], lang=lang)
        bodies[4]["text"] = bodies[4]["text"].replace("leaves", "never leaves")
        given = [even(4), even(2), even(3), even(5), even(1), *([even(3)] * 7)]
        a_run(url, "summary", given, rows=bodies, name=names[1], lang=lang)
    a_run(url, "translation", [], name="apart")
    return url


def test_two_runs_are_chosen_and_what_got_worse_is_found(browser, url):
    with serving(Site(store=url)) as address, watched(browser, origin=address, bypass_csp=True, **WIDE) as (page, seen):
        page.goto(address)
        page.get_by_role("link", name="Compare", exact=True).click()
        page.get_by_role("link", name="old", exact=True).click()
        assert page.get_by_label("apart").count() == 0
        page.get_by_text("These can't be compared with it").click()
        assert "judged by another judge, translation" in page.inner_text("main")
        assert violations(page) == []
        page.get_by_label("new", exact=True).check()
        page.get_by_role("button", name="Compare", exact=True).click()
        assert "new against old" in page.inner_text("h1")
        page.get_by_role("link", name="got worse 2").click()
        table = page.locator("table.changes")
        assert table.locator("tbody > tr:first-child > th").all_inner_texts() == ["i4", "i1"]
        assert "3 → 1" in table.inner_text()
        assert "▼ worse" in table.inner_text()
        table.locator("summary").first.click()
        both = table.locator("table.both").first
        both.wait_for()
        assert both.locator("tr", has_text="Coverage").locator("td").all_inner_texts() == ["3\ngave 3", "1\ngave 1"]
        assert table.locator("ins").all_inner_texts() == ["never "]
        assert violations(page) == []
        links = [link.get_attribute("href") for link in table.get_by_role("link", name="This item in").all()]
        assert [str(link).rpartition("/")[2] for link in links] == ["5", "5"]
        table.get_by_role("link", name="This item in new").click()
        assert "i4" in page.inner_text("main")
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


def test_without_scripts_the_same_is_there_by_links(browser, url):
    with (
        serving(Site(store=url)) as address,
        watched(browser, origin=address, java_script_enabled=False) as (page, seen),
    ):
        page.goto(f"{address}/compare?run=old&run=new")
        page.get_by_label("Order").select_option("best change first")
        page.get_by_role("button", name="Apply").click()
        assert page.locator("table.changes th[scope=row]").first.inner_text() == "i3"
        page.locator("table.changes summary").first.click()
        page.locator("table.changes .opened a").first.click()
        assert "i3: both verdicts" in page.inner_text("h1")
        assert "gave 5" in page.inner_text("table.both")
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


def test_on_a_phone_in_russian_nothing_is_wider_than_the_screen(browser, url):
    with (
        serving(Site(store=url)) as address,
        watched(browser, origin=address, bypass_csp=True, **PHONE) as (page, seen),
    ):
        for path in ("/compare?run=старый&run=новый", "/compare/item?run=старый&run=новый&number=5", "/judges"):
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            assert violations(page) == []
        page.goto(f"{address}/compare?run=старый&run=новый&show=worse")
        assert page.locator("html").get_attribute("lang") == "ru"
        assert "стало хуже" in page.inner_text("table.changes")
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


def test_a_prompt_is_on_the_page_exactly_and_can_be_copied(browser, url):
    data = str(SAMPLES / "summary.ru.jsonl")
    told = [sys.executable, "-m", "adjudge", "check", "summary", "--data", data, "--lang", "ru", "--json"]
    prompt = json.loads(subprocess.run(told, capture_output=True, check=True).stdout)["prompt"]
    with (
        serving(Site(store=url, lang="en")) as address,
        watched(browser, origin=address, bypass_csp=True, permissions=CLIPBOARD) as (
            page,
            seen,
        ),
    ):
        page.goto(f"{address}/judges")
        page.get_by_role("link", name="Summary", exact=True).click()
        page.get_by_role("link", name="ru", exact=True).click()
        assert page.locator("#system-0").text_content() == prompt["system"]
        assert page.locator("#user-0").text_content() == prompt["user"]
        assert json.loads(page.locator("#schema-0").text_content() or "") == prompt["schema"]
        page.locator("button[data-copy=user-0]").click()
        page.get_by_role("button", name="Скопировано").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == prompt["user"]
        assert violations(page) == []
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
