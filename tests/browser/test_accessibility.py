"""What axe-core finds on the report and on every page: nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

import pytest
from playwright.sync_api import Page

from adjudge.api.stored import StoredRun
from adjudge.cli import run_command
from adjudge.core.labels import Label
from adjudge.store.store import open_store
from adjudge.web.app import router
from adjudge.web.site import Site
from tests.fakes.axe import violations
from tests.fakes.browser import Seen, serving, watched
from tests.fakes.verdicts import a_run

CRITERIA = {
    "summary": ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check"),
    "rag-answers": ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth"),
    "search-summary": ("hallucination", "quality", "relevancy"),
    "translation": ("adequacy", "fluency", "terminology", "hallucination", "punctuation"),
}
LANGS = ("en", "ru")
#: Which rules are looked at in which colours: those of another kind see the same page in both.
SCHEMES: dict[Literal["light", "dark"], tuple[str, ...]] = {
    "light": (),
    "dark": ("color-contrast", "link-in-text-block"),
}


def given(judge: str, place: int) -> dict[str, object] | None:
    """Scores of all sorts, and now and then a failure."""
    if place % 9 == 8:
        return None
    low = {"search-summary": 0}.get(judge, 1)
    if judge == "rag-answers":
        return {name: {who: (place + at) % 6 for at, who in enumerate("ABC")} for name in CRITERIA[judge]}
    return {name: low + (place + at) % 3 for at, name in enumerate(CRITERIA[judge])}


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> str:
    """A run of each judge in each language, with labels; `summary` twice over the same items."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db"
    for judge in CRITERIA:
        for lang in LANGS:
            scores = [given(judge, place) for place in range(10)]
            run = a_run(url, judge, scores, lang=lang, name=f"{judge}-{lang}")
            if judge == "summary":
                a_run(url, judge, [given(judge, 1 + place) for place in range(10)], lang=lang, name=f"again-{lang}")
            label(run)
    return url


def label(run: StoredRun) -> None:
    criteria = run.judge.scored
    with open_store(run.store) as store:
        store.add_labels(
            run.id,
            [
                Label(
                    item=f"i{at}", candidate=who, criterion=one.name, annotator="Ann", value=one.scale.min, comment="so"
                )
                for at in range(8)
                for one in criteria
                if one.scale
                for who in (("A", "B", "C") if run.judge.layout == "compare" else ("",))
            ],
        )


def opened(page: Page, address: str) -> list[str]:
    """What axe finds on the page in light, and of colours in dark too, with parts of it open."""
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((one, place) => { if (place < 4) one.open = true })")
    found = []
    for scheme, only in SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme} {line}" for line in violations(page, only=only)]
    return found


@pytest.fixture(scope="module")
def visitor(browser, store) -> Iterator[tuple[str, Page, Seen]]:
    """The address of a server, and a page for all visits."""
    with (
        serving(Site(store=store)) as address,
        watched(browser, origin=address, bypass_csp=True, reduced_motion="reduce") as (page, seen),
    ):
        yield address, page, seen


@pytest.fixture(scope="module")
def reader(browser) -> Iterator[tuple[Page, Seen]]:
    """A page for all reports."""
    with watched(browser, bypass_csp=True, reduced_motion="reduce") as opened:
        yield opened


def test_a_bad_page_is_caught(browser):
    with watched(browser, origin="about:", bypass_csp=True, reduced_motion="reduce") as (page, _):
        page.set_content(
            "<html><body><img src='data:,'><input><button></button>"
            "<p style='color:#999;background:#fff'>pale</p><h1>a</h1><h4>b</h4></body></html>"
        )
        found = {line.split(":")[0] for line in violations(page)}
        assert {"critical image-alt", "critical label", "serious color-contrast", "serious html-has-lang"} <= found
        assert "moderate heading-order" in found


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("judge", CRITERIA)
def test_the_report(reader, store, tmp_path, judge, lang):
    file = tmp_path / "report.html"
    assert run_command(["show", f"{judge}-{lang}", "--store", store, "--format", "html", "-o", str(file)]) == 0
    page, seen = reader
    seen.clear()
    assert opened(page, file.as_uri()) == []
    assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


#: Pages of people; what programs ask for is no page.
PAGES = [
    one.path
    for one in router(Site(store="")).routes
    if one.method == "GET" and not one.path.startswith(("/api", "/openapi", "/static")) and "." not in one.path
]


def addresses(path: str, store: str) -> Iterator[str]:
    with open_store(store) as opened:
        ids = {state.run.name: state.run.id for state in opened.runs()}
    fill = partial(path.format, number=2, place=1, judge="rag-answers")
    if path.startswith("/compare"):
        yield "/compare"
        yield f"{path}?run={ids['summary-ru']}&run={ids['again-ru']}&number=2"
    elif "{run}" in path:
        yield from (f"{fill(run=ids[name])}?as=Ann" for name in ("summary-en", "rag-answers-ru"))
    else:
        yield fill()


@pytest.mark.parametrize("path", PAGES)
def test_every_page(visitor, store, path):
    address, page, seen = visitor
    seen.clear()
    found = {one: lines for one in addresses(path, store) if (lines := opened(page, address + one))}
    assert found == {}
    assert (seen.dialogs, seen.requests) == ([], [])


def test_a_page_that_is_not_there(visitor):
    address, page, _ = visitor
    assert opened(page, f"{address}/nothing") == []
