"""The Markdown table of the compare layout: criteria in rows, candidates in columns, reasons in the last column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from adjudge.core.judge import Judge, Leaf, Output
from adjudge.reply.cursor import Clash
from adjudge.reply.keys import label, normal
from adjudge.reply.validate import Expected

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"(?:[\s|:+]|-(?!-))*+--[\s|:+-]*+")
_NUMBERING = re.compile(r"^\s*(?:\d+[.)]\s*)?")
_NUMBER = re.compile(r"[\W_]*+\d")
_TOTAL = re.compile(r"(?:grand_)?total|sum|overall|итог\w*|сумма|всего", re.IGNORECASE)
_MARKS = r"[\s#>*_-]*"
_WINNER = re.compile(rf"{_MARKS}(?:winner|победитель|лучший ответ)[\s*_]*[:：—–-]\s*(?P<rest>.*)", re.IGNORECASE)
_CONCLUSION = re.compile(
    rf"{_MARKS}(?:(?:brief |краткий )?(?:conclusion|вывод)|заключение)[\s*_]*[:：—–-]?(?P<rest>.*)", re.I
)
_FIGURE = re.compile(
    r"[\s*•+-]*+(?P<name>[^:|]{1,200}?)[\s*_]{0,8}[:：—–-]\s{0,8}[*_]{0,4}(?P<figure>-?\d{1,30}(?:[.,]\d{1,30})?)\b[^|]{0,40}"
)
_MARK = re.compile(r"(?:^|\s/\s|;\s)\s*+[*_]*+(?P<name>[^:/|*;]{1,200}?)[*_]{0,4}\s{0,8}[:：]\s")
#: More columns than any comparison has.
_COLUMNS = 100
#: A longer line is no total.
_FIGURE_CHARS = 300
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(slots=True)
class Table:
    """A table as found, and what the lines behind it state."""

    start: int
    end: int
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    winner: str | None = None
    conclusion: list[str] = field(default_factory=list)


def tables(
    judge: Judge, text: str, expected: Expected, *, start: int = 0, aliases: Mapping[str, str] | None = None
) -> Iterator[tuple[Any, int, int]]:
    """Every table with a verdict's rows, as the object the judge asks for, with its place in the text."""
    names = {normal(name): criterion.name for criterion in judge.criteria for name in (criterion.name, criterion.title)}
    names |= {normal(alias): name for alias, name in (aliases or {}).items()}
    names.pop("", None)
    table: Table | None = None
    columns: dict[int, str] | None = None
    place, width, known = start, 0, True
    for line in text[start:].splitlines(keepends=True):
        place += len(line)
        cells = _cells(line)
        if cells is None:
            columns = None
            if table:
                _aside(line.strip(), table, expected)
            continue
        if _RULE.fullmatch(line.strip()):
            columns = columns if known else None  # the row above was a header, of whatever columns
            continue
        head = _columns(cells, expected) if columns is None or expected.labels else None
        if columns is None or _turns(columns, head, expected):
            columns, width, known = head, len(cells), True
            if columns:
                if table and table.rows:
                    yield _shaped(judge, judge.output, table), table.start, table.end
                table = Table(place - len(line), place)
            continue
        if table:
            whole = cells if len(cells) == width else _unshifted(cells, columns)
            known = _row(whole, columns, names, table, expected)
            table.end = place
    if table and table.rows:
        yield _shaped(judge, judge.output, table), table.start, table.end


def _cells(line: str) -> list[str] | None:
    if not _BAR.search(line):
        return None
    bare = line.strip()
    bare = bare.removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(bare)]


def _columns(cells: list[str], expected: Expected) -> dict[int, str] | None:
    """Which column belongs to which candidate; the first names the criterion, those behind give reasons.

    None where the header names no candidate that was shown, or one of them twice.
    """
    found: dict[int, str] = {}
    if len(cells) > _COLUMNS:
        return None
    for index, cell in enumerate(cells[1:], start=1):
        last = index == len(cells) - 1
        if (expected.labels or not last) and label(cell, expected.labels):
            found[index] = cell
    twice = len({label(cell, expected.labels) for cell in found.values()}) < len(found)
    return None if twice or not found else found


def _turns(columns: Mapping[int, str], head: Mapping[int, str] | None, expected: Expected) -> bool:
    """Whether a row inside a table is the header of another one, with the candidates in other columns."""
    if head is None or len(head) < 2:
        return False
    before, after = ({at: label(cell, expected.labels) for at, cell in one.items()} for one in (columns, head))
    return before != after


