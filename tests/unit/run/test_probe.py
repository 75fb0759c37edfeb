"""Which items of batches are judged by themselves too."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.records import Item, Settings
from adjudge.core.runs import in_batches
from adjudge.run.plan import Options, Planner
from adjudge.run.probe import probed, probes
from adjudge.spec.load import load_judge


@given(st.integers(0, 300), st.integers(1, 20), st.integers(1, 60), st.integers(0, 5))
def test_the_sample_is_as_large_as_wanted_and_of_items_that_are_not_alone(items, size, wanted, seed):
    options = Options(batch_size=size, probe_batch=wanted, seed=seed)
    found = probed(options, items)
    assert found == probed(options, items)
    assert len(found) == min(wanted, in_batches(items, size))
    assert all(0 <= place < items for place in found)
    alone = {items - 1} if items % size == 1 else set()
    assert not found & (set(range(items)) if size == 1 else alone)


def test_nothing_is_sampled_unless_asked_for():
    assert probed(Options(batch_size=10), 100) == frozenset()


def test_the_sample_changes_with_the_seed():
    assert probed(Options(probe_batch=5, seed=1), 100) != probed(Options(probe_batch=5, seed=2), 100)


def test_a_probe_has_a_key_of_its_own_for_every_repeat():
    options = Options(batch_size=3, repeat=2, probe_batch=2)
    planner = Planner(judge=load_judge("translation"), settings=Settings(model="m"), options=options)
    items = [(n, Item(id=f"t{n}", fields={"src": "a", "trg": "b"})) for n in range(3)]
    (unit,) = planner.units(items)
    found = probes(planner, unit, frozenset({0, 2}))
    assert {item.id for item, _ in found} == {"t0", "t2"}
    calls = [call for _, several in found for call in several]
    assert len({call.key for call in (*calls, *unit.calls)}) == 4 + 2
    assert {call.stage for call in calls} == {"probe"}
    assert planner.call("again", [found[0][0]]).key not in {call.key for call in calls}
