"""Three hundred script injections in every field of a report, in a real browser: none of them does anything."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import pytest
from playwright.sync_api import Page

from adjudge.cli import run_command
from tests.fakes.browser import Seen, watched
from tests.hostile.payloads import ALARM, CANARY, PAYLOADS
from tests.hostile.planted import JUDGES, harmless, plant

#: How often a page has each element with the names of its attributes, as the browser has them after all scripts.
ELEMENTS = """() => {
    const found = {};
    for (const one of document.querySelectorAll('*')) {
        const name = [one.localName, ...one.getAttributeNames().sort()].join(' ');
        found[name] = (found[name] || 0) + 1;
    }
    return found;
}"""
#: In which frames of a page a text has run, from 0; one that was led elsewhere can't be looked into.
ALARMS = f"""Array.from(frames).flatMap((window, place) => {{
    try {{ return {ALARM} ? [place] : [] }} catch {{ return [] }}
}})"""
#: Writes each page into a frame of its own; one that is led to an address takes longer.
FRAMES = """for (const page of pages) {
    const {contentDocument: inside} = document.body.appendChild(document.createElement("iframe"));
    inside.open();
    inside.write(page);
    inside.close();
}"""


def as_script(value: object) -> str:
    """A value that a script of a page can hold."""
    return json.dumps(value).replace("<", "\\u003c")


def framing(pages: Sequence[str], before: str = "") -> str:
    """A page with a frame for each of these, in their order, after a script."""
    return f"<!doctype html><body><script>{before}; const pages = {as_script(pages)}; {FRAMES}</script>"


def test_the_payloads_work_where_nobody_escapes(browser):
    body = framing([f'<title>{text}</title><p title="{text}">{text}</p>' for text in PAYLOADS])
    with watched(browser, origin="https://naive.invalid/") as (page, seen):
        page.route("**/*", lambda route: route.abort())
        page.route(
            "https://naive.invalid/", lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8")
        )
        page.goto("https://naive.invalid/", wait_until="commit")

        def alarms() -> tuple[int, int, int]:
            asked = [url for url in seen.requests if CANARY in url]
            return len(seen.dialogs), len(asked), len(page.evaluate(ALARMS))

        for _ in range(60):  # a busy machine takes its time
            page.wait_for_timeout(500)
            if min(alarms()) > 40:
                break
        assert min(alarms()) > 40


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
    if address.startswith("http"):  # what is loaded on opening takes a moment
        page.wait_for_timeout(50)
        page.wait_for_selector(".htmx-request, .htmx-swapping, .htmx-settling", state="detached")
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
