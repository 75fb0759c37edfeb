"""All routes in one table, and the way of a request through it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from importlib.resources import files
from itertools import chain

from adjudge.core.errors import AdjudgeError, StoreError, UserError
from adjudge.report.html import style
from adjudge.store.store import kept_open
from adjudge.web import shell
from adjudge.web.guard import Guard
from adjudge.web.message import Refused, Request, Response, json_response
from adjudge.web.openapi import described
from adjudge.web.pages import compare, data, downloads, figure, item, judges, label, labels, live, run, runs
from adjudge.web.router import Route, Router
from adjudge.web.server import tell_fault
from adjudge.web.site import Site

_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}


def static(site: Site, request: Request) -> Response:
    """One of our own files; the names are those of the folder, and nothing else is a name."""
    name = request.params["name"]
    own = {entry.name: entry for entry in files(__package__).joinpath("static").iterdir()}
    kind = _TYPES.get(name.rpartition(".")[2], "")
    if not kind or name not in (*own, "report.css"):
        raise Refused(404, "there is no such file")
    body = style().encode() if name == "report.css" else own[name].read_bytes()
    # kept by the browser, and asked about each time: another version of adjudge may be there tomorrow
    headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status=304, type=kind, headers=headers)
    return Response(body=body, type=kind, headers=headers)


_STATIC = Route(method="GET", path="/static/{name}", handler=static, says="a file of adjudge's own")


_RUN = (*run.ROUTES, *live.ROUTES, *figure.ROUTES, *item.ROUTES, *downloads.ROUTES, *labels.ROUTES)


def router(site: Site) -> Router:
    """The routes of `adjudge serve`, or of `adjudge label`, where no page shows a verdict before its time."""
    if site.labelling:
        return _described((label.HOME, *label.ROUTES, *labels.LABELLING, *data.LABELLING))
    return _described((*runs.ROUTES, *_RUN, *compare.ROUTES, *judges.ROUTES, *label.ROUTES, *data.ROUTES))


def _described(routes: tuple[Route, ...]) -> Router:
    return Router(routes=(*routes, described(routes), _STATIC))


def answer(routes: Router, site: Site, guard: Guard, request: Request) -> Response:
    """The answer to a request, whatever it is: content is hostile, and so may be the one who asks."""
    try:
        entered = guard.check(request)
        with kept_open():
            return entered or _begun(routes.answer(site, request))
    except Refused as error:
        return _refusal(site, request, error)
    except UserError as error:
        return _refusal(site, request, Refused(400, error.what, hint=error.hint or ""))
    except StoreError as error:
        what, _, hint = str(error).partition("\n  hint: ")
        return _refusal(site, request, Refused(503, what, hint=hint))
    except AdjudgeError as error:
        return _refusal(site, request, Refused(409, str(error)))
    except (ConnectionError, TimeoutError):
        raise  # the client has gone
    except Exception:
        tell_fault()
        return _refusal(site, request, Refused(500, "a fault of adjudge's own", hint="what was stored is safe"))


def _begun(response: Response) -> Response:
    """The response with the first of its pieces made: what goes wrong there can still be said."""
    if isinstance(response.body, str | bytes):
        return response
    pieces = iter(response.body)
    return replace(response, body=chain([next(pieces, "")], pieces))


def _refusal(site: Site, request: Request, error: Refused) -> Response:
    if request.path.startswith("/api/") or request.path == "/openapi.json":
        said = {"error": {"message": error.what, "hint": error.hint or None}}
        return json_response(said, error.status, error.headers)
    return replace(shell.refused(site, request, error), headers=error.headers)
