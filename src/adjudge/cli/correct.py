"""adjudge correct"""

from __future__ import annotations

import click

from adjudge.api.correct import correct
from adjudge.cli.sheets import label_options, put, sheet_options


@click.command(
    "correct",
    epilog="Example: adjudge correct latest --labels labels.csv\n\n"
    "A share: adjudge correct latest --labels labels.csv --pass 'coverage>=4'",
)
@click.argument("run", metavar="[RUN]", default="latest")
@label_options
@click.option(
    "--pass",
    "passes",
    multiple=True,
    metavar="NAME>=X",
    help="The share of items at or above a bound (or <= X, at or below); repeatable.",
)
@click.option(
    "--half-width",
    type=float,
    metavar="X",
    help="Say how many labels bring half the interval to so many points [default: 5 % of the scale].",
)
@click.option(
    "--seed", default=0, show_default=True, metavar="S", help="Of the test that labelled items are no odd ones."
)
@sheet_options
def command(
    run: str,
    labels: str | None,
    columns: tuple[str, ...],
    passes: tuple[str, ...],
    half_width: float | None,
    seed: int,
    form: str | None,
    output: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """What would people have said of all items? From the labels of some and the verdicts of all.

    RUN is an id, the start of one, a name, or latest (the default). Without --labels, the labels in the store count.
    """
    sheet = correct(run, labels, columns=columns, passes=passes, half_width=half_width, seed=seed, store=store)
    put(sheet, form, output, as_json=as_json)
