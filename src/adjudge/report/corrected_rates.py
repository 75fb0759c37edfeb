"""The shares of a correction: what people would have passed, and how judge and people differ on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adjudge.report.tables import Section
from adjudge.report.words import Words
from adjudge.stats.board import Axis
from adjudge.stats.correct import LEAST_ITEMS, LEAST_SOURCES
from adjudge.stats.interval import Interval
from adjudge.stats.rates import Corrected, Rate


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareOf:
    """How many pass one bound: `name` is the bound as it was given, `sign` and `bound` as people read it.

    `found` is None where the labels are too few, or where none is among what the judge passed, or failed (`unseen`).
    """

    axis: Axis
    candidate: str
    name: str
    sign: str
    bound: float
    n: int
    of: int
    sources: int
    found: Corrected | None
    unseen: bool
    needed: int | None
    half: float

    def title(self, say: Words) -> str:
        return f"{self.axis.title} {self.sign} {say.score(self.bound)}"

    def as_json(self) -> dict[str, Any]:
        shape: dict[str, Any] = {"n": self.n, "of": self.of, "sources": self.sources}
        shape |= {"half_width": self.half, "labels_needed": self.needed}
        if self.found is None:
            return {"corrected": None, **shape}
        figures = asdict(self.found)
        if (told := figures.pop("rogan_gladen")) is not None:
            figures["rogan_gladen"] = {"rate": told[0], "ci95": list(told[1])}
        return {**figures, **shape}


def percent(value: float | None, say: Words) -> str:
    """A share in percent, with one decimal."""
    return "—" if value is None else f"{say.number(100 * value, 1)} %"


def _ends(ci95: Interval | None, say: Words) -> str:
    return "—" if ci95 is None else say.interval((100 * ci95[0], 100 * ci95[1]), 1)


def _whole(rate: Rate | None, say: Words) -> str:
    return "—" if rate is None else f"{percent(rate.rate, say)} {_ends(rate.ci95, say)}"


def rate_answer(share: ShareOf, say: Words) -> str:
    """One sentence: what people would have passed, and what the judge passes."""
    assert share.found is not None
    low, high = share.found.corrected.ci95
    judge = share.found.judge.rate
    told = "correct_too_many" if judge > high else "correct_too_few" if judge < low else "correct_not_off"
    return say(
        "correct_rate_answer",
        title=share.title(say),
        rate=percent(share.found.corrected.rate, say),
        interval=_ends(share.found.corrected.ci95, say),
        judge=percent(judge, say),
        verdict=say(told),
    )


def rate_sections(shares: Sequence[ShareOf], who: str, say: Words) -> Iterator[Section]:
    """The shares, and the tables behind them."""
    if not shares:
        return
    title = say("correct_rates")
    yield Section(
        name=f"rates {who}".strip(),
        title=f"{who}: {title}" if who else title,
        columns=(
            say("criterion"),
            say("correct_people"),
            say("correct_interval"),
            say("correct_judge"),
            say("correct_labels"),
            say("correct_labelled"),
        ),
        rows=tuple(
            (
                one.title(say),
                percent(one.found.corrected.rate if one.found else None, say),
                _ends(one.found.corrected.ci95 if one.found else None, say),
                percent(one.found.judge.rate if one.found else None, say),
                _whole(one.found.labels if one.found else None, say),
                say.n_of(one.n, one.of),
            )
            for one in shares
        ),
        notes=(say("correct_note_rates"), *(_refusal(one, say) for one in shares if one.found is None)),
        data={},
    )
    known = [(one, one.found) for one in shares if one.found is not None]
    if known:
        yield Section(
            name=f"errors {who}".strip(),
            title=say("correct_errors"),
            columns=(say("criterion"), say("correct_share"), "%", say("correct_interval")),
            rows=tuple(row for one, found in known for row in _errors(one.title(say), found, say)),
            notes=(say("correct_note_errors"),),
            data={},
        )


def _errors(title: str, found: Corrected, say: Words) -> Iterator[tuple[str, ...]]:
    named = (
        ("correct_passed", found.passed),
        ("correct_failed", found.failed),
        ("correct_sensitivity", found.sensitivity),
        ("correct_specificity", found.specificity),
    )
    for key, rate in named:
        if rate is not None:
            yield title, say(key), say.number(100 * rate.rate, 1), _ends(rate.ci95, say)
    if found.rogan_gladen is not None:
        told, ends = found.rogan_gladen
        yield title, say("correct_rogan_gladen"), say.number(100 * told, 1), _ends(ends, say)


def _refusal(one: ShareOf, say: Words) -> str:
    if one.unseen:
        return say("correct_refused_unseen", title=one.title(say))
    return say(
        "correct_refused", title=one.title(say), n=one.n, sources=one.sources, least=LEAST_ITEMS, most=LEAST_SOURCES
    )
