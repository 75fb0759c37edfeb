"""What fits into a model, and how a source is cut that does not."""

from __future__ import annotations

import asyncio

import pytest

from adjudge.core.errors import ContextTooLong
from adjudge.core.records import Prompt, Settings, Source
from adjudge.run.window import (
    check,
    fitting,
    grouped,
    known_window,
    part_characters,
    size_for,
    spans,
    splittable,
    too_long,
)
from adjudge.spec.load import load_judge
from tests.linear import assert_linear

ANY = Settings(model="openai:any")


@pytest.mark.parametrize(
    ("model", "url", "tokens"),
    [
        ("openai:gpt-4.1-mini", None, 1_047_576),
        ("openai:gpt-4o-2024-08-06", None, 128_000),
        ("anthropic:claude-sonnet-4-5", None, 200_000),
        ("openai:gpt-4o", "http://127.0.0.1:8000/v1", None),
        ("openai:o1-mini-2024-09-12", None, 128_000),
        ("openai:qwen", None, None),
        ("local:gpt-4o", None, None),
    ],
)
def test_what_is_known_of_a_model(model, url, tokens):
    assert known_window(Settings(model=model, base_url=url)) == tokens


def test_room_is_kept_for_the_answer():
    assert not too_long(3_500 * 6, 8_000, ANY)
    assert too_long(3_500 * 6, 8_000, Settings(model="openai:any", max_tokens=3_000))
    assert not too_long(10**9, None, ANY)
    assert part_characters(8_000, ANY, 5_000) == int((8_000 - 2_000) * 3.5) - 5_000
    assert size_for(8_000, ANY, 5_000, 10_000) is None
    assert size_for(None, ANY, 5_000, 10**9) is None


def test_a_window_that_has_no_room_for_a_part_is_told():
    with pytest.raises(ContextTooLong, match="a window of 8,000 tokens has no room for a part of the source"):
        part_characters(8_000, ANY, 30_000)


def test_a_prompt_that_exceeds_the_given_window_is_refused():
    prompt = Prompt(system="x" * 10_000, user="y" * 20_000, schema={})
    check(prompt, None, ANY)
    check(prompt, 20_000, ANY)
    with pytest.raises(
        ContextTooLong, match="about 8,571 tokens and the answer needs 2,000, together more than the 8,000"
    ):
        check(prompt, 8_000, ANY)


def test_a_text_is_cut_between_paragraphs_else_sentences_else_words():
    text = "A first paragraph.\n\nA second one.\n\nA third."
    assert [text[slice(*one)] for one in spans(text, 36)] == ["A first paragraph.\n\nA second one.\n\n", "A third."]
    text = "One sentence here. Another sentence here. And a third."
    assert [text[slice(*one)] for one in spans(text, 45)] == [
        "One sentence here. Another sentence here. ",
        "And a third.",
    ]
    assert [end - start for start, end in spans("word " * 10, 12)] == [10, 10, 10, 10, 10]
    assert [end - start for start, end in spans("x" * 25, 10)] == [10, 10, 5]
    assert spans("", 10) == [(0, 0)]


@pytest.mark.parametrize("unit", ["word ", "\n", ". ", "x", "a\n\n", " "])
def test_cutting_takes_time_in_proportion(unit):
    assert_linear(lambda text: spans(text, 2_000), lambda size: unit * (size // len(unit)), 200_000)


def source(name: str, text: str) -> Source:
    return Source(id=name, text=text)


def test_sources_are_put_together_as_long_as_they_fit():
    sources = [source("a", "x" * 40), source("b", "y" * 50), source("c", "z" * 30)]
    groups = grouped(sources, 100)
    assert [[piece.number for piece in group] for group in groups] == [[1, 2], [3]]
    assert grouped(sources, None) == [tuple(grouped(sources, 1_000)[0])]
    assert grouped([], 10) == [()]


def test_a_source_that_is_too_long_becomes_pieces_that_know_their_place():
    text = "".join(f"Sentence number {n}. " for n in range(100))
    groups = grouped([source("a", "short"), source("b", text), source("c", "end")], 300)
    pieces = [piece for group in groups for piece in group]
    assert "".join(piece.source.text for piece in pieces if piece.number == 2) == text
    for piece in pieces:
        if piece.number == 2:
            assert text[piece.start :].startswith(piece.source.text)
    assert all(sum(len(piece.source.text) for piece in group) <= 300 for group in groups)
    assert all(len({piece.number for piece in group}) == len(group) for group in groups), (
        "one piece of a source a group"
    )


def test_what_is_still_too_long_is_halved_until_it_fits():
    tried: list[int | None] = []

    async def work(size: int | None) -> int | None:
        tried.append(size)
        if size is None or size > 6_000:
            raise ContextTooLong("no")
        return size

    assert asyncio.run(fitting(None, 40_000, work)) == 5_000
    assert tried == [None, 20_000, 10_000, 5_000]
    with pytest.raises(ContextTooLong):
        asyncio.run(fitting(None, 1_500, work))


def test_which_judges_can_judge_in_parts():
    found = {name: splittable(load_judge(name)) for name in ("summary", "rag-answers", "search-summary", "translation")}
    assert found == {"summary": True, "rag-answers": False, "search-summary": False, "translation": False}
