"""All routes in one table, and the way of a request through it."""

from __future__ import annotations

from importlib.resources import files

from adjudge.core.errors import AdjudgeError, UserError
from adjudge.report.html import style
from adjudge.web import shell
from adjudge.web.guard import Guard
from adjudge.web.message import Refused, Request, Response, json_response
from adjudge.web.pages import judges, runs
from adjudge.web.router import Route, Router
from adjudge.web.site import Site

_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}


def static(site: Site, request: Request) -> Response:
    """One of our own files; the names are those of the folder, and nothing else is a name."""
    name = request.params["name"]
    kind = _TYPES.get(name.rpartition(".")[2], "")
    headers = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
    if name == "report.css":
        return Response(body=style(), type=kind, headers=headers)
    own = {entry.name: entry for entry in files(__package__).joinpath("static").iterdir()}
    if name not in own or not kind:
        raise Refused(404, "there is no such file")
    return Response(body=own[name].read_bytes(), type=kind, headers=headers)


_STATIC = Route(method="GET", path="/static/{name}", handler=static, says="a file of adjudge's own")


def router(site: Site) -> Router:
    """The routes of `adjudge serve`, or of `adjudge label`, where no page shows a verdict before its time."""
    return Router(routes=(*runs.ROUTES, *judges.ROUTES, _STATIC))


def answer(routes: Router, site: Site, guard: Guard, request: Request) -> Response:
    """The answer to a request, whatever it is: content is hostile, and so may be the one who asks."""
    try:
        guard.check(request)
        return routes.answer(site, request)
    except Refused as error:
        return _refusal(site, request, error)
    except UserError as error:
        return _refusal(site, request, Refused(400, error.what, hint=error.hint or ""))
    except AdjudgeError as error:
        return _refusal(site, request, Refused(409, str(error)))


def _refusal(site: Site, request: Request, error: Refused) -> Response:
    if request.path.startswith("/api/"):
        return json_response({"error": {"message": error.what, "hint": error.hint or None}}, error.status)
    return shell.refused(site, request, error)
