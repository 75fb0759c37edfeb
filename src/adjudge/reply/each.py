"""A number for each candidate, stated in prose: on the first line in the order shown, or beside their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from adjudge.core.errors import Missing
from adjudge.core.scale import Scale
from adjudge.reply.figures import FIGURE, Figure, figure, valid
from adjudge.reply.keys import label as candidate
from adjudge.reply.mention import mention, mentioned
from adjudge.reply.prose import Conclusion, Prose, Statement, conclude, no_verdict, outer_lines
from adjudge.reply.stated import EDGE, WORD, hedged

_FIGURE = re.compile(FIGURE, re.IGNORECASE)
_HEAD = re.compile(rf"\W*(?:(?:final\s+|the\s+)?(?:{WORD}|output|result|answer)(?:\s+tuple)?\s*(?:[:=]|\bis\b))", re.I)
_BETWEEN = re.compile(r"(?:[\s,;|&()\[\]*_`.]|\band\b|\bи\b)*", re.IGNORECASE)
#: Words that order candidates without their labels, by their place; and those that turn or give an order.
_ORDINALS = (
    r"first|former|1st|перв\w+",
    r"second|latter|2nd|втор\w+",
    r"third|3rd|трет\w+",
    r"fourth|4th|четв[её]рт\w+",
    r"fifth|5th|пят\w+",
)
_TURNED = re.compile(
    r"\b(?:revers\w+|swapp\w+|backwards?|inverse\w*|opposite|other\s+way|last\s+to\s+first|alphabetical\w*"
    r"|обратн\w+|наоборот)\b",
    re.I,
)
_ORDERS = re.compile(
    r"\b(?:orders?|ordered|respectively|sequence|columns?|(?:start|begin)\w*\s+with|порядк\w+|порядок|соответственно"
    r"|начин\w+)\b",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
#: A line of more other words than these only speaks of candidates.
_FEW = 6
#: How far from a row its order is looked for.
_NEARBY = 2_000
#: The number of a point, which a text may be called by, before its own figure.
_POINT = re.compile(r"[\s*_`>]*[(\[]?\d{1,3}[*_`]*[.):\]][*_`]*\s+(?![\s(\[])")
_NAMED = re.compile(rf"[^\w\n]{{0,8}}[^\W\d]\w{{0,2}}[^\w\n]{{1,4}}{FIGURE}[^\w\n]{{0,8}}", re.IGNORECASE)
_TUPLE = re.compile(rf"\b(?:{WORD}|output|result|tuple)\b[^\n\d]{{0,30}}?[(\[](?P<row>[^()\[\]\n]{{3,120}})[)\]]", re.I)


def number_each(prose: Prose, scale: Scale, labels: Mapping[str, str], finish: str) -> Conclusion[dict[str, float]]:
    """The number of each candidate, by the candidate's name."""
    stated: dict[str, list[Statement[Figure]]] = {label: [] for label in labels}
    for label, statement in _statements(prose, scale, tuple(labels)):
        stated[label].append(statement)
    if not any(stated.values()):
        raise no_verdict(finish)
    for label, found in stated.items():
        if not found:
            raise Missing(f"the reply states no number for {label}")
    each = {candidate(shown, labels) or shown: conclude(prose, found, finish) for shown, found in stated.items()}
    return Conclusion(
        {name: valid(found.value) for name, found in each.items()},
        any(found.corrected for found in each.values()),
        all(found.alone for found in each.values()),
    )


def _in_order(text: str, labels: Sequence[str]) -> bool:
    """Whether no line lists the candidates, by label or by place, in another order than they were shown in."""
    orders = [
        mention(labels, named=any(label.isdigit() for label in labels)),
        "|".join(rf"\b(?P<o{place}>{word})\b" for place, word in enumerate(_ORDINALS)),
    ]
    by_label, by_place = (re.compile(pattern, re.IGNORECASE) for pattern in orders)
    for line in re.split(r"\n|(?<=[.!?]) ", text[:_NEARBY] + "\n" + text[_NEARBY:][-_NEARBY:]):
        named = [labels.index(mentioned(found, labels)) for found in by_label.finditer(line)]
        placed = [int((found.lastgroup or "o0")[1:]) for found in by_place.finditer(line)]
        words = len(_WORD.findall(by_place.sub(" ", by_label.sub(" ", line))))
        given = bool(_ORDERS.search(line))
        if _TURNED.search(line) and (words <= _FEW or given):
            return False
        if words > _FEW and not given:
            continue
        for order in (named, placed):
            first = list(dict.fromkeys(order))
            if first != sorted(first) or (given and first and first[0] != 0):
                return False
        if named and placed and len(set(named)) == len(set(placed)) and _crossed(line, by_label, by_place, labels):
            return False
    return True


