"""Three hundred script injections in every field, on the pages of the web, in a real browser: they do nothing.

What each single payload makes of each page is looked at without a browser, in tests/hostile/test_injection.py.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path
from urllib.request import urlopen

import pytest

from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.web.app import router
from adjudge.web.site import Site
from tests.browser.test_injection import ALARMS, stores, visited
from tests.fakes.browser import serving, watched
from tests.hostile.payloads import PAYLOADS
from tests.hostile.planted import ANNOTATOR, JUDGES, NAMED

__all__ = ["stores"]
HTML = "text/html; charset=utf-8"


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


@pytest.mark.parametrize("path", PAGES)
def test_the_web_page_has_text_alone(browser, stores, path):
    found = []
    for url in stores.values():
        with serving(Site(store=url)) as address, watched(browser, origin=address) as (page, seen):
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


def framed(address: str) -> str:
    """The page at an address as a frame of another one: all of it but its headers."""
    with urlopen(address) as answered:
        return f'<iframe srcdoc="{escape(answered.read().decode())}"></iframe>'


@pytest.mark.parametrize("path", [path for path in PAGES if "{judge}" not in path])
def test_each_payload_does_nothing(browser, stores, path):
    """A frame costs a third of a visit, and it has no policy that would hold back what a page lets through.

    That payloads do work in frames is seen in test_injection.py.
    """
    with serving(Site(store=stores["hostile"])) as address, watched(browser, origin=address) as (page, seen):
        frames = [framed(address + one) for one in every(path)]
        page.route(f"{address}/frames", lambda route: route.fulfill(body="".join(frames), content_type=HTML))
        page.goto(f"{address}/frames", wait_until="load")
        held = page.evaluate("Array.from(frames).map(one => one.document.querySelectorAll('main *').length)")
        assert (len(held), min(held) > 0) == (len(frames), True)
        assert page.evaluate(ALARMS) == 0
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
