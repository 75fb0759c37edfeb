"""Labels: what people said of the texts that a judge judges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

#: A point of a scale, words for criteria without one, or nothing when the person would not say.
LabelValue: TypeAlias = "float | str | None"

#: Whose label it is, and of what: item, candidate, criterion, annotator.
LabelPlace: TypeAlias = tuple[str, str, str, str]


#: The criterion of an entry of the log that says no more than: this person was shown the verdict on this item.
#: No criterion can have the name.
SEEN = ".seen"


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """What one person said of one criterion of one text; `candidate` is "" where an item has one text.

    A `criterion` of "" is a comment on the item as a whole. `added` and `withdrawn` are times: when it was said, and
    when the person took it back, "" where it stands.
    """

    item: str
    candidate: str = ""
    criterion: str
    annotator: str = ""
    value: LabelValue
    comment: str = ""
    added: str = ""
    withdrawn: str = ""

    @property
    def place(self) -> LabelPlace:
        return self.item, self.candidate, self.criterion, self.annotator


class Entry(NamedTuple):
    """A line of the log of a run's labels: one that was said, or that the one of number `withdraws` is taken back."""

    number: int
    label: Label
    withdraws: int | None = None


def edited(entries: Iterable[Entry]) -> dict[int, Label]:
    """Everything that was said, by its number in the log; what was taken back has the time of that."""
    found: dict[int, Label] = {}
    for number, label, withdraws in entries:
        if withdraws is None and label.criterion != SEEN:
            found[number] = label
        elif withdraws in found:
            found[withdraws] = replace(found[withdraws], withdrawn=label.added)
    return found


def standing(edits: Iterable[Label]) -> list[Label]:
    """What people say now, after all their edits in the order they were made: the newest of each place that stands."""
    found: dict[LabelPlace, Label] = {}
    for label in edits:
        if not label.withdrawn:
            found.pop(label.place, None)  # the newest stands last
            found[label.place] = label
    return list(found.values())


def moment(text: str) -> datetime | None:
    """The time that a label carries; None where it is none. Without a zone it is taken for UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class News:
    """Labels that come from elsewhere: those to be added, and how many are not, since they are there or outdated."""

    labels: list[Label]
    known: int = 0
    outdated: int = 0


def news(edits: Iterable[Label], coming: Iterable[Label]) -> News:
    """What of labels that come from a file is new to those who said `edits`.

    A label with a time is known if it was ever said, then, and outdated if the person said otherwise since. One without
    a time is said now: it is known if it is what the person says already.
    """
    said = list(edits)
    ever = {(one.place, one.value, one.comment, one.added) for one in said}
    now = {one.place: one for one in standing(said)}
    found: list[Label] = []
    known = outdated = 0
    for label in coming:
        other = now.get(label.place)
        same = other is not None and (other.value, other.comment) == (label.value, label.comment)
        if (label.place, label.value, label.comment, label.added) in ever or (same and not label.added):
            known += 1
        elif other is not None and _before(label.added, other.added):
            outdated += 1
        else:
            found.append(label)
    return News(labels=found, known=known, outdated=outdated)


def later_of(one: Label, other: Label) -> Label:
    """The one of two labels that was said later; the second where their times do not tell."""
    return one if _before(other.added, one.added) else other


def _before(one: str, other: str) -> bool:
    earlier, later = moment(one), moment(other)
    return earlier is not None and later is not None and earlier < later
