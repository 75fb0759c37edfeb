"""How summaries are put together into calls."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import ContextTooLong, ServerFailed
from adjudge.core.records import Reply, Settings
from adjudge.run.merge import Merger, Part, batch_number, first_level
from adjudge.run.plan import Options, Planner, estimate_tokens
from adjudge.spec.load import load_judge
from adjudge.store.writes import CallFailed

JUDGE = load_judge("translation")
NAMES = [criterion.name for criterion in JUDGE.scored]


class FakeAsker:
    """Keeps what it is asked, and answers every merge with one sentence that cites the first batch and one too many."""

    def __init__(self, window: int | None = None, fails: bool = False) -> None:
        self.planner = Planner(judge=JUDGE, settings=Settings(model="m"), options=Options(window=window))
        self.run = "r"
        self.prompts: list[Any] = []
        self.noted: list[Any] = []
        self.ledger = SimpleNamespace(put=self._put)
        self._fails = fails

    async def _put(self, *writes: Any) -> None:
        self.noted.extend(writes)

    async def consult(self, call: Any, span: Any, prompt: Any, items: Any, reader: Any) -> tuple[Any, list[str]]:
        self.prompts.append((call, span, prompt))
        if self._fails:
            raise ServerFailed("down")
        return reader(Reply(text=json.dumps(dict.fromkeys(NAMES, "It recurs [1, 77777]."))))[0], [call.key]


def parts(*sizes: int) -> list[Part]:
    return [Part(batches=(n,), texts=dict.fromkeys(NAMES, "x" * size)) for n, size in enumerate(sizes, 1)]


def merged(asker: FakeAsker, given_parts: list[Part]) -> Part:
    return asyncio.run(Merger(asker, total=9).merge(given_parts))  # type: ignore[arg-type]


def test_batches_are_numbered_by_their_place_and_what_was_asked_again_stands_with_them():
    assert [batch_number(position, 10) for position in (0, 9, 10, 25)] == [1, 1, 2, 3]
    found = first_level([(0, [{"a": "One [5]."}, {"a": "Two.", "b": "B."}]), (10, []), (20, [{"a": "Three."}])], 10)
    assert found == [
        Part(batches=(1,), texts={"a": "One (5). Two.", "b": "B."}),
        Part(batches=(3,), texts={"a": "Three."}),
    ]


def test_nothing_and_one_need_no_call():
    asker = FakeAsker()
    assert merged(asker, []) == Part(batches=(), texts={})
    assert merged(asker, parts(5)) == parts(5)[0]
    assert not asker.prompts


@given(st.lists(st.integers(1, 400), min_size=2, max_size=60), st.integers(1500, 6000))
def test_every_call_fits_and_every_batch_is_shown(sizes, window):
    asker = FakeAsker(window)
    try:
        found = merged(asker, parts(*sizes))
    except ContextTooLong:
        (noted,) = asker.noted
        assert isinstance(noted, CallFailed) and "tokens" in noted.message
        return
    assert found.batches == tuple(range(1, len(sizes) + 1))
    assert found.texts == dict.fromkeys(NAMES, "It recurs [1]." if asker.prompts else "")
    assert all(estimate_tokens(prompt) <= window for _, _, prompt in asker.prompts)
    shown = "\n".join(prompt.user for _, _, prompt in asker.prompts)
    assert all(f" Batch {number}\n" in shown for number in range(1, len(sizes) + 1))


def test_without_a_window_a_call_has_a_limit_too():
    asker = FakeAsker()
    merged(asker, parts(*[400] * 200))
    assert len(asker.prompts) > 2
    assert all(estimate_tokens(prompt) <= limits.MERGE_PROMPT_TOKENS for _, _, prompt in asker.prompts)
    assert {span for _, span, _ in asker.prompts} == {(9, 9)}, "after the last item"


def test_what_is_longer_than_the_window_is_said_and_nothing_is_asked():
    asker = FakeAsker(window=3000)
    with pytest.raises(ContextTooLong, match=r"summary of batch 2 makes a prompt of about [\d,]+ tokens, and 2,250 is"):
        merged(asker, parts(10, 9000, 10))
    with pytest.raises(ContextTooLong, match="summary of batch 1 and batch 2 makes"):
        merged(FakeAsker(window=3000), parts(800, 800))
    assert not asker.prompts
    assert [(noted.kind, noted.attempts) for noted in asker.noted] == [("context_too_long", 0)]


def test_the_same_summaries_make_the_same_calls_and_others_do_not():
    def keys(*sizes: int) -> list[str]:
        asker = FakeAsker(window=4000)
        merged(asker, parts(*sizes))
        return [call.key for call, _, _ in asker.prompts]

    assert keys(*[300] * 30) == keys(*[300] * 30)
    assert not set(keys(5, 6)) & set(keys(6, 5))


def test_one_failure_fails_the_whole():
    with pytest.raises(ServerFailed):
        merged(FakeAsker(fails=True), parts(5, 5))
