"""What the JSON interface takes and gives: declared once, read by the routes and shown at /openapi.json."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml

import adjudge
from adjudge.web.message import JSON, Refused, Request, Response, json_response, whole
from adjudge.web.router import PARAM, Route
from adjudge.web.site import Site

#: The parts of addresses.
_PARTS: Mapping[str, Mapping[str, Any]] = {
    "run": {"description": "The id of a run, the start of one, a name, or `latest`.", "schema": {"type": "string"}},
    "judge": {"description": "The name of a judge.", "schema": {"type": "string"}},
    "number": {
        "description": "The place of the item in the dataset, from 1.",
        "schema": {"type": "integer", "minimum": 1},
    },
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """A field of a query or of a body: its schema is what is checked, and what the description says."""

    name: str
    says: str
    type: Literal["string", "integer", "number"] = "string"
    default: Any = None
    required: bool = False
    nullable: bool = False
    least: int | None = None
    most: int | None = None
    one_of: tuple[str, ...] = ()
    #: How often it may be there; the value is then a list.
    times: int = 1

    @property
    def schema(self) -> dict[str, Any]:
        """What the description says of it."""
        own: dict[str, Any] = {"type": [self.type, "null"] if self.nullable else self.type}
        least, most = ("minLength", "maxLength") if self.type == "string" else ("minimum", "maximum")
        own |= {name: bound for name, bound in ((least, self.least), (most, self.most)) if bound is not None}
        own |= {"enum": list(self.one_of)} if self.one_of else {}
        own |= {} if self.default is None else {"default": self.default}
        return own if self.times == 1 else {"type": "array", "items": own, "minItems": 1, "maxItems": self.times}

    def read(self, value: Any) -> Any:
        """A value that fits; Refused says what is wrong with another."""
        if value is None and self.nullable:
            return None
        fits = {"string": str, "integer": int, "number": int | float}[self.type]
        if isinstance(value, float) and self.type == "integer" and value.is_integer():
            value = int(value)
        endless = isinstance(value, float) and not math.isfinite(value)
        if not isinstance(value, fits) or isinstance(value, bool) or endless:
            raise self._wrong(f"is no {self.type}")
        size = len(value) if isinstance(value, str) else value
        if (self.least is not None and size < self.least) or (self.most is not None and size > self.most):
            raise self._wrong("is too short or too long" if isinstance(value, str) else "is too small or too large")
        if self.one_of and value not in self.one_of:
            raise self._wrong(f"is none of {', '.join(self.one_of)}")
        return value

    def parse(self, text: str) -> Any:
        """The value of a text from the query."""
        if self.type != "integer":
            return self.read(text)
        size = whole(text.removeprefix("-"))
        if size is None:
            raise self._wrong("is no integer")
        return self.read(-size if text.startswith("-") else size)

    def _wrong(self, why: str) -> Refused:
        return Refused(400, f"`{self.name}` {why}", hint=self.says)


def asked(request: Request, fields: Sequence[Field]) -> dict[str, Any]:
    """The values of a query, by name; what is not declared is refused, so that a slip of the pen is not passed over."""
    _known(request.query, fields)
    found: dict[str, Any] = {}
    for field in fields:
        given = request.query.get(field.name, [])
        if (field.required and not given) or len(given) > field.times:
            raise Refused(400, f"`{field.name}` is there {len(given)} times", hint=field.says)
        values = [field.parse(one) for one in given]
        found[field.name] = values if field.times > 1 else values[0] if values else field.default
    return found


def sent(request: Request, fields: Sequence[Field]) -> dict[str, Any]:
    """The values of the JSON object that was sent, by name."""
    value = request.json()
    if not isinstance(value, dict):
        raise Refused(400, "the body is no JSON object")
    _known(value, fields)
    if missing := [field.name for field in fields if field.required and field.name not in value]:
        raise Refused(400, f"the body lacks {', '.join(missing)}")
    return {one.name: one.read(value[one.name]) if one.name in value else one.default for one in fields}


def _known(given: Iterable[str], fields: Sequence[Field]) -> None:
    names = [field.name for field in fields]
    if unknown := [name for name in given if name not in names]:
        raise Refused(400, f"there is no field `{unknown[0][:80]}`", hint=f"fields: {', '.join(names) or 'none'}")


def operation(
    gives: str, *, query: Sequence[Field] = (), body: Sequence[Field] = (), parts: Sequence[str] = ()
) -> dict[str, Any]:
    """What the description says of a route that gives one of the schemas; `parts` are the names in its address."""
    parameters = [{"name": name, "in": "path", "required": True, **_PARTS[name]} for name in parts]
    parameters += [
        {"name": one.name, "in": "query", "required": one.required, "description": one.says, "schema": one.schema}
        for one in query
    ]
    found: dict[str, Any] = {"parameters": parameters}
    if body:
        schema = {
            "type": "object",
            "properties": {one.name: {**one.schema, "description": one.says} for one in body},
            "required": [one.name for one in body if one.required],
            "additionalProperties": False,
        }
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    refused = _answer("Error", "Why it was refused.")
    found["responses"] = {"200": _answer(gives, "What was asked for."), "4XX": refused, "503": refused}
    return found


def _answer(schema: str, says: str) -> dict[str, Any]:
    return {"description": says, "content": {JSON: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}}


@cache
def schemas() -> dict[str, Any]:
    """The shapes of all answers."""
    found: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("schemas.yaml").read_text(encoding="utf-8"))
    return found


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """The OpenAPI description of those routes that are of the JSON interface."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if route.operation is not None:
            named = PARAM.sub(r"\1", route.path.removeprefix("/")).replace("/", "_").replace(".", "_")
            about = {"operationId": f"{route.method.lower()}_{named}", "summary": route.says}
            paths.setdefault(route.path, {})[route.method.lower()] = {**about, **route.operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "adjudge", "version": adjudge.__version__, "summary": "Runs, items, judges and labels."},
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Where a token was set."}},
        },
        "security": [{}, {"token": []}],
    }


def described(routes: Sequence[Route]) -> Route:
    """The route of the description of these routes, and of itself."""

    def handler(site: Site, request: Request) -> Response:
        asked(request, ())
        return json_response(document((*routes, own)))

    own = Route(
        method="GET",
        path="/openapi.json",
        handler=handler,
        says="this description",
        operation=operation("Description"),
    )
    return own