def _unshifted(cells: list[str], columns: Mapping[int, str]) -> list[str]:
    """The cells of a row not as long as its header; none where one number more follows: all may be in other columns."""
    # a bar in a reason makes a row longer too, and a reason may be left out
    return cells[:1] if any(map(_NUMBER.match, cells[max(columns) + 1 :][:1])) else cells


def _row(cells: list[str], columns: dict[int, str], names: Mapping[str, str], table: Table, expected: Expected) -> bool:
    """Take a row into the table; whether it is that of a criterion or of totals."""
    title = normal(_NUMBERING.sub("", cells[0].strip(" *_")))
    name = names.get(title) or names.get(normal(_unbracketed(cells[0])))
    values = {shown: cells[index] for index, shown in columns.items() if index < len(cells) and cells[index]}
    if name is None:
        total = _TOTAL.match(title) is not None
        if total:
            table.totals.update({shown: _figure(value) for shown, value in values.items()})
        return total
    reasons = _reasons(" | ".join(cells[max(columns) + 1 :]), list(columns.values()), expected)
    entry = {shown: {"score": value, "justification": reasons.get(shown, "")} for shown, value in values.items()}
    if name in table.rows and table.rows[name] != entry:
        entry = Clash(entry)
    table.rows[name] = entry
    return True


def _unbracketed(cell: str) -> str:
    """The cell without the remark in brackets at its end."""
    opened = cell.find("(", cell.rfind(")", 0, -1) + 1) if cell.endswith(")") else -1
    return cell if opened < 0 else cell[:opened].rstrip()


def _figure(cell: str) -> float | str:
    """A total as a number, or as it stands when it is none."""
    try:
        return float(cell.strip(" *_`").replace(",", "."))
    except ValueError:
        return cell


def _reasons(cell: str, shown: list[str], expected: Expected) -> dict[str, str]:
    """The reasons of a cell by candidate: marked "A: ..." and joined by slashes, which may also stand inside them."""
    cell = _BREAK.sub(" / ", cell).strip()
    by_name = {label(name, expected.labels): name for name in shown}
    marks: list[tuple[int, int, str]] = []
    for mark in _MARK.finditer(cell):
        short = by_name.get(label(mark["name"], expected.labels))
        if not short and not expected.labels:
            short = _initial(mark["name"].strip(), shown)
        if short and all(short != known for _, _, known in marks):
            marks.append((mark.start(), mark.end(), short))
    if marks and marks[0][0] == 0:
        ends = [start for start, _, _ in marks[1:]] + [len(cell)]
        return {name: cell[begin:end].strip(" /;") for (_, begin, name), end in zip(marks, ends, strict=True)}
    parts = cell.split(" / ")
    if len(parts) == len(shown):
        return dict(zip(shown, (part.strip() for part in parts), strict=True))
    return dict.fromkeys(shown, cell)


def _initial(short: str, shown: list[str]) -> str | None:
    """The one candidate whose name ends with the letter used in the reasons: A for ModelA."""
    hits = [name for name in shown if name.strip(" *_`").casefold().endswith(short.casefold())]
    return hits[0] if len(hits) == 1 and short else None


def _aside(line: str, table: Table, expected: Expected) -> None:
    """A line behind the table: a total, the winner, the conclusion or its continuation."""
    winner = _WINNER.fullmatch(line)
    conclusion = _CONCLUSION.fullmatch(line)
    if winner:
        table.winner = winner["rest"].strip(" *_.`\"'") or None
    elif conclusion and not table.conclusion:
        table.conclusion.append(conclusion["rest"].strip(" *_:"))
    elif table.conclusion:
        table.conclusion.append(line)
    else:
        figure = _FIGURE.fullmatch(line) if len(line) <= _FIGURE_CHARS else None
        if figure and label(figure["name"], expected.labels):
            table.totals[figure["name"].strip(" *_`")] = float(figure["figure"].replace(",", "."))


def _shaped(judge: Judge, shape: Output, table: Table) -> Any:
    """The table as an object of the judge's own output shape, so that one check serves both."""
    if isinstance(shape, Mapping):
        built = {key: _shaped(judge, child, table) for key, child in shape.items()}
        return {key: value for key, value in built.items() if value not in (None, {}, "")}
    leaf = shape if isinstance(shape, Leaf) else shape[0]
    derived = judge.derived_value(leaf.name)
    if derived is not None:
        return None if leaf.part else table.winner if derived.operation == "winner" else table.totals
    if judge.criterion(leaf.name).kind == "text":
        return " ".join(filter(None, table.conclusion)).strip()
    return table.rows.get(leaf.name)
