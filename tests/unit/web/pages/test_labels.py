"""The pages of a run's labels: who gave them, as files, from a file, and agreement."""

from __future__ import annotations

import json
import re

import pytest

from adjudge.api.labelling import Desk
from adjudge.core.limits import LABEL_FILE_BYTES
from adjudge.store.store import open_store
from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Request, Response
from adjudge.web.site import Site
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def run(tmp_path):
    return a_run(f"sqlite:///{tmp_path}/a.db", "summary", [dict.fromkeys(SUMMARY, 1 + n % 5) for n in range(30)])


def asked(site: Site, path: str, *, body: bytes | None = None, kind: str = "text/csv") -> Response:
    path, _, query = path.partition("?")
    request = Request(
        method="GET" if body is None else "POST",
        path=path,
        query={name: [value] for name, _, value in (pair.partition("=") for pair in query.split("&") if pair)},
        headers={"host": "localhost"} | ({} if body is None else {"content-type": kind}),
        receive=lambda most: body or b"",
    )
    return answer(router(site), site, Guard(hosts=LOCAL), request)


def text(response: Response) -> str:
    body = response.body
    if isinstance(body, bytes):
        return body.decode()
    return body if isinstance(body, str) else "".join(one if isinstance(one, str) else one.decode() for one in body)


def label_all(run, name: str) -> None:
    desk = Desk.open(run, name)
    for place in range(1, desk.total + 1):
        for criterion in desk.criteria:
            desk.say(place, criterion.name, 1 + place % 5)


def test_a_run_without_labels_says_so_and_where_to_begin(run):
    site = Site(store=run.store)
    page = text(asked(site, f"/runs/{run.id}/labels"))
    assert "Nobody has labelled this run yet." in page
    early = asked(site, f"/runs/{run.id}/agreement")
    assert early.status == 200
    assert "There is no agreement to show yet" in text(early)
    assert f'href="/runs/{run.id}/label"' in text(early)


def test_people_and_files(run):
    site = Site(store=run.store)
    label_all(run, EVIL)
    Desk.open(run, "bo").say(1, "coverage", 2, comment="=1+1")
    page = text(asked(site, f"/runs/{run.id}/labels"))
    assert EVIL not in page
    assert "&lt;img src=x" in page
    table = asked(site, f"/runs/{run.id}/labels.csv")
    assert table.type.startswith("text/csv")
    assert table.headers["Content-Disposition"] == f'attachment; filename="{run.id}.labels.csv"'
    assert ",'=1+1," in text(table)
    rows = [json.loads(line) for line in text(asked(site, f"/runs/{run.id}/labels.jsonl?history=1")).splitlines()]
    assert len(rows) == 151
    assert all(row["withdrawn"] == "" for row in rows)


def test_a_file_is_added_once(run):
    site, path = Site(store=run.store), f"/runs/{run.id}/labels"
    body = b"id,annotator,coverage,acuracy\ni0,kim,4,\ni1,kim,5,\nzz,kim,5,\n"
    page = text(asked(site, path, body=body))
    assert "Labels added: 2" in page
    assert "items left out, since this run does not have them: 1" in page
    assert "is it meant to be accuracy?" in page
    assert "there already: 2" in text(asked(site, path, body=body))
    with open_store(run.store) as store:
        assert len(store.label_edits(run.id)) == 2


@pytest.mark.parametrize(
    ("body", "kind", "status", "said"),
    [
        (b"id,coverage\ni0,4\ni1,9\n", "text/csv", 400, "labels.csv, line 3: `coverage` is"),
        (b"", "text/csv", 400, "there are no rows"),
        (b"\xff\xfe", "text/csv", 400, "not UTF-8"),
        (b"{", "application/json", 400, "labels.json, line 1"),
        (b'{"id": "<b>", "coverage": "<i>"}', "application/jsonl", 400, "&lt;i&gt;"),
        (b"id,coverage\nzz,4\n", "text/csv", 400, "none of the 1 labelled item"),
        (b"id,coverage\ni0,4\n", "text/html", 415, "what is sent must say what it is"),
        (b"id,coverage\ni0,4\n", "multipart/form-data", 400, "the form cannot be read"),
    ],
)
def test_a_wrong_file_is_told_by_row_and_adds_nothing(run, body, kind, status, said):
    response = asked(Site(store=run.store), f"/runs/{run.id}/labels", body=body, kind=kind)
    assert response.status == status
    assert said in text(response)
    with open_store(run.store) as store:
        assert store.label_edits(run.id) == []


def test_a_file_has_a_limit(run):
    route = next(one for one in router(Site(store=run.store)).routes if one.path == "/runs/{run}/labels" and one.body)
    assert route.body == LABEL_FILE_BYTES


def test_agreement_is_the_one_of_the_command(run):
    label_all(run, "anna")
    page = text(asked(Site(store=run.store), f"/runs/{run.id}/agreement"))
    assert "Can this judge be trusted?" in page
    assert "labels: 150" in page
    table = page[page.index('aria-label="Where judge and people are furthest apart"') :]
    found = re.findall(r'<th scope="row"><a href="/runs/[^"]*/items/(\d+)">i(\d+)</a>', table)
    assert found and all(int(number) == int(name) + 1 for number, name in found)


def test_while_people_label_only_one_who_is_done_sees_it(run):
    site = Site(store=run.store, labelling=run.id)
    Desk.open(run, "bo").say(1, "coverage", 2)
    for path in ("agreement", "labels.csv", "labels.jsonl"):
        assert asked(site, f"/runs/{run.id}/{path}").status == 403
        refused = asked(site, f"/runs/{run.id}/{path}?as=bo")
        assert (refused.status, "open: 30 of 30" in text(refused)) == (403, True)
    assert asked(site, f"/runs/{run.id}/labels").status == 404
    assert asked(site, f"/runs/{run.id}/labels", body=b"id,coverage\ni0,4\n").status == 404
    label_all(run, "anna")
    for path in ("agreement", "labels.csv", "labels.jsonl"):
        assert asked(site, f"/runs/{run.id}/{path}?as=anna").status == 200
        assert asked(Site(store=run.store, labelling=run.id, annotator="anna"), f"/runs/{run.id}/{path}").status == 200
        assert asked(site, f"/runs/{run.id}/{path}?as=bo").status == 403


def test_the_page_is_in_the_language_of_the_run(tmp_path):
    run = a_run(f"sqlite:///{tmp_path}/ru.db", "summary", [dict.fromkeys(SUMMARY, 3)], lang="ru")
    page = text(asked(Site(store=run.store), f"/runs/{run.id}/labels"))
    assert '<html lang="ru">' in page
    assert "Этот прогон ещё никто не размечал." in page
