"""adjudge resume"""

from __future__ import annotations

from typing import Any

import click

from adjudge import api
from adjudge.cli.outcome import share_out
from adjudge.cli.output import json_option, processes_option, store_option


@click.command("resume", epilog="Example: adjudge resume latest")
@click.argument("run", metavar="RUN")
@click.option("--concurrency", type=int, metavar="N", help="Requests in flight [default: as before].")
@click.option("--rpm", type=int, metavar="N", help="Requests per minute at most [default: as before].")
@click.option("--tpm", type=int, metavar="N", help="Tokens per minute at most [default: as before].")
@click.option("--max-cost", type=float, metavar="USD", help="Another ceiling over this whole run [default: as before].")
@click.option(
    "--max-wait", type=float, metavar="S", help="Another bound on waiting for the server [default: as before]."
)
@click.option("--prices", metavar="FILE", help="More prices, or other ones [default: as before].")
@click.option("--api-key-env", metavar="NAME", help="Variable with the key [default: as before].")
@processes_option
@store_option
@json_option
def command(run: str, processes: int | None, store: str | None, as_json: bool, **changes: Any) -> int:
    """Go on where a run stopped: only what is missing is asked. RUN is an id, the start of one, a name, or latest.

    Several processes may resume the same run at once: they share what is left and do nothing twice, also from
    several machines where the store is PostgreSQL. A run that is complete is shown as it is, with no call and no key.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    run = api.open_run(run, store=store).id  # `latest` may soon be another
    crew = api.crew_for(run, store=store, processes=processes, **given)
    return share_out(run, crew, store=store, as_json=as_json, **given)
