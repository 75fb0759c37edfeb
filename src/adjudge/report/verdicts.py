"""Reading a verdict by its judge: numbers, reasons, and the parts of its native shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from adjudge.core.judge import Judge, Leaf, Output
from adjudge.core.records import Item, Verdict
from adjudge.reply.derive import derive
from adjudge.report.basis import rests_on, titles, total_of
from adjudge.report.tables import Remark
from adjudge.report.words import Words

#: Where the renderers find an item by its id: a mapping or a function.
Items: TypeAlias = "Mapping[str, Item] | Callable[[str], Item | None]"

#: What JSON makes of numbers; a bool is of neither type itself.
_NUMBERS = (float, int)


def item_of(items: Items | None, name: str) -> Item | None:
    """The item of an id, when the items are at hand."""
    if items is None:
        return None
    return items.get(name) if isinstance(items, Mapping) else items(name)


def number(value: Any) -> float | None:
    """The value when it is a finite number; stored outcomes are data, and data is checked."""
    return value if type(value) in _NUMBERS and math.isfinite(value) else None


def by_candidate(value: Any) -> dict[str, float]:
    """A criterion's or derived value's numbers by candidate; the candidate is "" where there is one text."""
    if type(value) is float or type(value) is int:  # nearly always, and quicker than asking what else it may be
        return {"": value} if math.isfinite(value) else {}
    pairs = value.items() if isinstance(value, Mapping) else [("", value)]
    # as `number`, which in a comparison would be called for every score of every candidate
    return {str(name): one for name, one in pairs if type(one) in _NUMBERS and math.isfinite(one)}


def interval_of(verdict: Verdict, criterion: str, candidate: str = "") -> tuple[float, float] | None:
    """The 80 % interval of a score, where the judge stated one."""
    ends = verdict.intervals.get(criterion)
    if isinstance(ends, Mapping):
        ends = ends.get(candidate)
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        return None
    low, high = map(number, ends)
    return None if low is None or high is None else (low, high)


def reason_of(verdict: Verdict, criterion: str, candidate: str = "") -> str:
    """Why the score is what it is, or why there is none."""
    value = verdict.reasons.get(criterion, "")
    if isinstance(value, Mapping):
        value = value.get(candidate, "") if candidate else next((one for one in value.values() if one), "")
    return value if isinstance(value, str) else ""


def reasons_of(verdict: Verdict, criterion: str) -> frozenset[str]:
    """Why no text of the item has a score of a criterion; an empty reason where none was stated."""
    value = verdict.reasons.get(criterion, "")
    given = value.values() if isinstance(value, Mapping) else [value]
    return frozenset(one if isinstance(one, str) else "" for one in given) or frozenset({""})


def remarks(judge: Judge, verdict: Verdict) -> Iterator[tuple[float, Remark]]:
    """Every score with its goodness from worst (0) to best (1), in the judge's order, after faults without a score."""
    for (name, candidate), reason in uncounted(judge, verdict).items():
        criterion = judge.criterion(name)
        yield -1.0, Remark(title=criterion.title or name, candidate=candidate, value=None, reason=reason)
    for criterion in judge.criteria:
        if criterion.scale is None:
            continue
        for candidate, value in by_candidate(verdict.scores.get(criterion.name)).items():
            reason = reason_of(verdict, criterion.name, candidate)
            remark = Remark(
                title=criterion.title or criterion.name,
                candidate=candidate,
                value=value,
                reason=reason,
                interval=interval_of(verdict, criterion.name, candidate),
            )
            yield criterion.scale.normalised(value), remark


def uncounted(judge: Judge, verdict: Verdict) -> dict[tuple[str, str], str]:
    """What was found first against a text where its criterion has no score, by criterion and candidate."""
    found: dict[tuple[str, str], str] = {}
    if not verdict.findings:
        return found
    scores = {one.name: by_candidate(verdict.scores.get(one.name)) for one in judge.scored}
    for one in mappings(verdict.findings):
        name, candidate, reason = (str(one.get(key) or "") for key in ("criterion", "candidate", "reason"))
        if one.get("against") is True and name in scores and candidate not in scores[name]:
            found.setdefault((name, candidate), reason)
    return found


def quality(judge: Judge, verdict: Verdict) -> float | None:
    """How good the item is over all its scores, from worst (0) to best (1); none when nothing was judged."""
    goods = _goods(judge, verdict)
    return math.fsum(goods) / len(goods) if goods else None


def _goods(judge: Judge, verdict: Verdict) -> list[float]:
    return [
        criterion.scale.normalised(value)
        for criterion in judge.criteria
        if criterion.scale is not None
        for value in by_candidate(verdict.scores.get(criterion.name)).values()
    ]


def worst_first(judge: Judge) -> Callable[[Verdict], tuple[float, float, str]]:
    """A sort key: by quality, then by the lowest single score, then by id, so that row order decides nothing.

    A fault that no score counts is as bad as the worst score here: it is what one looks for.
    """

    def key(verdict: Verdict) -> tuple[float, float, str]:
        goods = [*_goods(judge, verdict), *(0.0 for _ in uncounted(judge, verdict))]
        if not goods:
            return (2.0, 2.0, verdict.item)
        return (math.fsum(goods) / len(goods), min(goods), verdict.item)

    return key


