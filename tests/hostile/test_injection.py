"""Three hundred script injections in every field, through every page and file: each stays text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from markdown_it import MarkdownIt

from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.cli import run_command
from adjudge.report.compared_sheet import compared_sheet
from adjudge.report.markdown import markdown
from adjudge.report.sheet import Sheet
from adjudge.report.tables import Section
from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Request, Response
from adjudge.web.site import Site
from tests.hostile.payloads import PAYLOADS
from tests.hostile.planted import ANNOTATOR, JUDGES, NAMED, harmless, plant, planted
from tests.hostile.test_agree_hostile import sheet
from tests.hostile.test_compare_hostile import case
from tests.hostile.test_report_hostile import skeleton

HARMLESS = [harmless(number) for number in range(len(PAYLOADS))]
#: The names that addresses have in their queries.
ASKED = ("q", "page", "sort", "bar", "flag", "status", "judge", "model", "as", "said", "run", "show", "order", "by",
         "number", "go", "prompt", "short", "lang", "limit", "offset", "what")  # fmt: skip


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> tuple[str, str]:
    """A store of payloads, and one of harmless texts of the same shapes."""
    folder = tmp_path_factory.mktemp("stores")
    urls = f"sqlite:///{folder}/hostile.db", f"sqlite:///{folder}/harmless.db"
    for url, texts in zip(urls, (PAYLOADS, HARMLESS), strict=True):
        plant(url, texts)
    return urls


@pytest.fixture
def site(tmp_path) -> Site:
    """A site on which nothing is called like a payload or its harmless twin."""
    url = f"sqlite:///{tmp_path}/quiet.db"
    planted(url, "summary", ["plain"], key="named0")
    return Site(store=url)


def elements(page: str) -> Counter[str]:
    """How often the page has each element with its names of attributes, and whatever else is no text."""
    return Counter(skeleton(page))


def ask(site: Site, path: str, query: Mapping[str, list[str]] | None = None, **headers: str) -> Response:
    request = Request(method="GET", path=path, query=query or {}, headers={"host": "localhost", **headers})
    return answer(router(site), site, Guard(hosts=LOCAL), request)


def body(response: Response) -> str:
    assert response.status < 500
    pieces = [response.body] if isinstance(response.body, str | bytes) else response.body
    return "".join(one if isinstance(one, str) else one.decode("utf-8") for one in pieces)


def addresses(site: Site, path: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """The addresses of a route: of every run, of every payload as an item of one of them, of every page of a list."""
    known = {"as": [ANNOTATOR]}
    named = [f"summary-named{number}" for number in range(NAMED)]
    if "{number}" in path or "{place}" in path:
        desks = {f"{judge}-0": Desk.open(StoredRun(site.store, f"{judge}-0"), ANNOTATOR) for judge in JUDGES}
        for place in range(len(PAYLOADS)):
            number, run = str(place + 1), f"{JUDGES[place % len(JUDGES)]}-0"
            if "{place}" in path:  # the order of items is random: another one for other ids
                number = str(desks[run].place(place + 1))
            yield path.format(run=run, number=number, place=number), known
        yield from ((path.format(run=run, number=1, place=1), known) for run in named)
    elif "{run}" in path:
        yield from ((path.format(run=run), known) for run in [*(f"{judge}-0" for judge in JUDGES), *named])
    elif "{judge}" in path:
        yield from ((path.format(judge=judge), {}) for judge in JUDGES)
    elif "compare" in path:
        sides = {"run": ["summary-0", "summary-1"]}
        numbers = range(1, len(PAYLOADS) + 1) if path.endswith("/item") else range(1, 8)
        yield from ((path, {**sides, "number": [str(number)], "page": [str(number)]}) for number in numbers)
        yield from ((path, {"run": [*pair]}) for pair in zip(named, [*named[1:], named[0]], strict=True))
    else:
        yield from ((path, {"page": [str(page)]}) for page in range(1, 8))


def swept(site: Site, path: str) -> Counter[str]:
    """All elements of all pages of a route, and how often it answered how."""
    found: Counter[str] = Counter()
    for at, query in addresses(site, path):
        # programs are told of what they ask in vain
        if at.startswith(("/api/", "/openapi")):
            query = {name: values for name, values in query.items() if name == "run"}
        response = ask(site, at, query)
        page = body(response)
        found[f"status {response.status}"] += 1
        if "html" in response.type:
            found.update(elements(page))
    return found


PAGES = [one.path for one in router(Site(store="")).routes if one.method == "GET" and "{name}" not in one.path]


def some(path: str) -> list[tuple[str, str]]:
    """A sixth of the payloads with their harmless twins: what pages of one frame do with an address is much alike."""
    return list(zip(PAYLOADS, HARMLESS, strict=True))[PAGES.index(path) % 6 :: 6]


def test_there_are_three_hundred_of_them():
    assert len(PAYLOADS) == len(set(PAYLOADS)) == 300


@pytest.mark.parametrize("path", PAGES)
def test_no_page_gains_an_element(stores, path):
    hostile, benign = (swept(Site(store=url), path) for url in stores)
    assert hostile["status 200"] or hostile["status 303"]
    if "{number}" in path or "{place}" in path:
        assert hostile["status 200"] >= len(PAYLOADS)
    assert hostile == benign


@pytest.mark.parametrize("path", PAGES)
def test_what_is_asked_for_stays_text(site, path):
    at = path.format(run="summary-named0", number=1, place=1, judge="summary")
    for place, (text, plain) in enumerate(some(path)):
        name = ASKED[place % len(ASKED)]
        told = []
        for one in (text, plain):
            for query in ({"q": [one]}, {name: [one]}):
                response = ask(site, at, query)
                page = body(response)
                told.append((response.status, elements(page) if "html" in response.type else None))
        assert told[:2] == told[2:], (name, text)


@pytest.mark.parametrize("path", [path for path in PAGES if "{" in path])
def test_what_an_address_names_stays_text(site, path):
    for text, plain in some(path):
        told = []
        for one in (text, plain):
            spelled = quote(one.encode("utf-8", "surrogatepass"), safe="")
            response = ask(site, path.format(run=spelled, number=spelled, place=spelled, judge=spelled))
            told.append((response.status, elements(body(response)) if "html" in response.type else {}))
        assert told[0] == told[1], text


#: What GitHub would link, name or number after Markdown: an address, a person, an issue.
LIVE = re.compile(r"(?i)(?<!\()\bhttps?://|\bwww\.|@\w|(?<!&)#\d|\bGH-\d")


#: Markdown with HTML let through, as far as a renderer can go.
_RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def rendered(text: str) -> str:
    return str(_RENDERER.render(text))


@pytest.mark.parametrize("judge", JUDGES)
def test_markdown_gains_no_element(stores, judge):
    pages = []
    for url in stores:
        run = StoredRun(url, f"{judge}-0")
        text = markdown(run.report(), run.outcomes(), run.judge, items=run.item, limit=len(PAYLOADS))
        pages.append(elements(rendered(text)))
        lines = [line for line in text.splitlines() if not line.startswith("Signature: `")]
        assert not [line for line in lines if LIVE.search(line)]
    assert pages[0] == pages[1]


def sheets(url: str, texts: list[str], folder: Path, form: str) -> dict[str, str]:
    """What each command that answers a question about runs writes."""
    labels = folder / "labels.jsonl"
    rows = [
        {"id": text[:190], "coverage": 2 - place % 2, "annotator": texts[place % 4], "comment": text}
        for place, text in enumerate(texts)
    ]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    commands = {
        "compare": ["compare", "summary-0", "summary-1"],
        "agree": ["agree", "summary-0", "--labels", str(labels), "--worst", "300"],
        "two judges": ["agree", "summary-0", "summary-1"],
        "correct": ["correct", "summary-0", "--labels", str(labels)],
        "gate": ["gate", "summary-0", "--min", "coverage=1"],
    }
    found = {}
    for name, command in commands.items():
        file = folder / name
        assert run_command([*command, "--store", url, "--format", form, "-o", str(file)]) in (0, 1)
        found[name] = file.read_text(encoding="utf-8")
    return found


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_answers_about_runs_gain_no_element(stores, tmp_path, form):
    drawn = []
    for url, texts in zip(stores, (PAYLOADS, HARMLESS), strict=True):
        written = sheets(url, texts, tmp_path, form)
        drawn.append({name: elements(text if form == "html" else rendered(text)) for name, text in written.items()})
    assert drawn[0] == drawn[1]


def filled(value: Any, text: str) -> Any:
    """What a sheet is made of, with the text wherever it has the word HERE."""
    if isinstance(value, str):
        return value.replace("HERE", text)
    if isinstance(value, tuple):
        return tuple(filled(one, text) for one in value)
    if isinstance(value, Section | Sheet):
        names = [one.name for one in fields(value) if one.name != "data"]
        return replace(value, **{name: filled(getattr(value, name), text) for name in names})
    return value


def shape(value: object) -> str:
    """A value without its figures."""
    return re.sub(r"[-+]?[\d.]+", "0", str(value))


def lean(whole: Sheet) -> Sheet:
    """Each place where the word HERE stands, once: what differs in figures alone is drawn alike."""
    sections = {}
    for one in whole.sections:
        rows = {shape(row): row for row in (one.rows[0], *(row for row in one.rows if "HERE" in str(row)))}
        notes = tuple(note for note in one.notes if "HERE" in note)
        sections[shape((one.title, one.columns, [*rows], notes))] = replace(one, rows=(*rows.values(),), notes=notes)
    return replace(whole, sections=(*sections.values(),))


@pytest.mark.parametrize("made", [lambda: compared_sheet(case("HERE", 3)), lambda: sheet("HERE")])
def test_names_in_answers_gain_no_element(made):
    whole = lean(made())
    for text, plain in zip(PAYLOADS, HARMLESS, strict=True):
        hostile, benign = (filled(whole, one) for one in (text, plain))
        assert elements("".join(hostile.html())) == elements("".join(benign.html())), text
        assert elements(rendered(hostile.markdown())) == elements(rendered(benign.markdown())), text
