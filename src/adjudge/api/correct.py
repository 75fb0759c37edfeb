"""What people would have said of a whole run, from the labels of some of its items."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from os import PathLike, fspath

from adjudge.api.corrector import Bound, Corrector
from adjudge.api.labels import Source, find_labels
from adjudge.api.stored import StoredRun, open_run
from adjudge.core.counted import counted
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.judge import Judge
from adjudge.data.label_columns import parse_label_map
from adjudge.data.rows import read_rows, rows_of
from adjudge.data.sampled import Chosen, chosen_by
from adjudge.report.corrected import CorrectedRun, MeanOf, corrected_sheet
from adjudge.report.corrected_rates import ShareOf
from adjudge.report.label_warnings import with_label_warnings
from adjudge.report.sheet import Sheet
from adjudge.spec.strict import suggestion
from adjudge.stats.correct import LEAST_ITEMS, LEAST_SOURCES

_BOUND = re.compile(r"(?P<name>[^<>=]+?)\s*(?P<sign>>=|<=)\s*(?P<bound>-?\d+(?:\.\d+)?)")


def correct(
    run: StoredRun | str,
    labels: Source | None = None,
    *,
    columns: Sequence[str] = (),
    passes: Sequence[str] = (),
    half_width: float | None = None,
    seed: int = 0,
    store: str | None = None,
) -> Sheet:
    """What people would have given on average for all items of a run; without `labels`, those in the store are taken.

    `passes` are bounds such as `coverage>=4`: the share of items that people would have passed. `half_width` is the
    precision for which the labels needed are counted, in points of the scale; 5 % of the scale where it is not given.

    >>> adjudge.correct("latest", "labels.csv").answers[0]  # doctest: +SKIP
    'People would have given Average score a mean of 3.71 [3.52, 3.90]. The judge gave 4.20: 0.49 too high.'
    """
    opened = open_run(run, store=store) if isinstance(run, str) else run
    bounds = [_bound(opened.judge, text) for text in passes]
    if half_width is not None and not 0 < half_width < math.inf:
        raise ConfigError(
            f"--half-width {half_width:g}: it must be a number above 0", hint="for example --half-width 0.1"
        )
    if isinstance(labels, PathLike):
        labels = fspath(labels)
    source, choice = _choice(opened.judge, labels, columns)
    given = find_labels(opened, source, columns=columns)
    if choice is not None and given.other_texts:
        raise given.other_texts[0]  # what is left of a sample is no random choice
    found = Corrector(opened, given.labels, choice, bounds, half_width, seed).found(given.elsewhere)
    if all(_refused(one) for one in found.values):
        raise _too_few(found, labels if isinstance(labels, str) else None)
    sheet = corrected_sheet(found)
    return with_label_warnings(sheet, other_texts=len(given.other_texts), misspelled=given.misspelled)


def _choice(judge: Judge, labels: Source | None, columns: Sequence[str]) -> tuple[Source | None, Chosen | None]:
    """The labels, and how their items were chosen where the rows say it; what can be read once only is kept."""
    if labels is None:
        return None, None
    mapped = parse_label_map(judge, columns)
    ids = [mapped["id"]] if "id" in mapped else ["id", "item"]
    if labels == "-" or not isinstance(labels, str):
        rows = [row for _, row in (read_rows(labels) if isinstance(labels, str) else rows_of(labels))]
        return rows, chosen_by(rows_of(rows), ids)
    return labels, chosen_by(read_rows(labels), ids)


def _bound(judge: Judge, text: str) -> Bound:
    names = [*(one.name for one in judge.scored), *(one.name for one in judge.derived if one.operation != "winner")]
    found = _BOUND.fullmatch(text.strip())
    if found is None:
        raise ConfigError(
            f"--pass {text}: not of the form NAME>=NUMBER or NAME<=NUMBER",
            hint=f"--pass '{names[0]}>=4'; the names: {', '.join(names)}",
        )
    if (name := found["name"].strip()) not in names:
        raise ConfigError(f"--pass {text}: there is no criterion `{name}`", hint=suggestion(name, names))
    return Bound(text=text.strip(), name=name, sign=found["sign"], bound=float(found["bound"]))


def _refused(one: MeanOf | ShareOf) -> bool:
    return (one.corrected if isinstance(one, MeanOf) else one.found) is None


def _too_few(found: CorrectedRun, where: str | None) -> DataError:
    """Why nothing can be corrected, and how many labels would do."""
    if not found.values:
        return DataError(
            "none of the labelled items has a verdict",
            where=where,
            hint="the figures come from items that both the judge and people scored",
        )
    most = max(found.values, key=lambda one: one.n)
    wanted = [
        f"{one.axis.name}: {max(LEAST_ITEMS, one.needed)} for ± {one.half:g}"
        for one in found.values
        if one.needed is not None and one.candidate == most.candidate
    ]
    if most.n >= LEAST_ITEMS:
        hint = f"label items of other sources: at least {LEAST_SOURCES} of them"
    else:
        hint = f"about so many labels would do: {', '.join(wanted) or LEAST_ITEMS}"
    return DataError(
        f"the labels are too few to correct anything: {counted(most.n, 'labelled item')} with a verdict from "
        f"{counted(most.sources, 'source')} at most, and {LEAST_ITEMS} from {LEAST_SOURCES} are needed",
        where=where,
        hint=f"{hint}; adjudge sample chooses the items",
    )
