"""Charts as inline SVG: shapes from numbers, colours from the style sheet."""

from __future__ import annotations

from adjudge.report.element import Markup, element
from adjudge.report.tables import Measure
from adjudge.report.words import Words

SHADES = 5
TICKS_MAX = 11


def shade(goodness: float) -> str:
    """The class of a colour from worst (`g0`) to best (`g4`)."""
    return f"g{min(SHADES - 1, max(0, int(goodness * SHADES)))}"


def interval_chart(measure: Measure, say: Words) -> Markup:
    """The mean as a dot on its scale and the interval as a band."""
    left, span, middle = 8, 204, 12
    label = f"{say('mean')} {say.number(measure.mean, measure.digits)} {say.interval(measure.ci95, measure.digits)}"

    def spot(value: float) -> float:
        return round(left + span * measure.place(value), 2)

    shapes = [element("line", class_="axis", x1=left, x2=left + span, y1=middle, y2=middle)]
    points = range(int(measure.min), int(measure.max) + 1)
    steps = (
        points if len(points) <= TICKS_MAX else range(int(measure.min), int(measure.max) + 1, max(1, len(points) // 4))
    )
    for point in steps:
        shapes.append(element("line", class_="tick", x1=spot(point), x2=spot(point), y1=middle - 3, y2=middle + 3))
    if measure.ci95 is not None:
        low, high = (spot(end) for end in measure.ci95)
        wide = round(max(high - low, 2), 2)
        shapes.append(element("rect", class_="band", x=low, y=middle - 7, width=wide, height=14, rx=2.5))
    if measure.mean is not None:
        tone = f"dot {shade(measure.tone(measure.mean))}"
        shapes.append(element("circle", class_=tone, cx=spot(measure.mean), cy=middle, r=4))
    for value, anchor in ((measure.min, "start"), (measure.max, "end")):
        place = 2 if anchor == "start" else left * 2 + span - 2
        shapes.append(element("text", say.score(value), x=place, y=32, text_anchor=anchor))
    return element("svg", shapes, viewBox="0 0 220 36", class_="interval", role="img", aria_label=label)


def histogram_chart(measure: Measure, say: Words) -> Markup | None:
    """Counts by point of the scale, each bar in the colour of its point."""
    bars = measure.histogram
    top = max((count for _, count in bars), default=0)
    if not top:
        return None
    step = min(26.0, 220 / len(bars))
    shapes: list[Markup] = []
    for place, (label, count) in enumerate(bars):
        x, height = round(place * step + 1.5, 2), round(30 * count / top, 2)
        share = place / (len(bars) - 1) if len(bars) > 1 else 1.0
        good = share if measure.better == "higher" else 1.0 - share
        if measure.penalties:
            good = measure.tone(measure.min + (measure.max - measure.min + 1) * place / len(bars))
        tone = shade(good)
        centre = round(x + (step - 3) / 2, 2)
        if count:
            bar = element(
                "rect", class_=tone, x=x, y=round(42 - height, 2), width=round(step - 3, 2), height=height, rx=1.5
            )
            shapes.append(element("g", element("title", f"{label}: {count}"), bar))
            shapes.append(element("text", say.number(count, 0), class_="count", x=centre, y=round(39 - height, 2)))
        shapes.append(element("text", label.partition("-")[0] or label, x=centre, y=54))
    spoken = f"{say('distribution')}: " + ", ".join(f"{label}: {count}" for label, count in bars)
    base = element("line", class_="axis", x1=0, x2=round(step * len(bars), 2), y1=42.5, y2=42.5)
    wide = round(step * len(bars), 2)
    drawn = element("g", base, shapes)
    box = f"0 0 {wide} 58"
    return element("svg", drawn, class_="histogram", role="img", aria_label=spoken, viewBox=box, width=wide, height=58)
