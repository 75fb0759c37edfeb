"""Calls to candidates: their keys, what they are told, and what becomes of answers that do not come."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.records import Item, Settings, Source
from adjudge.run.answering import AnswerPlanner, asked_of, stand_in
from adjudge.run.plan import Options, Planner
from tests.unit.spec.rows import bundled

JUDGE = bundled("rag-answers")
ITEM = Item(
    id="q1",
    fields={
        "question": "Why?",
        "sources": (Source(id="1", text="Because."),),
        "reference": "Golden.",
        "retrieved": (Source(id="1", text="Found."),),
    },
    extra={"note": "private"},
)


def planner(**changes: object) -> AnswerPlanner:
    made = AnswerPlanner(judge=JUDGE, settings=Settings(model="openai:m"), options=Options(), program=False)
    return replace(made, **changes)  # type: ignore[arg-type]


def key(made: AnswerPlanner, item: Item = ITEM, name: str = "a") -> str:
    return made.call("answer", (asked_of(JUDGE, item),), order=(name,)).key


def test_a_candidate_knows_the_question_and_the_sources_alone():
    told = asked_of(JUDGE, ITEM)
    assert told == Item(id="q1", fields={"question": "Why?", "sources": (Source(id="1", text="Because."),)})


def test_who_judges_does_not_change_the_key_and_who_answers_does():
    first = key(planner())
    assert first == key(planner(judge=replace(JUDGE, digest="another judge")))
    assert first == key(planner(options=Options(repeat=3, seed=5)))
    assert first == key(planner(), name="b"), "a name is what the user calls it"
    assert first == key(planner(), replace(ITEM, fields={**ITEM.fields, "reference": "Other.", "answers": {"x": "y"}}))
    others = [
        key(planner(settings=Settings(model="openai:n"))),
        key(planner(settings=Settings(model="openai:m", base_url="http://host"))),
        key(planner(settings=Settings(model="openai:m", temperature=1.0))),
        key(planner(settings=Settings(model="openai:m", revision="2"))),
        key(planner(program=True)),
        key(planner(judge=replace(JUDGE, lang="ru"))),
        key(planner(), replace(ITEM, id="q2")),
        key(planner(), replace(ITEM, fields={**ITEM.fields, "question": "Who?"})),
        key(planner(), replace(ITEM, fields={**ITEM.fields, "sources": (Source(id="1", text="So."),)})),
    ]
    assert len({first, *others}) == 1 + len(others)


def test_the_words_of_a_prompt_are_nothing_to_a_program():
    made = planner(program=True)
    assert key(made) == key(replace(made, judge=replace(JUDGE, lang="ru")))
    prompt = made.prompt(made.call("answer", (ITEM,)), ITEM)
    assert (prompt.system, prompt.user) == ("", "")


@pytest.mark.parametrize("had", [{}, {"old": "Old."}])
def test_the_plan_of_a_run_that_asks_waits_for_the_answers(had):
    item = replace(ITEM, fields={**ITEM.fields, "answers": had})
    made = Planner(judge=JUDGE, settings=Settings(model="m"), options=Options(orders=2, candidates=("a=x", "b=y")))
    (unit,) = made.units([(7, item)])
    assert (unit.positions, unit.calls) == ((7,), ())
    planned = made.planned(7, stand_in(JUDGE, item, ["a", "b"], "text"))
    assert [set(call.order) for call in planned.calls] == [{*had, "a", "b"}] * 2
