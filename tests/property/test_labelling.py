"""Whatever people say, take back and say again: the desk is the replay of it, and the history only grows."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.api.labelling import Desk
from adjudge.core.errors import DataError
from adjudge.core.labels import Entry, Label, edited, news, standing
from adjudge.data.label_export import labels_csv, labels_jsonl
from adjudge.data.labels import read_label_file
from adjudge.data.rows import Upload
from adjudge.store.store import open_store
from adjudge.web.message import Refused, Request
from adjudge.web.upload import sent_file
from tests.fakes.verdicts import a_run
from tests.unit.spec.rows import bundled

CRITERIA = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
PEOPLE = ("anna", "bo")
ITEMS = 2

PLACES = st.integers(1, ITEMS)
STEPS = st.one_of(
    st.tuples(st.just("say"), PLACES, st.sampled_from(CRITERIA), st.sampled_from([None, 1, 5])),
    st.tuples(st.just("wrong"), PLACES, st.sampled_from(CRITERIA), st.sampled_from([0, 6, 2.5])),
    st.tuples(st.just("comment"), PLACES, st.just(""), st.text(max_size=3)),
    st.tuples(st.just("undo"), st.just(0), st.just(""), st.none()),
    st.tuples(st.just("undo"), st.just(0), st.just(""), st.none()),
)


@dataclass
class Model:
    """One person, as simply as it can be said: a stack of what they said."""

    said: list[tuple[int, str, Any]] = field(default_factory=list)

    def undo(self) -> int | None:
        return self.said.pop()[0] if self.said else None

    def say(self, place: int, what: str, value: Any) -> bool:
        """Whether it is new: what stands is not said again."""
        if self.at(place).get(what, "" if not what else ...) == value:
            return False
        self.said.append((place, what, value))
        return True

    def at(self, place: int) -> dict[str, Any]:
        return {what: value for where, what, value in self.said if where == place}


def agrees(desk: Desk, model: Model) -> None:
    done = 0
    for place in range(1, ITEMS + 1):
        task, expected = desk.at(place), model.at(place)
        assert task.comment == expected.pop("", "")
        assert {name: label.value for (_, name), label in task.answers.items()} == expected
        complete = expected.keys() == set(CRITERIA)
        done += complete
        assert task.complete == complete
        assert task.answered == (complete and any(value is not None for value in expected.values()))
        if not task.answered:
            with pytest.raises(DataError, match="hidden"):
                desk.verdict(place)
        else:
            assert desk.verdict(place) is not None
    assert desk.done == done
    assert (desk.first_open() is None) == (done == ITEMS)


@pytest.fixture(scope="module")
def run():
    with tempfile.TemporaryDirectory() as folder:
        yield a_run(f"sqlite:///{folder}/a.db", "summary", [dict.fromkeys(CRITERIA, 3)] * ITEMS)


def forget(run):
    """Every example begins with nothing said."""
    with open_store(run.store) as store, store._db.write() as transaction:
        transaction.run("DELETE FROM labels")


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(st.sampled_from(PEOPLE), STEPS), max_size=25))
def test_the_desk_is_the_replay_of_what_was_said(run, steps):
    forget(run)
    models = {name: Model() for name in PEOPLE}
    past: list[Label] = []
    for name, (act, place, criterion, value) in steps:
        desk, model, new = Desk.open(run, name), models[name], False
        if act == "undo":
            assert desk.undo() == model.undo()
        elif act == "wrong":
            with pytest.raises(DataError):
                desk.say(place, criterion, value)
        elif act == "say":
            desk.say(place, criterion, value)
            new = model.say(place, criterion, value)
        else:
            desk.comment(place, value)
            new = model.say(place, "", value)
        agrees(desk, model)
        with open_store(run.store) as store:
            edits = store.label_edits(run.id)
        assert len(edits) == len(past) + new
        for before, now in zip(past, edits, strict=False):
            assert (before.place, before.value, before.comment, before.added) == (
                now.place,
                now.value,
                now.comment,
                now.added,
            )
            assert not before.withdrawn or before.withdrawn == now.withdrawn
        past = edits
    for name in PEOPLE:
        agrees(Desk.open(run, name), models[name])


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["=1", "'=1", "''=1", "+", "-x", "@", "\t", "\r\n", "\n=", "'", '"', "\ufeff", "﹣x", "\x00", "a\rb"]
)
NAME = TEXT.map(lambda text: f"{text}".strip()).filter(bool)
TIME = st.datetimes().map(lambda when: f"{when.isoformat(timespec='milliseconds')}+00:00")
LABELS = st.lists(
    st.builds(
        Label,
        item=TEXT.filter(lambda text: text.strip()),
        criterion=st.sampled_from([*CRITERIA, ""]),
        annotator=NAME | st.just(""),
        value=st.none() | st.integers(1, 5) | st.floats(1, 5),
        comment=TEXT,
        added=TIME,
    ).map(lambda label: label if label.criterion else Label(**{**fields(label), "value": None})),
    min_size=1,
    max_size=8,
    unique_by=lambda label: label.place,
)


def fields(label: Label) -> dict[str, Any]:
    return {name: getattr(label, name) for name in Label.__slots__}


@settings(max_examples=300)
@given(labels=LABELS, raw=st.booleans())
def test_what_is_written_is_read_as_it_was(labels, raw):
    judge = bundled("summary")
    table = "".join(labels_csv(labels, raw=raw)).encode()
    lines = "".join(labels_jsonl(labels)).encode()
    read = read_label_file(judge, Upload(name="x.csv", data=table), raw=raw).labels
    assert read == labels
    assert read_label_file(judge, Upload(name="x.jsonl", data=lines)).labels == labels
    assert "".join(labels_csv(read, raw=raw)).encode() == table
    assert "".join(labels_jsonl(read)).encode() == lines


@given(said=LABELS, coming=LABELS)
def test_what_is_taken_in_once_is_known(said, coming):
    first = news(said, coming)
    assert len(first.labels) + first.known + first.outdated == len(coming)
    again = news([*said, *first.labels], coming)
    assert again.labels == []
    now = {label.place: label for label in standing(said)}
    after = {label.place: label for label in standing([*said, *first.labels])}
    assert after.keys() == now.keys() | {label.place for label in first.labels}


@given(
    labels=LABELS,
    taken=st.lists(st.integers(0, 9), unique=True),
)
def test_a_log_keeps_every_label_and_marks_those_taken_back(labels, taken):
    log = [Entry(number, label) for number, label in enumerate(labels)]
    back = [Entry(len(log) + at, labels[0], withdraws=number) for at, number in enumerate(taken)]
    found = edited([*log, *back])
    assert list(found) == list(range(len(labels)))
    assert {number for number, label in found.items() if label.withdrawn} == {n for n in taken if n < len(labels)}


@given(body=st.binary(max_size=200), kind=st.text(st.characters(max_codepoint=255), max_size=60))
def test_no_form_of_strangers_is_a_fault(body, kind):
    for content in (kind, f"multipart/form-data; boundary={kind}", "multipart/form-data; boundary=a"):
        request = Request(method="POST", path="/", headers={"content-type": content}, body=body)
        try:
            assert isinstance(sent_file(request, "labels"), Upload)
        except Refused as error:
            assert error.status in (400, 415)


@given(data=st.binary(max_size=200).filter(lambda data: b"\r\n--mark" not in data), before=st.booleans())
def test_a_file_in_a_form_comes_as_it_was(data, before):
    other = b'--mark\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n' if before else b""
    head = (
        b'--mark\r\nContent-Disposition: form-data; name="file"; filename="C:\\dir\\l.csv"\r\nContent-Type: a/b\r\n\r\n'
    )
    request = Request(
        method="POST",
        path="/",
        headers={"content-type": 'multipart/form-data; boundary="mark"'},
        body=other + head + data + b"\r\n--mark--\r\n",
    )
    assert sent_file(request, "labels") == Upload(name="l.csv", data=data)
