"""Labels in every store."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from adjudge.core.errors import Conflict
from adjudge.core.labels import Label
from adjudge.store.store import Store
from tests.contract.records import HOSTILE, Opener


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
