"""A request as pages see it, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from adjudge.core.errors import UserError
from adjudge.core.limits import WEB_FIELDS

HTML = "text/html; charset=utf-8"
JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
#: Of every answer, whatever it is. No inline script or style, nothing from elsewhere, no frame around us. The referrer
#: policy must not be stricter: without a referrer browsers send forms with `Origin: null`.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Refused(UserError):
    """A request that cannot be served: `status` says why to programs, the message to people."""

    def __init__(self, status: int, message: str, *, hint: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status, self.headers = status, headers or {}


def nothing(most: int) -> bytes:
    """The body of a request that has none."""
    return b""


def whole(text: str) -> int | None:
    """A whole number as addresses have it; None where the text is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request: `params` are the parts of the path that the route names, `headers` have names in lower case.

    `port` is the one that it came to. `receive` reads the body, of so many bytes at most; that is done when the request
    was let in and its route is known, and pages find it in `body`.
    """

    method: str
    path: str
    query: Mapping[str, list[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    params: Mapping[str, str] = field(default_factory=dict)
    port: int = 0
    receive: Callable[[int], bytes] = field(default=nothing, repr=False, compare=False)

    def asked(self, name: str, default: str = "") -> str:
        """The last value of a name in the query."""
        return self.query.get(name, [default])[-1]

    def form(self) -> dict[str, str]:
        """The fields of a form that was sent."""
        return {name: values[-1] for name, values in fields_of(self.body.decode("utf-8", "replace")).items()}

    def json(self) -> Any:
        """The JSON value that was sent."""
        try:
            return json.loads(self.body, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise Refused(400, "the body is not JSON") from None

    @property
    def fragment(self) -> bool:
        """Whether only a part of a page is wanted, by htmx."""
        return self.headers.get("hx-request") == "true"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def fields_of(text: str) -> dict[str, list[str]]:
    """The fields of a query or of a form, in the order of their values."""
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=WEB_FIELDS)
    except ValueError:
        raise Refused(400, f"there are more than {WEB_FIELDS} fields") from None


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """One answer, sent with HEADERS unless its own say otherwise; a body in pieces is sent as it is made."""

    body: str | bytes | Iterable[str | bytes] = ""
    status: int = 200
    type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON; what hostile text may hold is escaped, so that any reader can read it."""
    return Response(body=json.dumps(value, allow_nan=False) + "\n", status=status, type=JSON, headers=headers or {})


def see_other(address: str) -> Response:
    """Go on at another page of this server."""
    return Response(status=303, headers={"Location": address})
