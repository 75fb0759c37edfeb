"""Models side by side, on a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.report.beside.evidence import STATES, found_share
from adjudge.report.draw import flow
from adjudge.report.grid import GAP, blocks
from adjudge.report.plain import fill, fit, pad, width, wrap
from adjudge.report.side_by_side import Against, SideBySide
from adjudge.report.tables import Measure, Report
from adjudge.report.text import ARROWS
from adjudge.report.words import Words, words

_BOLD, _DIM, _YELLOW = "1", "2", "33"
_RATES = {"better": "rates_better", "worse": "rates_worse", "not_separable": "rates_not_separable"}


def side_text(sides: SideBySide, *, width: int = 80, colour: bool = False) -> str:
    """The comparison as lines of at most `width` columns."""
    return _Page(sides, width, colour).render()


def model_of(report: Report) -> str:
    """A model as it may be given to `--model`, with its server where it has one of its own."""
    settings = report.state.run.settings
    return f"{settings.model}@{settings.base_url}" if settings.base_url else settings.model


class _Page:
    def __init__(self, sides: SideBySide, columns: int, colour: bool) -> None:
        self.sides, self.columns, self.colour = sides, max(columns, 40), colour
        self.say = words(sides.reports[0].lang)

    def render(self) -> str:
        sections = (self._header(), self._table(), self._quotes(), self._said(), self._footer())
        drawn = (list(section) for section in sections)
        return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in drawn if lines) + "\n"

    def _ink(self, line: str, code: str) -> str:
        return f"\x1b[{code}m{line}\x1b[0m" if self.colour and line else line

    def _header(self) -> Iterator[str]:
        first = self.sides.reports[0]
        name = fit(first.state.run.judge, self.columns // 3)
        yield self._ink(pad(first.title, self.columns - width(name) - 2), _BOLD) + GAP + self._ink(name, _DIM)
        yield from wrap(_subtitle(self.sides, self.say), self.columns)
        for label, report in zip(self.sides.labels, self.sides.reports, strict=True):
            indent = " " * (len(label) + 1)
            yield from wrap(f"{label} {model_of(report)}", self.columns, indent=indent)
            facts = flow(_facts(report, self.say), " · ", self.columns - len(indent))
            yield from (self._ink(indent + line, _DIM) for line in facts)

    def _table(self) -> Iterator[str]:
        """A group of lines for each value, one line for each model; on a narrow screen differences have their own."""
        say, rows = self.say, [*self.sides.criteria, *self.sides.derived]
        head = [f"{say('mean')}, 95 %", say("coverage"), f"{say('against', first=self.sides.labels[0])}, 95 %", "n", ""]
        lines = [[*self._means(one), *self._pair(one, pair)]
                 for row in rows for one, pair in zip(row.measures, (None, *row.against), strict=True)]  # fmt: skip
        wide = [max(width(line[column]) for line in (head, *lines)) for column in range(5)]
        label = max(map(len, self.sides.labels))
        start = len(GAP) + label
        whole = start + sum(len(GAP) + one for one in wide) <= self.columns
        shown = wide if whole else wide[:2]
        heading = " " * start + _joined(head, shown)
        yield self._ink(heading, _DIM)
        yield self._ink("─" * width(heading), _DIM)
        cells = iter(lines)
        for row in rows:
            scales = dict.fromkeys(_scale(say, one) for one in row.measures)
            yield from wrap(f"{row.measures[0].title}  {' / '.join(scales)}", self.columns, indent=GAP)
            for name in self.sides.labels:
                line = next(cells)
                yield GAP + fill(name, label) + _joined(line, shown)
                if not whole and any(line[2:]):
                    indent = " " * (start + len(GAP))
                    yield from wrap(
                        f"{indent}{head[2]}: " + " · ".join(filter(None, line[2:])), self.columns, indent=indent
                    )

    def _means(self, one: Measure) -> list[str]:
        figures = f"{self.say.number(one.mean, one.digits)} {self.say.interval(one.ci95, one.digits)}"
        return [figures if one.n else "—", f"{one.n}/{one.of}"]

    def _pair(self, one: Measure, pair: Against | None) -> list[str]:
        if pair is None:
            return ["", "", ""]
        say, difference = self.say, pair.difference
        figures = f"{_signed(say, difference.mean, one.digits)} {say.interval(difference.ci95, one.digits)}"
        return [figures if difference.n else "—", str(difference.n), _word(say, pair)]

    def _quotes(self) -> Iterator[str]:
        lines = _evidence(self.sides, self.say)
        if lines:
            yield self._ink(self.say("evidence_title"), _BOLD)
            for number, block in enumerate(blocks(lines, self.columns)):
                if number:
                    yield ""
                yield self._ink(block[0], _DIM)
                yield self._ink("─" * width(block[0]), _DIM)
                yield from block[1:]
            yield from (self._ink(line, _DIM) for line in wrap(self.say("evidence_note"), self.columns))

    def _said(self) -> Iterator[str]:
        for warning in _warnings(self.sides):
            yield from (self._ink(line, _YELLOW) for line in wrap(f"! {warning}", self.columns, indent=GAP))

    def _footer(self) -> Iterator[str]:
        for note in _notes(self.sides, self.say):
            yield from (self._ink(line, _DIM) for line in wrap(note, self.columns))
        for label, report in zip(self.sides.labels, self.sides.reports, strict=True):
            parts = f"{label}: {report.state.run.signature}".split("|")
            yield from (self._ink(line, _DIM) for line in flow(parts, "|", self.columns))


def _joined(cells: Sequence[str], wide: Sequence[int]) -> str:
    return "".join(GAP + fill(cell, columns) for cell, columns in zip(cells, wide, strict=False))


def _evidence(sides: SideBySide, say: Words) -> list[list[str]]:
    """How many quotations of each model stand in the sources, under a heading; empty where none gave any."""
    rows = [
        [label, *(say.number(figures[key], 0) for key in ("quotes", *STATES)), found_share(figures, say)]
        for label, figures in sides.evidence.items()
    ]
    head = [say("model"), say("evidence_quotes"), *map(say, STATES.values()), say("evidence_found")]
    return [head, *rows] if rows else []


def _subtitle(sides: SideBySide, say: Words) -> str:
    return say("side_by_side", n=len(sides.reports), data=sides.reports[0].state.run.data_name)


def _facts(report: Report, say: Words) -> list[str]:
    state = report.state
    tokens = f"{say.number(state.tokens_in, 0)} / {say.number(state.tokens_out, 0)}"
    return [
        f"{say('judged').lower()} {say.n_of(report.judged, state.run.items)}",
        f"{say('calls').lower()} {say.number(state.calls, 0)}",
        *([say("from_store", n=say.number(state.cached, 0))] if state.cached else []),
        f"{say('tokens').lower()} {tokens}",
        say("cost_unknown") if state.cost_usd is None else say.cost(state.cost_usd),
        say.duration(state.seconds),
        state.run.name or state.run.id,
    ]


def _scale(say: Words, one: Measure) -> str:
    return f"{ARROWS[one.better]} {say.score(one.min)}–{say.score(one.max)}{fit(one.unit, 4)}"


def _signed(say: Words, value: float | None, digits: int) -> str:
    text = say.number(value, digits)
    return f"+{text}" if value is not None and value > 0 and text != say.number(0.0, digits) else text


def _word(say: Words, pair: Against) -> str:
    """How the model rates the items, or how many of them were judged by one of the two only."""
    if pair.unpaired:
        return say("unpaired", n=say.number(pair.unpaired, 0))
    return say(_RATES[pair.rates]) if pair.rates else ""


def _notes(sides: SideBySide, say: Words) -> Iterator[str]:
    yield say("rates_note", first=sides.labels[0])
    if any(pair.unpaired for row in (*sides.criteria, *sides.derived) for pair in row.against):
        yield say("unpaired_note")
    yield say("over_judged")


def _warnings(sides: SideBySide) -> Iterator[str]:
    """What the reports warn of, each thing once, with the models that it is true of."""
    found: dict[str, list[str]] = {}
    for label, report in zip(sides.labels, sides.reports, strict=True):
        for warning in report.warnings:
            found.setdefault(warning, []).append(label)
    return (f"{', '.join(labels)}: {warning}" for warning, labels in found.items())
