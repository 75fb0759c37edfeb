"""adjudge agree"""

from __future__ import annotations

import click

from adjudge.api.agree import SHOWN, agree
from adjudge.cli.sheets import label_options, put, sheet_options


@click.command(
    "agree",
    epilog="Example: adjudge agree latest --labels labels.csv\n\n"
    "Two judges: adjudge agree run-a run-b. A judge with itself: adjudge agree latest --repeats",
)
@click.argument("run", metavar="RUN")
@click.argument("other", metavar="[RUN]", required=False)
@label_options
@click.option("--repeats", is_flag=True, help="Compare the repeats of the run with each other.")
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=SHOWN,
    show_default=True,
    metavar="N",
    help="How many of the largest disagreements to show.",
)
@sheet_options
def command(
    run: str,
    other: str | None,
    labels: str | None,
    columns: tuple[str, ...],
    repeats: bool,
    worst: int,
    form: str | None,
    output: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Can I trust this judge? Its agreement with people, with a second run, or with itself.

    RUN is an id, the start of one, a name, or latest. Without --labels, the labels in the store count.
    """
    sheet = agree(run, other, labels=labels, columns=columns, repeats=repeats, shown=worst, store=store)
    put(sheet, form, output, as_json=as_json)
