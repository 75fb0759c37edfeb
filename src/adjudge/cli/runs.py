"""adjudge runs"""

from __future__ import annotations

import click

from adjudge import api
from adjudge.api.described import described_run
from adjudge.cli.output import emit_json, json_option, safe, store_option
from adjudge.store.url import with_store


@click.command("runs", epilog="Example: adjudge runs --store sqlite:///team.db")
@store_option
@json_option
def command(store: str | None, as_json: bool) -> None:
    """List the runs of a store, newest first."""
    states = api.list_runs(store=store)
    if as_json:
        emit_json({"runs": [described_run(state) for state in states]})
        return
    if not states:
        click.echo(f"no runs yet; start one with: {with_store('adjudge run summary my.jsonl', store)}")
    for state in states:
        run = state.run
        click.echo(safe(f"{run.id}  ({run.name})" if run.name else run.id))
        failed = f", {state.failed} failed" if state.failed else ""
        done = f"{state.judged} of {run.items} judged{failed}"
        until = f" · until {run.until}" if run.until else ""
        click.echo(safe(f"  {state.status} · {done}{until} · {run.settings.model} · {run.lang} · {run.started}"))
