"""The description of the JSON interface, held against the routes and against real answers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

import jsonschema_rs
import pytest

from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Refused, Request
from adjudge.web.openapi import Field, asked, document, sent
from adjudge.web.site import Site
from tests.fakes.wire import a_store


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Site:
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db"
    a_store(url)
    return Site(store=url)


def given(site: Site, path: str, body: object = None) -> tuple[int, object]:
    at, _, query = path.partition("?")
    asks = Request(method="GET", path=at, query=parse_qs(query, keep_blank_values=True), headers={"host": "localhost"})
    if body is not None:
        headers = {"host": "localhost", "content-type": "application/json"}
        asks = replace(asks, method="POST", headers=headers, receive=lambda most: json.dumps(body).encode())
    found = answer(router(site), site, Guard(hosts=LOCAL), asks)
    assert found.type == "application/json"
    assert isinstance(found.body, str)
    return found.status, json.loads(found.body)


def schema_of(description: dict[str, Any], path: str, method: str, status: str) -> jsonschema_rs.Draft202012Validator:
    found = description["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"]
    return jsonschema_rs.Draft202012Validator({**found, "components": description["components"]})


@pytest.mark.parametrize("labelling", ["", "a"])
def test_every_route_of_the_interface_is_described_and_nothing_else(labelling):
    site = Site(store="sqlite:///a.db", labelling=labelling)
    described = document(router(site).routes)
    of_data = {
        (route.method.lower(), route.path)
        for route in router(site).routes
        if route.path.startswith("/api/") or route.path == "/openapi.json"
    }
    assert {(method, path) for path, own in described["paths"].items() for method in own} == of_data
    assert of_data
    for path, own in described["paths"].items():
        for operation in own.values():
            named = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
            assert named == set(re.findall(r"\{(\w+)\}", path))
    ids = [operation["operationId"] for own in described["paths"].values() for operation in own.values()]
    assert len(set(ids)) == len(ids)


def test_the_description_is_valid(site):
    described = document(router(site).routes)
    for schema in described["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema)
    names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described)))
    assert names == described["components"]["schemas"].keys()


#: The routes with queries, and answers that each must give.
ASKED = {
    "/api/runs": ["", "?q=OLD", "?judge=summary&limit=1&offset=1", "?status=partial", "?model=fake&status="],
    "/api/runs/{run}": [""],
    "/api/runs/{run}/items": ["", "?sort=-quality&limit=2", "?status=failed", "?q=ferry&offset=2"],
    "/api/runs/{run}/labels": [""],
    "/api/compare": ["?run=old&run=new", "?run=answers"],
    "/api/judges": ["", "?lang=ru"],
    "/api/judges/{judge}": ["", "?lang=ru"],
    "/openapi.json": [""],
}


def test_real_answers_have_the_shapes_that_are_described(site):
    status, described = given(site, "/openapi.json")
    assert status == 200
    assert isinstance(described, dict)
    label = {"annotator": "ann", "number": 1, "criterion": "coverage", "value": 4, "comment": "yes"}
    status, found = given(site, "/api/runs/old/labels", label)
    assert status == 200
    schema_of(described, "/api/runs/{run}/labels", "post", "200").validate(found)
    checked = {("/api/runs/{run}/labels", "post")}
    _, listed = given(site, "/api/runs")
    assert isinstance(listed, dict)
    runs = [run["run"] for run in listed["runs"]]
    _, judges = given(site, "/api/judges")
    assert isinstance(judges, dict)
    names = [judge["judge"] for judge in judges["judges"]]
    tried = [(path, path + query) for path, queries in ASKED.items() for query in queries]
    tried += [("/api/runs/{run}/items/{number}", f"/api/runs/{{run}}/items/{number}") for number in (1, 2, 3, 4)]
    for path, at in tried:
        schema = schema_of(described, path, "get", "200")
        for own in [at.replace("{run}", run) for run in runs] if "{run}" in at else [at]:
            for whole in [own.replace("{judge}", name) for name in names] if "{judge}" in own else [own]:
                status, found = given(site, whole)
                assert status == 200, (whole, found)
                schema.validate(found)
                assert not schema.is_valid([]), "a schema that holds everything says nothing"
        checked.add((path, "get"))
    assert checked == {(path, method) for path, own in described["paths"].items() for method in own}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/runs?limit=0", 400),
        ("/api/runs?limit=1001", 400),
        ("/api/runs?limit=", 400),
        ("/api/runs?limit=٣", 400),
        ("/api/runs?offset=-1", 400),
        ("/api/runs?offset=99999999999999999999", 400),
        ("/api/runs?offset=1&offset=2", 400),
        ("/api/runs?status=lost", 400),
        ("/api/runs?ofset=1", 400),
        ("/api/runs/none", 404),
        ("/api/runs/none/items", 404),
        ("/api/runs/old/items?sort=beauty", 400),
        ("/api/runs/old/items?bar=beauty:1", 400),
        ("/api/runs/old/items/0", 404),
        ("/api/runs/old/items/8", 404),
        ("/api/runs/old/items/one", 404),
        ("/api/runs/old/items/99999999999999999999", 404),
        ("/api/compare", 400),
        ("/api/compare?run=none", 404),
        ("/api/compare?run=old&run=answers", 400),
        ("/api/compare?" + "run=old&" * 9, 400),
        ("/api/judges/summary?lang=xx", 404),
        ("/api/judges/summary?digest=00", 404),
        ("/api/judges/none", 404),
        ("/api/judges/..", 404),
        ("/api/judges/%2Fetc", 404),
        ("/api/nothing", 404),
        ("/openapi.json?a=b", 400),
    ],
)
def test_what_cannot_be_given_is_said_in_the_shape_of_errors(site, path, status):
    found, said = given(site, path)
    assert found == status
    described = document(router(site).routes)
    schema_of(described, "/api/runs", "get", "4XX").validate(said)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"value": 6}, 400),
        ({"value": 1.5}, 400),
        ({"value": "4"}, 400),
        ({"value": True}, 400),
        ({"value": 10**400}, 400),
        ({"number": 8}, 404),
        ({"number": 0}, 400),
        ({"number": 1.5}, 400),
        ({"criterion": "beauty"}, 400),
        ({"criterion": None}, 400),
        ({"annotator": ""}, 400),
        ({"annotator": " "}, 400),
        ({"annotator": "a\nb\u202e"}, 400),
        ({"candidate": "A"}, 400),
        ({"comment": "x" * 10_001}, 400),
        ({"other": 1}, 400),
    ],
)
def test_a_label_that_cannot_be_one_is_refused(site, change, status):
    before = given(site, "/api/runs/old/labels")
    label = {"annotator": "ann", "number": 2, "criterion": "coverage", "value": 4}
    assert given(site, "/api/runs/old/labels", {**label, **change})[0] == status
    assert given(site, "/api/runs/old/labels") == before


@pytest.mark.parametrize("body", [[], None, 1, "a", {}])
def test_a_body_that_is_no_label(site, body):
    said = Request(
        method="POST",
        path="/api/runs/old/labels",
        headers={"host": "localhost", "content-type": "application/json"},
        receive=lambda most: json.dumps(body).encode(),
    )
    assert answer(router(site), site, Guard(hosts=LOCAL), said).status == 400


def test_a_label_can_be_changed_and_be_no_answer(site):
    label = {"annotator": "bea", "number": 3, "criterion": "coverage", "value": 4}
    for value in (4, 5.0, None):
        assert given(site, "/api/runs/old/labels", {**label, "value": value})[0] == 200
    _, found = given(site, "/api/runs/old/labels")
    assert isinstance(found, dict)
    assert [one["value"] for one in found["labels"] if one["annotator"] == "bea"] == [None]


def test_what_is_declared_is_what_is_checked():
    """A value is taken exactly where its schema holds it."""
    fields = [
        Field(name="a", says="", type="integer", least=1, most=3),
        Field(name="a", says="", least=1, most=2),
        Field(name="a", says="", type="number", nullable=True),
        Field(name="a", says="", one_of=("x", "y")),
    ]
    values: list[Any] = [None, True, 0, 1, 3, 4, 2.0, 2.5, "", "x", "z", "xyz", [], {}, -1]
    for field in fields:
        schema = jsonschema_rs.Draft202012Validator(field.schema)
        for value in values:
            request = Request(method="POST", path="/", body=json.dumps({"a": value}).encode())
            try:
                sent(request, [field])
                taken = True
            except Refused:
                taken = False
            assert taken == schema.is_valid(value), (field, value)


def test_a_query_without_what_it_must_have():
    field = Field(name="a", says="", required=True, times=2)
    with pytest.raises(Refused):
        asked(Request(method="GET", path="/"), [field])
    assert asked(Request(method="GET", path="/", query={"a": ["x", "y"]}), [field]) == {"a": ["x", "y"]}
