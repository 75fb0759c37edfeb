"""What the two protocols read out of an answer's body, well-formed or not."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ModelError, Refused, ServerFailed
from adjudge.core.records import Reply, Request
from adjudge.models.anthropic import Anthropic
from adjudge.models.chat import Chat
from adjudge.models.openai import OpenAI
from tests.fakes.requests import a_request
from tests.fakes.server import Answer, FakeModelServer, refusal

URL = "http://127.0.0.1:1/v1"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


def openai(message: Any, finish: Any = "stop") -> Reply:
    choice = {"message": message, "finish_reason": finish}
    return OpenAI("any", base_url=URL).read({"choices": [choice]})


def anthropic(*content: Any, stop: Any = "end_turn", **rest: Any) -> Reply:
    return Anthropic("any", base_url=URL).read({"content": list(content), "stop_reason": stop, **rest})


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "{}"}, "{}"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": None, "tool_calls": [{"function": {"name": "verdict", "arguments": '{"a": 1}'}}]}, '{"a": 1}'),
        ({"content": "", "function_call": {"arguments": "{}"}}, "{}"),
        ({"content": "said", "tool_calls": [{"function": {"arguments": "{}"}}]}, "said"),
        ({"content": "", "reasoning_content": '{"score": 5}'}, ""),
        ({"content": None, "tool_calls": None, "refusal": None}, ""),
        ({"content": "said", "refusal": "no"}, "said"),
        ({"content": 7}, ""),
    ],
)
def test_the_text_of_an_openai_answer(message: Any, text: str) -> None:
    assert openai(message).text == text


GOOD_ENDS = ("stop", "STOP", "end_turn", "stop_sequence", "eos", "eos_token", "tool_calls", "function_call", "tool_use",
             "COMPLETE", " stop ", "FINISH_REASON_STOP", "end-turn")  # fmt: skip
CUTS = ("length", "LENGTH", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length", "incomplete",
        "model_context_window_exceeded", "context_length_exceeded", "ERROR_LIMIT")  # fmt: skip
FILTERS = ("content_filter", "refusal", "SAFETY", "RECITATION", "guardrail_intervened")
UNKNOWN = (None, "", "abort", "error", "cancelled", "pause_turn", "unstoppable", "null", "other", "стоп", 0, 7, True,
           ["stop"], {"stop": 1})  # fmt: skip
ENDS = [
    (said, finish)
    for finish, words in (("stop", GOOD_ENDS), ("length", CUTS), ("refusal", FILTERS), ("unknown", UNKNOWN))
    for said in words
]


@pytest.mark.parametrize(("said", "finish"), ENDS)
def test_why_an_answer_ended(said: Any, finish: str) -> None:
    assert openai({"content": "x"}, said).finish == finish
    if finish != "refusal":
        assert anthropic({"type": "text", "text": "x"}, stop=said).finish == finish


def test_an_answer_that_does_not_say_why_it_ended() -> None:
    message = {"message": {"content": "x"}}
    assert OpenAI("any", base_url=URL).read({"choices": [message]}).finish == "unknown"
    assert Anthropic("any", base_url=URL).read({"content": [{"type": "text", "text": "x"}]}).finish == "unknown"


@pytest.mark.parametrize("said", [*CUTS, *UNKNOWN])
def test_a_tool_call_that_was_cut_off_does_not_look_whole(said: Any) -> None:
    reply = anthropic({"type": "tool_use", "name": "verdict", "input": {"errors": []}}, stop=said)
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(reply.text)


def test_the_input_of_the_tool_is_the_reply_and_other_blocks_are_not() -> None:
    reply = anthropic(
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Here it is."},
        {"type": "tool_use", "name": "verdict", "input": {"why": "чисто", "score": 4}},
    )
    assert json.loads(reply.text) == {"why": "чисто", "score": 4}
    assert "чисто" in reply.text


def test_tokens_read_from_the_cache_count_as_read() -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 7}
    reply = anthropic({"type": "text", "text": "x"}, usage=usage)
    assert (reply.tokens_in, reply.tokens_out) == (105, 7)


def test_a_refusal_keeps_the_servers_words_short() -> None:
    with pytest.raises(Refused, match="no no") as caught:
        openai({"content": None, "refusal": "no\n" * 10_000})
    assert len(str(caught.value)) < 400


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def around(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    known = st.dictionaries(st.sampled_from(names), json_values, max_size=4)
    nested = st.dictionaries(st.sampled_from(names), json_values | known | st.lists(known, max_size=2), max_size=4)
    return st.dictionaries(st.sampled_from(names), nested | st.lists(nested, max_size=2) | json_values, max_size=5)


OPENAI_NAMES = ("choices", "message", "content", "finish_reason", "refusal", "tool_calls", "function", "usage", "text")
ANTHROPIC_NAMES = ("content", "type", "text", "input", "stop_reason", "usage", "input_tokens", "output_tokens")


@given(around(OPENAI_NAMES), around(ANTHROPIC_NAMES))
def test_any_json_is_a_reply_or_an_error_with_a_name(one: dict[str, Any], other: dict[str, Any]) -> None:
    models: list[tuple[Chat, dict[str, Any]]] = [
        (OpenAI("any", base_url=URL), one),
        (Anthropic("any", base_url=URL), other),
    ]
    for model, data in models:
        try:
            reply = model.read(data)
        except ModelError:
            continue
        assert isinstance(reply.text, str)
        assert reply.finish in ("stop", "length", "refusal", "unknown")
        for tokens in (reply.tokens_in, reply.tokens_out):
            assert tokens is None or (type(tokens) is int and tokens >= 0)


def test_an_object_too_deep_to_write_down_is_a_fault_of_the_server() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ServerFailed, match="too deep"):
        anthropic({"type": "tool_use", "input": deep})


def sent_by(model: Chat, request: Request, mode: str) -> dict[str, Any]:
    found = json.loads(model.payload(request, mode))
    assert isinstance(found, dict)
    return found


def test_the_strict_schema_and_the_forced_tool() -> None:
    request = a_request(max_tokens=9)
    sent = sent_by(OpenAI("m", base_url=URL), request, "schema")
    shape = {"name": "verdict", "strict": True, "schema": request.prompt.schema}
    assert sent["response_format"] == {"type": "json_schema", "json_schema": shape}
    sent = sent_by(Anthropic("m", base_url=URL), request, "schema")
    assert sent["tools"] == [{"name": "verdict", "input_schema": request.prompt.schema}]
    assert sent["tool_choice"]["name"] == "verdict"


def test_plain_text_asks_for_nothing_structured() -> None:
    for model in (OpenAI("m", base_url=URL), Anthropic("m", base_url=URL)):
        assert not {"response_format", "tools", "tool_choice"} & set(sent_by(model, a_request(), "text"))


def test_an_empty_reply_is_no_turn_of_its_own_where_the_protocol_forbids_it() -> None:
    sent = sent_by(Anthropic("m", base_url=URL), a_request("q", history=((" \n", "again"),)), "text")
    assert [message["content"] for message in sent["messages"]] == ["q", "again"]


def path_asked(make: type[OpenAI | Anthropic], tail: str) -> str:
    async def run(url: str) -> None:
        model = make("m", base_url=url)
        await model.answer(a_request())
        await model.close()

    with FakeModelServer() as server:
        base = server.url.removesuffix("/v1")
        asyncio.run(run(base + tail))
    return server.requests[0].path.removeprefix(urlsplit(base).path)


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_an_anthropic_address_with_or_without_its_version(tail: str) -> None:
    assert path_asked(Anthropic, tail) == "/v1/messages"


@pytest.mark.parametrize("tail", ["/v1", "/v1/", "/v1/chat/completions"])
def test_an_openai_address_with_or_without_its_method(tail: str) -> None:
    assert path_asked(OpenAI, tail) == "/v1/chat/completions"


def test_newer_models_are_told_the_limit_under_its_new_name() -> None:
    def script(request: Any, n: int) -> Answer | None:
        if "max_tokens" in request:
            return refusal(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return None

    async def run(url: str) -> None:
        model = OpenAI("m", base_url=url)
        await model.answer(a_request(max_tokens=5))
        await model.answer(a_request(max_tokens=5))
        await model.close()

    with FakeModelServer(script) as server:
        asyncio.run(run(server.url))
    assert [received.data.get("max_completion_tokens") for received in server.requests] == [None, 5, 5]
