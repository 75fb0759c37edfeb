"""The body of a request is what a plain encoder would write, whatever is kept between calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.records import Request
from adjudge.models.anthropic import Anthropic
from adjudge.models.base import well_formed
from adjudge.models.chat import Chat
from adjudge.models.openai import OpenAI
from tests.fakes.requests import a_request

URL = "http://127.0.0.1:1/v1"
PARTS = st.sampled_from(["\ud83d", "\ude00", "\ud800", '"', "\\", "\\u0041", "\0", "\n", "\x7f", "\u2028", "]}"])
TEXT = st.lists(PARTS | st.text(max_size=4), max_size=6).map("".join)
SCHEMAS = st.dictionaries(TEXT, st.none() | st.integers() | TEXT | st.lists(TEXT, max_size=2), max_size=3)
TEMPERATURES = st.none() | st.floats(0, 2)
ROOMS = st.none() | st.integers(1, 99_999)
HISTORIES = st.lists(st.tuples(TEXT, TEXT), max_size=2)
REFUSED = (frozenset[str](), frozenset({"temperature"}), frozenset({"temperature", "max_tokens"}))
Plain = Callable[[Request, str, dict[str, Any]], dict[str, Any]]


def clean(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {clean(name): clean(child) for name, child in value.items()}
    return [clean(child) for child in value] if isinstance(value, list) else value


def openai_body(request: Request, mode: str, sent: dict[str, Any]) -> dict[str, Any]:
    messages = [{"role": "system", "content": request.prompt.system}, {"role": "user", "content": request.prompt.user}]
    for said, asked in request.history:
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": asked}]
    body = {"model": 'm"ü', "messages": messages, **sent}
    if mode == "schema":
        shape = {"name": "verdict", "strict": True, "schema": dict(request.prompt.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    elif mode == "json":
        body["response_format"] = {"type": "json_object"}
    return body


def anthropic_body(request: Request, mode: str, sent: dict[str, Any]) -> dict[str, Any]:
    messages = [{"role": "user", "content": request.prompt.user}]
    for said, asked in request.history:
        if said.strip():
            messages.append({"role": "assistant", "content": said.rstrip()})
        messages.append({"role": "user", "content": asked})
    block = {"type": "text", "text": request.prompt.system, "cache_control": {"type": "ephemeral"}}
    body = {"model": 'm"ü', "max_tokens": 4096, "system": [block], "messages": messages, **sent}
    if mode == "schema":
        body["tools"] = [{"name": "verdict", "input_schema": dict(request.prompt.schema)}]
        body["tool_choice"] = {"type": "tool", "name": "verdict", "disable_parallel_tool_use": True}
    return body


@cache
def models() -> tuple[tuple[Chat, Plain], ...]:
    return (OpenAI('m"ü', base_url=URL), openai_body), (Anthropic('m"ü', base_url=URL), anthropic_body)


def settings_sent(temperature: float | None, room: int | None, refused: frozenset[str]) -> dict[str, Any]:
    sent: dict[str, Any] = {}
    if temperature is not None and "temperature" not in refused:
        sent["temperature"] = temperature
    if room is not None:
        sent["max_completion_tokens" if "max_tokens" in refused else "max_tokens"] = room
    return sent


@settings(deadline=None)
@given(
    TEXT,
    TEXT,
    SCHEMAS,
    HISTORIES,
    st.sets(TEMPERATURES, min_size=1, max_size=2),
    st.sets(ROOMS, min_size=1, max_size=2),
)
def test_a_body_says_what_a_plain_encoder_would_say(
    system: str,
    user: str,
    schema: dict[str, Any],
    history: list[tuple[str, str]],
    temperatures: set[float | None],
    rooms: set[int | None],
) -> None:
    for (model, plain), refused, temperature, room in product(models(), REFUSED, temperatures, rooms):
        made = a_request(user, history=tuple(history), temperature=temperature, max_tokens=room, schema=schema)
        request = replace(made, prompt=replace(made.prompt, system=system))
        model._habits.refused = refused
        for mode in model.modes:
            expected = clean(plain(request, mode, settings_sent(temperature, room, refused)))
            assert json.loads(model.payload(request, mode)) == expected


def test_a_schema_that_takes_the_place_of_another_in_memory_is_not_taken_for_it() -> None:
    model = OpenAI("places", base_url=URL)
    for number in range(500):
        body = json.loads(model.payload(a_request(schema={"title": str(number)}), "schema"))
        assert body["response_format"]["json_schema"]["schema"] == {"title": str(number)}
    assert len(model._closings) <= 64
