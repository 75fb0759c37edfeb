"""adjudge sample"""

from __future__ import annotations

from codecs import BOM_UTF8
from itertools import chain

import click

from adjudge.api.sample import sample
from adjudge.api.stored import open_run
from adjudge.cli.output import RowsForm, check_target, emit_json, json_option, rows_form, safe, store_option, write
from adjudge.cli.sheets import coloured, columns


@click.command(
    "sample",
    epilog="Example: adjudge sample latest --n 50 -o labels.csv\n\n"
    "Then, with the cells filled in: adjudge correct latest --labels labels.csv",
)
@click.argument("run", metavar="[RUN]", default="latest")
@click.option("--n", default=50, show_default=True, type=click.IntRange(min=1), help="How many items to choose.")
@click.option("--seed", default=0, show_default=True, metavar="S", help="Another seed chooses other items.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl"]),
    help="[default: by the name after -o; csv without it]",
)
@click.option("-o", "--output", metavar="FILE", help="Write the rows to a file instead of standard output.")
@click.option("--raw", is_flag=True, help="CSV: leave cells that a spreadsheet would run as formulas as they are.")
@store_option
@json_option
def command(
    run: str, n: int, seed: int, form: RowsForm | None, output: str | None, raw: bool, store: str | None, as_json: bool
) -> None:
    """Choose the items that people should label, and write them with empty cells for what they say.

    RUN is an id, the start of one, a name, or latest (the default). The judge's verdicts are not in the file. More
    items with the same seed begin with the same ones, so labelling can go on where it stopped.
    """
    kind = rows_form(output, form, option="-o")
    opened = open_run(run, store=store)
    check_target(output, kept=[opened.state.run.data])
    found = sample(opened, n, seed=seed)
    if as_json and output is None:
        emit_json(found.as_json())
        return
    # spreadsheets take a file without the mark for one in the code page of the system
    mark = [BOM_UTF8] if kind == "csv" and output not in (None, "-") else []
    write(chain(mark, found.write(kind, raw=raw)), output, kept=[opened.state.run.data])
    told = found.sheet.text(width=columns(), colour=output is not None and coloured())
    if output is None:
        click.echo(told, err=True)
        return
    click.echo(f"wrote {safe(output)}", err=True)
    if as_json:
        emit_json({**found.sheet.data, "wrote": output})
    else:
        click.echo(told, nl=False)
