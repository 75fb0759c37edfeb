"""What every store does, whatever database is below it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.core import limits
from adjudge.core.errors import ConfigError, Conflict
from adjudge.core.labels import Label
from adjudge.core.records import Call, Failure, Outcome, Reply, Settings, Verdict
from adjudge.core.runs import Run
from adjudge.store.process import Process
from adjudge.store.store import Store, open_store
from adjudge.store.writes import (
    AnsweredDone,
    CallFailed,
    OutcomeDone,
    PartDone,
    ReadDone,
    ReplyDone,
    SummaryDone,
    Write,
)

HOSTILE = "a'; DROP TABLE runs; -- \x00\x1a\x1a0000 \ud800 \ud83d\ude00 \U0001f600 %s ? ёЖ"
IDS = ("a", HOSTILE, "c", "d")

Opener = Callable[[], Store]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def opener(url: str) -> Iterator[Opener]:
    opened: list[Store] = []

    def one() -> Store:
        opened.append(open_store(url))
        return opened[-1]

    yield one
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener) -> Store:
    store = opener()
    store.add_dataset("data", [(item, f'{{"text":"{number}"}}') for number, item in enumerate(IDS)])
    store.create_run(a_run("r1"), spec='{"model":"m"}')
    return store


def a_run(run_id: str, **changes: object) -> Run:
    run = Run(
        id=run_id,
        judge="summary",
        judge_digest="j",
        lang="en",
        data="data.jsonl",
        data_digest="data",
        items=len(IDS),
        settings=Settings(model="m"),
    )
    return replace(run, **changes)  # type: ignore[arg-type]


def a_call(key: str, *items: str, **changes: object) -> Call:
    return replace(Call(key=key, stage="judge", items=items or ("a",)), **changes)  # type: ignore[arg-type]


def a_verdict(item: str, value: float = 4) -> Verdict:
    return Verdict(item=item, scores={"z": value, "a": {"X": 1.5}}, reasons={}, derived={}, native={"z": [1, HOSTILE]})


COMPLETE = Reply(text=HOSTILE, tokens_in=10, tokens_out=5, cost_usd=0.1, latency_s=0.25)
CUT = replace(COMPLETE, text="cut", finish="length")


def test_a_dataset_comes_back_in_order_and_is_stored_once(store: Store) -> None:
    rows = iter([("other", "{}")])
    store.add_dataset("data", rows)
    assert list(rows), "the rows of a known dataset were read"
    assert [(position, item) for position, item, _ in store.items("data")] == list(enumerate(IDS))
    assert [position for position, _, _ in store.items("data", 1, 2)] == [1, 2]
    assert [body for _, item, body in store.items("data") if item == HOSTILE] == ['{"text":"1"}']
    assert list(store.items("other")) == []


def test_a_dataset_that_breaks_off_leaves_nothing(store: Store) -> None:
    def broken() -> Iterator[tuple[str, str]]:
        yield "1", "{}"
        raise ValueError("row 2")

    with pytest.raises(ValueError, match="row 2"):
        store.add_dataset("broken", broken())
    store.add_dataset("broken", [("other", "{}")])
    assert [item for _, item, _ in store.items("broken")] == ["other"]


def test_items_stream_in_pages_while_others_write(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STORE_PAGE_ROWS", 3)
    store.add_dataset("many", ((str(number), "{}") for number in range(10)))
    seen = []
    for position, item, _ in store.items("many"):
        store.commit([OutcomeDone(run="r1", position=position, outcome=a_verdict(item))])
        seen.append(item)
    assert seen == [str(number) for number in range(10)]
    assert [outcome.item for outcome in store.outcomes("r1")] == seen


def test_big_rows_are_read_one_by_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STORE_PAGE_CHARS", 1)
    assert [item for _, item, _ in store.items("data")] == list(IDS)


def test_a_run_keeps_its_manifest_and_spec(store: Store) -> None:
    run = a_run(
        "r2", name=HOSTILE, data=HOSTILE, seed=0, orders=2, settings=Settings(model="m", temperature=None, max_tokens=9)
    )
    store.create_run(run, spec=HOSTILE)
    state = store.state("r2")
    assert state.run == run
    assert (state.judged, state.failed, state.calls, state.cost_usd, state.finished) == (0, 0, 0, 0.0, None)
    assert store.run_spec("r2") == HOSTILE
    assert [state.run.id for state in store.runs()] == ["r2", "r1"]
    with pytest.raises(Conflict, match="already"):
        store.create_run(run, spec="")
    with pytest.raises(Conflict, match="dataset"):
        store.create_run(a_run("r3", data_digest="absent"), spec="")


def test_runs_are_found_the_ways_people_name_them(store: Store) -> None:
    store.create_run(a_run("r1-longer", name="nightly"), spec="")
    store.create_run(a_run("x77", name="twice"), spec="")
    store.create_run(a_run("x78", name="twice"), spec="")
    found = {name: store.find_run(name).run.id for name in ("r1", "r1-", "nightly", "x77", "latest")}
    assert found == {"r1": "r1", "r1-": "r1-longer", "nightly": "r1-longer", "x77": "x77", "latest": "x78"}
    with pytest.raises(ConfigError, match="several runs: x78, x77"):
        store.find_run("x7")
    assert store.find_run("twice").run.id == "x78", "a name given again means the newest run"
    with pytest.raises(ConfigError, match="did you mean nightly"):
        store.find_run("nightlx")
    for unknown in ("", "%", "_", HOSTILE, "\x1b[31m"):
        with pytest.raises(ConfigError) as raised:
            store.find_run(unknown)
        assert str(raised.value).replace("\n", "").isprintable()
    for ask in (store.state, store.run_spec, store.claim):
        with pytest.raises(ConfigError, match="no run absent"):
            ask("absent")


def test_an_empty_store_says_that_it_has_no_run(opener: Opener) -> None:
    with pytest.raises(ConfigError, match="adjudge run"):
        opener().find_run("latest")


def test_only_complete_replies_are_reused(store: Store) -> None:
    refused = replace(COMPLETE, finish="refusal")
    store.commit(
        [
            ReplyDone(span=(0, 0), run="r1", call=a_call("good"), reply=COMPLETE),
            ReplyDone(span=(0, 0), run="r1", call=a_call("cut"), reply=CUT),
            ReplyDone(span=(0, 0), run="r1", call=a_call("refused"), reply=refused),
            CallFailed(span=(0, 0), run="r1", call=a_call("failed"), kind="timed_out", message=HOSTILE, attempts=5),
        ]
    )
    assert store.reply("good") == COMPLETE
    keys = ["good", "cut", "refused", "failed", HOSTILE]
    assert store.replies(keys) == {"good": COMPLETE}
    assert {call.key: reply for call, reply in store.run_replies("r1")} == {
        "good": COMPLETE,
        "cut": CUT,
        "refused": refused,
    }
    failed = next(state for state in store.run_calls("r1") if state.call.key == "failed")
    assert (failed.reply, failed.kind, failed.message, failed.attempts) == (None, "timed_out", HOSTILE, 5)


def test_more_keys_than_one_query_takes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STORE_KEYS_PER_QUERY", 2)
    keys = [f"k{number}" for number in range(5)]
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(key, *IDS), reply=COMPLETE) for key in keys])
    assert set(store.replies(key for key in keys)) == set(keys)


def test_every_run_keeps_the_reply_it_was_computed_from(store: Store) -> None:
    store.create_run(a_run("r2"), spec="")
    store.create_run(a_run("r3"), spec="")
    fresh = replace(COMPLETE, text="another opinion")
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k"), reply=CUT)])
    store.commit([ReplyDone(span=(0, 0), run="r2", call=a_call("k"), reply=COMPLETE)])
    store.commit([ReplyDone(span=(0, 0), run="r3", call=a_call("k"), reply=fresh)])
    store.commit([ReplyDone(span=(0, 0), run="r2", call=a_call("k"), reply=fresh)])
    assert store.reply("k") == COMPLETE
    assert [[reply for _, reply in store.run_replies(run)] for run in ("r1", "r2", "r3")] == [
        [CUT],
        [COMPLETE],
        [fresh],
    ]


def test_a_reply_that_joins_gives_way_to_the_one_that_is_stored(store: Store) -> None:
    """What several runs share must be the same for all of them, whoever paid for what."""
    store.create_run(a_run("r2"), spec="")
    late = replace(COMPLETE, text="another list")
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k"), reply=COMPLETE, joins=True)])
    store.commit([ReplyDone(span=(0, 0), run="r2", call=a_call("k"), reply=late, joins=True)])
    assert store.replies_of("r1", ["k"]) == store.replies_of("r2", ["k"]) == {"k": COMPLETE}
    assert store.spent_usd("r2") == pytest.approx(0.1), "it was paid for all the same"


def test_an_item_has_the_replies_that_its_verdict_shares_with_others(store: Store) -> None:
    store.commit(
        [
            ReplyDone(span=(0, 0), run="r1", call=a_call("shared", "a", stage="questions"), reply=COMPLETE),
            ReplyDone(span=(2, 2), run="r1", call=a_call("own", "c", stage="answers"), reply=COMPLETE),
            OutcomeDone(run="r1", position=2, outcome=replace(a_verdict("c"), calls=("shared", "own"))),
        ]
    )
    assert [call.key for call, _ in store.item_replies("r1", "c")] == ["shared", "own"]
    assert [call.key for call, _ in store.item_replies("r1", "a")] == ["shared"]


def test_many_items_are_read_at_once_as_they_are_one_by_one(store: Store) -> None:
    names = ["a", HOSTILE, "c", "d"]
    own = [(place, place, a_call(f"k{place}", name)) for place, name in enumerate(names)]
    for first, last, call in [*own, (1, 3, a_call("batch", *names[1:])), (0, 0, a_call("listed", "a", stage="claims"))]:
        store.commit([ReplyDone(span=(first, last), run="r1", call=call, reply=COMPLETE)])
    outcomes = {name: replace(a_verdict(name), calls=("listed",)) for name in names[:3]}
    for place, outcome in enumerate(outcomes.values()):
        store.commit([OutcomeDone(run="r1", position=place, outcome=outcome)])
    found = store.found("r1", ["c", HOSTILE, "no such", "d", "a"])
    assert {name: outcome for name, (outcome, _) in found.items()} == outcomes
    assert {name: body for name, (_, body) in found.items()} == {
        name: store.judged_body("r1", name) for name in outcomes
    }
    said = store.items_replies("r1", outcomes)
    assert said == {name: store.item_replies("r1", name) for name in outcomes}
    assert [call.key for call, _ in said["c"]] == ["batch", "k2", "listed"]


def test_a_failed_call_does_not_show_another_runs_reply(store: Store) -> None:
    store.create_run(a_run("r2"), spec="")
    store.commit([CallFailed(span=(0, 0), run="r1", call=a_call("k"), kind="timed_out", message="")])
    store.commit([ReplyDone(span=(0, 0), run="r2", call=a_call("k"), reply=COMPLETE)])
    assert list(store.run_replies("r1")) == []


def test_writing_twice_changes_nothing(store: Store) -> None:
    store.create_run(a_run("r2"), spec="")
    store.commit([ReplyDone(span=(3, 3), run="r2", call=a_call("k3", "d"), reply=COMPLETE)])
    answered = ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=COMPLETE, step="json")
    writes: list[Write] = [
        answered,
        ReplyDone(span=(0, 0), run="r1", call=a_call("k2", "c"), reply=CUT),
        ReplyDone(span=(0, 0), run="r1", call=a_call("k3", "d"), reply=COMPLETE, cached=True),
        CallFailed(span=(0, 0), run="r1", call=a_call("k4", "d"), kind="timed_out", message="m"),
        ReadDone(run="r1", key="k2", step="truncated"),
        SummaryDone(run="r1", position=0, summaries=[{"adequacy": HOSTILE}, {}]),
        SummaryDone(run="r1", position=2, summaries=[]),
        OutcomeDone(run="r1", position=0, outcome=a_verdict("a")),
        OutcomeDone(run="r1", position=2, outcome=Failure(item="c", kind="truncated", stage="judge", message=HOSTILE)),
    ]
    store.commit(writes)
    before = (store.state("r1"), list(store.run_calls("r1")), list(store.outcomes("r1")))
    assert store.summaries("r1") == [(0, [{"adequacy": HOSTILE}, {}]), (2, [])]
    store.commit(writes)
    store.commit([*writes, *writes])
    for write in writes:
        store.commit([write])
    store.commit([replace(answered, cached=True)])
    assert (store.state("r1"), list(store.run_calls("r1")), list(store.outcomes("r1"))) == before
    assert before[0].judged == 1 and before[0].failed == 1


def test_a_list_of_writes_is_kept_whole_or_not_at_all(store: Store) -> None:
    good = OutcomeDone(run="r1", position=0, outcome=a_verdict("a"))
    with pytest.raises(Conflict, match="not in the store"):
        store.commit([good, ReadDone(run="r1", key="absent", step="json")])
    with pytest.raises(Conflict):
        store.commit([good, ReplyDone(span=(0, 0), run="absent", call=a_call("k"), reply=COMPLETE)])
    with pytest.raises(Conflict):
        store.commit([good, OutcomeDone(run="absent", position=0, outcome=a_verdict("a"))])
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.commit([good, OutcomeDone(run="r1", position=1, outcome=a_verdict("b", float("nan")))])
    assert list(store.outcomes("r1")) == []
    store.commit([])
    store.commit([good])
    assert len(list(store.outcomes("r1"))) == 1


def test_what_was_paid_is_counted_even_when_it_is_asked_again(store: Store) -> None:
    store.commit([CallFailed(span=(0, 0), run="r1", call=a_call("k"), kind="timed_out", message="")])
    store.commit(
        [ReplyDone(span=(0, 0), run="r1", call=a_call("k"), reply=CUT), ReadDone(run="r1", key="k", step="truncated")]
    )
    store.commit([CallFailed(span=(0, 0), run="r1", call=a_call("k"), kind="timed_out", message="")])
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k"), reply=COMPLETE)])
    state = store.state("r1")
    assert (state.calls, state.tokens_in, state.tokens_out, state.cost_usd) == (1, 20, 10, 0.2)
    assert state.steps == {}
    assert [(call.reply, call.kind) for call in store.run_calls("r1")] == [(COMPLETE, None)]


def test_a_failure_never_hides_a_reply(store: Store) -> None:
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k"), reply=COMPLETE)])
    before = list(store.run_calls("r1"))
    store.commit([CallFailed(span=(0, 0), run="r1", call=a_call("k"), kind="timed_out", message="late", attempts=5)])
    assert list(store.run_calls("r1")) == before


def test_nothing_names_no_run_even_when_there_is_only_one(store: Store) -> None:
    with pytest.raises(ConfigError):
        store.find_run("")


def test_a_runs_figures(store: Store) -> None:
    free = replace(COMPLETE, cost_usd=0.0, tokens_in=None)
    store.commit(
        [
            ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=COMPLETE),
            ReplyDone(span=(0, 0), run="r1", call=a_call("k2", stage="repair"), reply=replace(COMPLETE, cost_usd=0.2)),
            ReplyDone(span=(0, 0), run="r1", call=a_call("k3", stage="again"), reply=free),
            ReplyDone(span=(2, 2), run="r1", call=a_call("k4", "c"), reply=CUT, cached=True),
            CallFailed(span=(0, 0), run="r1", call=a_call("k5", "c"), kind="timed_out", message=""),
            *[
                ReadDone(run="r1", key=key, step=step)
                for key, step in (("k1", "json"), ("k2", "json"), ("k4", "fence"))
            ],
        ]
    )
    state = store.state("r1")
    assert (state.calls, state.cached, state.asked_again) == (4, 1, 2)
    assert (state.tokens_in, state.tokens_out, state.cost_usd) == (20, 15, 0.3)
    assert state.steps == {"fence": 1, "json": 2}
    store.commit([ReadDone(run="r1", key="k2", step="Zed")])
    assert list(store.state("r1").steps) == ["Zed", "fence", "json"], "bytes decide the order, not a language"
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k6"), reply=replace(COMPLETE, cost_usd=None))])
    assert store.state("r1").cost_usd is None


def test_figures_of_a_finished_run_follow_later_writes(store: Store) -> None:
    store.claim("r1")
    store.finish("r1", "partial", summary={}, seconds=1)
    store.commit([OutcomeDone(run="r1", position=0, outcome=a_verdict("a"))])
    assert store.state("r1").judged == 1 and store.runs()[0].judged == 1


def test_replies_come_in_the_order_of_the_dataset(store: Store) -> None:
    placed = [
        (4, 4, a_call("m", stage="merge", items=())),
        (3, 3, a_call("k9", "d")),
        (1, 2, a_call("k8", HOSTILE, "c", order=("B", "A"))),
        (1, 2, a_call("k7", HOSTILE, "c", order=("A", "B"))),
        (0, 0, a_call("k6", "a", repeat=1)),
        (0, 0, a_call("k5", "a", stage="repair")),
        (0, 0, a_call("k4", "a")),
    ]
    calls = [call for *_, call in placed]
    for first, last, call in placed:
        store.commit([ReplyDone(span=(first, last), run="r1", call=call, reply=COMPLETE)])
    expected = ["k4", "k6", "k5", "k7", "k8", "k9", "m"]
    assert [call.key for call, _ in store.run_replies("r1")] == expected
    assert {call.key: call for call, _ in store.run_replies("r1")} == {call.key: call for call in calls}
    assert [call.key for call, _ in store.item_replies("r1", "c")] == ["k7", "k8"]
    assert [call.key for call, _ in store.item_replies("r1", "a")] == ["k4", "k5", "k6"]
    assert store.item_replies("r1", "no such") == []


def test_replies_stream_in_pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STORE_PAGE_ROWS", 2)
    keys = [f"k{number}" for number in range(7)]
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(key), reply=COMPLETE) for key in reversed(keys)])
    assert [call.key for call, _ in store.run_replies("r1")] == keys


def test_outcomes_come_in_order_with_their_keys_in_order(store: Store) -> None:
    failure = Failure(
        item="c", kind="no_verdict", stage="repair", message=HOSTILE, attempts=2, flags=("f",), calls=("k",)
    )
    verdict = a_verdict(HOSTILE, 3.7)
    store.commit(
        [
            OutcomeDone(run="r1", position=2, outcome=failure),
            OutcomeDone(run="r1", position=1, outcome=verdict),
        ]
    )
    assert list(store.outcomes("r1")) == [verdict, failure]
    assert [outcome for outcome, _ in store.outcomes_with_rows("r1")] == [verdict, failure]
    bodies = [body for _, item, body in store.items("data") if item in (HOSTILE, "c")]
    assert len(bodies) == 2 and [row for _, row in store.outcomes_with_rows("r1")] == bodies
    stored = store.outcome("r1", HOSTILE)
    assert stored == verdict and isinstance(stored, Verdict) and list(stored.scores) == ["z", "a"]
    assert store.outcome("r1", "a") is None
    assert store.outcomes_of("r1", ["c", "a", HOSTILE]) == {"c": failure, HOSTILE: verdict}
    store.commit([OutcomeDone(run="r1", position=2, outcome=a_verdict("c"))])
    assert store.outcome("r1", "c") == a_verdict("c") and len(list(store.outcomes("r1"))) == 2


def test_the_answers_that_were_judged_stay_beside_their_verdict(store: Store) -> None:
    """A process that was thought dead may come with other answers when another has judged the item."""
    failure = Failure(item="a", kind="timed_out", stage="answer", message="m")
    for outcome, said in ((failure, "early"), (a_verdict("a"), "judged"), (a_verdict("a", 1.0), "late")):
        answered = AnsweredDone(run="r1", position=0, body=json.dumps({"answers": {"North": said}}))
        store.commit([OutcomeDone(run="r1", position=0, outcome=outcome), answered])
    assert store.outcome("r1", "a") == a_verdict("a")
    assert json.loads(store.judged_body("r1", "a") or "")["answers"] == {"North": "judged"}


def test_an_item_that_was_answered_in_a_run_is_read_with_its_answers_there_only(opener: Opener, store: Store) -> None:
    store.create_run(a_run("r2"), spec="{}")
    answers = json.dumps({"text": HOSTILE, "answers": {"ё": HOSTILE}}, ensure_ascii=False)
    store.commit([AnsweredDone(run="r1", position=1, body='{"answers":"replaced"}')])
    store.commit([AnsweredDone(run="r1", position=1, body=answers), AnsweredDone(run="r1", position=1, body=answers)])
    for run in ("r1", "r2"):
        store.commit([OutcomeDone(run=run, position=place, outcome=a_verdict(IDS[place])) for place in (0, 1)])
    bodies = {run: [json.loads(body) for _, body in opener().outcomes_with_rows(run)] for run in ("r1", "r2")}
    assert bodies == {
        "r1": [{"text": "0"}, {"text": HOSTILE, "answers": {"ё": HOSTILE}}],
        "r2": [{"text": "0"}, {"text": "1"}],
    }
    assert [json.loads(body) for _, body in store.judged_bodies("r1")][:2] == bodies["r1"]
    assert [place for place, _ in store.judged_bodies("r2")] == [0, 1, 2, 3]
    assert json.loads(store.judged_body("r1", HOSTILE) or "") == bodies["r1"][1]
    assert store.judged_body("r2", HOSTILE) == '{"text":"1"}'
    assert store.judged_body("r1", "no such") is None


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


def test_a_list_longer_than_one_statement_takes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STORE_ROWS_PER_INSERT", 3)
    keys = [f"k{number}" for number in range(10)]
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(key), reply=COMPLETE) for key in [*keys, "k1"]])
    assert [call.key for call, _ in store.run_replies("r1")] == keys


def test_verdicts_in_a_stretch_of_the_dataset(store: Store) -> None:
    failure = Failure(item="c", kind="truncated", stage="judge", message="")
    outcomes: dict[int, Outcome] = {0: a_verdict("a"), 1: a_verdict(HOSTILE), 2: failure, 3: a_verdict("d")}
    store.commit([OutcomeDone(run="r1", position=place, outcome=outcome) for place, outcome in outcomes.items()])
    assert store.judged("r1", 0, 9) == {0, 1, 3}
    assert store.judged("r1", 1, 2) == {1}


def test_the_failures_that_stand_last(store: Store) -> None:
    failures = [Failure(item=IDS[place], kind="truncated", stage="judge", message="") for place in (0, 2, 3)]
    outcomes: dict[int, Outcome] = {0: failures[0], 1: a_verdict(HOSTILE), 2: failures[1], 3: failures[2]}
    store.commit([OutcomeDone(run="r1", position=place, outcome=outcome) for place, outcome in outcomes.items()])
    assert store.last_failures("r1", 2) == [failures[2], failures[1]]
    assert store.last_failures("r1", 9) == failures[::-1]


def test_calls_are_found_by_their_keys_failed_ones_too(store: Store) -> None:
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=COMPLETE)])
    store.commit([CallFailed(span=(0, 0), run="r1", call=a_call("k2"), kind="timed_out", message="late")])
    found = store.calls_of("r1", ["k2", "no such", "k1"])
    assert [(state.call.key, state.reply, state.message) for state in found] == [
        ("k2", None, "late"),
        ("k1", COMPLETE, None),
    ]


def test_who_works_at_a_run_is_known(opener: Opener, store: Store) -> None:
    other = opener()
    assert store.state("r1").status == "interrupted"
    store.claim("r1")
    store.claim("r1")
    store.beat("r1")
    assert other.state("r1").status == "running"
    assert store.alone("r1") and not other.alone("r1")
    with pytest.raises(Conflict, match="goes on without this process"):
        other.beat("r1")
    store.finish("r1", "partial", summary={"adequacy": HOSTILE}, seconds=1.5)
    state = other.state("r1")
    assert (state.status, state.summary, state.seconds) == ("partial", {"adequacy": HOSTILE}, 1.5)
    assert state.finished
    other.claim("r1")
    assert store.state("r1").status == "running" and store.state("r1").finished is None
    other.finish("r1", "complete", summary=None, seconds=1)
    ended = store.runs()[0]
    assert (ended.status, ended.seconds, ended.summary) == ("complete", 2.5, {"adequacy": HOSTILE})


def test_a_run_with_failures_is_partial_whatever_its_last_process_saw(store: Store) -> None:
    store.claim("r1")
    failure = Failure(item="c", kind="truncated", stage="judge", message="")
    store.commit([OutcomeDone(run="r1", position=2, outcome=failure)])
    store.finish("r1", "complete", summary=None, seconds=1)
    assert store.state("r1").status == "partial"


def test_a_part_is_taken_once_and_done_once(opener: Opener, store: Store) -> None:
    other = opener()
    store.claim("r1")
    other.claim("r1")
    assert [store.take("r1", part) for part in (0, 1)] == [True, True]
    assert [other.take("r1", part) for part in (0, 1, 2)] == [False, False, True]
    store.commit([PartDone(run="r1", part=0, owner=store.owner), PartDone(run="r1", part=2, owner=store.owner)])
    assert other.done_parts("r1") == {0}, "only its owner is through with a part"
    store.finish("r1", "interrupted", summary=None, seconds=1)
    assert store.state("r1").status == "running", "the other goes on"
    assert [other.take("r1", part) for part in (0, 1)] == [False, True], "what was left half done is free"
    other.finish("r1", "complete", summary=None, seconds=2)
    assert store.state("r1").status == "complete"
    store.claim("r1")
    assert store.done_parts("r1") == set() and store.take("r1", 0), "a run that is resumed is gone through again"


def test_the_parts_of_the_dead_are_free(opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("adjudge.store.shares.this_process", lambda: Process(host="elsewhere", pid=1, started="boot 1"))
        store.claim("r1")
    other = opener()
    other.claim("r1")
    assert store.take("r1", 0) and not other.take("r1", 0)
    late = time.time() + limits.HEARTBEAT_STALE_S + 1
    monkeypatch.setattr("adjudge.store.process.time.time", lambda: late)
    assert other.alone("r1") and other.take("r1", 0)


def test_a_closed_store_lets_its_runs_go(opener: Opener, store: Store) -> None:
    with opener() as other:
        other.claim("r1")
    assert store.state("r1").status == "interrupted"
    store.claim("r1")


@pytest.mark.parametrize(("age_s", "status"), [(0.0, "running"), (limits.HEARTBEAT_STALE_S + 1, "interrupted")])
def test_a_runner_elsewhere_lives_by_its_heartbeat(
    opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch, age_s: float, status: str
) -> None:
    with monkeypatch.context() as patch:
        now = time.time()
        patch.setattr("adjudge.store.shares.this_process", lambda: Process(host="elsewhere", pid=1, started="boot 1"))
        patch.setattr("adjudge.store.shares.time.time", lambda: now - age_s)
        store.claim("r1")
    other = opener()
    assert other.state("r1").status == status
    other.claim("r1")
    assert other.alone("r1") == (status == "interrupted")
    if status == "interrupted":
        with pytest.raises(Conflict, match="silent for too long"):
            store.beat("r1")


def test_labels_only_grow(store: Store) -> None:
    store.add_label("r1", HOSTILE, "", "accuracy", "ann", 4, "first")
    store.add_label("r1", "a", "B", "accuracy", "bob", None)
    store.add_label("r1", HOSTILE, "", "accuracy", "ann", 2.5, HOSTILE)
    newest = list(store.labels("r1"))
    assert [(label.item, label.annotator, label.value, label.comment) for label in newest] == [
        ("a", "bob", None, ""),
        (HOSTILE, "ann", 2.5, HOSTILE),
    ]
    history = list(store.history("r1", HOSTILE, "", "accuracy", "ann"))
    assert [label.value for label in history] == [4, 2.5]
    assert history[0].added <= history[1].added
    with pytest.raises(Conflict):
        store.add_label("absent", "a", "", "accuracy", "ann", 1)


def test_a_label_that_is_taken_back_is_no_label_and_stays_in_the_history(store: Store) -> None:
    store.add_label("r1", "a", "", "accuracy", "ann", 4, "first")
    store.add_label("r1", "a", "", "accuracy", "ann", 2)
    store.add_label("r1", "a", "", "accuracy", HOSTILE, None)
    first, second = (entry.number for entry in store.label_log("r1", "ann"))
    assert store.withdraw_label("r1", "ann", second)
    assert [(label.annotator, label.value) for label in store.labels("r1")] == [("ann", 4), (HOSTILE, None)]
    assert not store.withdraw_label("r1", "ann", second)
    assert not store.withdraw_label("r1", HOSTILE, first)
    assert not store.withdraw_label("r1", "ann", 99)
    assert store.withdraw_label("r1", "ann", first)
    assert [label.annotator for label in store.labels("r1")] == [HOSTILE]
    history = list(store.history("r1", "a", "", "accuracy", "ann"))
    assert [(label.value, label.comment) for label in history] == [(4, "first"), (2, "")]
    assert all(label.added <= label.withdrawn for label in history)
    assert [label.withdrawn != "" for label in store.label_edits("r1")] == [True, True, False]
    store.add_label("r1", "a", "", "accuracy", "ann", 5)
    assert [label.value for label in store.labels("r1")] == [None, 5]


def test_labels_of_a_file_are_added_together_or_not_at_all(store: Store) -> None:
    early = Label(item="a", criterion="accuracy", annotator="ann", value=4, added="2026-01-01T00:00:00+00:00")
    bare = Label(item="c", criterion="accuracy", annotator=HOSTILE, value=2.5, comment=HOSTILE)
    first = store.add_news("r1", [early, bare])
    assert (len(first.labels), first.known, first.outdated) == (2, 0, 0)
    again = store.add_news("r1", [early, bare])
    assert (len(again.labels), again.known, again.outdated) == (0, 2, 0)
    assert next(label.added for label in store.labels("r1")) == early.added
    store.add_label("r1", "a", "", "accuracy", "ann", 5)
    late = store.add_news("r1", [early, replace(early, value=3), replace(bare, value=1)])
    assert (len(late.labels), late.known, late.outdated) == (1, 1, 1)
    assert [(label.item, label.value) for label in store.labels("r1")] == [("a", 5), ("c", 1)]
    before = list(store.label_edits("r1"))
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.add_news("r1", [replace(bare, item="d"), replace(bare, item="b", value=float("nan"))])
    assert list(store.label_edits("r1")) == before


def test_people_who_label_at_the_same_time_lose_nothing(opener: Opener, store: Store) -> None:
    errors: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            own = opener()
            for number in range(10):
                own.add_label("r1", "a", "", "accuracy", f"p{thread % 2}", thread * 100 + number)
            for number, label, _ in own.label_log("r1", f"p{thread % 2}"):
                if label.value == thread * 100 + 9:
                    assert own.withdraw_label("r1", f"p{thread % 2}", number)
        except BaseException as error:  # the assertion is made in the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    edits = list(store.label_edits("r1"))
    assert {label.value for label in edits} == {t * 100 + n for t in range(4) for n in range(10)}
    assert len(edits) == 40
    assert {label.value for label in edits if label.withdrawn} == {9, 109, 209, 309}
    assert {label.annotator for label in store.labels("r1")} == {"p0", "p1"}


def test_judge_texts_are_kept_as_they_were(store: Store) -> None:
    files = {"judge.yaml": "name: x\n", "en.yaml": HOSTILE}
    store.save_judge("digest", files)
    store.save_judge("digest", {"judge.yaml": "changed"})
    assert store.judge_files("digest") == files
    assert store.judge_files("absent") is None


def test_threads_share_one_store(store: Store) -> None:
    errors: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for number in range(20):
                key = f"{thread}-{number}"
                store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(key), reply=COMPLETE)])
                assert store.reply(key) == COMPLETE
                assert store.state("r1").calls > number
                assert len(list(store.items("data"))) == len(IDS)
        except BaseException as error:  # the assertion is made in the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.state("r1").calls == 80


def test_everything_is_there_after_opening_again(opener: Opener, store: Store) -> None:
    store.commit([OutcomeDone(run="r1", position=0, outcome=a_verdict("a"))])
    store.close()
    assert list(opener().outcomes("r1")) == [a_verdict("a")]


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let it be so many seconds after noon."""
    monkeypatch.setattr("adjudge.store.writes.time.time_ns", lambda: int((1_800_000_000 + seconds) * 1e9))


