"""What there is to label of a run, blind, and the order in which each person comes to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from adjudge.api.stored import StoredRun, stored_item
from adjudge.core.errors import Corrupt
from adjudge.core.judge import Judge
from adjudge.core.records import Item, digest
from adjudge.data.sampled import HIDDEN, candidate_names
from adjudge.store.store import Store, open_store


def ordered(
    url: str, run_id: str, items: int, seed: int, annotator: str
) -> tuple[Sequence[tuple[int, str]], Mapping[str, int]]:
    """Number and id of the items to label in the order of one person, and the place of each by its id."""
    with open_store(url, create=False) as store:
        state = store.state(run_id)
    # where candidates are asked in the run itself, items come to have something to label as it goes on
    return _ordered(url, run_id, items, seed, annotator, state.judged + state.failed if state.run.candidates else 0)


@lru_cache(maxsize=32)
def _ordered(
    url: str, run_id: str, items: int, seed: int, annotator: str, grown: int
) -> tuple[Sequence[tuple[int, str]], Mapping[str, int]]:
    chosen = _chosen(url, run_id, items, seed, grown)
    order = sorted(chosen, key=lambda one: digest(["item", seed, run_id, annotator, one[1]]))
    return order, {item: place for place, (_, item) in enumerate(order, 1)}


@lru_cache(maxsize=8)
def _chosen(url: str, run_id: str, items: int, seed: int, grown: int) -> Sequence[tuple[int, str]]:
    """Number and id of the items to label: all, or a random choice of so many.

    It follows from the ids alone. So it is the same for everybody, verdicts that come later do not move it, and
    `correct` may take the labels for what they are: those of items chosen by chance.
    """
    run = StoredRun(url, run_id)
    with open_store(url, create=False) as store:
        state = store.state(run_id)
        every = [(position + 1, item) for position, item in store.item_ids(state.run.data_digest)]
        if items:
            every = sorted(every, key=lambda one: digest(["chosen", seed, one[1]]))[:items]
        if state.run.candidates:  # an item whose candidates did not answer has nothing to label
            read = {item: candidate_names(run.judge, read_item(store, run, item)) for _, item in every}
            known_names(url, run_id).update({item: names for item, names in read.items() if names})
            every = [one for one in every if read[one[1]]]
    return every


@lru_cache(maxsize=8)
def known_names(url: str, run_id: str) -> dict[str, tuple[str, ...]]:
    """The candidates of items of a comparison, filled in as they are read: an item that is judged keeps its own."""
    return {}


def read_item(store: Store, run: StoredRun, item: str) -> Item:
    """An item as it was judged."""
    body = store.judged_body(run.id, item)
    if body is None:
        raise Corrupt(f"the store lacks item {item} of run {run.id}")
    return stored_item(run.judge, body)


def blind(judge: Judge, item: Item, codes: Mapping[str, str]) -> Item:
    """The item without what says who wrote a text, and without columns that no field of the judge wants."""
    fields = {one.name: item.fields[one.name] for one in judge.fields if one.name in item.fields}
    for one in judge.fields:
        if one.role in HIDDEN:
            fields.pop(one.name, None)
        elif one.type == "answers" and one.name in fields:
            fields[one.name] = {code: item.answers(one.name)[name] for name, code in codes.items() if name}
    return Item(id=item.id, fields=fields)
