"""What every fault of an answer must end in. The expectations are those of docs/models.md and docs/results.md."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from adjudge.core import limits
from tests.fakes.faulty import Fault, good
from tests.fakes.server import Answer, refusal

#: Kinds that are found when a reply is read; all others when the model is asked (docs/results.md).
READ = {"truncated", "too_large", "no_verdict"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """`kind`, `attempts`: of the failure when the fault lasts. `passes`: one fault is survived by asking again."""

    fault: Fault
    kind: str
    attempts: int
    passes: bool
    says: str
    #: Requests for one attempt while the server has not yet taken any form of the question.
    forms: int = 1
    #: A connection that was used before and ends without a byte may have been closed while it was idle: then the
    #: request goes out once more over a new one, within the same attempt.
    resent: bool = False


def _plain(answer: Answer) -> Fault:
    return lambda request: answer


def _lasting(kind: str, answer: Answer | Fault, says: str, *, attempts: int = limits.TRANSPORT_ATTEMPTS) -> Row:
    """Worth trying again: one fault costs a pause and nothing else."""
    fault = _plain(answer) if isinstance(answer, Answer) else answer
    return Row(fault=fault, kind=kind, attempts=attempts, passes=True, says=says)


def _final(kind: str, answer: Answer, says: str, *, forms: int = 1) -> Row:
    """Trying again would give the same: the item fails at once."""
    return Row(fault=_plain(answer), kind=kind, attempts=1, passes=False, says=says, forms=forms)


def _limited(retry_after: str | None) -> Row:
    headers = {} if retry_after is None else {"retry-after": retry_after}
    answer = Answer(status=429, headers=headers, data={"error": {"message": "slow down"}})
    return _lasting("rate_limited", answer, "answered 429: slow down")


def _chat(**choice: object) -> Answer:
    return Answer(data={"choices": [{"index": 0, **choice}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})


def _twice(text: str) -> bytes:
    first, second = ([{"message": {"content": said}, "finish_reason": "stop"}] for said in ("no", text))
    return f'{{"choices": {json.dumps(first)}, "choices": {json.dumps(second)}}}'.encode()


_HUGE = {"body": b" " * 1_000_000, "repeat_to_bytes": 100_000_000}
_TIME_OUTS = limits.TIME_OUT_ATTEMPTS
#: --max-tokens 8192: asked again with 16384, and once more, to be brief.
ROOM, _TRUNCATED = 8_192, 3

TABLE: dict[str, Row] = {
    # --- the line breaks
    "read time-out": _lasting("timed_out", Answer(stuck="silent"), "no whole answer", attempts=_TIME_OUTS),
    "slow drip": _lasting("timed_out", Answer(stuck="dripping"), "no whole answer", attempts=_TIME_OUTS),
    "reset before the answer": replace(_lasting("unreachable", Answer(cut="before"), "127.0.0.1"), resent=True),
    "reset mid-body": _lasting("unreachable", lambda request: Answer(text=good(request), cut="middle"), "127.0.0.1"),
    "closed mid-body": _lasting("unreachable", lambda request: Answer(text=good(request), cut="close"), "127.0.0.1"),
    # --- the server refuses
    "400": _final("bad_request", refusal(400, "no"), "answered 400: no", forms=3),
    "401": _final("not_authorised", refusal(401, "who?"), "answered 401: who?"),
    "403": _final("not_authorised", refusal(403, "not you"), "answered 403: not you"),
    "404": _final("not_found", refusal(404, "no such model"), "answered 404: no such model"),
    "408": _lasting("server_failed", refusal(408, "too slow"), "answered 408: too slow"),
    "413": _final("context_too_long", refusal(413, "too big"), "answered 413: too big"),
    "429": _limited(None),
    "429 with Retry-After": _limited("0.03"),
    "429, Retry-After 1e9": _limited("1e9"),
    "429, Retry-After negative": _limited("-30"),
    "429, Retry-After garbage": _limited("in a minute or so"),
    "429, Retry-After in the year 9999": _limited("Fri, 31 Dec 9999 23:59:59 GMT"),
    # --- the server fails
    "500": _lasting("server_failed", refusal(500, "oops"), "answered 500: oops"),
    "502": _lasting("server_failed", Answer(status=502, body=b"<h1>Bad gateway</h1>"), "answered 502: <h1>Bad gateway"),
    "503": _lasting("server_failed", Answer(status=503, body=b""), "answered 503: (nothing)"),
    "529": _lasting("server_failed", refusal(529, "overloaded"), "answered 529: overloaded"),
    "500 with 100 MB": _lasting("server_failed", Answer(status=500, **_HUGE), "answered 500"),  # type: ignore[arg-type]
    # --- an answer that is none
    "HTML with 200": _lasting("server_failed", Answer(body=b"<!doctype html><p>Sign in"), "did not answer in JSON"),
    "invalid JSON with 200": _lasting(
        "server_failed", Answer(body=b'{"choices": [{'), "did not answer in JSON", attempts=limits.PAID_ATTEMPTS
    ),
    "an answer that says two things": _lasting(
        "server_failed", lambda request: Answer(body=_twice(good(request))), "`choices` has two values",
        attempts=limits.PAID_ATTEMPTS,
    ),
    "empty choices": _lasting(
        "server_failed", Answer(data={"choices": []}), "answered without a choice", attempts=limits.PAID_ATTEMPTS
    ),
    # --- an answer that can't be used
    "cut off by length": Row(
        fault=lambda request: Answer(text=good(request)[:40], finish="length"),
        kind="truncated",
        attempts=_TRUNCATED,
        passes=True,
        says="cut off",
    ),
    "refusal": _final(
        "refused", _chat(finish_reason="stop", message={"content": None, "refusal": "I can't judge that."}),
        "refused: I can't judge that.",
    ),
    "stopped by a filter": _final("refused", _chat(finish_reason="content_filter", message={"content": ""}), "refused"),
    "100 MB body": _final("too_large", Answer(**_HUGE), "more than 16000000 bytes"),  # type: ignore[arg-type]
}  # fmt: skip


def echoing(key: str) -> dict[str, Row]:
    """Servers that repeat the key, or a telling piece of it, wherever they say anything at all."""
    piece, told = key[len(key) // 3 :], f"the key {key} (that is {key[:-6]}…) is wrong"
    reply = {"message": {"content": f"I was called with {key}. I will not judge."}, "finish_reason": "stop"}
    return {
        "401 that repeats the key": _final("not_authorised", refusal(401, told), "answered 401"),
        "403 that repeats a piece": _final("not_authorised", refusal(403, f"key …{piece}"), "answered 403"),
        "400 in HTML with the key": _final("bad_request", Answer(status=400, body=told.encode()), "400", forms=3),
        "500 that repeats the key": _lasting("server_failed", Answer(status=500, body=told.encode()), "answered 500"),
        "429 with the key as Retry-After": _limited(key),
        "HTML with the key": _lasting("server_failed", Answer(body=f"<p>{told}".encode()), "did not answer in JSON"),
        "broken JSON with the key": _lasting(
            "server_failed", Answer(body=f'{{"choices": "{told}'.encode()), "JSON", attempts=limits.PAID_ATTEMPTS
        ),
        "a header that holds the key": _lasting(
            "server_failed", Answer(status=500, headers={"x-key": key, "set-cookie": f"k={key}"}, body=b""), "500"
        ),
        "a redirect with the key": _final(
            "bad_request", Answer(status=302, headers={"location": f"/?key={key}"}, body=b""), "answered 302"
        ),
        "not HTTP, with the key": _lasting("server_failed", Answer(text="", headers={"content-length": key}), "HTTP"),
        "a refusal that repeats the key": _final(
            "refused", _chat(finish_reason="stop", message={"content": "", "refusal": told}), "refused"
        ),
        "a reply that repeats the key": Row(
            fault=_plain(_chat(**reply)), kind="no_verdict", attempts=2, passes=True, says="verdict"
        ),
        "an error sent as success": _lasting(
            "server_failed", Answer(data=json.loads(json.dumps({"error": {"message": told, "code": 503}}))), "503"
        ),
    }
