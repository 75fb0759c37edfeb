"""The envelope of a reply with one bad byte in any place, or with a name that stands in it twice."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from adjudge.cli import run_command
from adjudge.core import limits
from adjudge.core.errors import ModelError, NotAuthorised, ServerFailed
from tests.contract.test_models import KINDS, ask, kind  # noqa: F401
from tests.e2e.test_run_http import run_json, sample, valid
from tests.fakes.requests import a_request
from tests.fakes.server import Answer, FakeModelServer

TEXT = '{"why": "ясно, и точка", "score": 4}'


def envelope(kind: str, text: str = TEXT) -> dict[str, Any]:  # noqa: F811
    if kind == "openai":
        return {"id": "x", "choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]}
    block = {"type": "tool_use", "name": "verdict", "input": json.loads(text)}
    return {"id": "x", "content": [block], "stop_reason": "tool_use"}


def outcome(body: bytes, kind: str) -> str | ModelError:  # noqa: F811
    with FakeModelServer(lambda request, n: Answer(body=body)) as server:
        try:
            return ask(server.url, kind, a_request())[0].text
        except ModelError as error:
            return error


@pytest.mark.parametrize("bad", [b"\xff", b"\xd0", b"\x00", b"\x01", b"\n"])
def test_one_bad_byte_in_a_text_is_replaced_and_the_rest_read(kind: str, bad: bytes) -> None:  # noqa: F811
    whole = json.dumps(envelope(kind), ensure_ascii=False).encode()
    at = whole.index("точка".encode())
    found = outcome(whole[:at] + bad + whole[at + 2 :], kind)
    assert isinstance(found, str), found
    assert found.endswith('"score": 4}') and '"score": 4' in found and "очка" in found


@pytest.mark.parametrize("bad", [b"\xff", b"\x00"])
def test_a_bad_byte_anywhere_makes_no_other_verdict(kind: str, bad: bytes) -> None:  # noqa: F811
    whole = json.dumps(envelope(kind), ensure_ascii=False).encode()

    def script(request: Any, n: int) -> Answer:
        return Answer(body=whole[: n - 1] + bad + whole[n:])

    kept = 0
    with FakeModelServer(script) as server:
        for _ in range(len(whole)):
            try:
                (reply,) = ask(server.url, kind, a_request())
            except ServerFailed as error:
                assert error.paid is None or "score" in error.paid
                kept += error.paid is not None
            else:
                assert re.findall(r'"score": ?(\d)', reply.text) in ([], ["4"]), reply.text
    assert kept, "some of them can't be read"


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every name in it."""
    if isinstance(value, dict):
        return [(*path, name) for name in value] + [p for name in value for p in places(value[name], (*path, name))]
    return [p for n, one in enumerate(value) for p in places(one, (*path, n))] if isinstance(value, list) else []


def doubled(value: Any, path: tuple[Any, ...], other: str | None) -> str:
    """JSON with one name in it twice, first with another value."""
    if isinstance(value, list):
        each = (doubled(one, path[1:], other) if path[:1] == (n,) else json.dumps(one) for n, one in enumerate(value))
        return f"[{', '.join(each)}]"
    parts = []
    for name, one in value.items():
        if path == (name,):
            parts.append(f"{json.dumps(name)}: {other or json.dumps(one)}")
        inner = doubled(one, path[1:], other) if path[:1] == (name,) and len(path) > 1 else json.dumps(one)
        parts.append(f"{json.dumps(name)}: {inner}")
    return f"{{{', '.join(parts)}}}"


@pytest.mark.parametrize("other", ['"other"', "null", "[]", "{}", "5", None])
def test_a_name_with_two_values_is_a_fault_and_never_a_verdict(kind: str, other: str | None) -> None:  # noqa: F811
    whole = envelope(kind)
    for path in places(whole):
        body = doubled(whole, path, other)
        found = outcome(body.encode(), kind)
        if other is None:
            assert isinstance(found, str), "the same said twice is one thing"
        else:
            assert isinstance(found, ServerFailed) and "two values" in str(found), (path, found)
            assert found.paid == body


@pytest.mark.parametrize(
    "before",
    [
        b"\x01",
        b"\0",
        b"\x0b",
        "\u00a0".encode(),
        b"\xff",
        b"\xef\xbb\xbf",
        b")]}'\n",
        b")]}',\n",
        b"for (;;);",
        b"while(1);",
    ],
)
def test_what_was_put_before_an_answer_is_dropped(kind: str, before: bytes) -> None:  # noqa: F811
    whole = json.dumps(envelope(kind), ensure_ascii=False).encode()
    assert outcome(before + whole, kind) == outcome(whole, kind)
    assert outcome(before + b"[" + whole + b"]", kind) == outcome(whole, kind)
    cut = outcome(before + whole[:-5], kind)
    assert isinstance(cut, ServerFailed) and cut.paid == (before + whole[:-5]).decode("utf-8", "replace")


