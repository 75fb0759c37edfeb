"""Bounds that a run was held against: for readers, for pull requests and for the pages of build servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree

from adjudge.core.runs import Run, RunState
from adjudge.core.scale import Better
from adjudge.report.plain import fit, plain
from adjudge.report.sheet import Sheet
from adjudge.report.tables import Section
from adjudge.report.warn import unfinished
from adjudge.report.words import Words, words
from adjudge.stats.interval import Interval

Kind = Literal["min", "max", "max-drop", "min-judged"]
On = Literal["mean", "ci"]
#: Why a bound was missed: no score, too few for an interval, too many gaps, the value, the end of its interval.
Why = Literal["unjudged", "few", "gaps", "value", "end"]
#: What decides scores beside the texts, and may not be the same in two runs.
Difference = Literal["judge", "language", "model", "settings"]
#: A value as far as this beyond its bound is there by rounding of floats: 4 - 3.9 is more than 0.1.
ROUNDING = 1e-9
_NAME_COLUMNS = 60
_DIGITS_MAX = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """One bound and what the run came to; a drop is towards the worse end, and below zero where the run is better.

    `least` is the share of the items that the value must rest on, `max_failed` the rest where that was given instead.
    A figure of one candidate has its name beside it, and a share of items counts those at or beyond a `point`, such as
    "≥ 4".
    """

    kind: Kind
    figure: str
    limit: float
    on: On
    least: float
    max_failed: float | None = None
    title: str = ""
    candidate: str = ""
    point: str = ""
    value: float | None
    ci95: Interval | None = None
    n: int
    of: int
    better: Better = "higher"
    fine: bool = True

    @property
    def option(self) -> str:
        """The bound as it would be typed."""
        return self.share if self.kind == "min-judged" else f"--{self.kind} {self.figure}={self.limit:.15g}"

    @property
    def share(self) -> str:
        """The share of items that the value must rest on, as it would be typed."""
        given = self.max_failed
        return f"--min-judged {self.least:.15g}" if given is None else f"--max-failed {given:.15g}"

    @property
    def tested(self) -> float | None:
        """What is held against the bound: the value, or that end of its interval that is nearer to missing it."""
        if self.on == "mean" or self.kind == "min-judged":
            return self.value
        return None if self.ci95 is None else self.ci95[0 if self.kind == "min" else 1]

    @property
    def why(self) -> Why | None:
        """Why the bound was missed, or None where it was met."""
        if self.kind != "min-judged":
            if self.value is None:
                return "unjudged"
            if self.ci95 is None:
                return "few"
            if self.n < self.least * self.of - ROUNDING:
                return "gaps"
        tested = self.tested
        assert tested is not None
        sign = 1 if self.kind in ("min", "min-judged") else -1
        if sign * (tested - self.limit) >= -ROUNDING:
            return None
        return "value" if self.value == tested else "end"

    def as_json(self) -> dict[str, Any]:
        return {
            "bound": self.option,
            "figure": self.figure,
            "kind": self.kind,
            "limit": self.limit,
            "on": self.on,
            "value": self.value,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "n": self.n,
            "of": self.of,
            "better": self.better,
            "met": self.why is None,
            "reason": self.why,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Gated:
    """What a gate came to; `differs` says in what the baseline was judged otherwise.

    `apart` counts the items of one of the two runs, `other_reference` those with other golden answers in the baseline.
    """

    state: RunState
    lang: str
    held: tuple[Held, ...]
    baseline: Run | None = None
    differs: tuple[Difference, ...] = ()
    apart: int = 0
    other_reference: int = 0

    @property
    def met(self) -> bool:
        """Whether every bound was met."""
        return not self.missed

    @property
    def missed(self) -> tuple[Held, ...]:
        return tuple(one for one in self.held if one.why is not None)

    def sheet(self) -> Sheet:
        """The answer for people, in the language of the run."""
        say, run, missed = words(self.lang), self.state.run, self.missed
        facts = [
            run.shown,
            f"{say('model')} {run.settings.model}",
            say("gate_items", n=say.n_of(self.state.judged, run.items)),
        ]
        if self.baseline is not None:
            facts.append(say("gate_baseline", run=self.baseline.shown))
        told = say("gate_missed", n=len(missed), of=len(self.held)) if missed else say("gate_met", n=len(self.held))
        runs = (run, self.baseline) if self.baseline is not None else (run,)
        answers = (told, *(_reason(one, say) for one in missed), *self._stopped(say))
        warned = tuple(self._warnings(say))
        return Sheet(
            title=say("gate_title_missed") if missed else say("gate_title_met"),
            lang=self.lang,
            facts=tuple(facts),
            answers=answers,
            sections=(self._table(say),),
            warnings=warned,
            signatures=tuple(one.signature for one in runs),
            data={
                "run": run.id,
                "baseline": None if self.baseline is None else self.baseline.id,
                "met": not missed,
                "answers": list(answers),
                "bounds": [one.as_json() for one in self.held],
                "warnings": list(warned),
                "signature": run.signature,
            },
        )

    def _stopped(self, say: Words) -> Iterator[str]:
        """Why fewer items were judged than there are, where that is no gap."""
        wanted, run = self.state.wanted, self.state.run
        if wanted < run.items:
            n, of = say.number(wanted, 0), say.number(run.items, 0)
            yield say("gate_stopped", n=n, of=of, until=fit(run.until, _NAME_COLUMNS))

    def _table(self, say: Words) -> Section:
        rows = tuple(
            (_figure(one, say), _result(one, say), _limit(one, say), _value(one, say), f"{one.n}/{one.of}")
            for one in self.held
        )
        on_ends = any(one.on == "ci" for one in self.held)
        notes = [say("gate_note_ci") if on_ends else say("gate_note_mean")]
        if any(one.kind == "max-drop" for one in self.held):
            notes.append(say("gate_note_drop"))
        return Section(
            name="bounds",
            title=say("gate_bounds"),
            # the result beside the name: where a line is too narrow for all, the last columns go below
            columns=(say("gate_figure"), say("gate_result"), say("gate_bound"), say("gate_value"), say("coverage")),
            rows=rows,
            notes=tuple(notes),
            data={},
        )

    def _warnings(self, say: Words) -> Iterator[str]:
        state = self.state
        if (rest := state.wanted - state.judged - state.failed) > 0:
            yield unfinished(state, rest, say)
        if state.run.until and any(one.on == "ci" for one in self.held):
            yield say("gate_warn_until")
        for one in self.held:
            if one.kind == {"higher": "max", "lower": "min"}[one.better]:
                key = "gate_warn_max" if one.kind == "max" else "gate_warn_min"
                yield say(key, figure=_figure(one, say), bound=fit(one.option, _NAME_COLUMNS))
        if self.differs:
            named = {
                "judge": say("gate_differs_judge"),
                "language": say("gate_differs_language"),
                "model": say("gate_differs_model"),
                "settings": say("gate_differs_settings"),
            }
            yield say("gate_warn_differs", what=", ".join(named[one] for one in self.differs))
        if self.other_reference:
            yield say("gate_warn_reference", n=say.number(self.other_reference, 0))
        if self.apart:
            yield say("gate_warn_apart", n=say.number(self.apart, 0))

    def junit(self) -> str:
        """JUnit XML, a test case for each bound; names from data are made harmless, as no control fits into XML."""
        run, total, failed = self.state.run, str(len(self.held)), str(len(self.missed))
        counts = {"tests": total, "failures": failed, "errors": "0", "time": "0"}
        say = words(self.lang)
        root = ElementTree.Element("testsuites", {"name": "adjudge gate", **counts})
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": f"adjudge gate {plain(run.id)}", **counts, "skipped": "0"}
        )
        properties = ElementTree.SubElement(suite, "properties")
        named = {"run": run.id, "signature": run.signature, "baseline": self.baseline.id if self.baseline else ""}
        for name, value in named.items():
            ElementTree.SubElement(properties, "property", {"name": name, "value": plain(value)})
        for one in self.held:
            place = {"classname": f"adjudge.{plain(run.judge)}", "name": plain(one.option), "time": "0"}
            case = ElementTree.SubElement(suite, "testcase", place)
            if one.why is not None:
                said = plain(_reason(one, say))
                failure = ElementTree.SubElement(case, "failure", {"message": said, "type": one.why})
                failure.text = f"{said}\n{plain(run.signature)}"
        ElementTree.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _figure(one: Held, say: Words) -> str:
    if one.kind == "min-judged":
        return say("gate_judged")
    title = fit(one.title, _NAME_COLUMNS)
    if one.candidate:
        title = say("gate_of", title=title, name=fit(one.candidate, _NAME_COLUMNS))
    if one.point:
        title = say("gate_share", title=title, point=one.point)
    return say("gate_drop", title=title) if one.kind == "max-drop" else title


def _limit(one: Held, say: Words) -> str:
    return f"{'≥' if one.kind in ('min', 'min-judged') else '≤'} {_exact(one.limit, say)}"


def _exact(limit: float, say: Words) -> str:
    """The bound as it was typed: rounding to two digits would make 1 of 0.995."""
    return f"{limit:.15g}".replace(".", say.texts["decimal"])


def _number(value: float, one: Held, say: Words) -> str:
    """So many digits that a value beside its bound is seen to lie there."""
    digits = 2 if one.fine else 1
    while value != one.limit and digits < _DIGITS_MAX and round(value, digits) == round(one.limit, digits):
        digits += 1
    return say.number(value, digits)


def _value(one: Held, say: Words) -> str:
    if one.value is None:
        return say("not_judged")
    shown = _number(one.value, one, say)
    if one.kind == "min-judged":
        return shown
    ends = "—" if one.ci95 is None else say.texts["range"].join(_number(end, one, say) for end in one.ci95)
    return f"{shown} [{ends}]"


def _result(one: Held, say: Words) -> str:
    return say("gate_row_met") if one.why is None else say("gate_row_missed")


def _reason(one: Held, say: Words) -> str:
    figure, n, of = _figure(one, say), say.number(one.n, 0), say.number(one.of, 0)
    if one.why == "unjudged":
        return say("gate_why_unjudged", figure=figure)
    if one.why == "few":
        return say("gate_why_few" if one.n < 2 else "gate_why_one", figure=figure, n=n)
    if one.why == "gaps":
        return say("gate_why_gaps", figure=figure, n=n, of=of, least=_exact(one.least, say), option=one.share)
    assert one.tested is not None
    tested, limit = _number(one.tested, one, say), _limit(one, say)
    key = "gate_why_value" if one.why == "value" else "gate_why_end"
    return say(key, figure=figure, value=tested, bound=limit)
