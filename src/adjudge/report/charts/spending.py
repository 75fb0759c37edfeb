"""What a run had spent when: a curve that only rises, over the time it was at work."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from adjudge.core.runs import Spent
from adjudge.report.element import Markup, element
from adjudge.report.words import Words

_TOP, _RIGHT, _HIGH = 12, 422, 120
_BOX = (440, 160)
_LINES = 4
#: Of less work nobody asks when.
_LEAST_S = 1.0
_LETTER = 7.4
_SECONDS = (0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)


def spending_chart(points: Sequence[Spent], say: Words) -> Markup | None:
    """What has a price in money, else in tokens, else in calls; nothing where there is no curve to draw."""
    ends = measured(points)
    if ends is None or points[-1].seconds < _LEAST_S:
        return None
    title, values = ends
    top, last, money = values[-1], points[-1].seconds, title == "charts_cost"

    levels = list(_levels(top, say, money=money))
    left = round(max(len(shown) for _, shown in levels) * _LETTER + 12)

    def along(seconds: float) -> float:
        return round(left + (_RIGHT - left) * seconds / last, 2)

    def up(value: float) -> float:
        return round(_TOP + _HIGH * (1 - value / top), 2)

    shapes = list(_moments(last, along, say))
    for level, shown in levels:
        y = up(level)
        shapes.append(element("line", class_="grid", x1=left, x2=_RIGHT, y1=y, y2=y))
        shapes.append(element("text", shown, x=left - 6, y=round(y + 4, 2), text_anchor="end"))
    path = [f"M {along(0)} {up(0)}"]
    for point, value in zip(points, values, strict=True):
        path.append(f"H {along(point.seconds)} V {up(value)}")
        if point.paused:
            x = along(point.seconds)
            mark = element("line", class_="pause", x1=x, x2=x, y1=_TOP, y2=_TOP + _HIGH)
            told = say("charts_pause", time=say.duration(point.paused))
            shapes.append(element("g", element("title", told), mark))
    line = " ".join(path)
    shapes.append(element("path", class_="area", d=f"{line} V {up(0)} Z"))
    shapes.append(element("path", class_="curve", d=line))
    label = f"{say(title)}: {spending_told(points, say)}"
    wide, high = _BOX
    return element("svg", shapes, viewBox=f"0 0 {wide} {high}", class_="curves", role="img", aria_label=label)


def measured(points: Sequence[Spent]) -> tuple[str, list[float]] | None:
    """The word for what the curve shows, and its values; nothing where nothing was spent."""
    if not points:
        return None
    if points[-1].cost_usd:
        return "charts_cost", [point.cost_usd or 0.0 for point in points]
    if points[-1].tokens:
        return "charts_tokens", [float(point.tokens) for point in points]
    return ("charts_calls", [float(point.calls) for point in points]) if points[-1].calls else None


def spending_told(points: Sequence[Spent], say: Words) -> str:
    """How much it was in the end, in how long, and when half of it."""
    found = measured(points)
    if found is None:
        return ""
    title, values = found
    half = next(point.seconds for point, value in zip(points, values, strict=True) if value >= values[-1] / 2)
    money = title == "charts_cost"
    return say(
        "charts_spent",
        all=say.cost(values[-1]) if money else say.number(values[-1], 0),
        time=say.duration(points[-1].seconds),
        half=say.duration(half),
    )


def pauses_told(points: Sequence[Spent], say: Words) -> str:
    """What was cut out of the time; empty where nothing was."""
    pauses = [point.paused for point in points if point.paused]
    if not pauses:
        return ""
    return say("charts_paused", n=say.number(len(pauses), 0), time=say.duration(math.fsum(pauses)))


def _levels(top: float, say: Words, *, money: bool) -> Iterator[tuple[float, str]]:
    step = _round_step(top / _LINES)
    if not money:
        step = max(1.0, step)
    digits = max(2, math.ceil(-math.log10(step))) if money else 0
    for number in range(int(top / step * (1 + 1e-9)) + 1):
        value = say.number(number * step, digits)
        yield min(number * step, top), f"${value}" if money else value


def _moments(last: float, along: Callable[[float], float], say: Words) -> list[Markup]:
    step = next((one for one in _SECONDS if last / one <= _LINES), 0.0)
    # Beyond the list: whole hours, as round as other numbers.
    step = step or 3600 * max(1.0, _round_step(last / 3600 / _LINES))
    drawn = []
    for number in range(int(last / step * (1 + 1e-9)) + 1):
        x, shown = along(min(number * step, last)), _moment(number * step, step, say)
        # The last one would stand out of the picture.
        inside = min(x, _BOX[0] - len(shown) * _LETTER / 2)
        drawn += [
            element("line", class_="tick", x1=x, x2=x, y1=_TOP + _HIGH, y2=_TOP + _HIGH + 4),
            element("text", shown, x=round(inside, 2), y=_TOP + _HIGH + 19, text_anchor="middle"),
        ]
    return drawn


def _moment(seconds: float, step: float, say: Words) -> str:
    if step < 60:
        return say("charts_seconds", n=say.score(seconds))
    if step < 3600:
        return say("charts_minutes", n=say.score(seconds / 60))
    return say("charts_hours", n=say.score(seconds / 3600))


def _round_step(least: float) -> float:
    """The least of 1, 2 and 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * one for one in (1, 2, 5, 10) if power * one >= least * (1 - 1e-9))