def streamed(*events: Any, end: str = "data: [DONE]\n\n") -> bytes:
    return ("".join(f"data: {json.dumps(event)}\n\n" for event in events) + end).encode()


def pieces(*texts: str, finish: str | None = "stop", ids: str = "x") -> list[dict[str, Any]]:
    deltas = [{"role": "assistant", "content": ""}, *({"content": text} for text in texts), {}]
    found = [{"id": ids, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    found[-1]["choices"][0]["finish_reason"] = finish  # type: ignore[index]
    return found


def test_a_stream_of_one_event_is_an_answer(kind: str) -> None:  # noqa: F811
    whole = envelope(kind)
    assert outcome(streamed(whole), kind) == outcome(json.dumps(whole).encode(), kind)
    assert outcome(streamed(whole, end=""), kind) == outcome(json.dumps(whole).encode(), kind)


def test_the_pieces_of_a_streamed_answer_are_put_together() -> None:
    costs = {"id": "x", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}}
    with FakeModelServer(lambda request, n: Answer(body=streamed(*pieces(TEXT[:9], TEXT[9:]), costs))) as server:
        (reply,) = ask(server.url, "openai", a_request())
    assert (reply.text, reply.finish, reply.tokens_in, reply.tokens_out) == (TEXT, "stop", 5, 7)
    cut = Answer(body=streamed(*pieces(TEXT[:9], finish="length"), end=""))
    with FakeModelServer(lambda request, n: cut) as server:
        assert ask(server.url, "openai", a_request())[0].finish == "length"


@pytest.mark.parametrize(
    "body",
    [
        streamed(*pieces(TEXT, finish=None)),
        streamed(*pieces(TEXT)[:-1], end=""),
        streamed(*pieces(TEXT), *pieces(TEXT)),
        streamed(*pieces(TEXT[:5])[:-1], *pieces(TEXT[5:], ids="y")),
        streamed({"choices": [{"delta": {"tool_calls": [{}]}, "finish_reason": "stop"}]}, *pieces(TEXT)),
        streamed(*pieces(TEXT)) + b"data: {\n",
    ],
)
def test_a_stream_that_is_not_surely_one_answer_is_named_and_kept(body: bytes) -> None:
    found = outcome(body, "openai")
    assert isinstance(found, ServerFailed) and "streams its answers" in str(found)
    assert found.paid == body.decode()


def test_an_error_in_a_stream_is_that_error() -> None:
    found = outcome(streamed(*pieces("x")[:-1], {"error": {"type": "insufficient_quota"}}), "openai")
    assert isinstance(found, NotAuthorised) and found.no_credit


@pytest.mark.parametrize("body", [b'{"choices": []}', b'{"content": []}', b"{}", b"[1, 2]", b"upstream says hello"])
def test_an_answer_without_a_reply_was_paid_for(kind: str, body: bytes) -> None:  # noqa: F811
    found = outcome(body, kind)
    assert isinstance(found, ServerFailed) and found.paid == body.decode()


def test_a_long_answer_that_can_not_be_read_is_kept_whole() -> None:
    body = b'{"choices": [' + b"word " * 60_000
    found = outcome(body, "openai")
    assert isinstance(found, ServerFailed) and found.paid == body.decode() and len(str(found)) < 500


def test_what_was_paid_for_and_can_not_be_read_is_kept_and_asked_for_twice_only(
    capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.004)

    def script(request: Any, n: int) -> Answer:
        whole = json.dumps({"choices": [{"message": {"content": json.dumps(valid(request))}}]})
        return Answer(body=whole[:-2].encode())

    with FakeModelServer(script) as server:
        command = ["run", "summary", sample("summary"), "--limit", "1", "--model", "openai:m", "--base-url", server.url]
        code, found = run_json(capsys, *command)
        assert (code, found["failed"], server.calls) == (3, 1, limits.PAID_ATTEMPTS)
        assert run_command(["export", "latest"]) == 0
        item = json.loads(capsys.readouterr().out)["id"]
        assert run_command(["show", "latest", "--item", item]) == 0
        assert '{"choices": [{"message": {"content": "{' in capsys.readouterr().out
        server.script = None
        code, found = run_json(capsys, "resume", "latest")
        assert (code, found["judged"], server.calls) == (0, 1, limits.PAID_ATTEMPTS + 1)
