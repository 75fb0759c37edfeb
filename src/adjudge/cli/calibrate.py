"""adjudge calibrate"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator

import click

from adjudge.api.calibrate import Calibrated, Tried, calibrate
from adjudge.cli import EXIT_CHANGE_SOMETHING
from adjudge.cli.output import check_target, emit_json, ignored_store_option, json_option, safe, write
from adjudge.core.errors import ConfigError
from adjudge.report.plain import fit, pad, wrap
from adjudge.stats.calibrate import CALIBRATED, LENGTH, PLAIN

_COLUMNS = 80


@click.command(
    "calibrate",
    epilog="Example: adjudge calibrate summary --labels labelled.jsonl -o mine.json\n\n"
    "Then: adjudge run summary my.jsonl --model offline:mine.json",
)
@click.argument("judge", metavar="JUDGE")
@click.option("--labels", required=True, metavar="FILE", help="The judge's rows with human scores beside them.")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write, - for standard output [default: JUDGE.calibration.json]."
)
@click.option(
    "--model",
    type=click.Choice(["offline", "offline+vectors"]),
    default="offline",
    show_default=True,
    help="Without or with sentence vectors; the file is for the one it was made with.",
)
@click.option("--lang", help="Language of the judge [default: the judge's].")
@click.option(
    "--map", "columns", multiple=True, metavar="FIELD=COLUMN", help="A column under another name; repeatable."
)
@click.option("--seed", default=0, show_default=True, help="Which sources are left out together in the trial.")
@ignored_store_option
@json_option
def command(
    judge: str,
    labels: str,
    output: str | None,
    model: str,
    lang: str | None,
    columns: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> int:
    """Fit the embedded judge to your own labels, 100 texts or more for each criterion.

    A criterion is kept only if, on sources left out, it beats length alone and the plain composite by more than chance.
    """
    if as_json and output == "-":
        raise ConfigError(
            "-o - and --json would both print to standard output", hint="give the calibration a file name: -o FILE"
        )
    check_target(output)
    found = calibrate(
        judge,
        labels,
        lang=lang,
        columns=columns,
        seed=seed,
        vectors=model != "offline",
        listener=_Progress(quiet=as_json),
    )
    path = None
    if found.text is not None:
        path = output or f"{found.judge.name}.calibration.json"
        write([found.text], path)
    if as_json:
        emit_json({**found.as_json(), "wrote": path})
    else:
        click.echo("\n".join(table(found)), err=output == "-")
        if path not in (None, "-"):
            click.echo(safe(f"wrote {path}; use it with --model {shlex.quote(f'{model}:{path}')}"), err=True)
    if path is None:
        click.echo("adjudge: no criterion was kept, and nothing was written", err=True)
    return 0 if path else EXIT_CHANGE_SOMETHING


class _Progress:
    """How many rows are measured, on a terminal only."""

    def __init__(self, *, quiet: bool) -> None:
        self._shown = not quiet and sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        if self._shown and (done == total or done % 20 == 0):
            click.echo("\r\033[K" + ("" if done == total else f"measured {done}/{total}"), err=True, nl=False)


def table(found: Calibrated) -> Iterator[str]:
    """The trial, a line per criterion, and why what was refused was."""
    name = min(24, max(len(one.criterion.name) for one in found.tried) + 2)
    yield f"{'':{name}}{'':>12}  {'length':^11}  {'plain':^11}  {'calibrated':^11}  80 % interval".rstrip()
    yield (
        f"{pad('criterion', name)}{'n/sources':>12}  "
        + "  ".join([f"{'rho':>5} {'MAE':>5}"] * 3)
        + f"  {'±':>5} {'holds':>6}"
    )
    for one in found.tried:
        yield f"{pad(one.criterion.name, name)}{f'{one.n}/{one.sources}':>12}{_figures(one)}".rstrip()
    yield ""
    yield from wrap(
        "Spearman's rho and mean absolute error (in points of the scale) on sources left out of the fit.", _COLUMNS
    )
    for one in found.tried:
        said = f"refused: {one.why}" if one.why else "kept"
        yield from wrap(f"{fit(one.criterion.name, name)}: {said}", _COLUMNS, indent="  ")


def _figures(one: Tried) -> str:
    if one.fit is None:
        return ""
    cells = []
    for name in (LENGTH, PLAIN, CALIBRATED):
        figures = one.fit.figures[name]
        order = "—" if figures.spearman is None else f"{figures.spearman:.2f}"
        cells.append(f"{order:>5} {figures.mae * one.points:>5.2f}")
    interval = f"{one.fit.half * one.points:>5.2f} {100 * one.fit.coverage:>4.0f} %"
    return "  " + "  ".join([*cells, f"{'—':>5} {'—':>6}" if one.why else interval])