def test_what_was_spent_when(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.spending("r1") == []
    for seconds in (0, 1, 2, 3):
        at(monkeypatch, seconds)
        call = a_call(f"k{seconds}")
        store.commit([ReplyDone(span=(0, 0), run="r1", call=call, reply=COMPLETE)])
    store.commit([ReplyDone(span=(0, 0), run="r1", call=call, reply=COMPLETE)])
    spent = store.spending("r1")
    assert [one.seconds for one in spent] == [0, 1, 2, 3] and {one.paused for one in spent} == {0}
    assert [(one.calls, one.tokens) for one in spent] == [(1, 15), (2, 30), (3, 45), (4, 60)]
    assert [one.cost_usd for one in spent] == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_a_pause_is_no_work(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in (0, 1, 2, 86_402, 86_403, 86_503):
        at(monkeypatch, seconds)
        store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(f"k{seconds}"), reply=COMPLETE)])
    spent = store.spending("r1")
    assert [one.seconds for one in spent] == [0, 1, 2, 2, 3, 3]
    assert [one.paused for one in spent] == [0, 0, 0, 86_400, 0, 100]


def test_a_slow_model_is_at_work_while_it_is_silent(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        at(monkeypatch, 90 * number)
        store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(f"k{number}"), reply=COMPLETE)])
    assert [one.seconds for one in store.spending("r1")] == [0, 90, 180, 270, 360]


