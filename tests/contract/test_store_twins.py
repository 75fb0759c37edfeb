"""A run that is made again, on every store: what it shares with the earlier one, and what is kept of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.errors import Conflict
from adjudge.store.store import Store
from adjudge.store.writes import (
    AnsweredDone,
    CallFailed,
    OutcomeDone,
    ReplyDone,
    SummaryDone,
    Write,
)
from tests.contract.records import COMPLETE, CUT, HOSTILE, IDS, Opener, a_call, a_run, a_verdict


def test_a_twin_has_the_answers_too(store: Store) -> None:
    store.commit([OutcomeDone(run="r1", position=0, outcome=a_verdict("a"))])
    store.commit([AnsweredDone(run="r1", position=0, body='{"answers":{}}')])
    store.claim("r1")
    store.finish("r1", "complete", summary=None, seconds=1)
    assert store.create_twin(a_run("r2"), spec="{}")
    assert store.judged_body("r2", "a") == '{"text":"0","answers":{}}'


def test_a_twin_shares_all_and_has_paid_nothing(store: Store, opener: Opener) -> None:
    store.create_run(a_run("r0", seed=2), spec="{}")
    there = ReplyDone(span=(1, 1), run="r0", call=a_call("k2", HOSTILE), reply=COMPLETE, step="strict")
    done = [
        there,
        replace(there, run="r1", cached=True),
        ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=COMPLETE, step="strict"),
    ]
    store.commit([*done, SummaryDone(run="r1", position=0, summaries=[{"c": HOSTILE}])])
    store.commit([OutcomeDone(run="r1", position=place, outcome=a_verdict(IDS[place])) for place in (0, 1)])
    assert not store.create_twin(a_run("r2"), spec="{}"), "it is still running"
    store.claim("r1")
    store.finish("r1", "complete", summary={"c": HOSTILE}, seconds=1)
    other = (a_run("r2", seed=1), a_run("r2", judge_digest="k"), a_run("r2", version="2"))
    assert not any(store.create_twin(one, spec="{}") for one in other)
    assert [state.run.id for state in store.runs()] == ["r0", "r1"]
    for name in ("r2", "r3"):
        assert store.create_twin(a_run(name, name=HOSTILE), spec=HOSTILE)
    with pytest.raises(Conflict):
        store.create_twin(a_run("r3"), spec="{}")
    first = store.state("r1")
    for name in ("r2", "r3"):
        again, state = opener(), store.state(name)
        assert (state.status, state.judged, state.failed, state.summary) == ("complete", 2, 0, first.summary)
        assert (state.calls, state.cached, state.tokens_in, state.cost_usd) == (0, 2, 0, 0.0)
        assert (state.steps, state.asked_again) == (first.steps, first.asked_again)
        assert (again.run_spec(name), again.spent_usd(name), again.spending(name)) == (HOSTILE, 0.0, [])
        for read in (
            lambda one, run: list(one.run_calls(run)),
            lambda one, run: list(one.run_replies(run)),
            lambda one, run: one.replies_of(run, ["k1", "k2"]),
            lambda one, run: one.calls_of(run, ["k1", "k2"]),
            lambda one, run: one.item_replies(run, HOSTILE),
            lambda one, run: list(one.placed_outcomes(run)),
            lambda one, run: list(one.outcomes_with_rows(run)),
            lambda one, run: list(one.judged_bodies(run)),
            lambda one, run: one.found(run, IDS),
            lambda one, run: one.outcomes_of(run, IDS),
            lambda one, run: one.judged(run, 0, 3),
            lambda one, run: one.summaries(run),
        ):
            assert read(again, name) == read(store, "r1") and read(store, "r1")


@pytest.mark.parametrize("write", [
    ReplyDone(span=(1, 1), run="r1", call=a_call("k2"), reply=CUT),
    CallFailed(span=(1, 1), run="r1", call=a_call("k2"), kind="timed_out", message=""),
])  # fmt: skip
def test_what_is_not_shared_has_no_twin(store: Store, write: Write) -> None:
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=COMPLETE), write])
    store.commit([OutcomeDone(run="r1", position=0, outcome=a_verdict("a"))])
    store.claim("r1")
    store.finish("r1", "complete", summary=None, seconds=1)
    assert not store.create_twin(a_run("r2"), spec="{}")


def test_a_reply_of_its_own_has_no_twin(store: Store) -> None:
    store.create_run(a_run("r0", seed=1), spec="{}")
    store.commit([ReplyDone(span=(0, 0), run="r0", call=a_call("k1"), reply=COMPLETE)])
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=replace(COMPLETE, text="another"))])
    store.claim("r1")
    store.finish("r1", "complete", summary=None, seconds=1)
    assert not store.create_twin(a_run("r2"), spec="{}")


def test_a_report_is_kept_for_a_complete_run_and_its_twins(store: Store, opener: Opener) -> None:
    store.commit([OutcomeDone(run="r1", position=0, outcome=a_verdict("a"))])
    store.keep_report("r1", "code", "too early")
    store.claim("r1")
    store.finish("r1", "complete", summary=None, seconds=1)
    assert store.create_twin(a_run("r2"), spec="{}")
    store.create_run(a_run("r3", seed=1), spec="{}")
    assert [store.kept_report(name, "code") for name in ("r1", "r2", "r3", "no such")] == [None] * 4
    store.keep_report("r2", "code", HOSTILE)
    again = opener()
    assert [again.kept_report(name, "code") for name in ("r1", "r2", "r3")] == [HOSTILE, HOSTILE, None]
    assert again.kept_report("r1", "other code") is None
    again.keep_report("r1", "other code", "anew")
    assert [store.kept_report("r2", made_by) for made_by in ("code", "other code")] == [None, "anew"]


def test_a_file_is_known_by_its_key(store: Store, opener: Opener) -> None:
    assert store.dataset_of(HOSTILE) is None
    store.know_file(HOSTILE, "data", 4)
    store.add_dataset("other", [("1", "{}")])
    store.know_file(HOSTILE, "other", 1)
    assert opener().dataset_of(HOSTILE) == ("data", 4), "the first stays"
    with pytest.raises(Conflict):
        store.know_file("key", "no such dataset", 1)
