"""What a server's refusal means: HTTP status and body → the error the engine acts on."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from adjudge.core import limits
from adjudge.core.counted import duration
from adjudge.core.errors import (
    BadRequest,
    ContextTooLong,
    ModelError,
    NotAuthorised,
    NotFound,
    RateLimited,
    ServerFailed,
)
from adjudge.models.base import Secret

# The words of OpenAI, Anthropic, vLLM, llama.cpp, Mistral, Gemini and Cohere for the same thing.
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|(context|prompt|input|message).{0,40}too (long|large|many tokens)"
    r"|(maximum|available|exceed\w{0,3}).{0,30}context|context (length|window|size).{0,40}exceed"
    r"|too many (input )?tokens|exceeds? the maximum number of tokens",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_error|credit balance|insufficient (balance|credits|funds)", re.IGNORECASE
)
#: Some servers send an error with status 200; its type says what the status should have been.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
#: What stands before JSON where something on the way has put it there: signs that no text begins with, bytes that are
#: no text, and what keeps a browser from running the answer as a script.
_JUNK = re.compile(r"(?:[\s\x00-\x1f\x7f-\xa0\u200b\ufeff\ufffd]++|\)\]\}',?|(?:for|while)\s*\((?:;;|1|true)\)\s*;)*+")
_PAGE = re.compile(r"<(?:!doctype|!--|\?xml|html|head|body|title|script|p|h1|center)\b", re.IGNORECASE)
#: How a stream of events begins, and how many pieces of an answer are put together.
_EVENTS_MOST = 4 * limits.ROOM_TOKENS
_EVENTS = ("data:", "event:", "id:", "retry:", ": ")


class Headers(Mapping[str, str]):
    """Header fields under their names in lower case, taken apart when first looked at; repeated ones are joined."""

    __slots__ = ("_block", "_fields")

    def __init__(self, block: bytes) -> None:
        self._block, self._fields = block, dict[str, str]()

    def may_name(self, word: str) -> bool:
        """Whether a header's name could hold the word: a look at the bytes, since most answers hold no such header."""
        return word.encode() in self._block.lower()

    def __getitem__(self, name: str) -> str:
        return self._read()[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def _read(self) -> dict[str, str]:
        if not self._fields and self._block:
            for line in self._block.decode("latin-1").removesuffix("\r\n").split("\r\n"):
                name, _, value = line.partition(":")
                name, value = name.lower(), value.strip(" \t")
                self._fields[name] = f"{self._fields[name]}, {value}" if name in self._fields else value
        return self._fields


class Twice(Exception):
    """An object has two values under one name. The words quote the server."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names all have one value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, value in pairs:
            if value != found[name]:
                raise Twice(f"`{name[:40]}` has two values")
    return found


_ENVELOPE = json.JSONDecoder(strict=False, object_pairs_hook=_once)


def _decoded(body: bytes) -> str:
    return body.decode(json.detect_encoding(body), "replace").removeprefix("\ufeff")


def _parsed(text: str) -> Any:
    try:
        # The traps of json: deep nesting, whole numbers of 5,000 digits (a ValueError), control characters.
        return _ENVELOPE.decode(text)
    except (ValueError, RecursionError):
        return None


def _bare(text: str) -> str:
    """The text without what was put before it."""
    found = _JUNK.match(text)
    return text[found.end() :] if found else text


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a server sent back, before anyone trusts it."""

    status: int
    body: bytes = field(repr=False)
    headers: Mapping[str, str]
    seconds: float = 0.0

    @property
    def text(self) -> str:
        return self.body[: limits.ERROR_BODY_BYTES].decode("utf-8", "replace")

    @property
    def whole_text(self) -> str:
        """All of it; a good answer is no longer than `limits.RESPONSE_BYTES`."""
        return self.body.decode("utf-8", "replace")

    @property
    def told_nothing(self) -> bool:
        """Whether there is no model's answer in it for sure: it is empty, or a page for people."""
        begun = _bare(self.text)
        if not begun or _PAGE.match(begun):
            return True
        return not begun.startswith(("{", "[")) and "text/html" in self.headers.get("content-type", "").lower()

    @property
    def streams(self) -> bool:
        """Whether it came as a stream of events."""
        return _bare(self.text).startswith(_EVENTS)

    def headers_with(self, word: str) -> dict[str, str]:
        """The headers whose name holds a word, such as `ratelimit`; where there are none, none is taken apart."""
        if isinstance(self.headers, Headers) and not self.headers.may_name(word):
            return {}
        return {name: value for name, value in self.headers.items() if word in name.lower()}

    def data(self) -> dict[str, Any] | None:
        """The JSON object of the body, or None where there is none; bytes that are no text are replaced.

        What something on the way has put before the object or around it is dropped. Raises Twice where the object
        says two things under one name: which of them is meant, nobody knows.
        """
        found = _parsed(_decoded(self.body))
        if found is None:
            found = _parsed(_bare(self.whole_text))
        if isinstance(found, list) and len(found) == 1:
            found = found[0]
        return found if isinstance(found, dict) else None

    def events(self) -> list[dict[str, Any]] | None:
        """The objects of a stream of events that came to its end, or None where it is none."""
        if not self.streams:
            return None
        told = [line[5:].strip() for line in _bare(self.whole_text).split("\n") if line.startswith("data:")]
        if told[-1:] == ["[DONE]"]:
            told.pop()
        if len(told) > _EVENTS_MOST:
            return None
        found = [_parsed(one) for one in told]
        return found if found and all(isinstance(one, dict) for one in found) else None


def fault(answer: Answer, *, host: str, key: Secret | None, key_from: str) -> ModelError:
    """The error that an answer other than success stands for."""
    status, text = answer.status, answer.text
    message = f"{host} answered {status}: {said(answer, key)}"
    no_credit = status == 402 or (status in (400, 403, 429) and _NO_CREDIT.search(text) is not None)
    if status in (401, 403) or no_credit:
        refused = NotAuthorised(f"{message} ({'the key is in' if key else 'no key is set in'} {key_from})")
        refused.no_credit = no_credit
        return refused
    if status == 413 or (status in (400, 404, 422) and _TOO_LONG.search(text)):
        return ContextTooLong(message)
    if status in (408, 429) or status >= 500:
        wait_s = retry_after_s(answer.headers, now=time.time())
        if wait_s is not None and wait_s > limits.RETRY_AFTER_CAP_S:
            wait_s, message = limits.RETRY_AFTER_CAP_S, f"{message}; it asks to wait {duration(wait_s)}"
        return (RateLimited if status == 429 else ServerFailed)(message, retry_after_s=wait_s)
    if 300 <= status < 400:
        return BadRequest(f"{host} answered {status}, a redirect, which is not followed; give its target as --base-url")
    return (NotFound if status in (404, 405, 410) else BadRequest)(message)


def error_within(data: Mapping[str, Any]) -> int | None:
    """The status that an error object sent with status 200 should have had."""
    error = data.get("error")
    if not error:
        return None
    told = error if isinstance(error, dict) else {"message": error}
    codes = (told.get("code"), told.get("status"), data.get("code"))
    if any(isinstance(word, str) and _NO_CREDIT.fullmatch(word) for word in (*codes, told.get("type"))):
        return 402
    for code in codes:
        if isinstance(code, int) and 400 <= code < 600:
            return code
    status = _STATUS_OF_TYPE.get(str(told.get("type")))
    return status or (402 if _NO_CREDIT.search(str(told.get("message"))) else 502)


def said(answer: Answer, key: Secret | None) -> str:
    """A short excerpt of what the server said, safe to show: no control characters, no key."""
    try:
        data = answer.data() or {}
    except Twice:
        data = {}
    error = data.get("error", data)
    told = error.get("message", error.get("detail")) if isinstance(error, dict) else error
    return excerpt(told if isinstance(told, str) else answer.text, key) or "(nothing)"


def excerpt(text: str, key: Secret | None) -> str:
    """One line of at most `limits.EXCERPT_CHARS` printable characters, without the key."""
    # Spaces take the place of what is removed, so that no piece of a key is joined to another.
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 10 * limits.EXCERPT_CHARS]).split())
    line = key.hidden_in_message(line) if key else line
    return line if len(line) <= limits.EXCERPT_CHARS else line[: limits.EXCERPT_CHARS - 1] + "…"


def retry_after_s(headers: Mapping[str, str], *, now: float) -> float | None:
    """How long the server asks us to wait."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            wait_s = float(value) * unit_s
        except ValueError:
            wait_s = _until(value, now)
        if not math.isnan(wait_s) and wait_s >= 0:
            return wait_s
    return None


def _until(date: str, now: float) -> float:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return math.nan
