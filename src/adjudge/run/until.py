"""A question that a run is to answer with as few items as it takes, and the rule that says when it is answered."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import Answer
from adjudge.spec.strict import suggestion

if TYPE_CHECKING:
    from adjudge.run.draws import Draws

_FORMS = 'ask "ci(CRITERION) < 0.1", "better(A, B)" or "better(A, B, CRITERION)"; a name with , or ( stands in "..."'
_NAME = r'\s*("[^"]*"|[^",()]+?)\s*'
_CI = re.compile(rf"\s*ci\s*\({_NAME}\)\s*<\s*(\S+)\s*")
_BETTER = re.compile(rf"\s*better\s*\({_NAME},{_NAME}(?:,{_NAME})?\)\s*")

#: In the place of the value of an item that has no outcome yet.
_NONE = math.inf


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked: how well the mean of `name` is known, or which of two `sides` has the better one.

    `half_width` is what the interval's is to come below, in points of the scale. Values lie between `low` and `high`;
    `systems`: the sides are systems, each row being of one, and no candidates, which every row has.
    """

    name: str
    half_width: float | None = None
    sides: tuple[str, str] | None = None
    systems: bool = False
    low: float
    high: float
    higher: bool

    def __str__(self) -> str:
        if self.sides is None:
            short = f"{self.half_width:g}"
            exact = short if float(short) == self.half_width else repr(self.half_width)
            return f"ci({_quoted(self.name)}) < {exact}"
        return f"better({', '.join(map(_quoted, (*self.sides, self.name)))})"


def parse(text: str, judge: Judge) -> Question:
    """The question that was asked of a judge; whether the sides are in the data is checked elsewhere."""
    if found := _CI.fullmatch(text):
        return _ci(_bare(found[1]), found[2], judge)
    if found := _BETTER.fullmatch(text):
        first, second = _bare(found[1]), _bare(found[2])
        return _better((first, second), _bare(found[3]) if found[3] else "", judge)
    raise ConfigError(f"--until: `{text}` is no question", hint=_FORMS)


def _ci(name: str, bound: str, judge: Judge) -> Question:
    low, high, higher = _ends(judge, _known(judge, name))
    try:
        half = float(bound)
    except ValueError:
        half = math.nan
    if not 0 < half < math.inf:
        raise ConfigError(f"--until: `{bound}` is no half-width above 0", hint=_FORMS)
    if half >= (high - low) / 2:
        raise ConfigError(
            f"--until: that `{name}` is known to within {half:g} is true before anything is judged",
            hint=f"it lies between {low:g} and {high:g}; the half-width of its interval is meant: ci({name}) < 0.1 "
            "wants it to within 0.1 above and below",
        )
    return Question(name=name, half_width=half, low=low, high=high, higher=higher)


def _better(sides: tuple[str, str], name: str, judge: Judge) -> Question:
    if sides[0] == sides[1]:
        raise ConfigError(f"--until: `{sides[0]}` is asked to be better than itself", hint=_FORMS)
    systems = judge.layout != "compare"
    if systems and not (judge.with_role("system") and judge.with_role("source")):
        raise ConfigError(
            f"--until: better(A, B) compares candidates, or systems that were given the same source, and `{judge.name}`"
            " knows neither",
            hint='ask "ci(CRITERION) < 0.1"; two runs are compared with `adjudge compare`',
        )
    low, high, higher = _ends(judge, _known(judge, name or _overall(judge)), difference=True)
    return Question(
        name=name or _overall(judge), sides=sides, systems=systems, low=low - high, high=high - low, higher=higher
    )


def _overall(judge: Judge) -> str:
    """What decides over all: what the winner goes by, else the first derived number, else the first criterion."""
    winner = next((one for one in judge.derived if one.operation == "winner"), None)
    first = next((one.name for one in judge.derived if one.operation != "winner"), judge.scored[0].name)
    return winner.of[0] if winner else first


def _known(judge: Judge, name: str) -> str:
    known = [one.name for one in judge.scored] + [one.name for one in judge.derived if one.operation != "winner"]
    if name not in known:
        raise ConfigError(f"--until: `{judge.name}` scores no `{name}`", hint=suggestion(name, known))
    return name


def _ends(judge: Judge, name: str, *, difference: bool = False) -> tuple[float, float, bool]:
    """Between what a value lies, and whether more is better. A derived one may rest on any of its criteria alone."""
    derived = judge.derived_value(name)
    if derived is None:
        scale = judge.criterion(name).scale
        assert scale is not None
        return float(scale.min), float(scale.max), scale.better == "higher"
    if derived.operation == "percent":
        return 0.0, 100.0, True
    scales = [one.scale for one in judge.scored if one.name in derived.of and one.scale is not None]
    higher = any(scale.better == "higher" for scale in scales)
    if derived.operation == "mean":
        return float(min(one.min for one in scales)), float(max(one.max for one in scales)), higher
    if difference:  # both sides rest on the same criteria
        return 0.0, float(sum(one.max - one.min for one in scales)), higher
    return float(sum(min(0, one.min) for one in scales)), float(sum(max(0, one.max) for one in scales)), higher


