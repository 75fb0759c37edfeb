"""Labels: what people said of the texts that a judge judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

#: A point of a scale, words for criteria without one, or nothing when the person would not say.
LabelValue: TypeAlias = "float | str | None"


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """What one person said of one criterion of one text; `candidate` is "" where an item has one text."""

    item: str
    candidate: str = ""
    criterion: str
    annotator: str = ""
    value: LabelValue
    comment: str = ""
    added: str = ""
