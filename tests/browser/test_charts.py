"""The charts of a report in a real browser: words stay in their pictures, on a wide screen, a phone and paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from adjudge import load_judge
from adjudge.core.runs import Spent
from adjudge.report.html import html
from adjudge.store.store import open_store
from tests.fakes.browser import watched
from tests.fakes.verdicts import a_run

#: Names of charts with a word that lies outside its picture by more than a hair.
OUTSIDE = """() => [...document.querySelectorAll('svg[viewBox] text')].filter(text => {
  const own = text.getBoundingClientRect(), box = text.closest('svg').getBoundingClientRect();
  return own.left < box.left - 2 || own.right > box.right + 2 || own.top < box.top - 2 || own.bottom > box.bottom + 2;
}).map(text => text.closest('svg').getAttribute('class') + ': ' + text.textContent)"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SPENDING = [
    Spent(seconds=at, paused=3_600 * (at == 9), calls=at, tokens=at, cost_usd=1234.5 * (at + 1)) for at in range(40)
]


@pytest.fixture(scope="module", params=["en", "ru"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A comparison of eight candidates with labels and a curve."""
    folder, lang = tmp_path_factory.mktemp("charts"), str(request.param)
    names, url = [f"Candidate {letter}" for letter in "ABCDEFGH"], f"sqlite:///{folder}/store.db"
    criteria = [one.name for one in load_judge("rag-answers").scored]
    given = [
        {name: {who: (item + at * 2) % 6 for at, who in enumerate(names)} for name in criteria} for item in range(25)
    ]
    run = a_run(url, "rag-answers", given, lang=lang)
    with open_store(url) as store:
        for item in range(25):
            store.add_label(run.id, f"i{item}", names[item % 3], criteria[0], "anna", float(item % 6))
    page = folder / "report.html"
    parts = html(run.report(), run.outcomes(), run, run.judge, people=run.people(), spending=SPENDING)
    page.write_text("".join(parts), "utf-8")
    return page.as_uri()


@pytest.mark.parametrize(
    ("wide", "media", "scheme"), [(1280, "screen", "light"), (390, "screen", "dark"), (720, "print", "light")]
)
def test_words_stay_in_their_pictures(browser: Browser, report: str, wide: int, media: str, scheme: str) -> None:
    with watched(browser, offline=True, viewport={"width": wide, "height": 900}, color_scheme=scheme) as (page, seen):
        page.emulate_media(media=media)  # type: ignore[arg-type]
        page.goto(report)
        assert page.locator("svg.standing").count() == 8
        assert page.locator("svg.people").count() == page.locator("svg.curves").count() == 1
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate(WIDER) <= 0
    assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


def test_a_bar_is_reached_by_the_keyboard_and_has_a_name(browser: Browser, report: str) -> None:
    with watched(browser, offline=True, viewport={"width": 1280, "height": 900}) as (page, seen):
        page.goto(report)
        first = page.locator("svg.histogram a").first
        first.focus()
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == first.get_attribute("aria-label")
        page.keyboard.press("Enter")
        assert page.url.endswith(first.get_attribute("href") or "-")
    assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


def test_the_signature_opens_without_script(browser: Browser, report: str) -> None:
    with watched(browser, offline=True, java_script_enabled=False) as (page, seen):
        page.goto(report)
        whole = page.locator("details.signature code")
        assert not whole.is_visible()
        page.locator("details.signature summary").click()
        assert whole.is_visible() and whole.inner_text().startswith("adjudge:")
    assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_first_screen_has_figures_however_many_warnings_there_are(
    browser: Browser, tmp_path: Path, lang: str
) -> None:
    names = [one.name for one in load_judge("summary").scored]
    run = a_run(f"sqlite:///{tmp_path}/store.db", "summary", [dict.fromkeys(names, 3)] * 40, lang=lang)
    warned = replace(run.report(), warnings=tuple(f"{number}. " + "a long warning " * 12 for number in range(12)))
    file = tmp_path / "report.html"
    file.write_text("".join(html(warned, run.outcomes(), run, run.judge)), "utf-8")
    with watched(browser, offline=True, viewport={"width": 1280, "height": 900}) as (page, seen):
        page.goto(file.as_uri())
        lowest = page.locator("table.measures .mean").nth(2).bounding_box()
        assert lowest is not None and lowest["y"] + lowest["height"] < 900
        last = page.locator(".warnings li").last
        assert not last.is_visible()
        page.locator(".warnings summary").click()
        assert last.is_visible()
        page.reload()
        page.emulate_media(media="print")
        assert last.is_visible(), "paper cannot be clicked"
        assert page.locator("details.signature code").is_visible()
    assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
