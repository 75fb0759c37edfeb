"""The JSON interface: the data of the pages for programs, in the shapes that the commands print with --json."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from adjudge.api.described import described_item, described_judge, described_label, described_run
from adjudge.api.inspect import prompts_for
from adjudge.api.judges import bundled, find_judge, sample, used
from adjudge.api.stored import list_runs
from adjudge.core.errors import ConfigError
from adjudge.core.limits import COMMENT_CHARS, NAME_CHARS, WEB_COMPARED, WEB_LISTED, WEB_OBJECT_BYTES
from adjudge.data.export import dumps
from adjudge.store.codec import load_object
from adjudge.store.store import open_store
from adjudge.web.message import JSON, Refused, Request, Response, whole
from adjudge.web.openapi import Field, asked, operation, sent
from adjudge.web.pages.runs import RunsAsked
from adjudge.web.router import Route
from adjudge.web.site import Site

_PLACE = (
    Field(name="offset", says="How many to leave out.", type="integer", default=0, least=0, most=10**9),
    Field(name="limit", says="How many to give.", type="integer", default=100, least=1, most=WEB_LISTED),
)
_SEARCH = Field(name="q", says="Words to look for, whatever the case of their letters.", default="", most=NAME_CHARS)
_RUNS = (
    _SEARCH,
    Field(name="judge", says="The judge's name.", default=""),
    Field(name="model", says="The model's name.", default=""),
    Field(
        name="status",
        says="How far the run came.",
        default="",
        one_of=("", "running", "interrupted", "partial", "complete"),
    ),
    *_PLACE,
)
_ITEMS = (
    Field(
        name="sort",
        says="number, quality, a criterion or a derived value; with a minus before it the highest come first.",
        default="number",
    ),
    Field(name="bar", says="CRITERION:BAR, a bar of a criterion's histogram.", default=""),
    Field(name="flag", says="A flag.", default=""),
    Field(name="status", says="Whether they have a verdict.", default="", one_of=("", "judged", "failed")),
    _SEARCH,
    *_PLACE,
)
_COMPARED = (Field(name="run", says="A run: its id or its name; repeated.", required=True, times=WEB_COMPARED),)
_LANG = (Field(name="lang", says="Language of the texts; by default the judge's own.", default=""),)
_JUDGE = (
    *_LANG,
    Field(name="digest", says="As the runs used it whose judge has this digest; by default as it is now.", default=""),
)
_LABEL = (
    Field(name="annotator", says="Who says it.", required=True, least=1, most=NAME_CHARS),
    Field(name="number", says="The place of the item in the dataset, from 1.", type="integer", required=True, least=1),
    Field(name="criterion", says="A criterion with a scale.", required=True),
    Field(
        name="value",
        says="A point of the criterion's scale; null for one who would not say.",
        type="number",
        required=True,
        nullable=True,
    ),
    Field(name="candidate", says="In a comparison, the candidate's code.", default=""),
    Field(name="comment", says="What else there is to say.", nullable=True, most=COMMENT_CHARS),
)


def _given(value: Any) -> Response:
    return Response(body=dumps(value) + "\n", type=JSON)


def runs(site: Site, request: Request) -> Response:
    """The runs of the store, the newest first."""
    wanted = asked(request, _RUNS)
    one = RunsAsked(search=wanted["q"].strip(), judge=wanted["judge"], model=wanted["model"], status=wanted["status"])
    found = [described_run(state) for state in list_runs(store=site.store) if one.holds(state)]
    shown = found[wanted["offset"] :][: wanted["limit"]]
    return _given({"runs": shown, "total": len(found), "offset": wanted["offset"]})


def run(site: Site, request: Request) -> Response:
    """The report of a run."""
    from adjudge.api.browse import kept_report  # needs numpy, which takes a while to load

    asked(request, ())
    found = site.run(request)
    return _given(kept_report(found, found.state).as_json())


def items(site: Site, request: Request) -> Response:
    """The items of a run in short."""
    from adjudge.api.browse import Where, item_index

    wanted, found = asked(request, _ITEMS), site.run(request)
    measure, _, bar = wanted["bar"].partition(":")
    page = item_index(found).page(
        sort=wanted["sort"].removeprefix("-"),
        descending=wanted["sort"].startswith("-"),
        where=Where(measure=measure, bar=bar, flag=wanted["flag"], status=wanted["status"]),
        search=wanted["q"],
        offset=wanted["offset"],
        limit=wanted["limit"],
    )
    rows = [
        {
            "number": row.number,
            "id": row.id,
            "status": row.status,
            "quality": row.quality,
            "scores": dict(row.scores),
            "flags": list(row.flags),
            "failure": row.kind or None,
        }
        for row in page.rows
    ]
    return _given({"run": found.id, "items": rows, "total": page.total, "offset": wanted["offset"]})


def item(site: Site, request: Request) -> Response:
    """One item: its row as it was judged, its verdict or failure, and the raw replies."""
    from adjudge.api.browse import item_index

    asked(request, ())
    found = site.run(request)
    row = item_index(found).row(_number(request))
    if row is None:
        raise Refused(404, f"run {found.id} has no outcome for such an item", hint="items are numbered from 1")
    outcome, replies = found.item_record(row.id)
    with open_store(site.store, create=False) as store:
        body = store.judged_body(found.id, row.id)
    if outcome is None or body is None:
        raise Refused(404, f"run {found.id} has no outcome for this item any more")
    return _given({"number": row.number, "fields": load_object(body), **described_item(found, outcome, replies)})


def _number(request: Request) -> int:
    return whole(request.params["number"]) or 0


def compared(site: Site, request: Request) -> Response:
    """Which of several runs is better, by how much, how sure; of one run, which of its candidates or systems."""
    from adjudge.api.changes import look

    names = asked(request, _COMPARED)["run"]
    return _given(dict(look([site.named(name) for name in names]).sheet.data))


def judges(site: Site, request: Request) -> Response:
    """The judges that come with adjudge, and those that runs of the store used."""
    lang = asked(request, _LANG)["lang"]
    stored = [
        {"judge": one.newest.judge, "digest": one.newest.judge_digest, "runs": one.runs, "newest": one.newest.id}
        for one in used(site.store)
    ]
    return _given({"judges": _bundled(lang), "used": stored})


@lru_cache(maxsize=8)
def _bundled(lang: str) -> list[dict[str, Any]]:
    """Kept: all their files are read for it, and they change with adjudge itself."""
    return [described_judge(one) for one in bundled(lang)]


def judge(site: Site, request: Request) -> Response:
    """A judge with the texts of its prompts; no name but those of the list becomes a path."""
    wanted, name = asked(request, _JUDGE), request.params["judge"]
    try:
        found = find_judge(name, lang=wanted["lang"], digest=wanted["digest"], store=site.store)
    except ConfigError as error:
        raise Refused(404, error.what, hint=error.hint or "") from None
    asks = {
        one.name: {"asks": one.asks, "answer": one.answer or None, "question": one.question or None}
        for one in found.criteria
    }
    texts = {"instructions": found.instructions, "item": found.item, "merge": found.merge or None, "criteria": asks}
    data, rows = sample(found)
    prompts = [
        {"stage": one.stage, "criterion": one.criterion or None, **one.as_json()}
        for row in rows[:1]
        for one in prompts_for(found, row)
    ]
    example = {"data": data or None, "prompts": prompts}
    own = {"lang": found.lang, "digest": found.digest, "texts": texts, "example": example}
    return _given({**described_judge(found), **own})


def labels(site: Site, request: Request) -> Response:
    """What people say of the items of a run, the oldest label first."""
    wanted, found = asked(request, _PLACE), site.run(request)
    with open_store(site.store, create=False) as store:
        said = [described_label(label) for label in store.labels(found.id)]
    shown = said[wanted["offset"] :][: wanted["limit"]]
    return _given({"run": found.id, "labels": shown, "total": len(said), "offset": wanted["offset"]})


def label(site: Site, request: Request) -> Response:
    """Add a label; an earlier one of the same person for the same place stays in the history."""
    from adjudge.api.labelling import Desk

    asked(request, ())
    said, found = sent(request, _LABEL), site.run(request)
    desk = Desk.open(found, said["annotator"], items=site.items)
    place = desk.place(said["number"])
    if place is None:
        raise Refused(404, f"there is no item {said['number']} to be labelled")
    desk.say(place, said["criterion"], said["value"], candidate=said["candidate"], comment=said["comment"])
    return _given({"run": found.id, "number": said["number"], "done": desk.done, "total": desk.total})


#: What may be done while people label, and may not see what judge and others say.
LABELLING = (
    Route(
        method="POST",
        path="/api/runs/{run}/labels",
        handler=label,
        says="Add a label; an earlier one of the same person for the same place stays in the history.",
        operation=operation("Labelled", body=_LABEL, parts=("run",)),
        body=WEB_OBJECT_BYTES,
    ),
)
ROUTES = (
    Route(
        method="GET",
        path="/api/runs",
        handler=runs,
        says="The runs of the store, the newest first.",
        operation=operation("Runs", query=_RUNS),
    ),
    Route(
        method="GET",
        path="/api/runs/{run}",
        handler=run,
        says="The report of a run, as `adjudge show --json` prints it.",
        operation=operation("Report", parts=("run",)),
    ),
    Route(
        method="GET",
        path="/api/runs/{run}/items",
        handler=items,
        says="The items of a run in short.",
        operation=operation("Items", query=_ITEMS, parts=("run",)),
    ),
    Route(
        method="GET",
        path="/api/runs/{run}/items/{number}",
        handler=item,
        says="One item: its row, the line that `adjudge export` gives, and the raw replies.",
        operation=operation("Item", parts=("run", "number")),
    ),
    Route(
        method="GET",
        path="/api/compare",
        handler=compared,
        says="Which of several runs is better, as `adjudge compare --json` prints it.",
        operation=operation("Comparison", query=_COMPARED),
    ),
    Route(
        method="GET",
        path="/api/judges",
        handler=judges,
        says="The judges that come with adjudge, as `adjudge judges --json` lists them, and those of stored runs.",
        operation=operation("Judges", query=_LANG),
    ),
    Route(
        method="GET",
        path="/api/judges/{judge}",
        handler=judge,
        says="A judge with the texts of its prompts, and the exact prompts for the first row of a sample.",
        operation=operation("Judge", query=_JUDGE, parts=("judge",)),
    ),
    Route(
        method="GET",
        path="/api/runs/{run}/labels",
        handler=labels,
        says="What people say of the items of a run.",
        operation=operation("Labels", query=_PLACE, parts=("run",)),
    ),
    *LABELLING,
)
