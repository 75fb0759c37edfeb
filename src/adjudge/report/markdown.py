"""The report as Markdown, for pull requests and papers; comparisons item by item as a table of reasons."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from adjudge.core.judge import Judge
from adjudge.core.records import Item, Outcome, Verdict
from adjudge.report.cited import Cited, cited
from adjudge.report.flags import flag_line
from adjudge.report.means import means_note
from adjudge.report.plain import fill, fit, plain, width, without_links
from adjudge.report.tables import Measure, Report, Section
from adjudge.report.verdicts import (
    Items,
    by_candidate,
    candidates_in_order,
    conclusion,
    decided,
    derived_rows,
    interval_of,
    item_of,
    reason_of,
    worst_first,
)
from adjudge.report.words import Words, words

ITEMS_SHOWN = 50
QUOTED_COLUMNS = 600
#: Wider cells are not aligned in the source: the table would be unreadable as text.
ALIGNED_COLUMNS = 32
_MARKS = re.compile(r"[\\`*_\[\]~$]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"})
#: What would become a link, and what would start a block at the beginning of a line.
_LINKS = re.compile(r"(?i)(?<=[a-z]):(?=/)|(?<=\bwww)\.")
#: What sites such as GitHub make mentions, references and pictures of after Markdown, when a backslash is long gone:
#: only something between the sign and what follows it keeps them apart. (?<!&): in our own entities nothing is one.
_REFERENCES = re.compile(r"@(?=\w)|(?<!&)[#!](?=\d)|(?i:\bGH-)(?=\d)|:(?=[a-z+-][\w+-]*:)")
_APART = r"\g<0>&#8203;"
_STARTS = re.compile(r"^(?:\d+(?=[.)](?:\s|$))|(?=[#+=:-](?:[\s#=:-]|$)))")
_LETTER = re.compile(r"^(?:\w|\d{2})$")


def escape(text: str) -> str:
    """The text on one line, as nothing but text: no markup, link, image, cell border or HTML."""
    line = _MARKS.sub(r"\\\g<0>", plain(text)).translate(_ENTITIES)
    return _STARTS.sub(r"\g<0>\\", _REFERENCES.sub(_APART, _LINKS.sub(r"\\\g<0>", line)))


def prose(text: str) -> str:
    """A sentence as people read it: links by their titles, which lead nowhere."""
    return escape(without_links(text))


def markdown(
    report: Report, outcomes: Iterable[Outcome], judge: Judge, *, items: Items | None = None, limit: int = ITEMS_SHOWN
) -> str:
    """The whole report; with `items` at hand each one is headed by its question."""
    say = words(report.lang)
    verdicts = (outcome for outcome in outcomes if isinstance(outcome, Verdict))
    lines = [f"# {escape(report.title)}", "", *_facts(report, say), ""]
    if report.candidates:
        lines += [*_ranking(report, say), ""]
        shown = list(islice(verdicts, limit))
    else:
        lines += [*_measures(report, say), ""]
        shown = heapq.nsmallest(limit, verdicts, key=worst_first(judge))
    for section in report.sections:
        lines += [*section_lines(section), ""]
    lines += _notes(report, say)
    if noted := flag_line(report.flags, say):
        lines += [escape(noted), ""]
    if report.judged > len(shown):
        key = "limit_first" if report.candidates else "limit_worst"
        lines += [say(key, shown=say.number(len(shown), 0), of=say.number(report.judged, 0)), ""]
    if any(verdict.intervals for verdict in shown):
        lines += [say("interval_note"), ""]
    for verdict in shown:
        draw = comparison if judge.layout == "compare" else _details
        lines += [*draw(judge, verdict, item_of(items, verdict.item)), ""]
    # In a code span nothing is markup but the backtick that would end it.
    signature = plain(report.state.run.signature).replace("`", "'")
    return "\n".join([*lines, f"{say('signature')}: `{signature}`", ""])


def section_lines(section: Section) -> Iterator[str]:
    """A table with its title and notes."""
    yield f"## {escape(section.title)}"
    yield ""
    if section.rows:
        yield from table([[escape(cell) for cell in line] for line in (section.columns, *section.rows)])
        yield ""
    for number, note in enumerate(section.notes):
        if number:
            yield ""
        yield prose(note)


def comparison(judge: Judge, verdict: Verdict, item: Item | None = None) -> Iterator[str]:
    """One compared item: criterion × candidate with the reasons, totals, winner, conclusion."""
    say = words(judge.lang)
    names = candidates_in_order(judge, verdict, item)
    short = _short(names)
    yield from _head(judge, verdict, item)
    rows = [[say("criterion"), *map(escape, names), say("reasons_of", names=" / ".join(map(escape, short)))]]
    for criterion in judge.scored:
        scores = by_candidate(verdict.scores.get(criterion.name))
        reasons = (
            f"{escape(label)}: {prose(reason_of(verdict, criterion.name, name)) or '—'}"
            for label, name in zip(short, names, strict=True)
        )
        cells = (say.judged(scores.get(name), interval_of(verdict, criterion.name, name)) for name in names)
        rows.append([escape(criterion.title or criterion.name), *cells, " / ".join(reasons)])
    yield from table(rows)
    yield ""
    total = next((one for one in judge.derived if one.operation == "sum"), None)
    if total is not None:
        totals = by_candidate(verdict.derived.get(total.name))
        # Two blanks at the end break the line, as the first document of this layout has it.
        yield f"**{say('totals')}:**  "
        yield from (f"- {escape(name)}: {say.score(totals.get(name))}  " for name in names)
        title = total.title or total.name
        for note in (note for named, _, note in derived_rows(judge, verdict, say) if note and named == title):
            yield from ("", escape(note))
        yield ""
    if any(one.operation == "winner" for one in judge.derived):
        yield f"**{say('winner')}:** {escape(decided(judge, verdict, say) or say('no_winner'))}  "
    for title, text in conclusion(judge, verdict):
        yield f"**{escape(title)}:** {prose(text)}"


def _short(names: Sequence[str]) -> list[str]:
    """A, B, C for ModelA, ModelB, ModelC; the names themselves where no single letter tells them apart."""
    shared = 0
    while names and all(len(name) > shared and name[shared] == names[0][shared] for name in names):
        shared += 1
    rest = [name[shared:] for name in names]
    if shared and len(set(rest)) == len(rest) > 1 and all(map(_LETTER.match, rest)):
        return rest
    return list(names)


def _head(judge: Judge, verdict: Verdict, item: Item | None) -> Iterator[str]:
    yield f"## {escape(verdict.item)}"
    yield ""
    for field in judge.with_role("query"):
        if item is not None and (asked := item.text(field.name)):
            yield f"**{escape(field.title or field.name)}:** {escape(fit(asked, QUOTED_COLUMNS))}"
            yield ""


def _details(judge: Judge, verdict: Verdict, item: Item | None) -> Iterator[str]:
    """One item judged on its own: its scores with their reasons, then its texts."""
    say = words(judge.lang)
    yield from _head(judge, verdict, item)
    rows = [[say("criterion"), say("score"), say("reasons")]]
    for criterion in judge.scored:
        value = by_candidate(verdict.scores.get(criterion.name)).get("")
        reason = prose(reason_of(verdict, criterion.name))
        score = say.judged(value, interval_of(verdict, criterion.name))
        rows.append([escape(criterion.title or criterion.name), score, reason])
    rows += [
        [escape(title), say.score(values.get("")), escape(note)]
        for title, values, note in derived_rows(judge, verdict, say)
    ]
    yield from table(rows)
    for title, sources in cited(judge, verdict, item):
        yield from ("", f"**{escape(title)}:** {'; '.join(map(_linked, sources))}")
    for title, text in conclusion(judge, verdict):
        yield from ("", f"**{escape(title)}:** {prose(text)}")
    if verdict.flags:
        yield from ("", f"{say('flags')}: {'; '.join(map(escape, verdict.flags))}")


def _linked(source: Cited) -> str:
    """A source by its title, as a link where it has an address, with its citation number."""
    name = escape(fit(source.title, QUOTED_COLUMNS))
    # in the address nothing is left that could end it: what is no plain letter of an address is percent-encoded
    link = f"[{name}]({source.url.replace('&', '&amp;')})" if source.url else name
    return f"{link} \\[{source.number}\\]" if source.number is not None else link


def _facts(report: Report, say: Words) -> Iterator[str]:
    state, run = report.state, report.state.run
    yield f"{say('model')}: {escape(run.settings.model)}  "
    yield f"{say('data')}: {escape(report.state.run.data_name)}  "
    yield f"{say('judged')}: {say.n_of(report.judged, run.items)}  "
    stored = f" · {say('from_store', n=say.number(state.cached, 0))}" if state.cached else ""
    yield f"{say('cost')}: {say.cost(state.cost_usd)} · {say('time').lower()}: {say.duration(state.seconds)}{stored}"


def _figures(say: Words, measure: Measure) -> list[str]:
    scale = (
        f"{say.score(measure.min)}–{say.score(measure.max)}{escape(measure.unit)}, {say('better_' + measure.better)}"
    )
    mean = say.number(measure.mean, measure.digits) if measure.n else say("not_judged")
    spread = say.number(measure.sd, measure.digits)
    return [scale, mean, _ends(say, measure) or "—", spread, f"{measure.n}/{measure.of}"]


def _ends(say: Words, measure: Measure) -> str:
    return "" if measure.ci95 is None else say.interval(measure.ci95, measure.digits).strip("[]")


def _measures(report: Report, say: Words) -> Iterator[str]:
    rows = [[say("criterion"), say("scale"), say("mean"), say("interval"), say("means_sd"), say("coverage")]]
    rows += [[escape(one.title), *_figures(say, one)] for one in (*report.criteria, *report.derived)]
    yield from table(rows)
    yield from _ways(report, say)


def _ways(report: Report, say: Words) -> Iterator[str]:
    if note := means_note(report, say):
        yield from ("", note)


def _ranking(report: Report, say: Words) -> Iterator[str]:
    titles = [escape(one.title) for one in report.criteria]
    total = escape(report.candidates[0].total.title)
    rows = [
        [
            *(say("candidate"), *titles, total, say("interval"), say("means_sd")),
            *(say("wins"), say("ties"), say("open")),
            *(say("win_rate"), say("coverage")),
        ]
    ]
    for one in report.ranking:
        _, mean, interval, spread, coverage = _figures(say, one.total)
        rate = "—" if one.win_rate.mean is None else f"{say.number(100 * one.win_rate.mean, 0)} %"
        means = [
            say.number(measure.mean, measure.digits) + (f" ({ends})" if (ends := _ends(say, measure)) else "")
            for measure in one.criteria
        ]
        counts = map(str, (one.wins, one.ties, one.not_separable))
        rows.append([escape(one.name), *means, mean, interval, spread, *counts, rate, coverage])
    yield from table(rows)
    yield from _ways(report, say)


def _notes(report: Report, say: Words) -> Iterator[str]:
    titles = {one.name: one.title for one in report.criteria}
    if report.summary:
        yield from (f"## {say('summary')}", "")
        yield from (f"- **{escape(titles.get(name, name))}:** {prose(text)}" for name, text in report.summary.items())
        yield ""
    if report.warnings:
        yield from (f"**{say('warnings')}**", "")
        yield from (f"- {prose(warning)}" for warning in report.warnings)
        yield ""
    if report.failures:
        yield from (f"**{say('failures')}**", "")
        for group in report.failures:
            examples = "; ".join(
                f"{escape(item)}: {escape(fit(text, QUOTED_COLUMNS))}" for item, text in group.examples
            )
            yield f"- {escape(group.kind)} × {group.count}: {examples}"
        yield ""


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Cells with a border between them, aligned so that the source reads as a table too; the last one runs free."""
    columns = len(rows[0]) - 1
    wide = [min(ALIGNED_COLUMNS, max(width(row[column]) for row in rows)) for column in range(columns)]
    for place, row in enumerate(rows):
        cells = (fill(cell, columns) for cell, columns in zip(row, wide, strict=False))
        yield " | ".join([*cells, row[-1]])
        if place == 0:
            yield " | ".join("-" * max(3, columns) for columns in (*wide, min(ALIGNED_COLUMNS, width(row[-1]))))