def derived_rows(judge: Judge, verdict: Verdict, say: Words) -> Iterator[tuple[str, dict[str, float], str]]:
    """Derived figures as (title, numbers by candidate, what they rest on where that is not all their criteria)."""
    scores = {one.name: by_candidate(verdict.scores.get(one.name)) for one in judge.scored}
    for derived in judge.derived:
        values = by_candidate(verdict.derived.get(derived.name))
        if derived.operation != "winner" and values:
            basis = rests_on(judge, derived, scores)
            partly = say("rests_on", names=", ".join(titles(judge, basis))) if basis < set(derived.of) else ""
            yield derived.title or derived.name, values, partly


def candidates_of(verdict: Verdict) -> list[str]:
    """The candidates of one comparison in the order the verdict names them."""
    names: dict[str, None] = {}
    for value in (*verdict.scores.values(), *verdict.derived.values(), *verdict.reasons.values()):
        if isinstance(value, Mapping) and not _is_winner(value):
            names |= dict.fromkeys(str(name) for name in value)
    return list(names)


def candidates_in_order(judge: Judge, verdict: Verdict, item: Item | None) -> list[str]:
    """The candidates as the item's row names them; a stored verdict may have lost that order."""
    named = candidates_of(verdict)
    answers = [item.answers(field.name) for field in judge.fields if field.type == "answers"] if item else []
    rows = dict.fromkeys(name for names in answers for name in names)
    return [*(name for name in rows if name in named), *(name for name in named if name not in rows)]


def winner_of(verdict: Verdict, name: str) -> tuple[str | None, tuple[str, ...]] | None:
    """The winner and the tied candidates; nothing when the comparison was not decided."""
    value = verdict.derived.get(name)
    if not isinstance(value, Mapping) or not _is_winner(value):
        return None
    winner, tied = value.get("winner"), tuple(str(one) for one in value.get("tied") or ())
    return (str(winner) if winner is not None else None, tied) if winner is not None or tied else None


def separable(verdict: Verdict) -> bool:
    """Whether the leader led in every order and repeat."""
    return "not_separable" not in verdict.flags


def decided(judge: Judge, verdict: Verdict, say: Words) -> str | None:
    """Who wins the comparison, in words; nothing where the judge names no winner or nothing was compared."""
    derived = next((one for one in judge.derived if one.operation == "winner"), None)
    decision = winner_of(verdict, derived.name) if derived else None
    if decision is None:
        return None
    winner, tied = decision
    if winner is None:
        return say("tie", names=", ".join(tied))
    return winner if separable(verdict) else say("not_separable")


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One opinion among several: what it saw, and the totals by candidate that follow from it alone."""

    repeat: int
    order: tuple[str, ...]
    totals: Mapping[str, float]


def trials_of(judge: Judge, verdict: Verdict) -> list[Trial]:
    """The opinions behind a comparison, where there are several."""
    total, found = total_of(judge), []
    for trial in verdict.trials if total else ():
        given, order, repeat = trial.get("scores"), trial.get("order"), trial.get("repeat")
        scores = {name: by_candidate(value) for name, value in given.items()} if isinstance(given, Mapping) else {}
        totals = derive(judge, {name: values for name, values in scores.items() if values}) if scores else {}
        found.append(
            Trial(
                repeat=repeat if isinstance(repeat, int) else 0,
                order=tuple(map(str, order)) if isinstance(order, list | tuple) else (),
                totals=by_candidate(totals.get(total.name)) if total else {},
            )
        )
    return found


def trial_lines(judge: Judge, verdict: Verdict, say: Words) -> Iterator[str]:
    """The totals of each opinion behind a comparison, a line each."""
    total = total_of(judge)
    for trial in trials_of(judge, verdict) if total else ():
        assert total is not None
        said = {"title": total.title or total.name, "repeat": trial.repeat + 1}
        head = say("trial_shown", **said, order=", ".join(trial.order)) if trial.order else say("trial", **said)
        yield f"{head}: {', '.join(f'{name} {say.score(one)}' for name, one in trial.totals.items())}"


def _is_winner(value: Mapping[str, Any]) -> bool:
    return "tied" in value and isinstance(value["tied"], list | tuple)


def parts(judge: Judge, verdict: Verdict, part: str) -> Iterator[tuple[str, Any]]:
    """The (criterion, value) pairs of one part (`text`, `claims`, `questions`, `selected`) of the native verdict."""
    for leaf, value in _walk(judge.output, verdict.native):
        if leaf.part == part and value:
            yield leaf.name, value


def conclusion(judge: Judge, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """The texts of the verdict as (title, text)."""
    found = dict(parts(judge, verdict, "text"))
    for criterion in judge.criteria:
        text = found.get(criterion.name) or verdict.reasons.get(criterion.name)
        if criterion.kind == "text" and isinstance(text, str) and text:
            yield criterion.title or criterion.name, text


def _walk(output: Output, native: Any) -> Iterator[tuple[Leaf, Any]]:
    if isinstance(output, Leaf):
        yield output, native
    elif isinstance(output, Mapping):
        if isinstance(native, Mapping):
            for key, child in output.items():
                yield from _walk(child, native.get(key))
    elif isinstance(native, list | tuple):
        for child, value in zip(output, native, strict=False):
            yield from _walk(child, value)


def mappings(value: Any) -> Iterable[Mapping[str, Any]]:
    """The objects of a list in a native verdict; anything else in it is passed over."""
    return (one for one in value if isinstance(one, Mapping)) if isinstance(value, list | tuple) else ()
