"""Requests to ask a model with, where what is asked does not matter."""

from __future__ import annotations

from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Call, Prompt, Request, Settings

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}, "why": {"type": "string"}},
    "required": ["score", "why"],
    "additionalProperties": False,
}
JUDGE = Judge(
    name="any",
    lang="en",
    langs=("en",),
    layout="single",
    title="",
    fields=(),
    criteria=(),
    derived=(),
    output={},
    instructions="",
    item="",
)


def a_request(
    user: str = "Judge this.",
    *,
    key: str = "k1",
    content: str = "",
    history: tuple[tuple[str, str], ...] = (),
    temperature: float | None = 0.0,
    max_tokens: int | None = None,
    schema: Any = SCHEMA,
    odds: bool = False,
) -> Request:
    return Request(
        call=Call(key=key, content=content, stage="judge", items=("1",)),
        prompt=Prompt(system="You judge. Answer in JSON.", user=user, schema={} if odds else schema, odds=odds),
        judge=JUDGE,
        items=(),
        settings=Settings(model="any", temperature=temperature, max_tokens=max_tokens),
        history=history,
    )
