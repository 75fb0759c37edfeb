"""What every store does, whatever database is below it: datasets, runs, calls and what they came to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from adjudge.core import limits
from adjudge.core.errors import ConfigError, Conflict
from adjudge.core.records import Failure, Outcome, Settings, Verdict
from adjudge.store.store import Store
from adjudge.store.writes import (
    AnsweredDone,
    CallFailed,
    OutcomeDone,
    ReadDone,
    ReplyDone,
    SummaryDone,
    Write,
)
from tests.contract.records import COMPLETE, CUT, HOSTILE, IDS, Opener, a_call, a_run, a_verdict


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


@pytest.mark.parametrize("finish", ["unknown", "other", "length", "refusal"])
@pytest.mark.parametrize("read", [False, True])
def test_a_reply_with_an_unknown_end_is_reused_if_all_was_read(store: Store, finish: str, read: bool) -> None:
    reply = replace(COMPLETE, finish=finish)
    done = ReplyDone(span=(0, 0), run="r1", call=a_call("k"), reply=reply, step="strict", read=read)
    store.commit([done])
    spent = store.state("r1").cost_usd
    store.commit([done])
    assert store.replies(["k"]) == ({"k": reply} if read and finish == "unknown" else {})
    assert store.replies_of("r1", ["k"]) == {"k": reply}, "a run never pays for its own call twice"
    assert store.state("r1").cost_usd == spent, "nor counts it twice"


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
