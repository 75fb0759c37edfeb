"""Sources that were longer than the model's window: how many, in how many parts, and what was made of the parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.words import words

_FLAG = "in_parts:"
#: What is made of the parts of a source, and the words for it.
_WAYS = {
    "each": "long_each",
    "once": "long_once",
    "contradicted": "long_contradicted",
    "unsupported": "long_unsupported",
    "claims": "long_claims",
    "questions": "long_questions",
}


class LongSources:
    """A table for runs in which some source was judged in parts."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say = judge, words(judge.lang)
        self._verdicts = self._items = self._parts = self._most = 0
        self._least: int | None = None

    def add(self, outcome: Outcome, row: Row) -> None:
        if not isinstance(outcome, Verdict):
            return
        self._verdicts += 1
        told = [flag.removeprefix(_FLAG) for flag in outcome.flags if flag.startswith(_FLAG)]
        parts = max((int(one) for one in told if one.isdecimal() and len(one) < 9), default=0)
        if parts:
            self._items += 1
            self._parts += parts
            self._least = parts if self._least is None else min(self._least, parts)
            self._most = max(self._most, parts)

    def section(self) -> Section | None:
        if not self._items:
            return None
        say = self._say
        made = [(one, way) for one in self._judge.criteria if (way := _way(one))]
        return Section(
            name="long_sources",
            title=say("long_title"),
            columns=(say("criterion"), say("long_made")),
            rows=tuple((one.title or one.name, say(_WAYS[way])) for one, way in made),
            notes=(
                say(
                    "long_note",
                    n=say.n_of(self._items, self._verdicts),
                    parts=say.number(self._parts, 0),
                    least=say.number(self._least, 0),
                    most=say.number(self._most, 0),
                ),
            ),
            data=self._data({one.name: way for one, way in made}),
        )

    def _data(self, made: dict[str, str]) -> dict[str, Any]:
        return {
            "items": self._items,
            "of": self._verdicts,
            "parts": self._parts,
            "least": self._least,
            "most": self._most,
            "criteria": made,
        }

    def warnings(self) -> Iterable[str]:
        return ()


def _way(criterion: Criterion) -> str | None:
    """What is made of the parts of a source for a criterion."""
    if criterion.kind in ("claims", "questions"):
        return criterion.kind
    if criterion.counts:
        return criterion.counts
    return criterion.long or ("once" if criterion.kind == "text" else None)
