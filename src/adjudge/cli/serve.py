"""adjudge serve"""

from __future__ import annotations

import click

from adjudge.cli.output import json_option, store_option
from adjudge.cli.web import serve, web_options
from adjudge.web.site import Site


@click.command("serve", epilog="Example: adjudge serve --port 8765")
@web_options
@store_option
@json_option
def command(
    host: str,
    port: int,
    token: str,
    names: tuple[str, ...],
    opened: bool,
    lang: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Show runs, items, comparisons, judges and labels in a browser, until you press Ctrl+C."""
    from adjudge.api.stored import list_runs
    from adjudge.store.url import store_url

    list_runs(store=store)  # a store that cannot be read is told here, not on every page
    serve(
        Site(store=store_url(store), lang=lang or ""),
        host,
        port,
        token=token,
        names=names,
        opened=opened,
        as_json=as_json,
    )
