"""Replies that are cut off, in every layout and stage: two more calls for a question at most, never with less room."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest

from adjudge.core import limits
from tests.e2e.test_run_http import run_json, sample
from tests.fakes.instance import instance
from tests.fakes.server import Answer, FakeModelServer, Received

WAYS = (
    ("summary",), ("rag-answers", "--orders", "1"), ("search-summary", "--one-call"), ("search-summary", "--staged"),
    ("translation",), ("translation", "--batch-size", "1"),
)  # fmt: skip
#: What a server says of a reply that it cut off: why, and how many tokens it has.
SAID = (("length", 10), ("length", None), ("length", 5000), ("stop", 10), (None, 10), ("abort", 3), ("MAX_TOKENS", 1))


class Cutting:
    """Answers the first questions well and cuts off the replies to all that follow; `asked` has the room of each."""

    def __init__(self, finish: str | None, tokens: int | None, well: int) -> None:
        self.finish, self.tokens, self.well = finish, tokens, well
        self.asked: dict[str, list[int | None]] = defaultdict(list)

    def __call__(self, data: Any, _: int) -> Answer:
        received = Received(path="", headers={}, data=data)
        self.asked[data["messages"][1]["content"]].append(data.get("max_tokens"))
        text = json.dumps(instance(received.schema or {}, data["messages"][1]["content"]))
        if list(self.asked).index(data["messages"][1]["content"]) < self.well:
            return Answer(text=text)
        choice = {"message": {"content": text[: len(text) // 3]}, "finish_reason": self.finish}
        usage = {"prompt_tokens": 9, **({} if self.tokens is None else {"completion_tokens": self.tokens})}
        return Answer(data={"choices": [choice], "usage": usage})


@pytest.mark.parametrize("well", [0, 1, 2])
@pytest.mark.parametrize(("finish", "tokens"), SAID)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_a_question_whose_replies_are_cut_off(
    way: tuple[str, ...], finish: str | None, tokens: int | None, well: int, capsys: Any
) -> None:
    judge, *options = way
    model = Cutting(finish, tokens, well)
    for room in ((), ("--max-tokens", "64")) if well == 0 else ((),):
        model.asked.clear()
        with FakeModelServer(model) as server:
            command = ["run", judge, sample(judge), "--limit", "2", "--fresh", "--concurrency", "1", *options, *room]
            run_json(capsys, *command, "--model", "openai:m", "--base-url", server.url)
        for rooms in model.asked.values():
            assert len(rooms) <= 1 + limits.ASKED_AGAIN
            first, *later = rooms
            least = first or tokens or 0
            for one in later:
                assert (one is None and first is None) or (one is not None and one >= least), rooms
                least = one or least


def test_a_server_that_never_says_why_it_ended_is_paid_once(capsys: Any) -> None:
    def script(data: Any, _: int) -> Answer:
        text = json.dumps(instance(Received(path="", headers={}, data=data).schema or {}, "x"))
        return Answer(data={"choices": [{"message": {"content": text}}]})

    with FakeModelServer(script) as server:
        command = ["run", "summary", sample("summary"), "--model", "openai:m", "--base-url", server.url]
        code, found = run_json(capsys, *command)
        assert (code, found["judged"], server.calls) == (0, 5, 5)
        code, found = run_json(capsys, *command)
        assert (code, found["judged"], server.calls) == (0, 5, 5), "a whole verdict serves later runs"
