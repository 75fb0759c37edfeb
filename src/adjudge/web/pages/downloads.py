"""The report and the verdicts of a run as files, the same as the commands write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from adjudge.api.browse import kept_report
from adjudge.api.stored import StoredRun
from adjudge.report.html import html
from adjudge.report.markdown import markdown
from adjudge.web.message import Request, Response
from adjudge.web.router import Handler, Route
from adjudge.web.site import Site

#: The end of the address, what the link says, and the type.
FORMS = {
    "report.html": ("pages_download_html", "text/html; charset=utf-8"),
    "report.md": ("pages_download_markdown", "text/markdown; charset=utf-8"),
    "verdicts.jsonl": ("pages_download_jsonl", "application/jsonl"),
    "scores.csv": ("pages_download_csv", "text/csv; charset=utf-8"),
    "verdicts.json": ("pages_download_native", "application/json"),
}


def _made(run: StoredRun, form: str) -> Iterable[str | bytes]:
    if form == "report.html":
        people, spending = run.people(), run.spending()
        return html(kept_report(run), run.outcomes(), run, run.judge, people=people, spending=spending)
    if form == "report.md":
        return [markdown(kept_report(run), run.outcomes(), run.judge, items=run.item)]
    return run.export({"verdicts.jsonl": "jsonl", "scores.csv": "csv", "verdicts.json": "native"}[form])


def _download(form: str, site: Site, request: Request) -> Response:
    run = site.run(request)
    # a name of plain letters, whatever the run is called: it stands in a header, and then on a disk
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", run.id)[:80] + "." + form
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body=_made(run, form), type=FORMS[form][1], headers=headers)


def _route(form: str) -> Route:
    handler: Handler = partial(_download, form)
    return Route(method="GET", path=f"/runs/{{run}}/{form}", handler=handler, says=f"a run as {form}")


ROUTES = tuple(map(_route, FORMS))
