"""The order of a run with `--until`: seeded, whole, and the same whatever the order of the rows."""

from __future__ import annotations

import json
from functools import partial

import adjudge
from adjudge.api.stored import stored_item
from adjudge.core.records import Settings, digest
from adjudge.core.runs import Run
from adjudge.run.draws import Draws, draws_of
from adjudge.run.until import parse
from adjudge.store.store import open_store

JUDGE = adjudge.load_judge("summary", lang="en")


def draws(rows, *, seed=0, until="ci(coverage) < 0.1", batch_size=None) -> Draws:
    bodies = [(row["id"], json.dumps(row)) for row in rows]
    run = Run(
        id="r", judge="summary", judge_digest="", lang="en", data="", data_digest=digest(rows), items=len(rows),
        settings=Settings(model="m"), seed=seed, batch_size=batch_size, until=until,
    )  # fmt: skip
    with open_store("sqlite:///draws.db") as store:
        store.add_dataset(run.data_digest, bodies)
        return draws_of(run, parse(until, JUDGE), JUDGE, store, partial(stored_item, JUDGE))


def drawn(found: Draws) -> list[list[int]]:
    return [list(found.positions(number)) for number in range(len(found))]


ROWS = [{"id": f"i{n}", "content": f"Story {n}.", "text": f"T{n}."} for n in range(700)]


def test_every_item_is_drawn_once_in_a_seeded_order():
    order = [place for (place,) in drawn(draws(ROWS))]
    assert sorted(order) == list(range(700)) != order
    assert order == [place for (place,) in drawn(draws(ROWS))]
    assert order != [place for (place,) in drawn(draws(ROWS, seed=1))]
    assert draws(ROWS).items == 700


def test_the_order_of_the_rows_decides_nothing():
    order = [ROWS[place]["id"] for (place,) in drawn(draws(ROWS))]
    turned = ROWS[::-1]
    assert order == [turned[place]["id"] for (place,) in drawn(draws(turned))]


def test_batches_are_those_of_any_run_and_the_last_may_be_smaller():
    found = draws(ROWS[:23], batch_size=5)
    groups = drawn(found)
    assert sorted(groups) == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [10, 11, 12, 13, 14],
        [15, 16, 17, 18, 19],
        [20, 21, 22],
    ]
    assert found.most == 5 and len(found) == 5


def test_the_rows_of_a_source_are_drawn_together_and_know_their_side():
    rows = [
        {"id": f"{system}{n}", "content": f"Story {n}.", "text": "T.", "system": system}
        for system in ("A", "B", "C")
        for n in range(30)
    ]
    found = draws(rows, until="better(B, A)")
    groups = drawn(found)
    assert sorted(groups) == [[n, n + 30, n + 60] for n in range(30)]
    assert [found.side(place) for place in (0, 30, 60)] == [1, 0, None]
    assert draws(ROWS).side(0) is None
