"""One suite for every model behind HTTP: what it sends, what it makes of each fault, and that no key leaks."""

from __future__ import annotations

import asyncio
import gzip
import json
import pickle
import socket
import traceback
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core import limits
from adjudge.core.errors import (
    AdjudgeError,
    BadRequest,
    ContextTooLong,
    NotAuthorised,
    NotFound,
    RateLimited,
    Refused,
    ServerFailed,
    TimedOut,
    TooLarge,
    Unreachable,
)
from adjudge.core.records import Reply, Request
from adjudge.models.base import Model
from adjudge.models.choose import choose_model
from tests.fakes.clock import PATIENCE_S, Clock
from tests.fakes.instance import instance
from tests.fakes.requests import SCHEMA, a_request
from tests.fakes.server import Answer, FakeModelServer, Script, dead_url, refusal

CANARY = "sk-canary-7f3e9d1c5b8a42660e"
KINDS = ("openai", "anthropic")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    return str(request.param)


def ask(url: str, kind: str, *requests: Request, timeout_s: float = 10.0) -> list[Reply]:
    """Ask one after another, with one model."""

    async def asked(model: Model) -> list[Reply]:
        try:
            return [await model.answer(request) for request in requests or (a_request(),)]
        finally:
            await model.close()

    async def run() -> list[Reply]:
        return await asked(choose_model(f"{kind}:any", base_url=url, timeout_s=timeout_s))

    return asyncio.run(run())


def always(answer: Answer) -> Script:
    return lambda request, n: answer


def test_a_good_answer(kind: str) -> None:
    with FakeModelServer() as server:
        (reply,) = ask(server.url, kind)
    assert json.loads(reply.text) == instance(SCHEMA, "Judge this.")
    assert (reply.finish, reply.mode, server.calls) == ("stop", "schema", 1)
    assert reply.tokens_in and reply.tokens_out
    assert reply.latency_s > 0


def test_the_key_is_in_its_header_and_nowhere_else(kind: str) -> None:
    with FakeModelServer() as server:
        (reply,) = ask(server.url, kind)
    (received,) = server.requests
    header = {"openai": ("authorization", f"Bearer {CANARY}"), "anthropic": ("x-api-key", CANARY)}[kind]
    assert [(name, value) for name, value in received.headers.items() if CANARY in value] == [header]
    assert CANARY not in json.dumps(received.data) + repr(reply)


