"""The labels of a run: who gave how many, as files, from a file, and how far judge and people agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from urllib.parse import urlencode

from adjudge.api.browse import item_index
from adjudge.api.label_files import Imported, LabelForm, export_labels, import_labels
from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.core.errors import DataError
from adjudge.core.limits import LABEL_FILE_BYTES
from adjudge.report.element import Child, Markup, element
from adjudge.report.words import Words, words
from adjudge.store.store import open_store
from adjudge.web.message import Refused, Request, Response
from adjudge.web.pages.label_ways import desk_places
from adjudge.web.pages.query import item_places, run_path, run_trail
from adjudge.web.router import Route
from adjudge.web.shell import page
from adjudge.web.site import Site
from adjudge.web.upload import sent_file

_TYPES: dict[LabelForm, str] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


def people(site: Site, request: Request) -> Response:
    """Who said how much of a run, the labels as files, and the way in for those of a file."""
    return _page(site, request, site.run(request))


def added(site: Site, request: Request) -> Response:
    """Add the labels of a file that was sent; all of them or none."""
    run = site.run(request)
    say = words(run.judge.lang)
    try:
        done = import_labels(run, sent_file(request, "labels"))
    except DataError as error:
        where = f"{error.where}: " if error.where else ""
        said = element(
            "div",
            element("p", element("b", say("labels_not_added"))),
            element("p", f"{where}{error.what}", dir="auto"),
            element("p", error.hint, class_="soft") if error.hint else None,
            class_="warnings",
            role="alert",
        )
        return _page(site, request, run, said, status=400)
    return _page(site, request, run, element("div", _became(done, say), role="status"))


def download(form: LabelForm, site: Site, request: Request) -> Response:
    """The labels as a file, the same as `adjudge label --export` writes; with `history`, all that was ever said."""
    run = site.run(request)
    if site.labelling:
        _open_desk(site, request, run, needs="the labels of all are")
    # a name of plain letters, whatever the run is called: it stands in a header, and then on a disk
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", run.id)[:80] + f".labels.{form}"
    return Response(
        body=export_labels(run, form, history=request.asked("history") == "1"),
        type=_TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def agreement(site: Site, request: Request) -> Response:
    """How far judge and people agree; while people label, only for one who is done."""
    run = site.run(request)
    say = words(run.judge.lang)
    trail = _trail(site, run)
    try:
        if site.labelling:
            desk = _open_desk(site, request, run, needs="agreement is")
            drawn = desk.agreement(), desk_places(desk)
        else:
            from adjudge.api.agree import agree  # needs numpy, which takes a while to load

            drawn = agree(run), item_places(run, item_index(run))
    except DataError as error:
        told = [
            element("h1", say("labels_agreement")),
            element("p", say("labels_no_agreement", why=error.what)),
            None if site.labelling else element("p", element("a", say("labels_label"), href=run_path(run.id, "label"))),
        ]
        return page(site, request, say, say("labels_agreement"), *told, trail=trail)
    sheet, place = drawn
    return page(site, request, say, sheet.title, *sheet.drawn(place), trail=trail)


def _open_desk(site: Site, request: Request, run: StoredRun, *, needs: str) -> Desk:
    """The desk of who asks while people label; refused until they are done: both show what is still hidden."""
    name = request.asked("as") or site.annotator
    if not name:
        raise Refused(403, f"{needs} shown to a person who has labelled all items", hint="add ?as=NAME to the address")
    desk = Desk.open(run, name, items=site.items)
    if (left := desk.total - desk.done) > 0:
        raise Refused(403, f"{needs} shown when all items are labelled; open: {left} of {desk.total}")
    return desk


def _page(site: Site, request: Request, run: StoredRun, *content: Child, status: int = 200) -> Response:
    say = words(run.judge.lang)
    head = [element("h1", say("labels_title")), element("p", run.state.run.shown, class_="sub")]
    parts = [*head, *content, _ways(run, say), _table(run, say), _exports(run, say), _form(run, say)]
    trail = run_trail(run.state.run, say)
    return page(site, request, say, say("labels_title"), *parts, status=status, trail=trail, styles=("labels.css",))


def _trail(site: Site, run: StoredRun) -> list[tuple[str, str]]:
    """The way to the agreement."""
    if site.labelling:
        return [(run.judge.title, run_path(run.id, "label"))]
    say = words(run.judge.lang)
    return [*run_trail(run.state.run, say), (say("labels_title"), run_path(run.id, "labels"))]


def _ways(run: StoredRun, say: Words) -> Markup:
    links = [
        element("a", say("labels_label"), href=run_path(run.id, "label")),
        element("a", say("labels_agreement"), href=run_path(run.id, "agreement")),
    ]
    return element("nav", links, class_="ways-links", aria_label=say("pages_ways"))


def _table(run: StoredRun, say: Words) -> list[Markup]:
    """A row for each person: items, labels, and when they said the last of them."""
    found: dict[str, tuple[set[str], int, str]] = {}
    with open_store(run.store, create=False) as store:
        for label in store.labels(run.id):
            items, count, last = found.setdefault(label.annotator, (set(), 0, ""))
            items.add(label.item)
            found[label.annotator] = items, count + bool(label.criterion), max(last, label.added)
    if not found:
        return [element("p", say("labels_none"))]
    heads = [say(name) for name in ("labels_annotator", "labels_items", "labels_labels", "labels_last")]
    rows = [
        element(
            "tr",
            element("th", name or say("labels_nobody"), scope="row"),
            element("td", len(items), data_label=heads[1]),
            element("td", count, data_label=heads[2]),
            element("td", last[:16].replace("T", " "), data_label=heads[3]),
        )
        for name, (items, count, last) in sorted(found.items())
    ]
    top = element("tr", [element("th", head, scope="col") for head in heads])
    return [
        element("h2", say("labels_people")),
        element("table", element("thead", top), element("tbody", rows), class_="list"),
    ]


def _exports(run: StoredRun, say: Words) -> list[Markup]:
    links = [
        element("li", element("a", f"{name.upper()}{more}", href=f"{run_path(run.id, f'labels.{name}')}{query}"))
        for query, more in (("", ""), (f"?{urlencode({'history': 1})}", f" · {say('labels_history')}"))
        for name in _TYPES
    ]
    return [element("h2", say("labels_files")), element("ul", links, class_="files")]


def _form(run: StoredRun, say: Words) -> list[Markup]:
    accepted = ".csv,.tsv,.json,.jsonl,.ndjson"
    field = element("input", type="file", id="labels-file", name="file", required=True, accept=accepted)
    return [
        element("h2", say("labels_import")),
        element("p", say("labels_import_how", mb=LABEL_FILE_BYTES // 1_000_000), class_="soft"),
        element(
            "form",
            element("div", element("label", say("labels_file"), for_="labels-file"), field),
            element("button", say("labels_add"), type="submit"),
            action=run_path(run.id, "labels"),
            method="post",
            enctype="multipart/form-data",
            class_="filters",
        ),
    ]


def _became(done: Imported, say: Words) -> Iterator[Markup]:
    """What became of the labels of a file."""
    yield element("p", element("b", say("labels_added", n=done.added)), class_="verdict")
    left = [
        (done.known, "labels_known"),
        (done.outdated, "labels_outdated"),
        (done.elsewhere, "labels_elsewhere"),
    ]
    lines: list[Child] = [say(name, n=count) for count, name in left if count]
    lines += [say("labels_other_text", what=f"{error.where}: {error.what}") for error in done.other_texts]
    lines += [
        say("labels_misspelled", column=column[:80], criterion=criterion)
        for column, criterion in done.misspelled.items()
    ]
    if lines:
        yield element("ul", [element("li", line, dir="auto") for line in lines])


_FILES = tuple(
    Route(
        method="GET",
        path=f"/runs/{{run}}/labels.{form}",
        handler=partial(download, form),
        says=f"the labels of a run as {form}",
    )
    for form in _TYPES
)
#: While people label: what one who is done may see.
LABELLING = (
    *_FILES,
    Route(method="GET", path="/runs/{run}/agreement", handler=agreement, says="how far judge and people agree"),
)
ROUTES = (
    *LABELLING,
    Route(method="GET", path="/runs/{run}/labels", handler=people, says="who labelled a run, and how much"),
    Route(
        method="POST",
        path="/runs/{run}/labels",
        handler=added,
        says="add the labels of a file",
        body=LABEL_FILE_BYTES,
    ),
)
