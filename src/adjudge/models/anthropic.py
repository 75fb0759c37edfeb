"""`anthropic:NAME`: the Anthropic messages protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.core.errors import Refused, ServerFailed
from adjudge.core.records import Reply, Request
from adjudge.models.base import finish_of, read_key
from adjudge.models.chat import Chat, count
from adjudge.models.http import Wire, check_base_url

DEFAULT_URL = "https://api.anthropic.com"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
_MAX_TOKENS = 4096  # the protocol requires a number
_TOKENS_IN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Anthropic(Chat):
    """A model behind {base_url}/v1/messages."""

    modes = ("schema", "text")
    format_words = re.compile(r"\btools?\b|tool_choice|input_schema|tool_use", re.I)

    def __init__(
        self, name: str, *, base_url: str | None = None, api_key_env: str | None = None, timeout_s: float | None = None
    ) -> None:
        base = check_base_url(base_url or DEFAULT_URL).removesuffix("/messages").removesuffix("/v1")
        variable = api_key_env or KEY_VARIABLE
        wire = Wire(
            f"{base}/v1/messages",
            key=read_key(variable, named=api_key_env is not None, needed=base == DEFAULT_URL),
            key_from=variable,
            key_header=("x-api-key", ""),
            headers={"anthropic-version": "2023-06-01"},
            timeout_s=timeout_s,
        )
        super().__init__(name, wire, base)

    def opening(self, system: str) -> dict[str, Any]:
        # The stable part is marked for the provider's prefix cache.
        block = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
        return {"system": [block], "messages": []}

    def closing(self, request: Request, mode: str) -> dict[str, Any]:
        body = {"model": self.name, **self.settings(request)}
        if mode == "schema":
            body["tools"] = [{"name": "verdict", "input_schema": request.prompt.schema}]
            body["tool_choice"] = {"type": "tool", "name": "verdict", "disable_parallel_tool_use": True}
        return body

    def settings(self, request: Request) -> dict[str, Any]:
        return {"max_tokens": _MAX_TOKENS, **super().settings(request)}

    def turns(self, request: Request) -> Iterator[tuple[str, str]]:
        for role, text in super().turns(request):
            # The protocol refuses an empty turn; two turns of the user in a row it takes as one.
            if role == "user":
                yield role, text
            elif text.strip():
                yield role, text.rstrip()

    def read(self, data: Mapping[str, Any], *, mode: str = "text", seconds: float = 0.0) -> Reply:
        content = data.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else None
        finish = finish_of(data.get("stop_reason"))
        if blocks is None or not (blocks or data.get("stop_reason")):
            raise ServerFailed(self.told("answered without content"))
        inputs = [block.get("input") for block in blocks if block.get("type") == "tool_use"]
        texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
        try:
            text = "\n".join(json.dumps(found, ensure_ascii=False) for found in inputs) or "".join(texts)
        except RecursionError:
            raise ServerFailed(self.told("answered with an object nested too deep to read")) from None
        if inputs and finish != "stop":
            text = text[:-1]  # the server may have closed what the model did not: it is read as what was cut off
        if finish == "refusal":
            raise Refused(self.told(f"refused: {text or '(no reason given)'}"))
        return self.reply(data, text, finish, mode=mode, seconds=seconds)

    def tokens(self, data: Mapping[str, Any]) -> tuple[int | None, int | None]:
        usage = data.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        read_in = [number for name in _TOKENS_IN if (number := count(usage.get(name))) is not None]
        return sum(read_in) if read_in else None, count(usage.get("output_tokens"))