def test_without_a_key_a_server_of_ones_own_gets_no_header(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with FakeModelServer() as server:
        ask(server.url, kind)
    assert not {"authorization", "x-api-key"} & set(server.requests[0].headers)


def test_system_user_and_history_are_sent_in_order(kind: str) -> None:
    history = (("first reply", "what was wrong"),)
    with FakeModelServer() as server:
        ask(server.url, kind, a_request("judge «это» {x}", history=history))
    messages = [(m["role"], m["content"]) for m in server.requests[0].data["messages"]]
    system = "You judge. Answer in JSON."
    if kind == "openai":
        assert messages.pop(0) == ("system", system)
    else:
        block = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
        assert server.requests[0].data["system"] == [block]
    assert messages == [("user", "judge «это» {x}"), ("assistant", "first reply"), ("user", "what was wrong")]


def test_what_no_encoding_can_hold_does_not_stop_a_request(kind: str) -> None:
    with FakeModelServer(always(Answer(text='{"why": "\ud800 \U0001f600"}'))) as server:
        (reply,) = ask(server.url, kind, a_request("a \ud800 b \0 c"))
    assert server.requests[0].user == "a \ufffd b \0 c"
    assert json.loads(reply.text) == {"why": "\ufffd \U0001f600"}


def test_settings_are_sent_as_given(kind: str) -> None:
    with FakeModelServer() as server:
        ask(server.url, kind, a_request(temperature=0.3, max_tokens=77), a_request(temperature=None))
    given, default = (received.data for received in server.requests)
    assert (given["temperature"], given["max_tokens"]) == (0.3, 77)
    assert "temperature" not in default
    assert default.get("max_tokens") == {"openai": None, "anthropic": 4096}[kind]


FAULTS: dict[str, tuple[Answer, type[AdjudgeError]]] = {
    "400": (refusal(400, "bad"), BadRequest),
    "401": (refusal(401, "bad key"), NotAuthorised),
    "402": (refusal(402, "pay first"), NotAuthorised),
    "403": (refusal(403, "not for you"), NotAuthorised),
    "404": (refusal(404, "no such model"), NotFound),
    "408": (refusal(408, "too slow"), ServerFailed),
    "413": (refusal(413, "too big"), ContextTooLong),
    "422": (refusal(422, "bad"), BadRequest),
    "context": (refusal(400, "This model's maximum context length is 8192 tokens."), ContextTooLong),
    "context by code": (refusal(400, "too much", code="context_length_exceeded"), ContextTooLong),
    "prompt too long": (refusal(400, "prompt is too long: 250000 tokens > 200000 maximum"), ContextTooLong),
    "429": (refusal(429, "slow down"), RateLimited),
    "429 without credit": (refusal(429, "no", code="insufficient_quota"), NotAuthorised),
    "500": (refusal(500, "oops"), ServerFailed),
    "502 in HTML": (Answer(status=502, body=b"<html><h1>Bad gateway</h1></html>"), ServerFailed),
    "503 with no body": (Answer(status=503, body=b""), ServerFailed),
    "529": (refusal(529, "overloaded", type="overloaded_error"), ServerFailed),
    "redirect": (Answer(status=302, body=b"", headers={"location": "http://127.0.0.1:1/"}), BadRequest),
    "error sent as success": (replace(refusal(429, "busy", code=429), status=200), RateLimited),
    "overloaded sent as success": (replace(refusal(1, "busy", type="overloaded_error"), status=200), ServerFailed),
    "HTML": (Answer(body=b"<!doctype html><p>Sign in to the Wi-Fi"), ServerFailed),
    "invalid JSON": (Answer(body=b'{"choices": [{'), ServerFailed),
    "not an object": (Answer(body=b"[1, 2]"), ServerFailed),
    "not text": (Answer(body=b"\xff\xfe\x00\x81"), ServerFailed),
    "empty body": (Answer(body=b""), ServerFailed),
    "no content": (Answer(status=204, body=b""), ServerFailed),
    "deep nesting": (Answer(body=b"[" * 200_000), ServerFailed),
    "a whole number of 10,000 digits": (Answer(body=b'{"a": ' + b"9" * 10_000 + b"}"), ServerFailed),
    "empty choices": (Answer(data={"choices": [], "content": []}), ServerFailed),
    "wrong types": (Answer(data={"choices": {"0": 1}, "content": "text"}), ServerFailed),
    "reset before the answer": (Answer(cut="before"), Unreachable),
    "reset in the middle": (Answer(cut="middle", text="x" * 1000), Unreachable),
    "closed in the middle": (Answer(cut="close", text="x" * 1000), Unreachable),
    "not HTTP": (Answer(text="x", headers={"content-length": "many"}), ServerFailed),
    "100 MB": (Answer(body=b" " * 1_000_000, repeat_to_bytes=100_000_000), TooLarge),
    "500 with 100 MB": (Answer(status=500, body=b" " * 1_000_000, repeat_to_bytes=100_000_000), ServerFailed),
    "gzip bomb": (Answer(body=gzip.compress(b" " * 100_000_000), headers={"content-encoding": "gzip"}), TooLarge),
    "500 with a gzip bomb": (
        Answer(status=500, body=gzip.compress(b" " * 9_000_000), headers={"content-encoding": "gzip"}),
        ServerFailed,
    ),
    "not gzip": (Answer(body=b"plain", headers={"content-encoding": "gzip"}), ServerFailed),
    "unknown packing": (Answer(body=b"plain", headers={"content-encoding": "br"}), ServerFailed),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_has_its_error(kind: str, name: str) -> None:
    answer, expected = FAULTS[name]
    with FakeModelServer(always(answer)) as server, pytest.raises(expected) as caught:
        ask(server.url, kind)
    assert type(caught.value) is expected
    assert "127.0.0.1" in str(caught.value)
    assert len(str(caught.value)) < limits.EXCERPT_CHARS + 200


@pytest.mark.parametrize("name", [name for name in FAULTS if "100 MB" in name or "bomb" in name])
def test_a_huge_body_is_never_held_whole(kind: str, name: str) -> None:
    tracemalloc.start()
    try:
        with FakeModelServer(always(FAULTS[name][0])) as server, pytest.raises(AdjudgeError):
            ask(server.url, kind)
        assert tracemalloc.get_traced_memory()[1] < 5 * limits.RESPONSE_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", FAULTS)
def test_a_server_that_echoes_the_key_shows_it_to_nobody(kind: str, name: str) -> None:
    answer, expected = FAULTS[name]
    echo = f"you sent {CANARY}, {CANARY.upper()}, {CANARY[:-3]} and …{CANARY[5:]}"
    data = json.loads(json.dumps(answer.data).replace('"message": "', f'"message": "{echo} '))
    body = answer.body if answer.body is None or answer.headers else echo.encode() + answer.body
    with (
        FakeModelServer(always(replace(answer, data=data, body=body))) as server,
        pytest.raises(AdjudgeError) as caught,
    ):
        ask(server.url, kind)
    if answer.data is not None:
        assert type(caught.value) is expected
    shown = "".join(traceback.format_exception(caught.value))
    for text in (str(caught.value), repr(caught.value), shown, repr(vars(caught.value))):
        assert CANARY[5:-3] not in text.lower()


@pytest.mark.parametrize("name", FAULTS)
def test_no_frame_of_a_traceback_holds_the_key(kind: str, name: str) -> None:
    with FakeModelServer(always(FAULTS[name][0])) as server, pytest.raises(AdjudgeError) as caught:
        ask(server.url, kind)
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert CANARY not in "".join(shown.format())


def test_a_key_echoed_in_a_reply_is_hidden(kind: str) -> None:
    with FakeModelServer(always(Answer(text=f'{{"why": "{CANARY}"}}'))) as server:
        (reply,) = ask(server.url, kind)
    assert json.loads(reply.text) == {"why": "***"}


def test_nobody_there(kind: str) -> None:
    with pytest.raises(Unreachable, match="refused"):
        ask(dead_url(), kind)


def test_a_name_that_resolves_to_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Unreachable, match=r"no-such-host\.invalid"):
        ask("http://no-such-host.invalid/v1", kind)


def test_no_tls_where_tls_is_expected(kind: str) -> None:
    with FakeModelServer() as server, pytest.raises(Unreachable):
        ask(server.url.replace("http:", "https:"), kind)


def test_a_server_that_never_greets_ends_at_the_connect_time_out(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a connection that is greeted nobody asks how long it took: here none is."""
    monkeypatch.setattr(limits, "CONNECT_TIMEOUT_S", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(Unreachable, match=r"connected to within 0\.2 s"),
    ):
        ask(f"https://127.0.0.1:{silent.getsockname()[1]}/v1", kind)


@pytest.mark.parametrize("answer", [Answer(stuck="silent"), Answer(stuck="dripping")])
def test_slow_and_dripping_answers_end_at_the_time_out(kind: str, answer: Answer, clock: Clock) -> None:
    with FakeModelServer(always(answer)) as server, pytest.raises(TimedOut, match="within 40 s"):
        clock.skip_while_stuck(lambda: server.stuck, 10.0, beat=lambda: server.beats)
        ask(server.url, kind, timeout_s=40.0)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "1e999"}, limits.RETRY_AFTER_CAP_S),
        ({"retry-after": "99999999999999999999"}, limits.RETRY_AFTER_CAP_S),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, limits.RETRY_AFTER_CAP_S),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_how_long_to_wait(kind: str, status: int, headers: dict[str, str], wait_s: float | None) -> None:
    answer = replace(refusal(status, "later"), headers=headers)
    with FakeModelServer(always(answer)) as server, pytest.raises((RateLimited, ServerFailed)) as caught:
        ask(server.url, kind)
    assert caught.value.retry_after_s == wait_s


def test_control_characters_of_a_server_do_not_reach_the_terminal(kind: str) -> None:
    answer = refusal(500, "\x1b[31mred\x07\u202e\n" + "x" * 9999)
    with FakeModelServer(always(answer)) as server, pytest.raises(ServerFailed) as caught:
        ask(server.url, kind)
    assert str(caught.value).isprintable()
    assert "[31mred x" in str(caught.value)


def test_a_reply_packed_with_gzip_is_read(kind: str) -> None:
    def packed(request: Any, n: int) -> Answer:
        text = {"type": "text", "text": "{}"}
        whole = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}], "content": [text]}
        return Answer(body=gzip.compress(json.dumps(whole).encode()), headers={"content-encoding": "gzip"})

    with FakeModelServer(packed) as server:
        (reply,) = ask(server.url, kind)
    assert reply.text == "{}"


def test_a_cut_off_answer_says_so(kind: str) -> None:
    with FakeModelServer(always(Answer(text="{}", finish="length"))) as server:
        (reply,) = ask(server.url, kind)
    assert reply.finish == "length"


def test_a_refusal_is_an_error(kind: str) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    data = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "content": [{"type": "text", "text": "I can't help with that."}],
        "stop_reason": "refusal",
    }
    with FakeModelServer(always(Answer(data=data))) as server, pytest.raises(Refused, match="I can't help"):
        ask(server.url, kind)
    assert server.calls == 1


@pytest.mark.parametrize("modes", [("json", "text"), ("text",)])
def test_the_strictest_mode_the_server_takes_is_found_once(kind: str, modes: tuple[str, ...]) -> None:
    best = modes[0] if kind == "openai" else "text"
    with FakeModelServer(modes=modes) as server:
        replies = ask(server.url, kind, a_request("1"), a_request("2"))
        replies += ask(server.url, kind, a_request("3"))
    assert [reply.mode for reply in replies] == [best] * 3
    refused = {("openai", "json"): 1, ("openai", "text"): 2}.get((kind, best), 1)
    assert server.calls == 3 + refused
    assert json.loads(replies[2].text) == instance(SCHEMA, "3")


def test_a_crowd_at_the_start_costs_one_refusal(kind: str) -> None:
    async def crowd(model: Model) -> list[Reply]:
        try:
            return await asyncio.gather(*(model.answer(a_request(str(n))) for n in range(40)))
        finally:
            await model.close()

    async def run() -> list[Reply]:
        return await crowd(choose_model(f"{kind}:any", base_url=server.url))

    with FakeModelServer(modes=("text",)) as server:
        replies = asyncio.run(run())
    assert {reply.mode for reply in replies} == {"text"}
    assert server.calls == 40 + {"openai": 2, "anthropic": 1}[kind]


def test_a_slow_first_answer_holds_nobody_back_for_long(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PROBE_WAIT_S", 0.05)

    async def run() -> None:
        model = choose_model(f"{kind}:any", base_url=server.url)
        await asyncio.gather(*(model.answer(a_request(str(n))) for n in range(8)))
        await model.close()

    valid = Answer(text=json.dumps(instance(SCHEMA, "")), after=lambda: server.calls == 8)
    with FakeModelServer(always(valid)) as server:
        asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def test_a_refusal_that_is_not_the_formats_fault_is_probed_once(kind: str) -> None:
    async def run(count: int) -> None:
        model = choose_model(f"{kind}:any", base_url=server.url)
        for _ in range(count):
            with pytest.raises(BadRequest):
                await model.answer(a_request())
        await model.close()

    modes = {"openai": 3, "anthropic": 2}[kind]
    with FakeModelServer(always(refusal(400, "no such model"))) as server:
        asyncio.run(run(5))
    assert server.calls == modes + 4


def test_after_a_good_answer_a_bad_request_does_not_change_the_mode(kind: str) -> None:
    script: Callable[[Any, int], Answer | None] = lambda request, n: refusal(400, "bad item") if n == 2 else None  # noqa: E731
    with FakeModelServer(script) as server:
        assert ask(server.url, kind)[0].mode == "schema"
        with pytest.raises(BadRequest):
            ask(server.url, kind)
        assert ask(server.url, kind)[0].mode == "schema"
    assert server.calls == 3


def test_a_model_without_temperature_is_asked_without_it(kind: str) -> None:
    def script(request: Any, n: int) -> Answer | None:
        if "temperature" in request:
            return refusal(400, "Unsupported value: 'temperature' does not support 0.0 with this model.")
        return None

    with FakeModelServer(script) as server:
        replies = ask(server.url, kind, a_request(), a_request())
    assert [reply.mode for reply in replies] == ["schema", "schema"]
    assert server.calls == 3


def test_a_server_that_refuses_every_name_of_a_parameter_is_not_asked_for_ever(kind: str) -> None:
    script = always(refusal(400, "Unsupported: temperature, max_tokens, max_completion_tokens"))
    with FakeModelServer(script) as server, pytest.raises(BadRequest):
        ask(server.url, kind, a_request(max_tokens=5))
    assert server.calls <= 5


def test_a_temperature_out_of_range_is_not_dropped(kind: str) -> None:
    script = always(refusal(400, "temperature: must be at most 1"))
    with FakeModelServer(script) as server, pytest.raises(BadRequest, match="at most 1"):
        ask(server.url, kind, a_request(temperature=1.5))
    assert all("temperature" in received.data for received in server.requests)


def test_a_model_is_not_written_with_its_key(kind: str) -> None:
    model = choose_model(f"{kind}:any", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(TypeError):
        pickle.dumps(model)
    assert CANARY not in repr(model) + repr(vars(model))


def test_closing_twice_or_unused_is_fine(kind: str) -> None:
    async def run() -> None:
        model = choose_model(f"{kind}:any", base_url="http://127.0.0.1:1/v1")
        await model.close()
        await model.close()

    asyncio.run(run())
