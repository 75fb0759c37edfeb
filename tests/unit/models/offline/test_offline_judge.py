from __future__ import annotations

import asyncio
import dataclasses
import re
from string import Template

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.records import Item
from adjudge.models.offline.judge import Offline
from adjudge.models.offline.lexicon import load
from adjudge.reply.read import Expected, read
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import ask, rag, reply, search, segment, summary

ODD = st.sampled_from(
    ["", " ", "a", "🙂", "не", "Not.", "[1]", "[9, 2-4]", '{"score": 5}', "\ud800", "\x00", "1.", "¿¡", "a. b. c."]
)
ANY = ODD | st.text(max_size=80) | st.lists(ODD, max_size=6).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(content=ANY, text=ANY, lang=st.sampled_from(["ru", "en"]))
def test_any_summary_gets_a_readable_verdict(content, text, lang):
    judge = load_judge("summary", lang)
    found = read(judge, reply(judge, [summary(content, text)]).text, Expected(embedded=True))
    assert set(found.opinions[""].scores) == {criterion.name for criterion in judge.scored}


@settings(max_examples=40, deadline=None)
@given(source=ANY, answers=st.lists(ANY, min_size=2, max_size=3), reference=ANY, question=ANY)
def test_any_answers_get_a_readable_verdict_in_any_order(source, answers, reference, question):
    judge = load_judge("rag-answers", "en")
    named = {f"m{n}": text for n, text in enumerate(answers)}
    item = rag(named, [source, "Fixed text."], reference, question)
    orders = tuple(named), tuple(reversed(named))
    found = []
    for order in orders:
        labels = dict(zip("ABC", order, strict=False))
        expected = Expected(labels=labels, embedded=True)
        found.append(read(judge, reply(judge, [item], order, labels).text, expected).opinions[""])
    assert found[0].scores == found[1].scores
    assert found[0].texts == found[1].texts


@settings(max_examples=40, deadline=None)
@given(results=st.lists(ANY, min_size=1, max_size=3), text=ANY, query=ANY)
def test_any_search_summary_gets_a_readable_verdict(results, text, query):
    judge = load_judge("search-summary", "ru")
    item = search(text, results, query)
    expected = Expected(sources={"": item.fields["search_results"]}, embedded=True)
    assert read(judge, reply(judge, [item]).text, expected).opinions[""].scores


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(ANY, ANY, st.none() | ANY), min_size=1, max_size=3))
def test_any_segments_get_a_readable_verdict(rows):
    judge = load_judge("translation", "ru")
    items = [segment(src, trg, ref, f"id{n}") for n, (src, trg, ref) in enumerate(rows)]
    labels = {str(n): item.id for n, item in enumerate(items)}
    found = read(judge, reply(judge, items, labels=labels).text, Expected(labels=labels, embedded=True))
    assert set(found.opinions) == {item.id for item in items}
    assert not found.failures


def test_the_reply_costs_nothing_and_is_the_same_each_time():
    judge, items = load_judge("summary", "en"), [summary("A cat sat. A dog ran.", "A cat sat.")]
    first = reply(judge, items)
    assert first == reply(judge, items)
    assert (first.mode, first.tokens_in, first.tokens_out, first.cost_usd) == ("offline", 0, 0, 0.0)


def test_fields_are_found_by_role_whatever_their_names():
    judge = load_judge("summary", "en")
    renamed = dataclasses.replace(
        judge, fields=tuple(dataclasses.replace(field, name=f"my_{field.name}") for field in judge.fields)
    )
    item = summary("A cat sat on the mat.", "A cat sat.")
    same = Item(id="1", fields={f"my_{name}": value for name, value in item.fields.items()})
    assert ask(renamed, same) == ask(judge, item)


def test_a_judge_that_marks_no_output_is_told_so():
    judge = load_judge("summary", "en")
    blind = dataclasses.replace(judge, fields=tuple(dataclasses.replace(field, role="other") for field in judge.fields))
    found = ask(blind, summary("A cat sat.", "A cat sat."))
    assert found["coverage"]["score"] is None
    assert "role" in found["coverage"]["justification"]


@pytest.mark.parametrize("lang", ["ru", "en"])
def test_every_language_says_the_same_things(lang):
    phrases, english = load(f"words.{lang}.yaml"), load("words.en.yaml")
    assert set(phrases) == set(english)
    for key, phrase in phrases.items():
        assert set(Template(phrase).get_identifiers()) == set(Template(english[key]).get_identifiers()), key


def test_a_language_without_words_is_answered_in_english():
    judge = dataclasses.replace(load_judge("summary", "en"), lang="de")
    assert (
        "Key statements" in ask(judge, summary("A cat sat. A dog ran home.", "A cat sat."))["coverage"]["justification"]
    )


def test_weights_say_where_they_come_from():
    assert all(re.match(r"by hand|checked", section["note"]) for section in load("weights.yaml").values())


def test_closing_is_allowed_twice():
    model = Offline()
    asyncio.run(model.close())
    asyncio.run(model.close())
