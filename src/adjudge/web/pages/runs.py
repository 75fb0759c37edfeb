"""The runs of the store."""

from __future__ import annotations

from adjudge.api.stored import list_runs
from adjudge.report.element import element
from adjudge.web.message import Request, Response
from adjudge.web.router import Route
from adjudge.web.shell import page
from adjudge.web.site import Site


def listed(site: Site, request: Request) -> Response:
    """All runs, the newest first."""
    say = site.say(request)
    lines = [element("li", state.run.shown) for state in list_runs(store=site.store)]
    return page(site, request, say, say("web_runs"), element("h1", say("web_runs")), element("ul", lines))


ROUTES = (Route(method="GET", path="/", handler=listed, says="the runs of the store"),)
