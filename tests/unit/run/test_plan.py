"""The plan: keys that change with whatever decides the answer, and orders that are balanced."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ConfigError
from adjudge.core.records import Item, Settings, Source
from adjudge.run.plan import Options, Planner, candidate_orders, numbered_sources
from adjudge.spec.load import load_judge

SETTINGS = Settings(model="openai:m")


def planner(judge="summary", **options) -> Planner:
    return Planner(judge=load_judge(judge), settings=SETTINGS, options=Options(**options))


def item(n: int = 0, **fields) -> Item:
    return Item(id=f"i{n}", fields={"content": f"c{n}", "text": f"t{n}", **fields})


def test_a_key_changes_with_everything_that_decides_the_answer():
    base = planner().call("judge", [item()])
    others = [
        planner().call("judge", [item(1)]),
        planner().call("judge", [item(text="other")]),
        planner().call("judge", [item()], repeat=1),
        planner().call("judge", [item()], order=("a", "b")),
        planner().call("again", [item()]),
        planner().call("judge", [item()], after="x"),
        planner().call("judge", [item()], criterion="accuracy"),
        replace(planner(), judge=load_judge("summary", "ru")).call("judge", [item()]),
        replace(planner(), settings=replace(SETTINGS, model="openai:n")).call("judge", [item()]),
        replace(planner(), settings=replace(SETTINGS, base_url="http://x")).call("judge", [item()]),
        replace(planner(), settings=replace(SETTINGS, temperature=1.0)).call("judge", [item()]),
        replace(planner(), settings=replace(SETTINGS, max_tokens=9)).call("judge", [item()]),
    ]
    keys = [base.key, *(call.key for call in others)]
    assert len(set(keys)) == len(keys)
    assert planner().call("judge", [item()]) == base, "same input, same key"


def test_content_is_the_key_without_the_model():
    one = planner().call("judge", [item()])
    other = replace(planner(), settings=replace(SETTINGS, model="openai:n")).call("judge", [item()])
    assert one.content == other.content and one.key != other.key


def test_what_is_carried_along_does_not_change_a_key():
    assert planner().call("judge", [item()]) == planner().call("judge", [replace(item(), extra={"note": "x"})])


def test_repeats_have_keys_of_their_own():
    (unit,) = planner(repeat=5).units([(0, item())])
    assert len({call.key for call in unit.calls}) == 5


def test_batches_hold_every_item_once_shuffled_by_seed():
    items = [(n, item(n, src="s", trg="t")) for n in range(23)]
    units = list(planner("translation", batch_size=10).units(items))
    assert [len(unit.items) for unit in units] == [10, 10, 3]
    assert sorted(place for unit in units for place in unit.positions) == list(range(23))
    assert all(unit.items[k].id == f"i{place}" for unit in units for k, place in enumerate(unit.positions))
    assert units[0].positions != tuple(range(10)), "a fixed place would tire the same items every time"
    assert [u.positions for u in planner("translation", batch_size=10).units(items)] == [u.positions for u in units]
    other = list(planner("translation", batch_size=10, seed=1).units(items))
    assert other[0].positions != units[0].positions


@given(st.integers(2, 8), st.text(max_size=5))
def test_two_orders_are_each_other_s_reverse(n, seed):
    names = [f"n{k}" for k in range(n)]
    one, two = candidate_orders(names, None, seed)
    assert one == two[::-1]
    assert sorted(one) == sorted(names)
    assert candidate_orders(names[::-1], None, seed) == [one, two], "the order of the file does not matter"


@pytest.mark.parametrize("n", range(3, 9))
def test_2n_orders_put_each_candidate_equally_often_at_each_place(n):
    names = [f"n{k}" for k in range(n)]
    orders = candidate_orders(names, 2 * n, "s")
    assert len(set(orders)) == 2 * n
    for place in range(n):
        assert set(Counter(order[place] for order in orders).values()) == {2}


@given(st.integers(2, 8), st.text(max_size=5))
def test_balanced_orders_put_each_candidate_once_at_each_place(n, seed):
    names = [f"n{k}" for k in range(n)]
    orders = candidate_orders(names, "balanced", seed)
    assert len(orders) == n
    assert all(sorted(order) == names for order in orders)
    for place in range(n):
        assert {order[place] for order in orders} == set(names)
    assert candidate_orders(names[::-1], "balanced", seed) == orders, "the order of the file does not matter"
    if n % 2 == 0:
        followed = Counter(pair for order in orders for pair in pairwise(order))
        assert len(followed) == n * (n - 1), "each stands once behind each other one"
        assert {order[::-1] for order in orders} == set(orders)


def test_an_id_that_cannot_be_encoded_is_an_id_like_others():
    assert candidate_orders(["A", "B"], 2, "0/\ud800") in ([("A", "B"), ("B", "A")], [("B", "A"), ("A", "B")])
    odd = [(n, replace(item(n), id=f"\ud800{n}")) for n in range(3)]
    (unit,) = planner("translation", batch_size=3).units(odd)
    assert sorted(unit.positions) == [0, 1, 2]


def test_all_orders_and_their_limit():
    assert len(set(candidate_orders("abc", "all", "s"))) == 6
    with pytest.raises(ConfigError, match="40,320 calls"):
        candidate_orders("abcdefgh", "all", "s")
    assert len(candidate_orders("ab", 5, "s")) == 2, "two candidates have no more"


@pytest.mark.parametrize("option", ["repeat", "orders", "batch_size"])
def test_options_below_one_are_refused(option):
    with pytest.raises(ConfigError, match="at least 1"):
        Options(**{option: 0})  # type: ignore[arg-type]


def test_orders_are_a_number_or_one_of_two_words():
    assert Options(orders="balanced").orders == "balanced"
    with pytest.raises(ConfigError, match="balanced"):
        Options(orders="both")  # type: ignore[arg-type]


def test_sources_are_numbered_as_they_are_shown():
    judge = load_judge("rag-answers")
    sources = (Source(id="x", text="1"), Source(id="y", text="2"))
    found = numbered_sources(judge, Item(id="a", fields={"sources": sources, "retrieved": (Source(id="z", text="3"),)}))
    assert found == sources
    (only,) = numbered_sources(load_judge("summary"), item())
    assert only.text == "c0"


@pytest.mark.parametrize(
    ("judge", "fields", "calls"),
    [
        ("summary", {"content": "c", "text": "t"}, 5),
        ("rag-answers", {"question": "q", "sources": (), "answers": {"A": "1", "B": "2", "C": "3"}}, 18),
        ("search-summary", {"user_query": "q", "search_results": (), "summary": "s"}, 2),
        ("translation", {"src": "s", "trg": "t"}, 5),
    ],
)
def test_one_question_for_each_text_and_criterion(judge, fields, calls):
    made = planner(judge, ask="yes-no", repeat=2)
    units = list(made.units([(n, Item(id=f"i{n}", fields=fields)) for n in range(3)]))
    assert [unit.positions for unit in units] == [(0,), (1,), (2,)], "one item at a time in every layout"
    first = units[0].calls
    assert len(first) == 2 * calls
    assert len({call.key for unit in units for call in unit.calls}) == 6 * calls
    asked = [criterion.name for criterion in made.judge.scored if criterion.question]
    assert [call.criterion for call in first] == asked * (len(first) // len(asked))
    assert [call.repeat for call in first] == [0] * calls + [1] * calls
    whos = [call.order for call in first[:calls]]
    assert whos == sorted(whos), "all questions on one text follow one another"


def test_where_all_criteria_have_stages_nothing_else_is_planned():
    judge = load_judge("search-summary")
    staged = replace(judge, criteria=tuple(one for one in judge.criteria if one.kind in ("claims", "questions")))
    for own, calls in ((judge, 2), (staged, 0)):
        plan = Planner(judge=own, settings=SETTINGS, options=Options(staged=True, repeat=2))
        assert [len(unit.calls) for unit in plan.units([(0, item())])] == [calls]
