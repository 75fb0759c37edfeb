"""A person's desk: what there is to label of a run, blind, and what they said of it so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from adjudge.api.label_log import person_log
from adjudge.api.stored import StoredRun
from adjudge.api.to_label import blind, known_names, ordered, read_item
from adjudge.core import limits
from adjudge.core.counted import counted
from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion, Judge, Layout
from adjudge.core.labels import SEEN, Label
from adjudge.core.records import Item, Outcome, Verdict, digest
from adjudge.data.human import point_of
from adjudge.data.label_export import whole
from adjudge.data.sampled import candidate_code, candidate_names
from adjudge.report.plain import block
from adjudge.report.sheet import Sheet
from adjudge.store.store import open_store

#: The criterion under which a comment on a whole item is kept.
REMARK = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One item on a desk, with nothing of the judge's verdict: `place` of `total`, `number` in the dataset, from 1.

    `candidates` are codes that tell no name, in an order of this person and item; ("",) where an item has one text.
    The item has the judge's own fields without those that say who wrote a text; its answers stand under the codes.
    `answers` are the labels that stand, by (candidate, criterion): a value of None is "would not say". The item is
    `complete` when each has one, and `answered` when one of them is a score: then the verdict may be seen, and `names`
    are the candidates' names by code, which is empty before. Its scores are `final` when the person has seen it.
    """

    place: int
    total: int
    number: int
    item: Item
    candidates: tuple[str, ...]
    answers: Mapping[tuple[str, str], Label] = field(default_factory=dict)
    comment: str = ""
    complete: bool = False
    answered: bool = False
    final: bool = False
    names: Mapping[str, str] = field(default_factory=dict)


