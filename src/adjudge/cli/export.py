"""adjudge export"""

from __future__ import annotations

import click
from click.core import ParameterSource

from adjudge import api
from adjudge.cli.output import emit_json, json_option, store_option, write, wrote


@click.command(
    "export",
    epilog="Example: adjudge export latest --format csv -o scores.csv\n\n"
    "Example: adjudge export latest --format replies -o replies.jsonl   (then: --model replay:replies.jsonl)",
)
@click.argument("run", metavar="RUN", default="latest")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv", "parquet", "native", "replies"]),
    default="jsonl",
    show_default=True,
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--raw", is_flag=True, help="CSV: leave cells that a spreadsheet would run as formulas as they are.")
@click.option("--metrics", is_flag=True, help="jsonl: BLEU, chrF, chrF++ and TER of every item with a reference.")
@store_option
@json_option
def command(
    run: str, form: str, output: str | None, raw: bool, metrics: bool, store: str | None, as_json: bool
) -> None:
    """Write the verdicts of a run, one line or row per item. RUN is an id, the start of one, a name, or latest."""
    if metrics and form != "jsonl":
        raise click.UsageError("--metrics is for --format jsonl")
    found = api.open_run(run, store=store)
    if as_json and output is None:
        if click.get_current_context().get_parameter_source("form") is not ParameterSource.DEFAULT:
            raise click.UsageError("--json prints the jsonl lines as one object; with another --format give -o FILE")
        emit_json({"run": found.id, "items": list(found.lines(metrics=metrics))})
        return
    write(found.export(form, raw=raw, metrics=metrics), output)
    if output is not None:
        wrote(found.id, form, output, as_json=as_json)
