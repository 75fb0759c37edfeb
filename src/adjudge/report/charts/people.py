"""The judge against people: how often they gave which point where the judge gave which."""

from __future__ import annotations

import math

from adjudge.report.charts.scores import TICKS_MAX
from adjudge.report.element import Markup, element
from adjudge.report.people import Against
from adjudge.report.words import Words

_SIZE, _LEFT, _TOP, _PLOT, _PAD = 240, 34, 6, 200, 16
_LARGEST, _SMALLEST, _LETTER = 17.0, 2.5, 5.8
#: A circle with room for a digit; where points are few, every circle has it.
_NUMBERED = 7.0


def people_chart(one: Against, say: Words) -> Markup | None:
    """A circle for each pair of points, as large as it is frequent; where both agree it lies on the diagonal."""
    top = max(one.counts.values(), default=0)
    if not top:
        return None
    span = (one.max - one.min) or 1.0
    inner = _PLOT - 2 * _PAD
    apart = inner / span if span < TICKS_MAX else inner / TICKS_MAX
    largest = min(_LARGEST, 0.48 * apart)
    least = _NUMBERED if span < TICKS_MAX and largest > _NUMBERED else _SMALLEST

    def along(value: float) -> float:
        return round(_LEFT + _PAD + inner * min(1.0, max(0.0, (value - one.min) / span)), 2)

    def up(value: float) -> float:
        return round(2 * _TOP + _PLOT + _LEFT - _TOP - along(value), 2)

    shapes: list[Markup] = []
    for tick in _ticks(one):
        shapes += [
            element("line", class_="grid", x1=along(tick), x2=along(tick), y1=_TOP, y2=_TOP + _PLOT),
            element("line", class_="grid", x1=_LEFT, x2=_LEFT + _PLOT, y1=up(tick), y2=up(tick)),
            element("text", say.score(tick), x=along(tick), y=_TOP + _PLOT + 13, text_anchor="middle"),
            element("text", say.score(tick), x=_LEFT - 5, y=round(up(tick) + 3.5, 2), text_anchor="end"),
        ]
    shapes.append(
        element("line", class_="diagonal", x1=_LEFT, y1=_TOP + _PLOT, x2=_LEFT + _PLOT, y2=_TOP),
    )
    # The small ones are drawn last, or a large one could hide them.
    for (people, judge), count in sorted(one.counts.items(), key=lambda pair: (-pair[1], pair[0])):
        radius = round(max(least, largest * math.sqrt(count / top)), 2)
        shown = say.number(count, 0)
        told = say("charts_pair", people=say.score(people), judge=say.score(judge), n=shown)
        drawn = [
            element("title", told),
            element("circle", class_="same" if people == judge else "apart", cx=along(people), cy=up(judge), r=radius),
        ]
        if radius >= _NUMBERED and len(shown) * _LETTER <= 2 * radius - 2:
            drawn.append(element("text", shown, class_="in", x=along(people), y=round(up(judge) + 3.5, 2)))
        shapes.append(element("g", drawn))
    middle = _TOP + _PLOT / 2
    shapes += [
        element("text", say("charts_people"), class_="axis-name", x=_LEFT + _PLOT / 2, y=_SIZE - 6),
        element("text", say("charts_judge"), class_="axis-name", x=10, y=middle, transform=f"rotate(-90 10 {middle})"),
    ]
    label = say("charts_people_label", title=one.title, told=people_told(one, say))
    box = f"0 0 {_SIZE} {_SIZE}"
    return element("svg", shapes, viewBox=box, class_="people", role="img", aria_label=label)


def people_told(one: Against, say: Words) -> str:
    """How many texts, how often both gave the same point, and how far the judge is off on average."""
    return say(
        "charts_agreement",
        n=say.number(one.n, 0),
        same=say.number(100 * one.same / one.n, 0) if one.n else "—",
        bias=say.signed(one.bias),
    )


def _ticks(one: Against) -> list[float]:
    points = range(math.ceil(one.min), math.floor(one.max) + 1)
    if 0 < len(points) <= TICKS_MAX:
        return list(points)
    return [round(one.min + (one.max - one.min) * quarter / 4) for quarter in range(5)]
