"""Three hundred script injections in every field, on the pages of the web, in a real browser: they do nothing.

What each single payload makes of each page is looked at without a browser, in tests/hostile/test_injection.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page

from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.web.app import router
from adjudge.web.site import Site
from tests.browser.test_injection import ALARMS, as_script, framing, stores, visited
from tests.fakes.browser import Seen, serving, watched
from tests.hostile.payloads import PAYLOADS
from tests.hostile.planted import ANNOTATOR, JUDGES, NAMED

__all__ = ["stores"]
HTML = "text/html; charset=utf-8"
STATIC = files("adjudge.web").joinpath("static")


def addresses(path: str, store: str) -> list[str]:
    """A few addresses of a route: each judge's run with its own items, and runs that are called by payloads."""
    runs = [f"{judge}-0" for judge in JUDGES]
    if "{number}" in path or "{place}" in path:
        ways = [(run, 1 + 37 * at) for at, run in enumerate(runs)]
        if "{place}" in path:  # the order of items is random: another one for other ids
            ways = [(run, Desk.open(StoredRun(store, run), ANNOTATOR).place(number) or 0) for run, number in ways]
        return [f"{path.format(run=run, number=at, place=at)}?as={ANNOTATOR}" for run, at in ways]
    if "{run}" in path:
        return [
            f"{path.format(run=run)}?as={ANNOTATOR}"
            for run in (*runs, *(f"summary-named{at}" for at in range(0, NAMED, 50)))
        ]
    if "compare" in path:
        return [f"{path}?run=summary-0&run=summary-1&number={at}" for at in (1, 2)]
    if "{judge}" in path:
        return [path.format(judge=judge) for judge in JUDGES]
    return [f"{path}?page={page}" for page in range(1, 3)]


PAGES = [
    one.path
    for one in router(Site(store="")).routes
    if one.method == "GET"
    and not one.path.startswith(("/api", "/openapi", "/static"))
    and "." not in Path(one.path).name
]


@pytest.fixture(scope="module")
def opened(browser, stores) -> Iterator[list[tuple[str, str, Page, Seen]]]:
    """For each store: its URL, the address of its server, and a page for all visits: a new one would know no script."""
    with ExitStack() as stack:
        pages = []
        for url in stores.values():
            address = stack.enter_context(serving(Site(store=url)))
            pages.append((url, address, *stack.enter_context(watched(browser, origin=address))))
        yield pages


@pytest.mark.parametrize("path", PAGES)
def test_the_web_page_has_text_alone(opened, path):
    found = []
    for url, address, page, seen in opened:
        seen.clear()
        found.append(sum((visited(page, seen, address + one) for one in addresses(path, url)), Counter()))
        assert [error for error in seen.errors if "Content Security Policy" in error] == []
    assert found[0] == found[1]


def every(path: str) -> list[str]:
    """An address for each payload: as an item of one of the runs, or on one of the pages of a list."""
    if "{number}" in path or "{place}" in path:
        ways = [(f"{JUDGES[at % len(JUDGES)]}-0", at + 1) for at in range(len(PAYLOADS))]
        return [f"{path.format(run=run, number=at, place=at)}?as={ANNOTATOR}" for run, at in ways]
    if path == "/compare/item":
        return [f"{path}?run=summary-0&run=summary-1&number={at + 1}" for at in range(len(PAYLOADS))]
    if path == "/compare":
        return [f"{path}?run=summary-0&run=summary-1&page={at}" for at in range(1, 8)]
    return [f"{path.format(run='summary-0')}?as={ANNOTATOR}&page={at}" for at in range(1, 8)]


#: How a page asks for its scripts, which wait until all of it is there, and for its styles.
SCRIPT = re.compile(r'<script src="/static/([a-z_.]+)" defer></script>')
STYLE = re.compile(r'<link rel="stylesheet"[^<>]*>')
#: Puts the scripts of a page at its end, where they run at once.
RUN = """function run(document, names) {
    for (const name of names)
        document.body.append(Object.assign(document.createElement("script"), {text: scripts[name]}));
}"""


def bare(page: str) -> str:
    """A page without its styles; the page around it gives it its scripts.

    A thousand requests for the same files would take most of the time.
    """
    names = SCRIPT.findall(page)
    page = SCRIPT.sub("", STYLE.sub("", page)) + f"<script>parent.run(document, {names})</script>"
    assert "/static/" not in re.sub('<link rel="icon"[^<>]*>', "", page)
    return page


@pytest.mark.parametrize("path", [path for path in PAGES if "{judge}" not in path])
def test_each_payload_does_nothing(browser, stores, path):
    """A frame costs a small part of a visit, and it has no policy that would hold back what a page lets through.

    That payloads do work in frames is seen in test_injection.py.
    """
    with serving(Site(store=stores["hostile"])) as address, watched(browser, origin=address) as (page, seen):
        asked, pages = every(path), []
        for one in asked:
            with urlopen(address + one) as answered:
                pages.append(answered.read().decode())
        scripts = {name: (STATIC / name).read_text(encoding="utf-8") for name in {*SCRIPT.findall("".join(pages))}}
        body = framing([bare(one) for one in pages], f"const scripts = {as_script(scripts)}; {RUN}")
        page.route(f"{address}/frames", lambda route: route.fulfill(body=body, content_type=HTML))
        page.goto(f"{address}/frames", wait_until="load")
        held = page.evaluate("Array.from(frames).map(one => one.document.querySelectorAll('main *').length)")
        assert (len(held), min(held) > 0) == (len(pages), True)
        assert [asked[place] for place in page.evaluate(ALARMS)] == []
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
