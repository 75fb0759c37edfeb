"""Three hundred script injections in every field, on every page, in a real browser: none of them does anything."""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Page

from adjudge.cli import run_command
from adjudge.web.app import router
from adjudge.web.site import Site
from tests.fakes.browser import Seen, serving, watched
from tests.hostile.payloads import ALARM, CANARY, PAYLOADS
from tests.hostile.planted import ANNOTATOR, JUDGES, NAMED, harmless, plant

#: The elements of a page with the names of their attributes, as the browser has them after all scripts.
ELEMENTS = """() => [...document.querySelectorAll('*')].map(one =>
    [one.localName, ...[...one.attributes].map(each => each.name).sort()].join(' '))"""


def test_the_payloads_work_where_nobody_escapes(browser):
    frames = "".join(
        f'<iframe srcdoc="{escape(f"<title>{text}</title><p title={chr(34)}{text}{chr(34)}>{text}</p>")}"></iframe>'
        for text in PAYLOADS
    )
    with watched(browser, origin="https://naive.invalid/") as (page, seen):
        page.route("**/*", lambda route: route.abort())
        page.route("https://naive.invalid/", lambda route: route.fulfill(body=frames.encode("utf-8", "replace")))
        page.goto("https://naive.invalid/")
        page.wait_for_timeout(500)
        assert len(seen.dialogs) > 40
        assert len([url for url in seen.requests if CANARY in url]) > 40
        assert sum(frame.evaluate(ALARM) for frame in page.frames if "naive" in frame.url or "srcdoc" in frame.url) > 40


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> dict[str, str]:
    """A store of payloads, and one of harmless texts of the same shapes."""
    folder = tmp_path_factory.mktemp("stores")
    texts = {"hostile": PAYLOADS, "harmless": [harmless(number) for number in range(len(PAYLOADS))]}
    for name, each in texts.items():
        plant(f"sqlite:///{folder}/{name}.db", each)
    return {name: f"sqlite:///{folder}/{name}.db" for name in texts}


def visited(page: Page, seen: Seen, address: str) -> Counter[str]:
    """The elements of a page, all its parts open, on which nothing has run, popped up or left."""
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert not page.evaluate(ALARM)
    assert (seen.dialogs, seen.requests) == ([], [])
    return Counter(page.evaluate(ELEMENTS))


@pytest.mark.parametrize("judge", JUDGES)
def test_the_report_has_text_alone(browser, stores, tmp_path, judge):
    found: dict[bool, list[Counter[str]]] = {True: [], False: []}
    for name, url in stores.items():
        file = tmp_path / f"{name}.html"
        assert run_command(["show", f"{judge}-0", "--store", url, "--format", "html", "-o", str(file)]) == 0
        for script, each in found.items():
            with watched(browser, java_script_enabled=script) as (page, seen):
                each.append(visited(page, seen, file.as_uri()))
                assert seen.errors == []
    for hostile, benign in found.values():
        assert hostile == benign


def addresses(path: str) -> list[str]:
    """A few addresses of a route: each judge's run with its own items, and runs that are called by payloads."""
    runs = [f"{judge}-0" for judge in JUDGES]
    if "{number}" in path or "{place}" in path:
        ways = [(runs[at % len(runs)], at) for at in range(1, len(PAYLOADS) + 1, 29)]
        return [f"{path.format(run=run, number=at, place=at)}?as={ANNOTATOR}" for run, at in ways]
    if "{run}" in path:
        return [
            f"{path.format(run=run)}?as={ANNOTATOR}"
            for run in (*runs, *(f"summary-named{at}" for at in range(0, NAMED, 20)))
        ]
    if "compare" in path:
        return [f"{path}?run=summary-0&run=summary-1&number={at}" for at in (1, 2)]
    if "{judge}" in path:
        return [path.format(judge=judge) for judge in JUDGES]
    return [f"{path}?page={page}" for page in range(1, 5)]


PAGES = [
    one.path
    for one in router(Site(store="")).routes
    if one.method == "GET"
    and not one.path.startswith(("/api", "/openapi", "/static"))
    and "." not in Path(one.path).name
]


@pytest.mark.parametrize("path", PAGES)
def test_the_web_page_has_text_alone(browser, stores, path):
    found = []
    for url in stores.values():
        with serving(Site(store=url)) as address, watched(browser, origin=address) as (page, seen):
            found.append(sum((visited(page, seen, address + one) for one in addresses(path)), Counter()))
            assert [error for error in seen.errors if "Content Security Policy" in error] == []
    assert found[0] == found[1]
