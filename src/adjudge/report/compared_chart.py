"""The differences of two sides as a chart: a dot and an interval for each value, on one axis in % of the scales."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from adjudge.report.compared import Compared
from adjudge.report.element import Child, Markup, element
from adjudge.report.plain import fit
from adjudge.report.words import Words

#: The axis goes at least so far, so that small differences look small.
LEAST = 0.1
#: Drawn as wide as a phone is, with the titles above the lines.
_LEFT, _WIDE, _LINE, _TOP = 20, 320, 38, 2
_TITLE_COLUMNS = 36


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """How far the second side is ahead in one value, as a share of its scale."""

    title: str
    ahead: float
    ends: tuple[float, float] | None

    def told(self, say: Words) -> str:
        ends = None if self.ends is None else (100 * self.ends[0], 100 * self.ends[1])
        difference = say.signed(100 * self.ahead, 1)
        return say("changes_chart_row", title=self.title, difference=difference, interval=say.interval(ends, 1))


def difference_chart(found: Compared, say: Words) -> Markup | None:
    """How far the second of two sides is ahead; right is better, whichever end of a scale is the good one."""
    rows = list(_rows(found))
    if not rows:
        return None
    reach = max(LEAST, *(abs(end) for row in rows for end in (row.ahead, *(row.ends or ()))))
    most = min(1.0, math.ceil(reach * 20) / 20)  # to the next 5 %
    middle, half, bottom = _LEFT + _WIDE / 2, _WIDE / 2, _TOP + _LINE * len(rows)

    def spot(value: float) -> float:
        return float(round(middle + half * min(1.0, max(-1.0, value / most)), 2))

    shapes: list[Child] = [_line(row, _TOP + _LINE * place + 26, spot, say) for place, row in enumerate(rows)]
    for value in (-most, 0.0, most):
        label = f"{say.signed(100 * value, 0)} %"
        shapes.append(element("text", label, x=spot(value), y=bottom + 14, text_anchor="middle"))
    return element(
        "svg",
        shapes,
        class_="differences",
        role="img",
        aria_label=f"{say('changes_chart')}. {'; '.join(row.told(say) for row in rows)}",
        viewBox=f"0 0 {2 * _LEFT + _WIDE} {bottom + 20}",
    )


def _rows(found: Compared) -> Iterator[_Row]:
    for one in found.contrasts:
        (pair,) = one.pairs
        if pair.difference is None:
            continue
        share = one.axis.sign / one.axis.span
        low, high = sorted(share * end for end in pair.interval or (0.0, 0.0))
        ends = None if pair.interval is None else (low, high)
        yield _Row(title=one.axis.title, ahead=share * pair.difference, ends=ends)


def _line(row: _Row, y: int, spot: Callable[[float], float], say: Words) -> Iterator[Markup]:
    yield element("text", fit(row.title, _TITLE_COLUMNS), x=0, y=y - 12, class_="named")
    yield element("line", class_="axis", x1=_LEFT, x2=_LEFT + _WIDE, y1=y, y2=y)
    zero = spot(0.0)
    yield element("line", class_="zero", x1=zero, x2=zero, y1=y - 9, y2=y + 9)
    tone = "g2"
    if row.ends is not None:
        low, high = map(spot, row.ends)
        yield element("rect", class_="band", x=low, y=y - 6, width=round(max(high - low, 2), 2), height=12, rx=2.5)
        if not row.ends[0] <= 0 <= row.ends[1]:
            tone = "g4" if row.ahead > 0 else "g0"
    yield element("circle", class_=f"dot {tone}", cx=spot(row.ahead), cy=y, r=5)
    told, right = say.signed(100 * row.ahead, 1), 2 * _LEFT + _WIDE
    yield element("text", told, x=right, y=y - 12, text_anchor="end", class_="named")