def _crossed(line: str, by_label: re.Pattern[str], by_place: re.Pattern[str], labels: Sequence[str]) -> bool:
    """Whether a line gives a label another place than the one it was shown in, as in "X2 first"."""
    named = [labels.index(mentioned(found, labels)) for found in by_label.finditer(line)]
    placed = [int((found.lastgroup or "o0")[1:]) for found in by_place.finditer(line)]
    return any(one != other for one, other in zip(named, placed, strict=False))


def _statements(prose: Prose, scale: Scale, labels: Sequence[str]) -> Iterator[tuple[str, Statement[Figure]]]:
    rows = list(_rows(prose.text, len(labels)))
    for start, end, figures, rank in rows if rows and _in_order(prose.text, labels) else ():
        for label, found in zip(labels, figures, strict=True):
            yield label, Statement(value=figure(found, scale), start=start, end=end, rank=rank, bare=True)
    for pattern, rank in _beside(labels):
        for found in pattern.finditer(prose.text):
            if not hedged(prose, found):
                value = figure(found, scale)
                whose = labels if found.re.groupindex.get("both") else (mentioned(found, labels),)
                for label in whose:
                    yield label, Statement(value=value, start=found.start(), end=found.end(), rank=rank)
    for found in _respectively(labels).finditer(prose.text):
        figures = list(_FIGURE.finditer(found["row"]))
        if len(figures) == len(labels):
            for label, each in zip(labels, figures, strict=True):
                yield label, Statement(value=figure(each, scale), start=found.start(), end=found.end(), rank=1)


def _rows(text: str, many: int) -> Iterator[tuple[int, int, list[re.Match[str]], int]]:
    """Lines or tuples that hold nothing but numbers; on the first line their count must be right."""
    lines = outer_lines(text)
    for place, line in ((0, lines[0]), (-1, lines[-1])) if lines else ():
        head = _HEAD.match(line[0])
        figures = _row(line[0][head.end() if head else 0 :], many)
        if figures and len(figures) != many and place == 0:
            raise Missing(f"the first line holds {len(figures)} numbers, and {many} were due")
        if len(figures) == many and not _NAMED.fullmatch(_neighbour(text, line, place)):
            yield line.start(), line.end(), figures, 3 if place == 0 else 2
    for found in _TUPLE.finditer(text):
        figures = _row(found["row"], many)
        if len(figures) == many:
            yield found.start(), found.end(), figures, 2


def _neighbour(text: str, line: re.Match[str], place: int) -> str:
    """The line after the first one, or before the last one: if it is "A 5", the other may be "1 3", and no row."""
    return text[line.end() :][1:].partition("\n")[0] if place == 0 else text[: line.start()][:-1].rpartition("\n")[2]


def _row(line: str, many: int) -> list[re.Match[str]]:
    """The figures of a line of figures; a comma parts them where it can't be a decimal one."""
    if len(line) > 200 or _POINT.match(line) or not _BETWEEN.fullmatch(_FIGURE.sub(" ", line.replace(",", " "))):
        return []
    figures = list(_FIGURE.finditer(line))
    return figures if len(figures) == many else list(_FIGURE.finditer(line.replace(",", " ")))


def _beside(labels: Sequence[str]) -> list[tuple[re.Pattern[str], int]]:
    who = mention(labels, named=any(label.isdigit() for label in labels))
    pair = r"\s+(?:and|и|&)\s+".join(mention([label], f"l{place}") for place, label in enumerate(labels))
    patterns = [
        (
            rf"{who}(?:['’]s)?(?:\s+[^\W\d]+){{0,3}}?[*_`]{{0,8}}\s*[:=][ \t*_`(]{{0,16}}"
            rf"(?:\n?\s*[*_`]{{0,8}}{WORD}[\s:=*_`]{{1,16}})?{FIGURE}{EDGE}",
            2,
        ),
        (
            rf"{who}(?:['’]s)?(?:\s+[^\s\d.;:]{{1,30}}){{0,5}}?\s+"
            rf"(?:{WORD}\s+(?:of|is|as)|an?|gets|receives|получает)\s+(?:an?\s+)?{FIGURE}{EDGE}",
            1,
        ),
        (rf"\b(?P<both>both|оба)\s+(?:{pair}|\w+)\s+(?:\w+\s+){{0,2}}?(?:an?\s+)?{WORD}\s+of\s+{FIGURE}{EDGE}", 1),
    ]
    return [(re.compile(pattern, re.IGNORECASE), rank) for pattern, rank in patterns]


def _respectively(labels: Sequence[str]) -> re.Pattern[str]:
    listed = r"\s*(?:,|,?\s*and|,?\s*и|&)\s+".join(mention([label], f"l{place}") for place, label in enumerate(labels))
    return re.compile(rf"{listed}\s+(?:are|is|receive|get|получают)\s+(?P<row>\d[^\n.;]{{2,120}})", re.IGNORECASE)
