"""The frame of every page: its head, and the way to the other pages."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.report.element import Child, Markup, element
from adjudge.report.words import Words
from adjudge.web.message import Refused, Request, Response
from adjudge.web.site import Site

#: htmx neither evaluates attributes, nor runs scripts of parts that it loads, nor writes styles of its own, which the
#: policy would refuse anyway; it keeps no page in the browser's storage, and goes back by loading anew.
_HTMX = (
    '{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,'
    '"historyCacheSize":0,"refreshOnHistoryMiss":true}'
)


def page(
    site: Site,
    request: Request,
    say: Words,
    title: str,
    *content: Child,
    status: int = 200,
    trail: Iterable[tuple[str, str]] = (),
    scripts: Iterable[str] = (),
    styles: Iterable[str] = (),
) -> Response:
    """A whole page. `trail` is the way here, as (title, address); scripts and styles are names of our own files."""
    sheets = ("report.css", "web.css", *styles)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="htmx-config", content=_HTMX),
        element("title", f"{title} · adjudge"),
        element("link", rel="icon", type="image/svg+xml", href="/static/icon.svg"),
        [element("link", rel="stylesheet", href=f"/static/{name}") for name in sheets],
        [element("script", src=f"/static/{name}", defer=True) for name in ("htmx.min.js", *scripts)],
    )
    body = element(
        "body",
        element("a", say("web_skip"), class_="skip", href="#main"),
        element("header", _navigation(site, request, say), _trail(trail), class_="top"),
        element("main", content, id="main", tabindex=-1),
    )
    return Response(body=f'<!doctype html>\n<html lang="{say.lang}">\n{head}\n{body}\n</html>\n', status=status)


def fragment(content: Child) -> Response:
    """A part of a page, for htmx to put where it belongs."""
    return Response(body=element("div", content))


def refused(site: Site, request: Request, error: Refused) -> Response:
    """Why a request was not served, for a person."""
    say = site.say(request)
    hint = element("p", error.hint, class_="soft") if error.hint else None
    title = say("web_refused", status=error.status)
    return page(site, request, say, title, element("h1", title), element("p", error.what), hint, status=error.status)


def _navigation(site: Site, request: Request, say: Words) -> Markup:
    every = (("/", say("web_runs")), ("/compare", say("changes_compare")), ("/judges", say("web_judges")))
    places = () if site.labelling else every
    links = [
        element("a", name, href=address, aria_current="page" if request.path == address else None)
        for address, name in places
    ]
    return element("nav", element("a", "adjudge", href="/", class_="brand"), links, aria_label=say("web_navigation"))


def _trail(trail: Iterable[tuple[str, str]]) -> Markup | None:
    steps = [element("li", element("a", title, href=address)) for title, address in trail]
    return element("ol", steps, class_="trail") if steps else None
