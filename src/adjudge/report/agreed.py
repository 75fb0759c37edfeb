"""How far a judge can be trusted: its agreement with people, with another judge or with itself, as a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from adjudge.core.runs import Run, RunState
from adjudge.report.agree_answers import Kind, Named, answers, found_of, people_warnings
from adjudge.report.agree_tables import Apart, apart_section, confusion_section, detail_section, main_section
from adjudge.report.people import Against
from adjudge.report.sheet import Sheet
from adjudge.report.tables import Section
from adjudge.report.warn import unfinished
from adjudge.report.words import Words, words
from adjudge.stats.agreement import Agreement

#: With fewer texts labelled the intervals are too wide to decide much.
FEW = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreed:
    """Everything that the sheet shows: the figures over all texts, and over those of each language where it varies.

    `labelled` counts the items with labels, `elsewhere` those that the run does not have; `other_texts` counts the
    items that another run has under the same id with other texts, `unshared` those that one of the two runs lacks;
    `other_scales` are criteria that the other run has on another scale.
    """

    kind: Kind
    state: RunState
    found: tuple[Named, ...]
    languages: Mapping[str, tuple[Named, ...]] = field(default_factory=dict)
    apart: tuple[Apart, ...] = ()
    other: Run | None = None
    annotators: tuple[str, ...] = ()
    labels: int = 0
    labelled: int = 0
    elsewhere: int = 0
    other_texts: int = 0
    other_scales: tuple[str, ...] = ()
    unshared: int = 0

    def sheet(self) -> Sheet:
        """The answer for people, in the language of the run."""
        run = self.state.run
        say = words(run.lang)
        told, warned = tuple(answers(self.kind, self.found, self.languages, say)), tuple(self._warnings(say))
        runs = (run,) if self.other is None else (run, self.other)
        return Sheet(
            title=self._title(say),
            lang=say.lang,
            facts=tuple(self._facts(say)),
            answers=told,
            sections=tuple(self._sections(say)),
            warnings=warned,
            signatures=tuple(dict.fromkeys(one.signature for one in runs)),
            people=tuple(map(_against, self.found)) if self.kind == "people" else (),
            data={
                "kind": self.kind,
                "run": run.id,
                "other": None if self.other is None else self.other.id,
                "judge": run.judge,
                "model": run.settings.model,
                "items": run.items,
                "labelled": self.labelled,
                "labels": self.labels,
                "annotators": list(self.annotators),
                "elsewhere": self.elsewhere,
                "answers": list(told),
                "criteria": _by_name(self.found),
                "languages": {name: _by_name(found) for name, found in self.languages.items()},
                "disagreements": [asdict(one) for one in self.apart],
                "warnings": list(warned),
                "signatures": [one.signature for one in runs],
            },
        )

    def _title(self, say: Words) -> str:
        titles = {"people": "agree_title_people", "judge": "agree_title_judge", "repeats": "agree_title_repeats"}
        return say("agree_title_runs" if self._same_judge else titles[self.kind])

    @property
    def _same_judge(self) -> bool:
        """Whether the other run has the same judge and model."""
        run, other = self.state.run, self.other
        if other is None:
            return False
        return (run.judge_digest, run.settings.model) == (other.judge_digest, other.settings.model)

    def _facts(self, say: Words) -> Iterator[str]:
        run = self.state.run
        yield _shown(run)
        yield f"{say('model')} {run.settings.model}"
        if self.other is not None:
            yield say("agree_fact_other", run=_shown(self.other), model=self.other.settings.model)
        elif self.kind == "repeats":
            yield say("agree_fact_repeats", n=run.repeat)
        else:
            yield say("agree_fact_items", n=say.n_of(self.labelled, run.items))
            yield say("agree_fact_people", n=say.number(len(self.annotators), 0))
            yield say("agree_fact_labels", n=say.number(self.labels, 0))

    def _sections(self, say: Words) -> Iterator[Section]:
        yield main_section(self.kind, self.found, say)
        for name, found in self.languages.items():
            yield main_section(self.kind, found, say, language=name)
        if self.apart:
            yield apart_section(self.kind, self.apart, say)
        for one in self.found:
            if one.agreement.n:
                yield detail_section(one, say)
                if (table := confusion_section(self.kind, one, say)) is not None:
                    yield table
        for name, found in self.languages.items():
            yield from (detail_section(one, say, language=name) for one in found if one.agreement.n)

    def _warnings(self, say: Words) -> Iterator[str]:
        run = self.state.run
        # one that stopped because its question was answered is complete, and has nothing left to judge
        if self.state.status != "complete" and (rest := run.items - self.state.judged - self.state.failed):
            yield unfinished(self.state, rest, say)
        if self.elsewhere:
            yield say("agree_warn_elsewhere", n=say.number(self.elsewhere, 0))
        if self.other_texts:
            yield say("agree_warn_other_texts", n=say.number(self.other_texts, 0))
        if self.other_scales:
            yield say("agree_warn_other_scales", parts=", ".join(self.other_scales))
        if self.unshared:
            yield say("agree_warn_unshared", n=say.number(self.unshared, 0))
        yield from people_warnings(self.found, self.languages, say)
        if lost := [one for one in self.found if one.agreement.n < one.agreement.labelled]:
            parts = (f"{one.title} ({say.number(one.agreement.labelled - one.agreement.n, 0)})" for one in lost)
            yield say("agree_warn_unjudged", parts=", ".join(parts))
        if few := [one for one in self.found if 0 < one.agreement.n < FEW]:
            parts = (f"{one.title} ({say.number(one.agreement.n, 0)})" for one in few)
            yield say("agree_warn_few", parts=", ".join(parts), least=FEW)


def _shown(run: Run) -> str:
    """A run by its name, with its id beside it."""
    return f"{run.name} ({run.id})" if run.name else run.id


def _against(one: Named) -> Against:
    agreement = one.agreement
    points = agreement.confusion.points
    cells = {
        (people, judge): count
        for people, row in zip(points, agreement.confusion.counts, strict=True)
        for judge, count in zip(points, row, strict=True)
        if count
    }
    bias = agreement.figures["bias"].value
    return Against(title=one.title, min=agreement.axis.low, max=agreement.axis.high, counts=cells, bias=bias)


def _by_name(found: Sequence[Named]) -> dict[str, Any]:
    return {one.agreement.axis.name: _plain(one) for one in found}


def _plain(one: Named) -> dict[str, Any]:
    """All figures of one criterion, with names in the place of the numbers of annotators."""
    agreement: Agreement = one.agreement
    shape = asdict(agreement)
    axis = shape.pop("axis")
    shape["alternative"]["hollow"] = one.hollow
    for against in shape["alternative"]["against"]:
        against["annotator"] = one.annotators[against["annotator"]]
    return {"found": found_of(agreement), "min": axis["low"], "max": axis["high"], "better": axis["better"], **shape}
