"""adjudge runs"""

from __future__ import annotations

from typing import Any

import click

from adjudge import api
from adjudge.cli.output import emit_json, json_option, safe, store_option
from adjudge.core.runs import RunState


@click.command("runs", epilog="Example: adjudge runs --store sqlite:///team.db")
@store_option
@json_option
def command(store: str | None, as_json: bool) -> None:
    """List the runs of a store, newest first."""
    states = api.list_runs(store=store)
    if as_json:
        emit_json({"runs": [_described(state) for state in states]})
        return
    if not states:
        click.echo("no runs yet; start one with: adjudge run summary my.jsonl")
    for state in states:
        run = state.run
        name = f"  ({safe(run.name)})" if run.name else ""
        click.echo(f"{run.id}{name}")
        failed = f", {state.failed} failed" if state.failed else ""
        done = f"{state.judged} of {run.items} judged{failed}"
        until = f" · until {safe(run.until)}" if run.until else ""
        click.echo(f"  {state.status} · {done}{until} · {safe(run.settings.model)} · {run.lang} · {run.started}")


def _described(state: RunState) -> dict[str, Any]:
    run = state.run
    return {
        "run": run.id,
        "name": run.name,
        "status": state.status,
        "judge": run.judge,
        "lang": run.lang,
        "model": run.settings.model,
        "data": run.data,
        "items": run.items,
        "judged": state.judged,
        "failed": state.failed,
        "calls": state.calls,
        "cached": state.cached,
        "cost_usd": state.cost_usd,
        "until": run.until or None,
        "started": run.started,
        "finished": state.finished,
        "signature": run.signature,
    }
