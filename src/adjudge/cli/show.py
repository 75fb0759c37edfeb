"""adjudge show"""

from __future__ import annotations

from collections.abc import Iterable

import click

from adjudge import api
from adjudge.api.described import described_item
from adjudge.cli.output import (
    check_target,
    emit_json,
    form_of,
    format_option,
    json_option,
    safe,
    store_option,
    write,
    wrote,
)
from adjudge.cli.sheets import SHEET_FORMATS, coloured, columns
from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.records import Failure
from adjudge.data.export import dumps
from adjudge.report.side_by_side import SideBySide
from adjudge.report.tables import Report
from adjudge.report.verdicts import decided, trial_lines
from adjudge.report.words import words


@click.command("show", epilog="Example: adjudge show latest -o report.html")
@click.argument("run", metavar="[RUN]", default="latest")
@format_option(*SHEET_FORMATS)
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option(
    "--items",
    type=click.IntRange(0, limits.REPORT_ITEMS),
    default=limits.REPORT_ITEMS,
    metavar="N",
    help="How many items an HTML report has, the worst first; 0 for none.",
    show_default=True,
)
@click.option("--item", metavar="ID", help="One item: its verdict, its reasons and the raw replies.")
@store_option
@json_option
def command(
    run: str, form: str | None, output: str | None, items: int, item: str | None, store: str | None, as_json: bool
) -> None:
    """Show the report of a run. RUN is an id, the start of one, a name, or latest (the default)."""
    found = api.open_run(run, store=store)
    if item is not None:
        if output is not None or form in ("markdown", "html"):
            raise click.UsageError("--item is shown as text or --json only, on standard output")
        _show_item(found, item, as_json=as_json or form == "json")
        return
    form = "json" if as_json and output is None else form_of(output, form, *SHEET_FORMATS)
    check_target(output, kept=[found.state.run.data])
    chunks = _rendered(found, form, items=items, to_terminal=output is None)
    write(chunks, output, kept=[found.state.run.data], drawn=form == "text")
    if output is not None:
        wrote(found.id, form, output, as_json=as_json)


def _rendered(run: api.StoredRun, form: str, *, items: int, to_terminal: bool) -> Iterable[str]:
    report = run.report()
    if form == "json":
        return [dumps(report.as_json()) + "\n"]
    if form == "html":
        from adjudge.report.html import html

        people, spending = run.people(), run.spending()
        return html(report, run.outcomes(), run, run.judge, people=people, spending=spending, limit=items)
    if form == "markdown":
        from adjudge.report.markdown import markdown

        return [markdown(report, run.outcomes(), run.judge, items=run.item)]
    return [(terminal_text(report) if to_terminal else _text(report, colour=False)) + "\n"]


def terminal_text(report: Report) -> str:
    """The table for standard output: in colour only on a terminal that wants it."""
    return _text(report, colour=coloured())


def terminal_comparison(sides: SideBySide) -> str:
    """Models side by side for standard output."""
    from adjudge.report.side_text import side_text

    return side_text(sides, width=columns(), colour=coloured())


def _text(report: Report, *, colour: bool) -> str:
    from adjudge.report.text import text

    return text(report, width=columns(), colour=colour)


def _show_item(run: api.StoredRun, item: str, *, as_json: bool) -> None:
    outcome, replies = run.item_record(item)
    if outcome is None:
        raise ConfigError(f"run {run.id} has no outcome for the item `{item}`", hint="adjudge export RUN lists the ids")
    if as_json:
        emit_json(described_item(run, outcome, replies))
        return
    if isinstance(outcome, Failure):
        click.echo(
            safe(
                f"{outcome.item}: failed ({outcome.kind}, stage {outcome.stage}, attempts {outcome.attempts})\n"
                f"{outcome.message}"
            )
        )
    else:
        import json

        from adjudge.report.cited import cited
        from adjudge.report.found import found_lines

        click.echo(safe(f"{outcome.item}: judged" + (f" [{', '.join(outcome.flags)}]" if outcome.flags else "")))
        click.echo(safe(json.dumps(outcome.native, ensure_ascii=False, indent=2)))
        say = words(run.judge.lang)
        for told in found_lines(run.judge, outcome, say):
            click.echo(safe(told))
        for title, sources in cited(run.judge, outcome, run.item(item)):
            click.echo(safe(f"{title}: {'; '.join(source.told for source in sources)}"))
        if (decision := decided(run.judge, outcome, say)) is not None:
            click.echo(safe(f"{say('winner')}: {decision}"))
            for told in trial_lines(run.judge, outcome, say):
                click.echo(safe(told))
    for call, reply in replies:
        shown = f", candidates shown: {', '.join(call.order)}" if call.order else ""
        repeat = f", repeat {call.repeat + 1}" if call.repeat else ""
        click.echo(safe(f"--- reply to {call.stage} {call.key[:12]} (finish {reply.finish}{repeat}{shown})"))
        click.echo(safe(reply.text))
