"""adjudge compare"""

from __future__ import annotations

import math
from typing import cast

import click

from adjudge.api.compare import compare
from adjudge.api.sides import By
from adjudge.cli.sheets import put, sheet_options
from adjudge.core.errors import ConfigError


@click.command("compare", epilog="Example: adjudge compare old-prompt new-prompt")
@click.argument("runs", metavar="RUN [RUN ...]", nargs=-1, required=True)
@click.option(
    "--margin",
    "margins",
    metavar="[NAME=]POINTS",
    multiple=True,
    help="Within so many points two are the same; for one value by its name; repeatable [default: 5 % of the scale].",
)
@click.option(
    "--by",
    type=click.Choice(["run", "candidate", "system"]),
    help="What is compared [default: several runs; of one run its candidates, or the systems its rows name].",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random numbers; 0 is a seed.")
@sheet_options
def command(
    runs: tuple[str, ...],
    margins: tuple[str, ...],
    by: str | None,
    seed: int,
    form: str | None,
    output: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Which is better on each criterion and overall, by how much, how sure.

    Each RUN is an id, the start of one, a name, or latest; the items of all are paired. The sides of a single run
    are its candidates, or the systems that its rows name.
    """
    found = compare(runs, by=cast("By | None", by), margin=_margins(margins), seed=seed, store=store)
    put(found.sheet, form, output, as_json=as_json)


def _margins(given: tuple[str, ...]) -> float | dict[str, float] | None:
    if not given:
        return None
    named = {}
    for one in given:
        name, _, value = one.rpartition("=")
        try:
            points = float(value)
        except ValueError:
            points = math.nan
        if not 0 < points < math.inf:
            raise ConfigError(f"--margin {one}: `{value}` is no number of points", hint="--margin 0.2, or NAME=0.2")
        named[name] = points
    if "" in named and len(named) > 1:
        raise ConfigError("--margin is given for all values and for one", hint="name every one, or none")
    return named.get("", named)
