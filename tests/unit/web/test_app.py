"""The way of a request through the table of routes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest

from adjudge.core.errors import Busy, DataError, NoVerdict
from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Refused, Request, Response
from adjudge.web.router import Route, Router
from adjudge.web.site import Site
from tests.fakes.wire import a_store

SITE = Site(store="sqlite:///none.db")


def asks(path: str, **more) -> Request:
    return replace(Request(method="GET", path=path, headers={"host": "localhost"}), **more)


def answers(handler, path: str = "/here") -> Response:
    routes = Router(routes=[Route(method="GET", path=path, handler=handler, says="a test")])
    return answer(routes, SITE, Guard(hosts=LOCAL), asks(path))


def raising(error: Exception):
    def handler(site, request):
        raise error

    return handler


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Refused(410, "gone <b>"), 410),
        (DataError("gone <b>", where="a.jsonl"), 400),
        (Busy("gone <b>"), 503),
        (NoVerdict("gone <b>"), 409),
    ],
)
def test_errors_are_pages_for_people_and_json_for_programs(error, status):
    page = answers(raising(error))
    assert page.status == status
    assert "gone &lt;b&gt;" in str(page.body)
    data = answers(raising(error), "/api/here")
    assert (data.status, data.type) == (status, "application/json")
    assert json.loads(str(data.body)) == {"error": {"message": "gone <b>", "hint": None}}


def test_a_fault_of_our_own_tells_strangers_nothing(capfd, monkeypatch):
    secret = "sk-secret in /home/user"
    for path in ("/here", "/api/here"):
        found = answers(raising(RuntimeError(secret)), path)
        assert found.status == 500
        assert "secret" not in str(found.body)
        assert "Traceback" not in str(found.body)
    assert secret not in capfd.readouterr().err
    monkeypatch.setenv("ADJUDGE_DEBUG", "1")
    assert "Traceback" not in str(answers(raising(RuntimeError(secret))).body)
    assert secret in capfd.readouterr().err


def test_what_goes_wrong_before_the_first_piece_is_an_error():
    def handler(site, request):
        return Response(body=(str(site.named("none")) for _ in range(1)))

    assert answers(handler).status == 404


def test_pieces_stay_pieces():
    body = answers(lambda site, request: Response(body=iter(["a", "b"]))).body
    assert not isinstance(body, str | bytes)
    assert list(body) == ["a", "b"]


@pytest.mark.parametrize(
    "name", ["..%2Fapp.py", "%2e%2e", ".", "%2Fetc%2Fpasswd", "__init__.py", "nothing.css", "%00.css", "web.css%00"]
)
def test_nothing_but_our_own_files(name):
    reply = partial(answer, router(SITE), SITE, Guard(hosts=LOCAL))
    assert reply(asks(f"/static/{name}")).status == 404
    assert reply(asks("/static/../app.py")).status == 404


def test_our_own_files_are_sent_once():
    reply = partial(answer, router(SITE), SITE, Guard(hosts=LOCAL))
    for name, kind in {"web.css": "text/css", "report.css": "text/css", "htmx.min.js": "text/javascript"}.items():
        found = reply(asks(f"/static/{name}"))
        assert found.type.startswith(kind)
        headers = {"host": "localhost", "if-none-match": found.headers["ETag"]}
        assert reply(asks(f"/static/{name}", headers=headers)).status == 304
        assert reply(asks(f"/static/{name}", headers={"host": "localhost", "if-none-match": '"0"'})).status == 200


def test_a_body_is_read_only_when_it_is_known_who_sends_it():
    read = []

    def receive(most: int) -> bytes:
        read.append(most)
        return b"{}"

    sent = Request(method="POST", path="/api/runs/a/labels", headers={"host": "evil.example"}, receive=receive)
    reply = partial(answer, router(SITE), SITE, Guard(hosts=LOCAL))
    assert reply(sent).status == 421
    headers = {"host": "localhost", "content-type": "application/json"}
    assert reply(replace(sent, headers=headers, path="/api/runs")).status == 405
    assert read == []
    assert reply(replace(sent, headers=headers)).status == 400
    assert read == [64_000]


def test_while_one_run_is_labelled_there_is_no_other(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    old, new, *_ = a_store(url)
    site = Site(store=url, labelling=old)
    paths = {route.path for route in router(site).routes}
    assert paths & {"/api/runs", "/api/runs/{run}", "/api/runs/{run}/items", "/compare", "/runs/{run}"} == set()
    label = {"annotator": "ann", "number": 1, "criterion": "coverage", "value": 4}
    for run, status in ((old, 200), (new, 404)):
        said = Request(
            method="POST",
            path=f"/api/runs/{run}/labels",
            headers={"host": "localhost", "content-type": "application/json"},
            receive=lambda most: json.dumps(label).encode(),
        )
        assert answer(router(site), site, Guard(hosts=LOCAL), said).status == status
    assert answer(router(site), site, Guard(hosts=LOCAL), asks(f"/api/runs/{old}/labels")).status == 405
    for name in ("latest", "new", "summary-", "neww"):
        there = answer(router(site), site, Guard(hosts=LOCAL), asks(f"/runs/{name}/label"))
        assert there.status == 404
        assert "not the one to be labelled here" in str(there.body)
        assert new not in str(there.body), "what is wrong with the name would tell of other runs"