class Desk:
    """What one person has to label of one run; places are numbered from 1 in an order of that person's own.

    Everything that was said is read from the store when the desk is opened and after each thing said at it: open one
    for each request. Several may be open for one person: nothing is lost, and the last word counts.
    """

    def __init__(self, run: StoredRun, annotator: str, *, items: int = 0, seed: int = 0) -> None:
        self.run, self.annotator, self._seed = run, annotator_name(annotator), seed
        self._places, self._at = ordered(run.store, run.id, items, seed, self.annotator)
        self._log = person_log(run.store, run.id, self.annotator)
        with open_store(run.store, create=False) as store:
            self._log.read(store)

    @classmethod
    def open(cls, run: StoredRun, annotator: str, *, items: int = 0, seed: int = 0) -> Desk:
        """The desk of a person: all items of the run, or as many as `items` says, the same ones for everybody."""
        return cls(run, annotator, items=items, seed=seed)

    @property
    def judge(self) -> Judge:
        return self.run.judge

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """What is asked of every text, in the judge's order."""
        return self.judge.scored

    @property
    def layout(self) -> Layout:
        return self.judge.layout

    @property
    def total(self) -> int:
        """How many items are on the desk."""
        return len(self._places)

    @property
    def done(self) -> int:
        """How many items have every criterion answered or skipped."""
        return sum(self._complete(item) for item in self._log.items() if item in self._at)

    def first_open(self) -> int | None:
        """The place of the first item that is not complete; None when all are."""
        return next(self.open_after(0), None)

    def open_after(self, place: int) -> Iterator[int]:
        """The places of items that are not complete, from the one behind `place` on and round to it."""
        order = (*range(place, self.total), *range(place))
        return (one + 1 for one in order if not self._complete(self._places[one][1]))

    def place(self, number: int) -> int | None:
        """The place on the desk of the item with this number in the dataset, from 1; None where it is not here."""
        return next((place for place, (one, _) in enumerate(self._places, 1) if one == number), None)

    def place_of(self, item: str) -> int | None:
        """The place on the desk of an item by its id; None where it is not here."""
        return self._at.get(item)

    def at(self, place: int) -> Task:
        """The item at a place, as the person may see it."""
        number, name = self._known(place)
        given, complete, answered = self._log.of(name), self._complete(name), self._answered(name)
        with open_store(self.run.store, create=False) as store:
            item = read_item(store, self.run, name)
        codes = {one: candidate_code(name, one) if one else "" for one in self._candidates(name)}
        answers = {
            (codes[candidate], criterion): replace(label, candidate=codes[candidate])
            for (candidate, criterion), label in given.items()
            if candidate in codes and criterion in self._asked
        }
        remark = given.get(("", REMARK))
        return Task(
            place=place,
            total=self.total,
            number=number,
            item=blind(self.judge, item, codes),
            candidates=tuple(codes.values()),
            answers=answers,
            comment=remark.comment if remark else "",
            complete=complete,
            answered=answered,
            final=name in self._log.seen,
            names={code: one for one, code in codes.items() if one} if answered else {},
        )

    def say(
        self, place: int, criterion: str, value: float | None, *, candidate: str = "", comment: str | None = None
    ) -> None:
        """Score one criterion of a text, or None for "would not say"; durable before it returns.

        `candidate` is its code. A comment is on this score; None leaves the one that was given with it before. What the
        person says already is not said again: it would be a second thing to undo. When the person has seen the verdict
        another score is refused: it would not be blind.
        """
        _, item = self._known(place)
        asked = self._asked.get(criterion)
        if asked is None:
            raise DataError(
                f"`{criterion[:80]}` is no scored criterion of `{self.judge.name}`",
                hint=f"its scored criteria: {', '.join(self._asked)}",
            )
        who = self._named(item, candidate)
        if comment is None:
            before = self._log.of(item).get((who, criterion))
            comment = before.comment if before else ""
        self._add(item, who, criterion, None if value is None else _point(asked, value), comment)

    def comment(self, place: int, text: str) -> None:
        """Remark on an item as a whole; an empty text takes the place of an earlier one."""
        _, item = self._known(place)
        if text or ("", REMARK) in self._log.of(item):
            self._add(item, "", REMARK, None, text)

    def undo(self) -> int | None:
        """Take back the last thing that this person said here, and the one before it next time; the place of its item.

        What was said before it counts again. Nothing is deleted: the store keeps both, each with its time. Scores of
        items whose verdict the person has seen stay.
        """
        with open_store(self.run.store, create=False) as store:
            while found := self._log.newest(self._at):
                number, label = found
                taken = store.withdraw_label(self.run.id, self.annotator, number)
                self._log.read(store)
                if taken:  # else another tab took it back at the same moment, and the one before it is meant
                    return self._at[label.item]
        return None

    def verdict(self, place: int) -> Outcome | None:
        """What the judge made of an item, once this person has answered every criterion of it, and not before.

        Who skips a criterion has no more to say of it; who skips all of them has not answered. From then on the scores
        of the item are final.
        """
        _, item = self._known(place)
        if not self._answered(item):
            every = "nothing of this item is scored" if self._complete(item) else "a criterion of this item is open"
            raise DataError(
                f"the judge's verdict is hidden while {every}",
                hint="answer every criterion, or skip those that you cannot answer, but not all of them",
            )
        with open_store(self.run.store, create=False) as store:
            outcome = store.outcome(self.run.id, item)
        if isinstance(outcome, Verdict):
            self._show([item])
        return outcome

    def agreement(self) -> Sheet:
        """How far judge and people agree, by all labels of this run, once this person is done with the desk.

        Before that its tables would show verdicts on items that the person has still to label; from then on all their
        scores are final.
        """
        if (left := self.total - self.done) > 0:
            raise DataError(
                f"{counted(left, 'item')} of {self.total} still to be labelled: agreement is shown when all are",
                hint="answer every criterion, or skip those that you cannot answer",
            )
        from adjudge.api.agree import agree  # needs numpy, which takes a while to load

        sheet = agree(self.run)
        self._show(item for _, item in self._places)
        return sheet

    @cached_property
    def _asked(self) -> dict[str, Criterion]:
        return {criterion.name: criterion for criterion in self.criteria}

    def _show(self, items: Iterable[str]) -> None:
        """Note that this person sees the verdicts on these items."""
        with self._log.lock, open_store(self.run.store, create=False) as store:
            self._log.read(store)
            news = [one for one in items if one not in self._log.seen]
            seen = (Label(item=one, criterion=SEEN, annotator=self.annotator, value=None) for one in news)
            if news:
                store.add_labels(self.run.id, seen)
                self._log.read(store)

    def _add(self, item: str, candidate: str, criterion: str, value: float | None, comment: str) -> None:
        if len(comment) > limits.COMMENT_CHARS:
            raise DataError(f"the comment is longer than {limits.COMMENT_CHARS} characters", hint="shorten it")
        with self._log.lock, open_store(self.run.store, create=False) as store:
            self._log.read(store)
            before = self._log.of(item).get((candidate, criterion))
            if before and self._log.final(before) and before.value != value:
                raise DataError(
                    "you have seen the judge's verdict on this item: your scores of it are final",
                    hint="say in the comment what you think now",
                )
            if before is None or (before.value, before.comment) != (value, comment):
                store.add_label(self.run.id, item, candidate, criterion, self.annotator, value, comment)
                self._log.read(store)

    def _known(self, place: int) -> tuple[int, str]:
        if not 1 <= place <= self.total:
            raise DataError(f"there is no item {place} to label", hint=f"they are numbered from 1 to {self.total}")
        return self._places[place - 1]

    def _complete(self, item: str) -> bool:
        given = self._log.cells(item)
        if len(given) < len(self._asked):
            return False
        return all((who, name) in given for who in self._names(item) for name in self._asked)

    def _answered(self, item: str) -> bool:
        return self._complete(item) and any(
            name in self._asked and label.value is not None for (_, name), label in self._log.of(item).items()
        )

    def _candidates(self, item: str) -> list[str]:
        """The names of an item's candidates in the order that this person sees; "" where it has one text."""
        return sorted(self._names(item), key=lambda name: digest(["candidate", self._seed, self.annotator, item, name]))

    def _names(self, item: str) -> Sequence[str]:
        if self.layout != "compare":
            return [""]
        known = known_names(self.run.store, self.run.id)
        if item not in known:
            with open_store(self.run.store, create=False) as store:
                # all at once: `done` wants those of every item with labels
                for name in {item, *self._log.items()} & self._at.keys() - known.keys():
                    known[name] = candidate_names(self.judge, read_item(store, self.run, name))
        return known[item]

    def _named(self, item: str, code: str) -> str:
        """The name of the candidate with this code."""
        names = self._candidates(item)
        found = next((name for name in names if code == (candidate_code(item, name) if name else "")), None)
        if found is None:
            raise DataError(f"there is no candidate `{code[:80]}` of this item", hint="reload the page")
        return found


def annotator_name(text: str) -> str:
    """The name of a person as labels have it, or a DataError."""
    name = " ".join(text.split())
    if not name:
        raise DataError("a label needs the name of who gives it", hint="say who you are")
    # what a page cannot show as it is would come back from it as the name of somebody else
    if len(name) > limits.NAME_CHARS or not name.isprintable() or block(name) != name:
        raise DataError(
            f"a name has at most {limits.NAME_CHARS} characters, all of them visible", hint="give a shorter, plain name"
        )
    return name


def _point(criterion: Criterion, value: float) -> float:
    """A value of the criterion's scale, whole where the scale is; else a DataError."""
    assert criterion.scale is not None
    found = point_of(criterion, value, f"`{criterion.name}`", "")
    if criterion.scale.whole and found != int(found):
        raise DataError(
            f"`{criterion.name}` is {found:g}, and its scale has whole points only",
            hint=f"give a whole number from {criterion.scale.min} to {criterion.scale.max}",
        )
    return whole(found)
