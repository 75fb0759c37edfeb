"""From a bar of a histogram to the items that fall into it; it works in a page without script."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from adjudge.core.judge import Judge
from adjudge.core.records import Verdict
from adjudge.core.scale import Better
from adjudge.report.basis import rests_on
from adjudge.report.element import Markup, element
from adjudge.report.overview import drawn_measures
from adjudge.report.plain import plain
from adjudge.report.tables import Measure, Report
from adjudge.report.tally import bar_of
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import Words


class Bars:
    """The bars of a report by name: `0-3` is the fourth bar of the first measure, since titles are hostile."""

    def __init__(self, report: Report, judge: Judge) -> None:
        self._judge = judge
        self.measures = drawn_measures(report)
        self._totals = [(one.name, one.total) for one in report.candidates]
        self._derived = {one.name: one for one in judge.derived}
        self._places = [{label: at for at, (label, _) in enumerate(one.histogram)} for one in self.measures]

    def of(self, verdict: Verdict) -> list[str]:
        """The bars into which a verdict falls: one of each measure, or several where it has several candidates."""
        found: dict[str, None] = {}
        for place, (measure, values) in enumerate(zip(self.measures, self._values(verdict), strict=True)):
            for value in values.values() if self._counted(measure, verdict) else ():
                if (label := bar_of(measure, value)) is not None:
                    found[f"b{place}-{self._places[place][label]}"] = None
        return list(found)

    @property
    def sorted_by(self) -> list[tuple[str, Better]]:
        """The titles of what rows can be sorted by, each on one harmless line, with its better end."""
        measures = [(plain(one.title), one.better) for one in self.measures]
        return measures + [(plain(f"{total.title}: {name}"), total.better) for name, total in self._totals]

    def values(self, verdict: Verdict) -> str:
        """The figures to sort by: the mean of each measure over candidates, the total of each; a dash where none is."""
        means = [math.fsum(one.values()) / len(one) if one else None for one in self._values(verdict)]
        means += [by_candidate(verdict.derived.get(total.name)).get(name) for name, total in self._totals]
        return " ".join("-" if mean is None else f"{mean:.6g}" for mean in means)

    def link(self, measure: Measure) -> Callable[[str], str]:
        """Where a bar leads."""
        place = self.measures.index(measure)
        return lambda label: f"#bar-{place}-{self._places[place][label]}"

    def rules(self) -> str:
        """The style that leaves only the items of the bar that was chosen."""
        return "".join(f"#bar-{name}:target~.items>.item:not(.b{name}){{display:none}}\n" for name, *_ in self._each())

    def notes(self, counts: Mapping[str, int], say: Words) -> Iterator[Markup]:
        """What is said above the items of a bar, with the way back to all; it shows when that bar is chosen."""
        for name, measure, label, count in self._each():
            about = {"title": measure.title, "bar": label, "count": say.number(count, 0)}
            told = say("items_bar", **about, n=say.number(counts.get(f"b{name}", 0), 0))
            back = element("a", say("items_all"), href="#items")
            yield element("p", told, " ", back, class_="bar", id=f"bar-{name}", tabindex=-1)

    def _each(self) -> Iterator[tuple[str, Measure, str, int]]:
        for place, measure in enumerate(self.measures):
            for at, (label, count) in enumerate(measure.histogram):
                if count:
                    yield f"{place}-{at}", measure, label, count

    def _values(self, verdict: Verdict) -> list[dict[str, float]]:
        return [
            by_candidate((verdict.derived if one.name in self._derived else verdict.scores).get(one.name))
            for one in self.measures
        ]

    def _counted(self, measure: Measure, verdict: Verdict) -> bool:
        """Whether the histogram counts it: a derived value does if it rests on the criteria that the mean is over."""
        if (derived := self._derived.get(measure.name)) is None:
            return True
        scores = {one.name: by_candidate(verdict.scores.get(one.name)) for one in self._judge.scored}
        return rests_on(self._judge, derived, scores) == measure.basis
