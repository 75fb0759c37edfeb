"""adjudge gate"""

from __future__ import annotations

from collections.abc import Iterable

import click

from adjudge.api.drops import EVERY
from adjudge.api.gate import gate
from adjudge.cli.output import check_target, write
from adjudge.cli.sheets import put, sheet_options
from adjudge.core.errors import ConfigError, GateFailed
from adjudge.report.gated import On


@click.command(
    "gate",
    epilog="Example: adjudge gate latest --min coverage=4 --max hallucination=0.5 --max-failed 0.02\n\n"
    "Against a baseline: adjudge gate latest --baseline main --max-drop 0.1 --on ci --junit gate.xml",
)
@click.argument("run", metavar="RUN")
@click.option("--min", "minimum", multiple=True, metavar="FIGURE=X", help="The figure must be X or more; repeatable.")
@click.option("--max", "maximum", multiple=True, metavar="FIGURE=X", help="The figure must be X or less; repeatable.")
@click.option(
    "--on",
    type=click.Choice(["mean", "ci"]),
    default="mean",
    show_default=True,
    help="What is held against the bounds: the figure, or the end of its 95 % interval that is nearer to missing them.",
)
@click.option(
    "--min-judged", type=float, metavar="SHARE", help="The share of items that must have a score [default: 1]."
)
@click.option(
    "--max-failed", type=float, metavar="SHARE", help="The share that may lack one: 0.05 is --min-judged 0.95."
)
@click.option("--baseline", metavar="RUN", help="The run that --max-drop compares with, item by item.")
@click.option(
    "--max-drop",
    multiple=True,
    metavar="[FIGURE=]X",
    help="By how much a figure may be worse than in the baseline, in points; without a name, every criterion.",
)
@click.option("--junit", metavar="FILE", help="Write JUnit XML too, a test case for each bound.")
@click.option("--markdown", metavar="FILE", help="Write the Markdown summary for a pull request too.")
@sheet_options
def command(
    run: str,
    minimum: tuple[str, ...],
    maximum: tuple[str, ...],
    on: On,
    min_judged: float | None,
    max_failed: float | None,
    baseline: str | None,
    max_drop: tuple[str, ...],
    junit: str | None,
    markdown: str | None,
    form: str | None,
    output: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Hold a run against bounds: exit code 0 when all are met, 1 when one is missed.

    RUN is an id, the start of one, a name, or latest. FIGURE is a criterion or a derived value (coverage); with several
    candidates, of one of them (correctness:ModelA, win_rate:ModelA); or a share of items ("coverage>=4").
    """
    if not (minimum or maximum or max_drop) and min_judged is None and max_failed is None:
        raise click.UsageError("there is no bound: give --min, --max, --max-drop, --min-judged or --max-failed")
    for path, option in ((junit, "--junit"), (markdown, "--markdown")):
        check_target(path, option=option)
    found = gate(
        run,
        minimum=_bounds("--min", minimum),
        maximum=_bounds("--max", maximum),
        max_drop=_bounds("--max-drop", max_drop, bare=True),
        baseline=baseline,
        on=on,
        min_judged=min_judged,
        max_failed=max_failed,
        store=store,
    )
    sheet = found.sheet()
    if junit is not None:
        write([found.junit()], junit, option="--junit")
    if markdown is not None:
        write([sheet.markdown()], markdown, option="--markdown")
    put(sheet, form, output, as_json=as_json)
    if not found.met:
        raise GateFailed("a bound was missed")


def _bounds(option: str, given: Iterable[str], *, bare: bool = False) -> dict[str, float]:
    """FIGURE=X by figure; a candidate's name may have an = in it, a number has none."""
    found: dict[str, float] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        name = name.strip() if equals else EVERY if bare else ""
        try:
            limit = float(value)
        except ValueError:
            name = ""
        if not name:
            raise ConfigError(f"{option} takes FIGURE=X, not `{text}`", hint=f"such as {option} coverage=4.0")
        if name in found:
            raise ConfigError(f"{option} has two bounds for `{name}`", hint="keep one of them")
        found[name] = limit
    return found
