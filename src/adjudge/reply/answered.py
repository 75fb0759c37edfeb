"""The reply of a candidate that was asked: its answer, and what it retrieved for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudge.core import limits
from adjudge.core.errors import Empty, Malformed, TooLarge, Truncated
from adjudge.core.records import Reply
from adjudge.reply.extract import extract, strict


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """What a candidate says; `retrieved` is None where it does not say what it rests on."""

    text: str
    retrieved: tuple[dict[str, Any], ...] | None = None


def read_answered(reply: Reply, *, program: bool) -> tuple[Answered, str]:
    """The answer in a reply and how it was read.

    A model's is its text without its reasoning; a program may answer in plain text or with a JSON object that has
    `answer` and, if it likes, `retrieved`.
    """
    if reply.finish == "refusal":
        raise Empty("the model refused in the middle of its answer")
    if reply.finish != "stop":
        raise Truncated("the answer was cut off")
    found, step = _stated(reply.text) if program else (Answered(text=_spoken(reply.text)), "text")
    if not found.text.strip():
        raise Empty("the answer is empty")
    if len(found.text) > limits.ANSWER_CHARS:
        raise TooLarge(f"the answer has {len(found.text):,} characters, more than {limits.ANSWER_CHARS:,}")
    return found, step


def _spoken(text: str) -> str:
    found = extract(text)
    if found.reasoning:
        raise Truncated("the reasoning never ends, and there is no answer after it")
    return text[found.final_from :].strip()


def _stated(text: str) -> tuple[Answered, str]:
    try:
        value = strict(text) if text.lstrip().startswith("{") else None
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return Answered(text=text.strip()), "text"
    answer = value.get("answer")
    if not isinstance(answer, str):
        raise Malformed("the JSON object has no text under `answer`")
    retrieved = value.get("retrieved")
    return Answered(text=answer.strip(), retrieved=None if retrieved is None else _passages(retrieved)), "strict"


def _passages(value: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(value, list):
        raise Malformed("`retrieved` is not a list of texts or of {id, text}")
    found = []
    for passage in value:
        one = {"text": passage} if isinstance(passage, str) else passage
        if not isinstance(one, dict) or not isinstance(one.get("text"), str):
            raise Malformed("`retrieved` is not a list of texts or of {id, text}")
        own = one.get("id")
        named = isinstance(own, (str, int)) and not isinstance(own, bool) and 0 < len(str(own)) <= limits.NAME_CHARS
        found.append({"id": str(own), "text": one["text"]} if named else {"text": one["text"]})
    return tuple(found)
