"""Which runs can be compared with one, and why others can't."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from adjudge.api.stored import StoredRun, stored_judge
from adjudge.core.errors import AdjudgeError
from adjudge.core.judge import Judge
from adjudge.core.runs import RunState
from adjudge.report.tally import criterion_span
from adjudge.store.store import open_store

#: Another judge, a judge with other criteria or scales, or nothing judged yet.
Bar: TypeAlias = Literal["judge", "scales", "nothing"]
_Scales: TypeAlias = dict[str, tuple[float, float, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Other:
    """A run beside another: whether it has the same data, why it can't be compared, "" where it can, and what of it."""

    state: RunState
    same_data: bool
    bar: Bar | Literal[""] = ""
    told: str = ""


def others(run: StoredRun) -> Iterator[Other]:
    """All other runs of the store, the newest first."""
    with open_store(run.store, create=False) as store:
        first = store.state(run.id).run
        known: dict[str, tuple[bool, _Scales] | None] = {}
        ours = _shape(run.judge)
        for state in store.runs():
            one = state.run
            if one.id == run.id:
                continue
            if one.judge_digest not in known:
                try:
                    known[one.judge_digest] = _shape(stored_judge(store, one))
                except AdjudgeError:  # files of a version to come, or a damaged store: others can still be compared
                    known[one.judge_digest] = None
            theirs = known[one.judge_digest]
            bar: Bar | Literal[""] = ""
            told = ""
            if theirs != ours:
                bar, told = ("judge", one.judge) if one.judge != first.judge else ("scales", _differ(ours, theirs))
            elif not state.judged:
                bar = "nothing"
            yield Other(state=state, same_data=one.data_digest == first.data_digest, bar=bar, told=told)


def _shape(judge: Judge) -> tuple[bool, _Scales]:
    spans = {one.name: criterion_span(one) for one in judge.scored}
    scales = {name: (float(span.min), float(span.max), str(span.better)) for name, span in spans.items()}
    return judge.layout == "compare", scales


def _differ(ours: tuple[bool, _Scales], theirs: tuple[bool, _Scales] | None) -> str:
    if theirs is None:
        return "?"
    names = ours[1].keys() | theirs[1].keys()
    return ", ".join(sorted(name for name in names if ours[1].get(name) != theirs[1].get(name))) or "layout"