def test_the_curve_of_what_was_spent_has_few_points(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [a_call(f"k{number}") for number in range(2_000)]
    moments = iter(range(2_000))
    monkeypatch.setattr(
        "adjudge.store.writes.time.time_ns", lambda: (1_800_000_000_000 + 7_300 * next(moments)) * 10**6
    )
    store.commit([CallFailed(span=(0, 0), run="r1", call=call, kind="timed_out", message="") for call in calls])
    spent = store.spending("r1")
    assert limits.SPENDING_POINTS / 2 < len(spent) <= limits.SPENDING_POINTS + 2
    assert (spent[-1].calls, spent[-1].tokens, spent[-1].cost_usd) == (2_000, 0, 0)
    assert spent[-1].seconds == pytest.approx(7.3 * 1_999, abs=0.01)


def test_replies_from_the_store_cost_nothing_and_an_unknown_price_is_unknown(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, 0)
    store.commit([CallFailed(span=(0, 0), run="r1", call=a_call("k0"), kind="refused", message="", cost_usd=0.5)])
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k0"), reply=COMPLETE, cached=True)])
    assert [(one.calls, one.cost_usd) for one in store.spending("r1")] == [(0, 0.5)]
    at(monkeypatch, 1)
    unpriced = replace(COMPLETE, cost_usd=None)
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=unpriced)])
    assert [(one.calls, one.cost_usd) for one in store.spending("r1")] == [(0, 0.5), (1, None)]
