"""adjudge export"""

from __future__ import annotations

import click

from adjudge import api
from adjudge.cli.output import emit_json, form_of, format_option, json_option, store_option, write, wrote

_FORMATS = ("jsonl", "csv", "parquet", "native", "replies")


@click.command(
    "export",
    epilog="Example: adjudge export latest -o scores.csv\n\n"
    "Example: adjudge export latest --format replies -o replies.jsonl   (then: --model replay:replies.jsonl)",
)
@click.argument("run", metavar="[RUN]", default="latest")
@format_option(*_FORMATS)
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--raw", is_flag=True, help="CSV: leave cells that a spreadsheet would run as formulas as they are.")
@click.option("--metrics", is_flag=True, help="jsonl: BLEU, chrF, chrF++ and TER of every item with a reference.")
@store_option
@json_option
def command(
    run: str, form: str | None, output: str | None, raw: bool, metrics: bool, store: str | None, as_json: bool
) -> None:
    """Write the verdicts of a run, one line or row per item.

    RUN is an id, the start of one, a name, or latest (the default).
    """
    if as_json and output is None and form is not None:
        raise click.UsageError("--json prints the jsonl lines as one object; with another --format give -o FILE")
    form = form_of(output, form, *_FORMATS)
    if metrics and form != "jsonl":
        raise click.UsageError("--metrics is for --format jsonl")
    found = api.open_run(run, store=store)
    if as_json and output is None:
        emit_json({"run": found.id, "items": list(found.lines(metrics=metrics))})
        return
    write(found.export(form, raw=raw, metrics=metrics), output, kept=[found.state.run.data])
    if output is not None:
        wrote(found.id, form, output, as_json=as_json)
