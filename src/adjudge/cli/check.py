"""adjudge check"""

from __future__ import annotations

import click

from adjudge import api
from adjudge.cli.output import emit_json, ignored_store_option, json_option, safe


@click.command(
    "check",
    epilog="Example: adjudge check summary --data my.jsonl --row 2\n\nExample: adjudge check ./my-judge",
)
@click.argument("judge", metavar="JUDGE|FILE")
@click.option("--data", metavar="DATA", help="Show the exact prompt for a row of this file.")
@click.option("--row", type=int, metavar="N", help="Which row of --data, counted from 1 [default: 1].")
@click.option("--lang", help="Language of the prompt [default: the judge's].")
@click.option(
    "--map", "columns", multiple=True, metavar="FIELD=COLUMN", help="A column under another name; repeatable."
)
@click.option(
    "--staged/--one-call",
    default=None,
    help="The prompts of judging in stages, or the prompt of one call [default: as the judge's file says].",
)
@ignored_store_option
@json_option
def command(
    judge: str,
    data: str | None,
    row: int | None,
    lang: str | None,
    columns: tuple[str, ...],
    staged: bool | None,
    as_json: bool,
) -> None:
    """Validate a judge's files in all their languages; with --data, print the exact prompt for a row.

    With --staged, every call of every stage is shown; … stands for what the replies to the calls before it will say.

    JUDGE is a bundled judge, a folder, or the judge.yaml in it.
    """
    if data is None and (row is not None or columns):
        raise click.UsageError(f"{'--map' if row is None else '--row'} is for --data, which is not given")
    checked = api.check(judge, data=data, row=1 if row is None else row, lang=lang, columns=columns, staged=staged)
    if as_json:
        emit_json(checked.as_json())
        return
    click.echo(safe(f"{checked.judge.name}: the files are valid ({', '.join(checked.judge.langs)})"), err=bool(data))
    for shown in checked.prompts:
        if checked.in_stages:
            click.echo(safe(f"=== {shown.stage}" + (f": {shown.criterion}" if shown.criterion else "")))
        click.echo(f"--- system\n{safe(shown.prompt.system)}\n--- user\n{safe(shown.prompt.user)}")
