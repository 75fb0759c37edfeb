from __future__ import annotations

import sqlite3
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import Corrupt
from adjudge.core.records import Call, Failure, Reply, Settings, Verdict
from adjudge.core.runs import Run
from adjudge.store import codec
from adjudge.store.database import pack, unpack

# Every code point, lone surrogates and NUL too, and often the mark that packing uses.
texts = st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("\x00\x1a0d\ud83d\ude00")), max_size=20)
numbers = st.one_of(st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False))
tuples = st.lists(texts, max_size=3).map(tuple)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
objects = st.dictionaries(texts, json_values, max_size=3)
maybe_count = st.none() | st.integers(0, 2**40)

calls = st.builds(
    Call,
    key=texts,
    stage=st.sampled_from(["judge", "repair", "again", "merge"]),
    items=tuples,
    order=tuples,
    repeat=st.integers(0, 100),
    criterion=texts,
)
replies = st.builds(
    Reply,
    text=texts,
    finish=texts,
    tokens_in=maybe_count,
    tokens_out=maybe_count,
    cost_usd=st.none() | numbers,
    latency_s=numbers,
    attempts=st.integers(1, 9),
    mode=texts,
    odds=st.dictionaries(texts, numbers, max_size=3),
    places=st.none()
    | st.lists(st.tuples(st.integers(0), texts, st.dictionaries(texts, numbers, max_size=2)), max_size=2).map(tuple),
)
verdicts = st.builds(
    Verdict,
    item=texts,
    scores=st.dictionaries(texts, numbers | st.dictionaries(texts, numbers, max_size=2), max_size=3),
    reasons=objects,
    derived=objects,
    native=json_values,
    flags=tuples,
    calls=tuples,
    intervals=objects,
    findings=st.lists(objects, max_size=2).map(tuple),
    quotes=st.dictionaries(texts, st.dictionaries(texts, st.integers(0, 2**40), max_size=2), max_size=2),
)
failures = st.builds(
    Failure, item=texts, kind=texts, stage=texts, message=texts, attempts=st.integers(1, 9), flags=tuples, calls=tuples
)
settings = st.builds(
    Settings, model=texts, base_url=st.none() | texts, temperature=st.none() | numbers, max_tokens=maybe_count
)
runs = st.builds(
    Run,
    id=texts,
    judge=texts,
    judge_digest=texts,
    lang=texts,
    data=texts,
    data_digest=texts,
    items=st.integers(0),
    settings=settings,
    repeat=st.integers(1, 9),
    orders=maybe_count | st.sampled_from(["all", "balanced"]),
    batch_size=maybe_count,
    seed=st.integers(),
    name=texts,
    version=texts,
    started=texts,
)


def same(one: object, other: object) -> bool:
    """Equal, and of the same types and key order all the way down: 4 is not 4.0 here."""
    return repr(one) == repr(other)


@given(calls)
def test_calls(call: Call) -> None:
    assert same(codec.load_call(codec.dump_call(call)), call)


@given(replies)
def test_replies(reply: Reply) -> None:
    assert same(codec.load_reply(codec.dump_reply(reply)), reply)


def test_what_was_stored_before_there_were_questions_is_read() -> None:
    call = '{"stage":"judge","items":["a"],"order":[],"repeat":0,"key":"k","content":"c"}'
    assert codec.load_call(call).criterion == ""
    assert codec.dump_call(codec.load_call(call)) == call
    reply = codec.dump_reply(Reply(text="x"))
    assert "odds" not in reply and not codec.load_reply(reply).odds


@given(verdicts | failures)
def test_outcomes(outcome: Verdict | Failure) -> None:
    text = codec.dump_outcome(outcome)
    assert same(codec.load_outcome(text), outcome)
    assert codec.dump_outcome(codec.load_outcome(text)) == text


def test_a_verdict_from_before_there_were_findings_is_read() -> None:
    old = '{"item":"a","scores":{"c":4.0},"reasons":{},"derived":{},"native":{},"flags":[],"calls":["k"]}'
    found = codec.load_outcome(old)
    assert isinstance(found, Verdict)
    assert (found.intervals, found.findings, found.quotes) == ({}, (), {})
    assert codec.dump_outcome(found) == old


@given(runs)
def test_runs(run: Run) -> None:
    assert same(codec.load_run(codec.dump_run(run)), run)
    assert codec.load_run(codec.dump_run(run)).signature == run.signature


@given(texts)
def test_any_text_comes_back_from_a_database(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    (stored,) = connection.execute("SELECT ?", (pack(text),)).fetchone()
    connection.close()
    assert unpack(stored) == text
    assert "\x00" not in stored


@given(texts, texts)
def test_two_texts_never_become_one(one: str, other: str) -> None:
    assert (pack(one) == pack(other)) == (one == other)


def test_plain_text_is_stored_as_it_is() -> None:
    assert pack("Привет, \U0001f600\n") == "Привет, \U0001f600\n"


def test_a_read_only_mapping_is_written_like_any_other() -> None:
    assert codec.dump(MappingProxyType({"b": 1, "a": ("x",)})) == '{"b":1,"a":["x"]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        codec.dump_reply(Reply(text="", latency_s=value))


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        codec.dump({"a": {1}})


@pytest.mark.parametrize("text", ["", "{", '{"text":"x","unknown":1}', "{}", "[" * 100_000])
def test_a_damaged_record_says_so(text: str) -> None:
    with pytest.raises(Corrupt, match="stored record"):
        codec.load_reply(text)
