"""What people would have said of all items, beside what the judge says of them, as a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from adjudge.core.runs import RunState
from adjudge.report.corrected_rates import ShareOf, rate_answer, rate_sections
from adjudge.report.sheet import Sheet
from adjudge.report.tables import Section
from adjudge.report.warn import unfinished
from adjudge.report.words import Words, words
from adjudge.stats.board import Axis
from adjudge.stats.correct import LEAST_ITEMS, LEAST_SOURCES, Estimate
from adjudge.stats.interval import Interval
from adjudge.store.url import with_store

#: Below this the labelled items are said to be unlike the rest; divided by how many values are looked at.
UNLIKE = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class MeanOf:
    """One value of one candidate: the judge's mean over `of` items, that of `n` labels, and the corrected one.

    The latter are None where the labels are too few. `needed` labels would bring half the interval to `half`; None
    where these items are too few for that. `alike` is how often a random choice is as far from all items as this one.
    """

    axis: Axis
    candidate: str
    n: int
    of: int
    sources: int
    judge: float
    judge_ci95: Interval | None
    labelled_judge: float | None
    labels: Estimate | None
    corrected: Estimate | None
    needed: int | None
    half: float
    alike: float | None = None

    @property
    def digits(self) -> int:
        return 2 if self.axis.span <= 10 else 1

    @property
    def off(self) -> int:
        """1 where the judge's mean lies above the corrected interval, -1 where below, 0 within it."""
        assert self.corrected is not None
        low, high = self.corrected.ci95
        return (self.judge > high) - (self.judge < low)

    @property
    def worth(self) -> float | None:
        """How many random labels without any verdict would tell as much."""
        return None if self.corrected is None else self.corrected.worth

    def as_json(self) -> dict[str, Any]:
        return {
            "corrected": _shape(self.corrected),
            "judge": {"mean": self.judge, "ci95": None if self.judge_ci95 is None else list(self.judge_ci95)},
            "labels": _shape(self.labels),
            "n": self.n,
            "of": self.of,
            "sources": self.sources,
            "slope": None if self.corrected is None else self.corrected.slope,
            "worth": self.worth,
            "half_width": self.half,
            "labels_needed": self.needed,
            "alike_p": self.alike,
            "min": self.axis.low,
            "max": self.axis.high,
            "better": self.axis.better,
        }


def _shape(found: Estimate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"mean": found.mean, "ci95": list(found.ci95), "ci95_these_items": list(found.ci95_set)}


Value: TypeAlias = MeanOf | ShareOf


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedRun:
    """Everything that the sheet shows; `chosen` is the run whose sample the labels are, "" where they are no sample."""

    state: RunState
    means: tuple[MeanOf, ...]
    shares: tuple[ShareOf, ...]
    labelled: int
    annotators: int
    chosen: str = ""
    strata: int = 1
    elsewhere: int = 0
    not_chosen: int = 0
    unjudged: int = 0

    @property
    def values(self) -> tuple[Value, ...]:
        return (*self.means, *self.shares)

    @property
    def candidates(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.candidate for one in self.values))


def corrected_sheet(found: CorrectedRun) -> Sheet:
    """The answer for people, in the language of the run."""
    run = found.state.run
    say = words(run.lang)
    told = tuple(line for who in found.candidates for line in _answers(found, who, say))
    warned = tuple(_warnings(found, say))
    sections = [
        section
        for who in found.candidates
        for section in (
            *_mean_sections([one for one in found.means if one.candidate == who], who, say),
            *rate_sections([one for one in found.shares if one.candidate == who], who, say),
        )
    ]
    return Sheet(
        title=say("correct_title"),
        lang=say.lang,
        facts=(
            run.shown,
            f"{say('model')} {run.settings.model}",
            say("correct_fact_labelled", n=say.n_of(found.labelled, run.items)),
            say("correct_fact_annotators", n=say.number(found.annotators, 0)),
            say("correct_fact_sample", run=found.chosen) if found.chosen else say("correct_fact_random"),
        ),
        answers=told,
        sections=tuple(sections),
        warnings=warned,
        signatures=(run.signature,),
        data=_data(found, told, warned),
    )


def _data(found: CorrectedRun, told: Sequence[str], warned: Sequence[str]) -> dict[str, Any]:
    run = found.state.run
    shape: dict[str, Any] = {
        "run": run.id,
        "judge": run.judge,
        "model": run.settings.model,
        "items": run.items,
        "labelled": found.labelled,
        "annotators": found.annotators,
        "sample": {"run": found.chosen, "strata": found.strata} if found.chosen else None,
        "answers": list(told),
    }
    each = {
        who: {
            "criteria": {
                one.axis.name: one.as_json() for one in found.means if one.candidate == who and not one.axis.derived
            },
            "derived": {
                one.axis.name: one.as_json() for one in found.means if one.candidate == who and one.axis.derived
            },
            "rates": {one.name: one.as_json() for one in found.shares if one.candidate == who},
        }
        for who in found.candidates
    }
    shape |= each[""] if set(each) == {""} else {"candidates": each}
    return shape | {"warnings": list(warned), "signature": run.signature}


