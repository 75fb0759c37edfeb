"""What a dry run says of calls that follow from one another."""

from __future__ import annotations

import pytest

from adjudge.core.records import Item, Settings, Source
from adjudge.run.foresee import Foresight
from adjudge.run.plan import CHARACTERS_PER_TOKEN, Options, Planner, Unit
from adjudge.spec.criteria import STAGED
from adjudge.spec.load import load_judge
from adjudge.spec.stages import part_of
from tests.unit.run.test_merge import FakeAsker, merged, parts

#: What a summary of one criterion is taken for.
LENGTH = round(70 * CHARACTERS_PER_TOKEN)


@pytest.mark.parametrize(("batches", "window"), [(0, None), (1, None), (2, None), (7, 4000), (40, 4000), (400, None)])
def test_merges_are_foreseen_as_they_are_made(batches, window):
    asker = FakeAsker(window)
    foreseen = list(Foresight(asker.planner).merges(batches))
    merged(asker, parts(*[LENGTH] * batches))
    assert len(foreseen) == pytest.approx(len(asker.prompts), abs=batches // 7)
    assert bool(foreseen) == (batches > 1)


def test_questions_that_are_asked_one_by_one_have_nothing_to_merge():
    options = Options(ask="yes-no")
    planner = Planner(judge=load_judge("translation"), settings=Settings(model="m"), options=options)
    assert not list(Foresight(planner).merges(100))


@pytest.mark.parametrize(
    ("window", "lists", "checks", "answers"), [(None, 1, 1, 1), (20_000, 2, 2, 1), (8_000, 5, 7, 2)]
)
def test_a_source_longer_than_the_window_takes_a_list_of_questions_for_each_part(window, lists, checks, answers):
    judge = load_judge("search-summary")
    judge = part_of(judge, [criterion.name for criterion in judge.criteria if criterion.kind in STAGED])
    planner = Planner(judge=judge, settings=Settings(model="m"), options=Options(staged=True, window=window))
    source = Source(id="1", text="It rains in town. " * 5_000, url="https://e.example/")
    fields = {"user_query": "Does it rain?", "search_results": (source,), "summary": "It rains."}
    calls = Foresight(planner).calls(Unit.of(0, Item(id="a", fields=fields))) or ()
    assert len(calls) == 1 + checks + lists + answers, "with the list of claims"
    assert all(tokens < (window or 30_000) for tokens, _ in calls)
