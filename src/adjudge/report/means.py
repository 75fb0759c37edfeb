"""What stands below a table of means: how their intervals were found."""

from __future__ import annotations

from adjudge.report.tables import Measure, Report
from adjudge.report.words import Words

#: The ways in the order in which they are named, with the word of each.
_WAYS = {
    "bootstrap": "means_bootstrap",
    "student": "means_student",
    "wilson": "means_wilson",
    "rule of three": "means_equal",
}


def means_note(report: Report, say: Words, *, spread: bool = True) -> str:
    """How the intervals of the means were found and, where it is shown, what the spread is of; empty without any."""
    measures: list[Measure] = [*report.criteria, *report.derived]
    for one in report.candidates:
        measures += [*one.criteria, one.total]
    found = {one.way for one in measures if one.ci95 is not None}
    ways = ", ".join(say(word) for way, word in _WAYS.items() if way in found)
    told = [say("means_note", ways=ways), *([say("means_sd_note")] if spread else [])]
    return " ".join(told) if ways else ""
