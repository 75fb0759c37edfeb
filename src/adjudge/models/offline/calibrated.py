"""A calibration: the mix of a measure's parts that one set of human labels asks for, kept as data in a JSON file."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import digest
from adjudge.models.offline.findings import Measured, Words

FORMAT = 1
#: The plain composite is a part like the others.
COMPOSITE = "composite"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fitted:
    """What calibration learned for one criterion: weights of parts, half the interval's width, the ranges it saw."""

    base: float
    weights: Mapping[str, float]
    half: float
    ranges: Mapping[str, tuple[float, float]]
    chars: tuple[int, int]

    def applied(self, measured: Measured, chars: int, words: Words) -> Measured:
        """The measure in the mix that people's scores asked for; not judged outside of what was seen."""
        if measured.quality is None:
            return measured
        low, high = self.chars
        if not low <= chars <= high:
            return _outside(measured, words.none("outside_length", n=chars, low=low, high=high))
        parts = {COMPOSITE: measured.quality, **measured.parts}
        for name, (least, most) in self.ranges.items():
            value = parts.get(name)
            if value is None:
                return _outside(measured, words.none("outside_absent", part=name))
            if not least <= value <= most:
                shown = {"value": f"{value:.2f}", "low": f"{least:.2f}", "high": f"{most:.2f}"}
                return _outside(measured, words.none("outside_part", part=name, **shown))
        quality = self.base + math.fsum(weight * parts[name] for name, weight in self.weights.items())
        return replace(measured, quality=min(1.0, max(0.0, quality)), spread=self.half)


def _outside(measured: Measured, why: Measured) -> Measured:
    """Not judged, with what was found all the same after the reason."""
    return replace(measured, quality=None, spread=None, findings=(*why.findings, *measured.findings))


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """The calibrated criteria of one judge."""

    judge: str
    shape: str
    criteria: Mapping[str, Fitted]
    digest: str
    path: str

    def check(self, judge: Judge) -> None:
        """Refuse a judge that it was not made for."""
        if judge.name != self.judge:
            raise ConfigError(
                f"{self.path} was made for the judge `{self.judge}`, not for `{judge.name}`",
                hint=f"adjudge calibrate {judge.name} --labels FILE makes one",
            )
        if shape(judge) != self.shape:
            raise ConfigError(
                f"{self.path} was made for `{judge.name}` with other fields, criteria or scales",
                hint=f"adjudge calibrate {judge.name} --labels FILE makes a new one",
            )


def shape(judge: Judge) -> str:
    """A digest of what decides a judge's measures: its fields, criteria and scales, not their wording."""

    def scale(criterion: Criterion) -> list[Any] | None:
        found = criterion.scale
        return [found.min, found.max, found.better] if found else None

    fields = [[field.name, field.type, field.role] for field in judge.fields]
    criteria = [[one.name, one.kind, one.measure, scale(one)] for one in judge.criteria]
    return digest([judge.name, judge.layout, fields, criteria])[:12]


def read_calibration(path: str, measures: str) -> Calibration:
    """The calibration in a file, read strictly; one that was made with other measures is refused."""
    try:
        with Path(path).open("rb") as file:
            body = file.read(limits.CALIBRATION_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            f"cannot read the calibration {path}: {error.strerror}", hint="adjudge calibrate JUDGE --labels FILE"
        ) from None
    if len(body) > limits.CALIBRATION_BYTES:
        raise ConfigError(f"{path} has more than {limits.CALIBRATION_BYTES} bytes: it is no calibration")
    try:
        data = json.loads(body, parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no calibration: {error}", hint=_MAKES) from None
    return _Reader(path).whole(data, measures, hashlib.sha256(body).hexdigest()[:12])


_MAKES = "adjudge calibrate JUDGE --labels FILE makes one"


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in it")
    return found


class _Reader:
    """Takes a calibration apart; what is not as it should be is an error that names its place."""

    def __init__(self, path: str) -> None:
        self.path = path

    def wrong(self, where: str, what: str) -> NoReturn:
        raise ConfigError(f"{self.path}: `{where}` {what}", hint=f"the file was edited or is no calibration; {_MAKES}")

    def whole(self, data: Any, measures: str, made_of: str) -> Calibration:
        known = self.object(data, "the file")
        form = known.get("adjudge_calibration")
        if type(form) is int and form > FORMAT:
            raise ConfigError(f"{self.path} was made by a newer adjudge", hint="upgrade adjudge, or calibrate again")
        if type(form) is not int or form != FORMAT:
            self.wrong("adjudge_calibration", f"must be {FORMAT}")
        if self.text(known, "revision") != measures:
            raise ConfigError(
                f"{self.path} was made with other measures than this version of the embedded judge has",
                hint=f"adjudge calibrate {self.text(known, 'judge')} --labels FILE makes a new one",
            )
        given = self.object(known.get("criteria"), "criteria")
        criteria = {name: self.fitted(self.object(one, name), name) for name, one in given.items()}
        if not criteria:
            self.wrong("criteria", "is empty")
        name, kept = self.text(known, "judge"), self.text(known, "shape")
        return Calibration(judge=name, shape=kept, criteria=criteria, digest=made_of, path=self.path)

    def fitted(self, one: Mapping[str, Any], name: str) -> Fitted:
        weights = self.object(one.get("weights"), f"{name}.weights")
        ranges = self.object(one.get("ranges"), f"{name}.ranges")
        if not weights or weights.keys() != ranges.keys():
            self.wrong(f"{name}.ranges", "must have a range for every weight, and one at least")
        low, high = self.range(one.get("chars"), f"{name}.chars")
        return Fitted(
            base=self.number(one.get("base"), f"{name}.base"),
            weights={part: self.least(value, f"{name}.weights.{part}") for part, value in weights.items()},
            half=self.least(one.get("half"), f"{name}.half"),
            ranges={part: self.range(ends, f"{name}.ranges.{part}") for part, ends in ranges.items()},
            chars=(math.floor(low), math.ceil(high)),
        )

    def object(self, value: Any, where: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self.wrong(where, "must be an object")
        return value

    def text(self, known: Mapping[str, Any], where: str) -> str:
        value = known.get(where)
        if not isinstance(value, str) or not value or len(value) > limits.NAME_CHARS or not value.isprintable():
            self.wrong(where, "must be a short text")
        return value

    def number(self, value: Any, where: str) -> float:
        if type(value) not in (int, float) or not abs(value) <= _HUGE:
            self.wrong(where, "must be a number")
        return float(value)

    def least(self, value: Any, where: str) -> float:
        if (found := self.number(value, where)) < 0:
            self.wrong(where, "must be 0 or more")
        return found

    def range(self, value: Any, where: str) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            self.wrong(where, "must be two numbers")
        low, high = (self.number(end, where) for end in value)
        if low > high:
            self.wrong(where, "must not end before it begins")
        return low, high


#: No weight, base or length comes near it; beyond it sums of numbers could overflow.
_HUGE = 1e12
