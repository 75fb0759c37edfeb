"""Failures that are not random: whether items that failed differ from judged ones, and so the means from the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean, median

from adjudge.core.judge import Judge
from adjudge.core.records import Failure, Item, Outcome, digest
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import Share
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.words import words

#: So many failed items and as many judged ones are looked at; of more, a share.
ITEMS_MAX = 1_000
#: Fewer failures than this show no pattern.
FEWEST = 3
LEVEL = 0.05
NAME_COLUMNS = 40
NAMES_SHOWN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class _Traits:
    """What is known of an item before it is judged."""

    key: int
    place: int
    source: float
    text: float
    system: str
    language: str


class _Part:
    """The failed items, or the judged ones, or a share of them that their ids decide."""

    def __init__(self) -> None:
        self.share, self.count, self.items = Share(), 0, list[_Traits]()

    def cut(self) -> None:
        while len(self.items) > ITEMS_MAX:
            self.share.halve()
            self.items = [one for one in self.items if self.share.holds(one.key)]


class Failing:
    """Looks at the items of a run in which some failed."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._run, self._say = judge, state.run, words(judge.lang)
        # rows are read only where there is something to explain
        self._wanted = state.failed >= FEWEST
        self._failed, self._judged, self._place = _Part(), _Part(), 0

    def add(self, outcome: Outcome, row: Row) -> None:
        """Note the traits of one item."""
        self._place += 1
        if not self._wanted:
            return
        part = self._failed if isinstance(outcome, Failure) else self._judged
        part.count += 1
        key = int(digest(outcome.item)[:16], 16)
        if part.share.holds(key) and (item := row.item) is not None:
            part.items.append(self._traits(key, item))
            part.cut()

    def _traits(self, key: int, item: Item) -> _Traits:
        named = self._judge.with_role("system")
        return _Traits(
            key=key,
            place=self._place,
            source=self._length(item, "source"),
            text=self._length(item, "output"),
            system=item.text(named[0].name).strip() if named else "",
            language=language_of(self._judge, item),
        )

    def _length(self, item: Item, role: str) -> float:
        fields = [field.name for field in self._judge.fields if field.role == role]
        return sum(
            len(item.text(name))
            + sum(len(source.text) for source in item.sources(name))
            # a mean: an item that lacks an answer has no shorter ones
            + (fmean(map(len, answers.values())) if (answers := item.answers(name)) else 0.0)
            for name in fields
        )

    def section(self) -> Section | None:
        """Nothing: what is found is a warning."""
        return None

    def warnings(self) -> Iterable[str]:
        """One for each trait in which the failed items differ."""
        failed, judged = self._failed.items, self._judged.items
        if len(failed) < FEWEST or len(judged) < FEWEST:
            return
        # numpy takes a tenth of a second to import, which no command pays at its start
        import numpy as np

        from adjudge.stats.board import generator
        from adjudge.stats.exchange import exchanged

        items = sorted([*failed, *judged], key=lambda one: one.key)
        marks = {one.key for one in failed}
        # a batch fails as a whole, and its items stand side by side
        numbered = ("source", "text") if self._judge.layout == "batch" else ("source", "text", "place")
        found = exchanged(
            np.array([one.key in marks for one in items]),
            {name: np.array([getattr(one, name) for one in items], dtype=np.float64) for name in numbered},
            {name: [getattr(one, name) for one in items] for name in ("system", "language")},
            generator(self._run.seed, "failing"),
        )
        yield from self._said({name for name, p in found.items() if p <= LEVEL})

    def _said(self, traits: set[str]) -> Iterator[str]:
        say, n = self._say, self._say.number(self._failed.count, 0)
        for name, longer, shorter in (
            ("source", "warn_fail_long_source", "warn_fail_short_source"),
            ("text", "warn_fail_long_text", "warn_fail_short_text"),
            ("place", "warn_fail_late", "warn_fail_early"),
        ):
            if name in traits:
                ours, theirs = ([getattr(one, name) for one in part.items] for part in (self._failed, self._judged))
                # medians may be equal where the distributions are not
                above = (median(ours), fmean(ours)) > (median(theirs), fmean(theirs))
                failed, judged = (say.number(median(part), 0) for part in (ours, theirs))
                yield say(longer if above else shorter, n=n, failed=failed, judged=judged)
        for name, key in (("system", "warn_fail_system"), ("language", "warn_fail_language")):
            if name in traits:
                yield say(key, n=n, names=self._names(name))

    def _names(self, trait: str) -> str:
        """The names that have the most failures too many, each with its shares of failed and of judged items."""
        say = self._say
        ours, theirs = (Counter(getattr(one, trait) for one in part.items) for part in (self._failed, self._judged))
        shares = {name: (ours[name] / ours.total(), theirs[name] / theirs.total()) for name in ours}
        worst = sorted(shares, key=lambda name: (shares[name][1] - shares[name][0], name))[:NAMES_SHOWN]
        return ", ".join(
            say(
                "fail_shares",
                name=fit(name, NAME_COLUMNS) or say("unknown"),
                failed=say.number(100 * shares[name][0], 0),
                judged=say.number(100 * shares[name][1], 0),
            )
            for name in worst
            if shares[name][0] > shares[name][1]
        )


def language_of(judge: Judge, item: Item) -> str:
    """The language of the judged text: as a column says, or as its letters look."""
    from adjudge.models.offline.tokens import language  # reads word lists, which most reports do without

    for name in ("trg_lang", "lang", "language"):
        told = item.fields.get(name) or item.extra.get(name)
        if isinstance(told, str) and told.strip():
            return told.strip().lower()
    for field in judge.with_role("output"):
        texts = [item.text(field.name), *item.answers(field.name).values()]
        if text := next((one for one in texts if one.strip()), ""):
            return language(text)
    return ""
