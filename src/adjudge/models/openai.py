"""`openai:NAME`: the OpenAI-compatible chat protocol, which nearly every provider and local server speaks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.core.errors import Refused, ServerFailed
from adjudge.core.records import Reply, Request
from adjudge.models import odds
from adjudge.models.base import finish_of, read_key
from adjudge.models.chat import Chat, Places, count
from adjudge.models.http import Wire, check_base_url

DEFAULT_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"


class OpenAI(Chat):
    """A model behind {base_url}/chat/completions."""

    modes = ("schema", "json", "text")
    format_words = re.compile(r"response_format|json_schema|json_object|structured.?output|guided|grammar", re.I)

    def __init__(
        self, name: str, *, base_url: str | None = None, api_key_env: str | None = None, timeout_s: float | None = None
    ) -> None:
        base = check_base_url(base_url or DEFAULT_URL).removesuffix("/chat/completions")
        variable = api_key_env or KEY_VARIABLE
        wire = Wire(
            f"{base}/chat/completions",
            key=read_key(variable, named=api_key_env is not None, needed=base == DEFAULT_URL),
            key_from=variable,
            key_header=("authorization", "Bearer "),
            headers={},
            timeout_s=timeout_s,
        )
        super().__init__(name, wire, base)

    def opening(self, system: str) -> dict[str, Any]:
        return {"messages": [{"role": "system", "content": system}]}

    def closing(self, request: Request, mode: str) -> dict[str, Any]:
        body = {"model": self.name, **self.settings(request)}
        if request.prompt.odds:
            return body | odds.wanted(self.top_words)
        if self.wants_places(request):
            body |= odds.points_wanted(request, self.top_words)
        if mode == "schema":
            strict = {"name": "verdict", "strict": True, "schema": request.prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": strict}
        elif mode == "json":
            body["response_format"] = {"type": "json_object"}
        return body

    def read(self, data: Mapping[str, Any], *, mode: str = "text", seconds: float = 0.0) -> Reply:
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise ServerFailed(self.told("answered without a choice"))
        text = _text(message.get("content")) or _arguments(message)
        finish = finish_of(choice.get("finish_reason"))
        refusal = message.get("refusal")
        told = refusal if isinstance(refusal, str) else ""
        if not text and (told or finish == "refusal"):
            raise Refused(self.told(f"refused: {told or '(no reason given)'}"))
        return self.reply(data, text, finish, mode=mode, seconds=seconds, odds=odds.first_odds(choice))

    def joined(self, events: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """One answer made of the pieces of a stream, where all are of one answer and its end is among them."""
        said, finish, usage = list[str](), None, None
        for event in events:
            if event.get("error"):
                return dict(event)
            usage = event.get("usage") or usage
            if event.get("choices") == []:  # what it cost, or what a filter thinks of the prompt
                continue
            delta = _delta(event)
            if delta is None or finish or event.get("id") != events[0].get("id"):
                return super().joined(events)
            said.append(_text(delta.get("content")))
            finish = event["choices"][0].get("finish_reason")
        if not finish:
            return None
        return {"choices": [{"message": {"content": "".join(said)}, "finish_reason": finish}], "usage": usage}

    def places(self, data: Mapping[str, Any], text: str) -> Places:
        return odds.digit_places(data["choices"][0], text)

    def tokens(self, data: Mapping[str, Any]) -> tuple[int | None, int | None]:
        usage = data.get("usage")
        if not isinstance(usage, dict):
            return None, None
        return count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))


def _text(content: object) -> str:
    """The content as text: a string, or the text parts of a list. A model's reasoning is not its verdict."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _delta(event: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a piece of a stream adds to the text, or None where it adds anything else."""
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    delta = choice.get("delta") if isinstance(choice, dict) else None
    if not isinstance(delta, dict) or any(delta.get(name) for name in ("tool_calls", "function_call", "refusal")):
        return None
    return delta


def _arguments(message: Mapping[str, Any]) -> str:
    """What a server that turns structured output into a function call put in its arguments."""
    calls = message.get("tool_calls")
    called = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    for function in (*called, message.get("function_call")):
        if isinstance(function, dict) and isinstance(function.get("arguments"), str):
            return str(function["arguments"])
    return ""
