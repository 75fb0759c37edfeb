"""How a candidate stands against the others: items won, tied, led and lost, as one bar."""

from __future__ import annotations

from adjudge.report.element import Markup, element
from adjudge.report.tables import Candidate
from adjudge.report.words import Words

_WIDE, _LETTER = 320, 6.5
_CLASSES = ("won", "tied", "led", "lost")


def standings(one: Candidate) -> tuple[int, int, int, int]:
    """Items won, tied, led without being separable, and lost: together those that were decided."""
    lost = max(0, one.win_rate.n - one.wins - one.ties - one.not_separable)
    return one.wins, one.ties, one.not_separable, lost


def standing_words(say: Words) -> tuple[str, str, str, str]:
    """What the parts of the bar are called, in their order."""
    return say("wins"), say("ties"), say("open"), say("charts_losses")


def standing_chart(one: Candidate, say: Words) -> Markup | None:
    """Parts as wide as their share, each with its number where there is room for it; nothing where none is decided."""
    counts = standings(one)
    total = sum(counts)
    if not total:
        return None
    names, shapes, x = standing_words(say), [], 0.0
    for name, kind, count in zip(names, _CLASSES, counts, strict=True):
        if not count:
            continue
        wide, shown = _WIDE * count / total, say.number(count, 0)
        part = [
            element("title", f"{name}: {shown}"),
            element("rect", class_=kind, x=round(x, 2), y=3, width=round(max(wide - 1.5, 0.5), 2), height=20, rx=2),
        ]
        if len(shown) * _LETTER + 4 <= wide:
            part.append(element("text", shown, class_=f"in {kind}", x=round(x + (wide - 1.5) / 2, 2), y=17))
        shapes.append(element("g", part))
        x += wide
    spoken = ", ".join(f"{name}: {say.number(count, 0)}" for name, count in zip(names, counts, strict=True))
    label = f"{one.name}. {spoken}"
    return element("svg", shapes, viewBox=f"0 0 {_WIDE} 26", class_="standing", role="img", aria_label=label)


def standing_legend(say: Words) -> Markup:
    """Which part of a bar is what."""
    marks = [
        element(
            "span",
            element(
                "svg",
                element("rect", class_=kind, x=0, y=0, width=12, height=12, rx=2),
                viewBox="0 0 12 12",
                class_="key",
                aria_hidden="true",
            ),
            name,
        )
        for kind, name in zip(_CLASSES, standing_words(say), strict=True)
    ]
    return element("p", marks, class_="keys soft small")
