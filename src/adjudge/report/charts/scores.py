"""The scores of one criterion: their mean with its interval on the scale, and how many lie where."""

from __future__ import annotations

from collections.abc import Callable

from adjudge.report.element import Markup, element
from adjudge.report.tables import Measure
from adjudge.report.words import Words

SHADES = 5
TICKS_MAX = 11
#: Bars wide enough for a finger, also where there are eleven.
_WIDE, _BAR_MAX, _BASE, _HIGH = 264, 44.0, 84, 100
_TALLEST = 66
#: A letter of a count, and of one that is set smaller; where there is room for neither, shares stand there.
_LETTER, _FINE_LETTER = 6.2, 4.65
#: However few, they are seen.
_LOWEST = 1.0


def shade(goodness: float) -> str:
    """The class of a colour from worst (`g0`) to best (`g4`)."""
    return f"g{min(SHADES - 1, max(0, int(goodness * SHADES)))}"


def interval_chart(measure: Measure, say: Words) -> Markup:
    """The mean as a dot and the interval as a band, between the worst end of the scale (left) and the best (right)."""
    left, span, middle = 8, 304, 12
    label = f"{say('mean')} {say.number(measure.mean, measure.digits)} {say.interval(measure.ci95, measure.digits)}"

    def spot(value: float) -> float:
        return round(left + span * measure.goodness(value), 2)

    shapes = [element("line", class_="axis", x1=left, x2=left + span, y1=middle, y2=middle)]
    for point in _ticks(measure):
        shapes.append(element("line", class_="tick", x1=spot(point), x2=spot(point), y1=middle - 3, y2=middle + 3))
    if measure.ci95 is not None:
        low, high = sorted(spot(end) for end in measure.ci95)
        wide = round(max(high - low, 2), 2)
        shapes.append(element("rect", class_="band", x=low, y=middle - 7, width=wide, height=14, rx=2.5))
    if measure.mean is not None:
        tone = f"dot {shade(measure.tone(measure.mean))}"
        shapes.append(element("circle", class_=tone, cx=spot(measure.mean), cy=middle, r=4.5))
    worst, best = (measure.min, measure.max) if measure.better == "higher" else (measure.max, measure.min)
    for value, x, anchor in ((worst, 2, "start"), (best, left * 2 + span - 2, "end")):
        shapes.append(element("text", say.score(value), x=x, y=32, text_anchor=anchor))
    return element("svg", shapes, viewBox="0 0 320 36", class_="interval", role="img", aria_label=label)


def _ticks(measure: Measure) -> list[float]:
    points = range(int(measure.min), int(measure.max) + 1)
    if measure.min == int(measure.min) and measure.max == int(measure.max) and len(points) <= TICKS_MAX:
        return list(points)
    return [measure.min + (measure.max - measure.min) * quarter / 4 for quarter in range(5)]


def histogram_chart(measure: Measure, say: Words, link: Callable[[str], str] | None = None) -> Markup | None:
    """Counts by point of the scale, each bar in the colour of its point and, with `link`, leading to its items."""
    bars = measure.histogram
    top = max((count for _, count in bars), default=0)
    if not top:
        return None
    step = min(_BAR_MAX, _WIDE / len(bars))
    size = "count" if _fits(top, say, _LETTER, step) else "count fine"
    share = 0 if _fits(top, say, _FINE_LETTER, step) else sum(count for _, count in bars)
    shapes = [element("line", class_="axis", x1=0, x2=round(step * len(bars), 2), y1=_BASE + 0.5, y2=_BASE + 0.5)]
    for place, (label, count) in enumerate(bars):
        centre = round((place + 0.5) * step, 2)
        if count:
            height = round(max(_LOWEST, _TALLEST * count / top), 2)
            shown = f"{say.number(100 * count / share, 0)}%" if share else say.number(count, 0)
            drawn = [
                element("title", f"{label}: {say.number(count, 0)}"),
                # The whole column can be hit, however low its bar.
                element("rect", class_="hit", x=round(place * step, 2), y=0, width=round(step, 2), height=_HIGH)
                if link
                else None,
                element(
                    "rect",
                    class_=shade(_goodness(measure, place)),
                    x=round(place * step + 1.5, 2),
                    y=round(_BASE - height, 2),
                    width=round(step - 3, 2),
                    height=height,
                    rx=1.5,
                ),
                element("text", shown, class_=size, x=centre, y=round(_BASE - 4 - height, 2)),
            ]
            name = say("charts_bar", title=measure.title, bar=label, n=say.number(count, 0))
            shapes.append(element("a", drawn, href=link(label), aria_label=name) if link else element("g", drawn))
        # The first point of a band, which may be below nought.
        shapes.append(element("text", label[:1] + label[1:].partition("-")[0], x=centre, y=_HIGH - 4))
    spoken = f"{measure.title}. {say('distribution')}: " + ", ".join(f"{label}: {count}" for label, count in bars)
    # A picture has no parts for a screen reader, so one with links in it is a group.
    role, wide = "group" if link else "img", round(step * len(bars), 2)
    box = f"0 0 {wide} {_HIGH}"
    return element(
        "svg", shapes, class_="histogram", role=role, aria_label=spoken, viewBox=box, width=wide, height=_HIGH
    )


def _fits(count: int, say: Words, letter: float, step: float) -> bool:
    return len(say.number(count, 0)) * letter <= step


def _goodness(measure: Measure, place: int) -> float:
    bars = len(measure.histogram)
    if measure.penalties:
        return measure.tone(measure.min + (measure.max - measure.min + 1) * place / bars)
    share = place / (bars - 1) if bars > 1 else 1.0
    return share if measure.better == "higher" else 1.0 - share
