"""Questions in stages over a run: how many of them the judged texts answer in full, in part and not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.verdicts import mappings, parts
from adjudge.report.words import words
from adjudge.stats.interval import Moments, mean_interval

#: What a text may do with a question, and the words for it.
STATES = {"full": "questions_full", "partly": "questions_partly", "unanswered": "questions_unanswered"}


class _Shares:
    """What one criterion has gathered: the share of each state per item, in percent."""

    def __init__(self) -> None:
        self.questions = self.sources = 0
        self.shares = {state: Moments() for state in STATES}

    def add(self, counts: Counter[str], sources: int) -> None:
        of = counts.total()
        self.questions += of
        self.sources += sources
        for state, moments in self.shares.items():
            moments.add(100.0 * counts[state] / of)


class Questions:
    """A table for runs in stages; elsewhere nothing tells answers in part from those in full."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge = judge
        asked = [one for one in judge.criteria if one.kind == "questions"] if state.run.staged else []
        self._by_criterion = {one.name: _Shares() for one in asked}

    def add(self, outcome: Outcome, row: Row) -> None:
        if not self._by_criterion or not isinstance(outcome, Verdict):
            return
        partly = Counter(
            str(one.get("criterion")) for one in mappings(outcome.findings) if one.get("kind") == "question_partly"
        )
        for name, value in parts(self._judge, outcome, "questions"):
            groups = list(mappings(value))
            asked = [one.get("is_answered") is True for group in groups for one in mappings(group.get("questions"))]
            if asked and name in self._by_criterion:
                in_part = min(partly[name], sum(asked))
                counts = Counter(full=sum(asked) - in_part, partly=in_part, unanswered=len(asked) - sum(asked))
                self._by_criterion[name].add(counts, len(groups))

    def section(self) -> Section | None:
        seen = {name: one for name, one in self._by_criterion.items() if one.questions}
        if not seen:
            return None
        say = words(self._judge.lang)
        rows, data = [], {}
        for name, one in seen.items():
            figures: dict[str, Any] = {}
            for state, moments in one.shares.items():
                ends = mean_interval(moments, 0.0, 100.0)
                figures[state] = {"mean": moments.mean, "ci95": None if ends is None else list(ends)}
                shown = f"{say.number(moments.mean, 1)} % {say.interval(ends, 1)}"
                rows.append((self._judge.criterion(name).title or name, say(STATES[state]), shown))
            items = one.shares["full"].n
            data[name] = {"items": items, "sources": one.sources, "questions": one.questions, **figures}
        counts = {key: sum(one[key] for one in data.values()) for key in ("questions", "sources", "items")}
        return Section(
            name="questions",
            title=say("questions_title"),
            columns=(say("criterion"), say("questions_state"), say("questions_share")),
            rows=tuple(rows),
            notes=(say("questions_note", **{key: say.number(n, 0) for key, n in counts.items()}),),
            data=data,
        )

    def warnings(self) -> Iterable[str]:
        return ()