def _answers(found: CorrectedRun, who: str, say: Words) -> Iterator[str]:
    """The derived value, or the only one, with its figures; then which others the judge is off on."""
    known = [one for one in found.means if one.candidate == who and one.corrected is not None]
    head = next((one for one in known if one.axis.derived), known[0] if known else None)
    lead = f"{who}: " if who else ""
    if head is not None and head.corrected is not None:
        far = abs(head.judge - head.corrected.mean)
        told = {1: "correct_too_high", -1: "correct_too_low", 0: "correct_not_off"}[head.off]
        yield lead + say(
            "correct_answer",
            title=head.axis.title,
            mean=say.number(head.corrected.mean, head.digits),
            interval=say.interval(head.corrected.ci95, head.digits),
            judge=say.number(head.judge, head.digits),
            verdict=say(told, n=say.number(far, head.digits)) if head.off else say(told),
        )
    for side, key in ((1, "correct_list_high"), (-1, "correct_list_low"), (0, "correct_list_within")):
        if parts := [_part(one, say) for one in known if one is not head and one.off == side]:
            yield lead + say(key, parts=", ".join(parts))
    for share in found.shares:
        if share.candidate == who and share.found is not None:
            yield lead + rate_answer(share, say)


def _part(one: MeanOf, say: Words) -> str:
    assert one.corrected is not None
    return f"{one.axis.title} ({say.signed(one.judge - one.corrected.mean, one.digits)})"


def _mean_sections(means: Sequence[MeanOf], who: str, say: Words) -> Iterator[Section]:
    if not means:
        return
    rows, behind = [], []
    for one in means:
        mean = one.corrected
        rows.append(
            (
                one.axis.title,
                say.number(None if mean is None else mean.mean, one.digits),
                "—" if mean is None else say.interval(mean.ci95, one.digits),
                say.number(one.judge, one.digits),
                "—" if mean is None else say.signed(one.judge - mean.mean, one.digits),
                say.n_of(one.n, one.of),
            )
        )
        behind.append(
            (
                one.axis.title,
                say.interval(one.judge_ci95, one.digits),
                "—"
                if one.labels is None
                else f"{say.number(one.labels.mean, one.digits)} {say.interval(one.labels.ci95, one.digits)}",
                "—" if one.worth is None else say.number(one.worth, 0),
                say("correct_more_items")
                if one.needed is None
                else f"{say.number(one.needed, 0)} (±{say.score(one.half)})",
            )
        )
    title = say("correct_means")
    yield Section(
        name=f"corrected {who}".strip(),
        title=f"{who}: {title}" if who else title,
        columns=(
            say("criterion"),
            say("correct_people"),
            say("correct_interval"),
            say("correct_judge"),
            say("correct_difference"),
            say("correct_labelled"),
        ),
        rows=tuple(rows),
        notes=(say("correct_note_means"), *(_refusal(one, say) for one in means if one.corrected is None)),
        data={},
    )
    yield Section(
        name=f"alone {who}".strip(),
        title=say("correct_alone"),
        columns=(
            say("criterion"),
            say("correct_judge_interval"),
            say("correct_labels"),
            say("correct_worth"),
            say("correct_needed"),
        ),
        rows=tuple(behind),
        notes=(say("correct_note_alone"),),
        data={},
    )


def _refusal(one: MeanOf, say: Words) -> str:
    return say(
        "correct_refused", title=one.axis.title, n=one.n, sources=one.sources, least=LEAST_ITEMS, most=LEAST_SOURCES
    )


def _warnings(found: CorrectedRun, say: Words) -> Iterator[str]:
    run = found.state.run
    if not found.chosen and any(one.n < one.of for one in found.values):
        yield say("correct_warn_random", command=with_store(f"adjudge sample {run.id}", found.state.store))
    looked = [one for one in found.means if one.alike is not None]
    for one in looked:
        if one.alike is not None and one.alike < UNLIKE / len(looked) and one.labelled_judge is not None:
            name = f"{one.candidate}, {one.axis.title}" if one.candidate else one.axis.title
            yield say(
                "correct_warn_unlike",
                title=name,
                labelled=say.number(one.labelled_judge, one.digits),
                every=say.number(one.judge, one.digits),
            )
    if (rest := found.state.wanted - found.state.judged - found.state.failed) > 0:
        yield unfinished(found.state, rest, say)
    if found.state.failed:
        yield say("correct_warn_failed", n=say.number(found.state.failed, 0))
    counts = (
        (found.elsewhere, "correct_warn_elsewhere"),
        (found.not_chosen, "correct_warn_not_chosen"),
        (found.unjudged, "correct_warn_unjudged"),
    )
    for count, key in counts:
        if count:
            yield say(key, n=say.number(count, 0))
