"""The report on a terminal: compact, within the width given, readable without colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.report.draw import Ink, drawn_section, flow, ruled
from adjudge.report.flags import flag_line
from adjudge.report.grid import GAP, TITLE_MIN
from adjudge.report.means import means_note
from adjudge.report.plain import fill, fit, fit_name, pad, plain, width, wrap
from adjudge.report.tables import Measure, Report
from adjudge.report.words import Words, words
from adjudge.store.url import with_store

BLOCKS = "▁▂▃▄▅▆▇█"
ARROWS = {"higher": "↑", "lower": "↓"}
TITLE_MAX = 34
#: A title gives way to the bar down to this.
TITLE_KEPT = 20
BAR_MAX = 17
BAR_MIN = 6
WORST_IN_TEXT = 5


def text(report: Report, *, width: int = 80, colour: bool = False) -> str:
    """The report as lines of at most `width` columns."""
    return _Page(report, width, colour).render()


class _Page:
    def __init__(self, report: Report, columns: int, colour: bool) -> None:
        self.report, self.columns, self.ink = report, max(columns, 40), Ink(colour)
        self.say: Words = words(report.lang)

    def render(self) -> str:
        sections = (
            self._header(),
            self._criteria(),
            self._candidates(),
            self._by_criterion(),
            self._summary(),
            *(drawn_section(section, self.columns, self.ink) for section in self.report.sections),
            self._warnings(),
            self._failures(),
            self._worst(),
            self._footer(),
        )
        drawn = (list(section) for section in sections)
        return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in drawn if lines) + "\n"

    def _heading(self, key: str) -> str:
        return self.ink.bold(fit(self.say(key), self.columns))

    def _header(self) -> Iterator[str]:
        report, state, run = self.report, self.report.state, self.report.state.run
        name = fit(run.judge, self.columns // 3)
        yield self.ink.bold(pad(report.title, self.columns - width(name) - 2)) + GAP + self.ink.dim(name)
        facts = (
            run.settings.model,
            f"{self.say('judged').lower()} {self.say.n_of(report.judged, run.items)}",
            *([self.say("from_store", n=self.say.number(state.cached, 0))] if state.cached else []),
            self.say("cost_unknown") if state.cost_usd is None else self.say.cost(state.cost_usd),
            self.say.duration(state.seconds),
            run.name or run.id,
        )
        yield from (self.ink.dim(line) for line in flow(facts, " · ", self.columns))

    def _criteria(self) -> Iterator[str]:
        measures = [] if self.report.candidates else [*self.report.criteria, *self.report.derived]
        if measures:
            rows = [(one.title, one, _blocks(one)) for one in measures]
            yield from self._table((self.say("criterion"), self.say("mean"), ""), rows)

    def _table(
        self, head: tuple[str, str, str], rows: Sequence[tuple[str, Measure, str]], legend: str = ""
    ) -> Iterator[str]:
        """Rows of title, scale, mean with interval, bar, one more column, spread, coverage; the bar takes what is left.

        The legend is that of the one more column and goes where there is no room for it.
        """
        say, digits = self.say, max(width(self.say.number(one.mean, one.digits)) for _, one, _ in rows)
        cells = [(head[0], say("scale"), f"{head[1]}, 95 %", head[2], say("means_sd"), "n/N")]
        for title, one, last in rows:
            mean = fill(say.number(one.mean, one.digits), digits, right=True)
            figures = f"{mean} {say.interval(one.ci95, one.digits)}" if one.n else say("not_judged")
            spread = say.number(one.sd, one.digits)
            cells.append((plain(title), _scale(say, one), figures, last, spread, f"{one.n}/{one.of}"))
        wide, title_room, bar = self._room(cells)
        bars = [" " * bar, *(_bar(one, bar) for _, one, _ in rows)]
        lines = [_row((title_room, *wide), row, drawn) for row, drawn in zip(cells, bars, strict=True)]
        yield from ruled(lines, self.ink)
        shown = {fit(title.partition(" ")[2], title_room - 3) for title, _, _ in rows}
        if legend and len(shown) < len(rows):
            # Names that were cut to the same letters are written out.
            yield from (self.ink.dim(line) for title, _, _ in rows for line in wrap(title, self.columns, indent=GAP))
        if legend and wide[2]:
            yield from (self.ink.dim(line) for line in wrap(legend, self.columns))
        note = means_note(self.report, say, spread=bool(wide[3]))
        yield from (self.ink.dim(line) for line in wrap(note, self.columns))

    def _room(self, cells: Sequence[Sequence[str]]) -> tuple[list[int], int, int]:
        """The widths of the columns after the title, of the title and of the bar; a narrow screen has fewer columns."""
        title, *wide = (max(width(row[column]) for row in cells) for column in range(6))
        title = min(title, TITLE_MAX)
        for dropped in (None, 3, 2, 0):
            if dropped is not None:
                wide[dropped] = 0
            fixed = sum(wide) + len(GAP) * sum(map(bool, wide))
            room = self.columns - fixed - len(GAP)
            if room >= min(title, TITLE_KEPT) + BAR_MIN:
                bar = max(BAR_MIN, min(BAR_MAX, room - title))
                return wide, min(title, room - bar), bar
            if self.columns - fixed >= min(title, TITLE_MIN):
                break
        return wide, min(title, self.columns - fixed), 0

    def _candidates(self) -> Iterator[str]:
        ranking = self.report.ranking
        if not ranking:
            return
        counts = [f"{one.wins}/{one.ties}/{one.not_separable}" for one in ranking]
        rows = [
            (f"{place}. {one.name}", one.total, count.rjust(max(map(len, counts))) + self._share(one.win_rate))
            for place, (one, count) in enumerate(zip(ranking, counts, strict=True), start=1)
        ]
        yield from self._table((self.say("candidate"), ranking[0].total.title, ""), rows, self.say("wins_note"))

    def _share(self, rate: Measure) -> str:
        if rate.mean is None or rate.ci95 is None:
            return " —"
        low, high = (100 * end for end in rate.ci95)
        return f" {fill(self.say.number(100 * rate.mean, 0), 3, right=True)} % {self.say.interval((low, high), 0)}"

    def _by_criterion(self) -> Iterator[str]:
        """Means of criteria by candidate, in as many blocks as the width needs: a figure is never cut."""
        ranking, criteria = self.report.ranking, self.report.criteria
        if not ranking or not criteria:
            return
        figures = [[self._figure(one.criteria[place]) for one in ranking] for place in range(len(criteria))]
        title = min(max(width(plain(one.title)) for one in criteria), TITLE_MAX, self.columns // 3)
        ends: list[tuple[str, ...]] = [
            ("", "n/N"),
            *((_blocks(one), self._counted(place)) for place, one in enumerate(criteria)),
        ]
        names = [plain(one.name) for one in ranking]
        least = max(width(figure) for row in figures for figure in row)
        column = max(least, *map(width, names))
        # What there is no room for: first the intervals, which all other formats show, then the names, which have
        # numbers in the table above, then the histograms.
        if self._fitting(title, ends, column) < len(names):
            figures = [
                [self.say.number(one.criteria[place].mean, two.digits) for one in ranking]
                for place, two in enumerate(criteria)
            ]
            least = max(width(figure) for row in figures for figure in row)
            column = max(least, *map(width, names))
        if self._fitting(title, ends, column) < len(names):
            names = [f"{place}." for place in range(1, len(names) + 1)]
            column = max(least, *map(width, names))
            if self._fitting(title, ends, column) < len(names):
                ends = [end[1:] for end in ends]
        per = max(1, self._fitting(title, ends, column))
        blocks = -(-len(names) // per)
        per = -(-len(names) // blocks)
        for first in range(0, len(names), per):
            here = slice(first, first + per)
            rows = [
                (self.say("criterion"), names[here]),
                *((one.title, row[here]) for one, row in zip(criteria, figures, strict=True)),
            ]
            if first:
                yield ""
            yield from ruled(_columns(rows, ends, title, column), self.ink)

    def _figure(self, measure: Measure) -> str:
        mean = self.say.number(measure.mean, measure.digits)
        return f"{mean} {self.say.interval(measure.ci95, measure.digits)}" if measure.ci95 else mean

    def _counted(self, place: int) -> str:
        """In how many items the candidates have a score of a criterion: from the fewest to the most."""
        counts = sorted(one.criteria[place].n for one in self.report.candidates)
        spread = f"{counts[0]}–{counts[-1]}" if counts[0] < counts[-1] else f"{counts[0]}"
        return f"{spread}/{self.report.criteria[place].of}"

    def _fitting(self, title: int, ends: Sequence[Sequence[str]], column: int) -> int:
        """How many columns of candidates fit between the titles and what ends each row."""
        taken = title + sum(max(map(width, parts)) + len(GAP) for parts in zip(*ends, strict=True))
        return (self.columns - taken) // (column + len(GAP))

    def _summary(self) -> Iterator[str]:
        titles = {one.name: one.title for one in self.report.criteria}
        if self.report.summary:
            yield self._heading("summary")
        for name, said in self.report.summary.items():
            yield from wrap(f"{titles.get(name, name)}: {said}", self.columns, indent=GAP)

    def _warnings(self) -> Iterator[str]:
        for warning in self.report.warnings:
            yield from (self.ink.yellow(line) for line in wrap(f"! {warning}", self.columns, indent=GAP))

    def _failures(self) -> Iterator[str]:
        if self.report.failures:
            yield self._heading("failures")
        for group in self.report.failures:
            yield self.ink.red(fit(f"{group.kind} × {self.say.number(group.count, 0)}", self.columns))
            for item, message in group.examples:
                name = fit(item, 24)
                yield GAP + name + GAP + fit(message, self.columns - width(name) - 2 * len(GAP))
            if group.count > len(group.examples):
                yield GAP + fit(self.say("more", n=group.count - len(group.examples)), self.columns - len(GAP))
        if self.report.failures:
            state = self.report.state
            command = with_store(f"adjudge show {state.run.id} --item ID", state.store)
            yield from wrap(self.say("raw", command=command), self.columns)

    def _worst(self) -> Iterator[str]:
        notes = self.report.worst[:WORST_IN_TEXT]
        if not notes or self.report.judged < 2:
            return
        yield self._heading("worst")
        name = min(max(width(plain(one.item)) for one in notes), 24)
        for one in notes:
            lowest = one.remarks[0]
            who = f"{fit(lowest.candidate, 16)}: " if lowest.candidate else ""
            said = f"{who}{lowest.title} {self.say.judged(lowest.value, lowest.interval)}" + (
                f". {lowest.reason}" if lowest.reason else ""
            )
            yield fill(fit_name(one.item, name), name) + GAP + fit(said, self.columns - name - len(GAP))
        if any(one.remarks[0].interval for one in notes):
            yield from (self.ink.dim(line) for line in wrap(self.say("interval_note"), self.columns))

    def _footer(self) -> Iterator[str]:
        state, say = self.report.state, self.say
        read = [f"{step} {count}" for step, count in state.steps.items()]
        if state.asked_again:
            read.append(f"{say('asked_again')} {say.n_of(state.asked_again, state.calls)}")
        if read:
            lines = flow([f"{say('reading')}: {read[0]}", *read[1:]], ", ", self.columns)
            yield from (self.ink.dim(line) for line in lines)
        for line in (flag_line(self.report.flags, say), say("over_judged")):
            yield from (self.ink.dim(part) for part in wrap(line, self.columns))
        yield from (self.ink.dim(line) for line in flow(state.run.signature.split("|"), "|", self.columns))


def _row(wide: Sequence[int], cells: Sequence[str], bar: str) -> str:
    others = [fill(cell, columns) if columns else "" for cell, columns in zip(cells[1:4], wide[1:4], strict=True)]
    spread = fill(cells[4], wide[4], right=True) if wide[4] else ""
    middle = [pad(cells[0], wide[0]), *others[:2], bar, others[2], spread]
    return GAP.join([*(one for one in middle if one), fill(cells[5], wide[5], right=True)])


def _columns(
    rows: Sequence[tuple[str, Sequence[str]]], ends: Sequence[Sequence[str]], title: int, column: int
) -> list[str]:
    """Lines of a title, figures to the right, and what ends each row."""
    wide = [max(map(width, parts)) for parts in zip(*ends, strict=True)]
    lines = []
    for (head, cells), end in zip(rows, ends, strict=True):
        tail = [fill(part, columns, right=part is end[-1]) for part, columns in zip(end, wide, strict=True)]
        lines.append(GAP.join([pad(head, title), *(fill(cell, column, right=True) for cell in cells), *tail]))
    return lines


def _scale(say: Words, measure: Measure) -> str:
    return f"{ARROWS[measure.better]} {say.score(measure.min)}–{say.score(measure.max)}{fit(measure.unit, 4)}"


def _blocks(measure: Measure) -> str:
    """The histogram, one block per point: the lowest block is none, any count stands above it."""
    top = max((count for _, count in measure.histogram), default=0)
    if not top:
        return ""
    return "".join(BLOCKS[-(-count * (len(BLOCKS) - 1) // top)] for _, count in measure.histogram)


def _bar(measure: Measure, columns: int) -> str:
    """The mean as a dot on its scale, the interval as a line."""
    if not columns or measure.mean is None:
        return "·" * columns
    spots = ["·"] * columns
    low, high = measure.ci95 or (measure.mean, measure.mean)
    first, last = (round(measure.place(end) * (columns - 1)) for end in (low, high))
    spots[first : last + 1] = "━" * (last + 1 - first)
    spots[round(measure.place(measure.mean) * (columns - 1))] = "●"
    return "".join(spots)
