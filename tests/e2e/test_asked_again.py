"""Replies that are cut off, in every layout and stage: two more calls for a question at most, never with less room."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.core import limits
from tests.e2e.batches import rows
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


def batches(server: FakeModelServer, size: int, *options: str, items: int = 4) -> list[str]:
    Path("tr.jsonl").write_text("\n".join(map(json.dumps, rows(items))))
    command = ["run", "translation", "tr.jsonl", "--batch-size", str(size), "--concurrency", "1", "--fresh", *options]
    return [*command, "--model", "openai:m", "--base-url", server.url]


def asked_about(server: FakeModelServer) -> dict[str, list[int | None]]:
    """The room of every call in which an item took part, in order."""
    found: dict[str, list[int | None]] = defaultdict(list)
    for request in server.requests:
        for item in shown(request.data):
            found[item].append(request.data.get("max_tokens"))
    return found


def shown(data: Any) -> list[str]:
    """The ids of the items of a request."""
    return [f"t{n}" for n in re.findall(r"Satz (\d+)\.", data["messages"][1]["content"])]


def cut(data: Any, text: str, tokens: int = 9) -> Answer:
    choice = {"message": {"content": text[:9]}, "finish_reason": "length"}
    return Answer(data={"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": tokens}})


def without(text: str, items: Sequence[str]) -> str:
    """A verdict on a batch without some of its items, whose ids go on in the prompt."""
    said = json.loads(text)
    said["scores"] = {name: given for name, given in said["scores"].items() if name.split("-")[0] not in items}
    return json.dumps(said)


def whole(data: Any) -> str:
    received = Received(path="", headers={}, data=data)
    return json.dumps(instance(received.schema or {}, received.user))


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("room", ["100", "4096"])
def test_the_items_of_a_batch_that_is_cut_off_have_its_room_and_no_further_calls(
    size: int, room: str, capsys: Any
) -> None:
    with FakeModelServer(lambda data, _: cut(data, whole(data))) as server:
        code, found = run_json(capsys, *batches(server, size, "--max-tokens", room))
    assert (code, found["judged"]) == (3, 0)
    more = max(2 * int(room), limits.ROOM_FIRST_TOKENS)
    assert list(asked_about(server).values()) == [[int(room), more, more, more]] * 4


def test_an_item_alone_has_the_room_that_its_batch_needed(capsys: Any) -> None:
    """Cut off, then whole without one item: that one is asked for alone, with the further call that is left."""

    def script(data: Any, _: int) -> Answer:
        ids, text = shown(data), whole(data)
        if data["max_tokens"] < 2048 or len(ids) == 1:
            return cut(data, text)
        return Answer(text=without(text, ids[:1]))

    with FakeModelServer(script) as server:
        code, found = run_json(capsys, *batches(server, 4, "--max-tokens", "100"))
    assert (code, found["judged"], found["failed"]) == (3, 3, 1)
    assert sorted(map(len, asked_about(server).values())) == [2, 2, 2, 4]
    assert max(asked_about(server).values(), key=len) == [100, 2048, 2048, 4096]


def test_an_item_takes_part_in_five_calls_at_most_and_a_resumed_run_makes_the_same(capsys: Any) -> None:
    """Cut off, no form, then all but two; those two together without either, and each alone without form."""

    def script(data: Any, n: int) -> Answer:
        ids, text = shown(data), whole(data)
        if n == 1:
            return cut(data, text)
        if len(ids) < 4 or n == 2:
            return Answer(text="I cannot say.")
        return Answer(text=without(text, ids[:2]))

    with FakeModelServer(script) as server:
        code, found = run_json(capsys, *batches(server, 4, "--max-tokens", "100"))
        assert (code, found["judged"], found["failed"]) == (3, 2, 2)
        assert sorted(map(len, asked_about(server).values())) == [3, 3, 5, 5]
        assert all(sorted(rooms) == rooms for rooms in asked_about(server).values())  # type: ignore[type-var]
        calls = server.calls
        run_json(capsys, "resume", "latest")
        assert server.calls == calls, "every one of them is stored under a key of its own"


@pytest.mark.parametrize("claimed", [limits.ROOM_TOKENS, 60_000, 2_147_483_647])
@pytest.mark.parametrize("room", ["", "64", "50000"])
@pytest.mark.parametrize("judge", ["summary", "translation"])
def test_what_a_server_claims_of_its_tokens_is_not_asked_of_it(
    judge: str, room: str, claimed: int, capsys: Any
) -> None:
    with FakeModelServer(lambda data, _: cut(data, whole(data), claimed)) as server:
        command = ["run", judge, sample(judge), "--limit", "2", "--model", "openai:m", "--base-url", server.url]
        run_json(capsys, *command, *(("--max-tokens", room) if room else ()))
    most = max(limits.ROOM_TOKENS, int(room or 0))
    rooms = [request.data.get("max_tokens") for request in server.requests]
    assert len(rooms) > 2 and all(one is None or one <= most for one in rooms), rooms
    assert room or set(rooms) == {None}, "no less than the server says it gave"
