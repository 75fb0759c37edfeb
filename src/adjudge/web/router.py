"""Which address is served by what: the one table that pages, checks and the OpenAPI description read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from adjudge.web.message import Refused, Request, Response
from adjudge.web.site import Site

Handler: TypeAlias = Callable[[Site, Request], Response]
PARAM = re.compile(r"\{(\w+)\}")
#: What pages and programs send. Who sends nothing says so with one of these, too.
TYPES = frozenset(
    {"application/x-www-form-urlencoded", "multipart/form-data", "application/json", "application/jsonl", "text/csv"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """A method and an address such as `/runs/{run}/items/{number}`, and who answers.

    `says` is one line of what it is; routes of the JSON interface have an `operation`: what the OpenAPI description
    says of it (parameters, requestBody, responses). `body` is how many bytes may be sent.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    says: str
    operation: Mapping[str, Any] | None = None
    body: int = 0
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        spelled = "".join(
            f"(?P<{part}>[^/]+)" if place % 2 else re.escape(part) for place, part in enumerate(PARAM.split(self.path))
        )
        object.__setattr__(self, "pattern", re.compile(spelled))


@dataclass(frozen=True, kw_only=True, slots=True)
class Router:
    """All routes of a server."""

    routes: Sequence[Route]

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """The route of an address and the parts that it names; HEAD is a GET without its body."""
        wanted, others = "GET" if method == "HEAD" else method, set[str]()
        for route in self.routes:
            if found := route.pattern.fullmatch(path):
                if route.method == wanted:
                    return route, {name: unquote(value, errors="replace") for name, value in found.groupdict().items()}
                others |= {"GET", "HEAD"} if route.method == "GET" else {route.method}
        if not others:
            raise Refused(404, "there is no such page")
        takes = ", ".join(sorted(others))
        raise Refused(405, "this cannot be done here", hint=f"the address takes {takes}", headers={"Allow": takes})

    def answer(self, site: Site, request: Request) -> Response:
        """What the page of this request says; the body is read when it is known who may send how much."""
        route, params = self.find(request.method, request.path)
        if route.method == "POST" and request.headers.get("content-type", "").partition(";")[0].lower() not in TYPES:
            raise Refused(415, "what is sent must say what it is", hint=f"Content-Type: {', '.join(sorted(TYPES))}")
        return route.handler(site, replace(request, params=params, body=request.receive(route.body)))