def check_sides(question: Question, there: Iterable[str], *, batched: bool) -> None:
    """That both sides are among the names that the data has, and that a source's rows can be judged together."""
    if question.sides is None:
        return
    names = sorted(set(there))
    for side in question.sides:
        if side not in names:
            kind = "system" if question.systems else "candidate"
            raise ConfigError(f"--until: the data has no {kind} `{side}`", hint=suggestion(side, names))
    if question.systems and batched:
        raise ConfigError(
            "--until: better(A, B) of systems draws sources, each with its rows, and a batch holds rows of several",
            hint="--batch-size 1 judges every row by itself",
        )


def value_of(question: Question, outcome: Outcome) -> float:
    """The number that an outcome has to say to the question; NaN where it has none: it failed, or was not judged."""
    if not isinstance(outcome, Verdict):
        return math.nan
    found = outcome.scores.get(question.name, outcome.derived.get(question.name))
    if question.sides is None or question.systems:
        values = list(_numbers(found.values() if isinstance(found, Mapping) else [found]))
        return math.fsum(values) / len(values) if values else math.nan
    pair = list(_numbers(found.get(side) for side in question.sides)) if isinstance(found, Mapping) else []
    return pair[0] - pair[1] if len(pair) == 2 else math.nan


def _numbers(values: Iterable[Any]) -> Iterator[float]:
    return (one for one in values if type(one) in (int, float) and math.isfinite(one))


class Stopping:
    """Looks at the draws in their order, each when all before it have outcomes: what is quick decides nothing."""

    def __init__(self, question: Question, draws: Draws) -> None:
        from adjudge.stats.anytime import Anytime  # numpy takes a while, and few runs have a question

        self._question, self._draws = question, draws
        self._values = array("d", [_NONE]) * draws.items
        self._interval = Anytime(
            question.low,
            question.high,
            most=draws.most,
            # a mean is one of these items; a winner is chosen for items like these
            draws=len(draws) if question.sides is None else None,
            aim=question.half_width,
        )
        #: How many draws, from the first on, have been looked at, and their items.
        self.seen = self.items = 0
        self._sum, self._counted = 0.0, 0
        self.answered = False

    def note(self, position: int, outcome: Outcome) -> None:
        """The outcome of one item; it counts when its turn has come."""
        self._values[position] = value_of(self._question, outcome)

    def has(self, position: int) -> bool:
        return self._values[position] != _NONE

    def look(self) -> bool:
        """Look at the draws that may be looked at by now, until the question is answered; whether it is."""
        while not self.answered and self.seen < len(self._draws):
            places = self._draws.positions(self.seen)
            found = [self._values[place] for place in places]
            if _NONE in found:
                return False
            values = self._of(places, found)
            self.seen, self.items = self.seen + 1, self.items + len(places)
            self._sum, self._counted = self._sum + math.fsum(values), self._counted + len(values)
            self._interval.add(values)
            self.answered = self._is_answered()
        return self.answered

    def _of(self, places: Sequence[int], found: Sequence[float]) -> list[float]:
        """What a draw has to say: a value of each item, or of a source the difference of the two systems."""
        if not self._question.systems:
            return [value for value in found if not math.isnan(value)]
        sides: tuple[list[float], list[float]] = ([], [])
        for place, value in zip(places, found, strict=True):
            if (side := self._draws.side(place)) is not None and not math.isnan(value):
                sides[side].append(value)
        means = [math.fsum(one) / len(one) for one in sides if one]
        return [means[0] - means[1]] if len(means) == 2 else []

    def _is_answered(self) -> bool:
        if self._question.half_width is not None:
            return self._interval.half_width < self._question.half_width
        low, high = self._interval.interval
        return low > 0.0 or high < 0.0

    def answer(self, calls: int) -> Answer:
        """What is known by now; `calls` is what the items that were looked at have taken."""
        low, high = self._interval.interval
        better = ""
        if self.answered and self._question.sides is not None:
            better = self._question.sides[(low > 0.0) != self._question.higher]
        return Answer(
            name=self._question.name,
            sides=self._question.sides or (),
            answered=self.answered,
            better=better,
            items=self.items,
            counted=self._counted,
            mean=self._sum / self._counted if self._counted else None,
            interval=(low, high),
            calls=calls,
        )


def _quoted(name: str) -> str:
    return f'"{name}"' if re.search(r"[,()]|^\s|\s$", name) else name


def _bare(name: str) -> str:
    return name[1:-1] if name.startswith('"') else name
