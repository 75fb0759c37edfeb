"""A request as pages see it, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from adjudge.core.errors import UserError

HTML = "text/html; charset=utf-8"
JSON = "application/json"


class Refused(UserError):
    """A request that cannot be served: `status` says why to programs, the message to people."""

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request: `params` are the parts of the path that the route names, `headers` have names in lower case."""

    method: str
    path: str
    query: Mapping[str, list[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    params: Mapping[str, str] = field(default_factory=dict)

    def asked(self, name: str, default: str = "") -> str:
        """The last value of a name in the query."""
        return self.query.get(name, [default])[-1]

    def form(self) -> dict[str, str]:
        """The fields of a form that was sent."""
        try:
            fields = parse_qs(self.body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(self.body))
        except ValueError:
            raise Refused(400, "the form cannot be read") from None
        return {name: values[-1] for name, values in fields.items()}

    def json(self) -> Any:
        """The JSON value that was sent."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise Refused(400, "the body is not JSON") from None

    @property
    def fragment(self) -> bool:
        """Whether only a part of a page is wanted, by htmx."""
        return self.headers.get("hx-request") == "true"


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """One answer; a body in pieces is sent as it is made."""

    body: str | bytes | Iterable[str] = ""
    status: int = 200
    type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)


def json_response(value: Any, status: int = 200) -> Response:
    """A value as JSON; what hostile text may hold is escaped, so that any reader can read it."""
    return Response(body=json.dumps(value, allow_nan=False) + "\n", status=status, type=JSON)


def see_other(address: str) -> Response:
    """Go on at another page of this server."""
    return Response(status=303, headers={"Location": address})
