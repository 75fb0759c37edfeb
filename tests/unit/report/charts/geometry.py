"""What must hold of every chart: parsed as XML, all of it inside its box, every number a number."""

from __future__ import annotations

import re
from xml.etree import ElementTree

#: A letter of a label is about so wide, as a share of its size.
LETTER = 0.62
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
KNOWN = {"svg", "g", "a", "title", "line", "rect", "circle", "path", "text"}
PLACES = {
    "line": lambda part: [(part["x1"], part["y1"]), (part["x2"], part["y2"])],
    "rect": lambda part: [(part["x"], part["y"]), (part["x"] + part["width"], part["y"] + part["height"])],
    "circle": lambda part: [
        (part["cx"] - part["r"], part["cy"] - part["r"]),
        (part["cx"] + part["r"], part["cy"] + part["r"]),
    ],
}


def checked(chart: str | None) -> ElementTree.Element:
    """The chart as a tree; fails where a shape lies outside, has no size or is no shape of ours."""
    assert chart is not None
    tree = ElementTree.fromstring(chart)
    left, top, wide, high = map(float, tree.attrib["viewBox"].split())
    assert wide > 0 and high > 0
    assert tree.attrib["aria-label"]
    for part in tree.iter():
        assert part.tag in KNOWN
        assert not {name for name in part.attrib if name == "style" or name.startswith("on")}
        for x, y in _places(part, 12 if tree.attrib["class"] == "curves" else 10):
            # a line is as thick as one, and half of that lies on each side
            assert left - 1 <= x <= left + wide + 1, ElementTree.tostring(part)
            assert top - 1 <= y <= top + high + 1, ElementTree.tostring(part)
    return tree


def texts(tree: ElementTree.Element) -> list[str]:
    """What can be read in the chart."""
    return [part.text or "" for part in tree.iter("text")]


def titles(tree: ElementTree.Element) -> list[str]:
    """What is told of its parts."""
    return [part.text or "" for part in tree.iter("title")]


def _places(part: ElementTree.Element, size: float) -> list[tuple[float, float]]:
    if part.tag == "path":
        return _path(part.attrib["d"])
    if part.tag == "text":
        return _text(part, size)
    if part.tag not in PLACES:
        return []
    numbers = {
        name: float(value)
        for name, value in part.attrib.items()
        if name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height")
    }
    assert all(abs(value) < 1e6 for value in numbers.values())  # neither infinite nor no number
    assert min(numbers.get("width", 1), numbers.get("height", 1), numbers.get("r", 1)) > 0
    found: list[tuple[float, float]] = PLACES[part.tag](numbers)
    return found


def _path(drawn: str) -> list[tuple[float, float]]:
    x = y = 0.0
    found = []
    for step in re.findall(r"[A-Z][^A-Z]*", drawn):
        numbers = [float(one) for one in NUMBER.findall(step)]
        if step[0] == "M":
            x, y = numbers
        elif step[0] == "H":
            (x,) = numbers
        elif step[0] == "V":
            (y,) = numbers
        else:
            assert step.strip() == "Z"
        found.append((x, y))
    return found


def _text(part: ElementTree.Element, size: float) -> list[tuple[float, float]]:
    x, y = float(part.attrib["x"]), float(part.attrib["y"])
    if "transform" in part.attrib:
        return [(x, y)]
    kind = part.attrib.get("class", "")
    wide = len(part.text or "") * LETTER * (7.5 if "fine" in kind else size)
    anchor = part.attrib.get("text-anchor", "middle")
    start = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
    return [(start, y - 8), (start + wide, y)]
