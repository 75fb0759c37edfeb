"""Charts as inline SVG: shapes from numbers, colours from the style sheet."""

from adjudge.report.charts.people import people_chart, people_told
from adjudge.report.charts.scores import SHADES, TICKS_MAX, histogram_chart, interval_chart, shade
from adjudge.report.charts.spending import pauses_told, spending_chart, spending_told
from adjudge.report.charts.standing import standing_chart, standing_legend, standings

__all__ = [
    "SHADES",
    "TICKS_MAX",
    "histogram_chart",
    "interval_chart",
    "pauses_told",
    "people_chart",
    "people_told",
    "shade",
    "spending_chart",
    "spending_told",
    "standing_chart",
    "standing_legend",
    "standings",
]
