"""Which of two candidates a reply prefers: [[A>>B]], [[A]], "Output (a) is better", a letter alone, a tie."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from adjudge.reply.mention import mention, mentioned
from adjudge.reply.prose import LINE, Conclusion, Prose, Statement, conclude, drawn, outer_lines

_TIE = r"(?:a\s+)?(?:tie|draw|equal(?:ly\s+good)?|both|neither|ничья|поровну|равны|равноценны)"
_DEGREE = (
    r"(?:(?:slightly|significantly|much|clearly|overall|marginally|far|still|generally|somewhat|a\s+bit|definitely"
    r"|немного|намного|значительно|заметно|явно|чуть|существенно|гораздо)\s+){0,2}"
)
_OWN = r"(?:['’]s\s+(?:answer|response|output|summary|translation|solution|submission|version|text))?"
_GOOD = r"(?:better|superior|preferable|preferred|best|winner)\b(?:\s+(?:one|output|answer|response|option|choice)\b)?"
_VERDICT = r"(?:verdict|winner|preference|choice|decision|judge?ment|вердикт|победитель|выбор|предпочтение)"
#: A comparison goes on no further than so: with another word it is one of something else, as in "better known".
_WHOLE = re.compile(
    r"[*_`\"'»”)\]]{0,8}(?:[.,;:!?)\n]|\s*\Z|\s*(?:\(|\[|[-–—]\s)|\s+(?:than|of|because|as|since|due|overall|and"
    r"|but|so|in|at|for|with|on|by|to|from"
    r"|regarding|suited|if|when|only|while|although|though|given|based|here|among|between|according|compared"
    r"|considering|despite|is|was|one|output|answer"
    r"|response|option|choice|summary|translation|text|version|candidate|чем|потому|так|поскольку|и|но|по|в|с|из"
    r"|если|когда|только|для|за|здесь|ответа|[A-ZА-Я]\w*)\b)"
)
#: What stands behind a label that is chosen and makes the choice none: another label, or a doubt.
_CONTINUED = re.compile(r"[\s*_`\"'»”)\]]{0,8}(?:/|,?\s?(?:or|или)\s)", re.IGNORECASE)
#: Said before a preference in its clause, these words take it away: it is denied, supposed, or someone else's.
_DENIED = re.compile(
    r"(?:\b(?:argu\w+|claim\w*|states?|stated|says?|said|believes|suggest\w*|thinks|contends?|asserts?|maintains"
    r"|concludes|mentions?"
    r"|evaluates|whether|if|unless|although|though|while|whereas|nor|neither|not|never|may|might|would|could"
    r"|considered|why|how"
    r"|утвержда\w+|считает|говорит|если|хотя|ли|не|ни)\b|n['’]t\b)(?:(?!\b(?:so|therefore|thus|hence|because|and"
    r"|but|i)\b).)*\Z",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE = re.compile(r"[,;:()](?=\s)")
#: Said after it, these make it a matter of one aspect or of a condition.
_ASPECT = re.compile(r"\s+(?:in|at|for|with|on|regarding|suited|по|в|с)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\s+(?:if|when|only|если|когда|только)\b", re.IGNORECASE)
_EQUAL = re.compile(
    r"\bit(?:['’]s|\s+is)\s+(?:an?\s+)?(?:tie|draw)\b|\b(?:are|is)\s+(?:\w+\s+)?(?:tied|equal|equally\s+(?:good"
    r"|strong|valid|correct))\b"
    r"|\bneither\b[^.\n]{0,80}\bbetter\b|\bничья\b|\bравноценны\b",
    re.IGNORECASE,
)


def preference(prose: Prose, labels: Mapping[str, str], finish: str) -> Conclusion[int]:
    """From 2, the first candidate is much better, to -2, the second is."""
    pair = tuple(labels)
    marked = list(_marked(prose, pair))
    exact = {_side(statement.value) for statement in marked}
    # "A is better" beside [[A>>B]] says the same less exactly
    plain = [*_alone(prose, pair), *_said(prose, pair), *_equal(prose)]
    return conclude(prose, marked + [other for other in plain if _side(other.value) not in exact], finish, _CONTINUED)


def _side(degree: int) -> int:
    return (degree > 0) - (degree < 0)


def _marked(prose: Prose, pair: Sequence[str]) -> Iterator[Statement[int]]:
    """Between brackets, as the prompt asks, or as a line of its own."""
    first, second = mention(pair, "first"), mention(pair, "second")
    sign = r"\s*(?P<sign>(?:>|&gt;){1,2}|(?:<|&lt;){1,2}|=)\s*"
    ordered = rf"{first}{sign}{second}"
    for pattern, rank in ((rf"\[{{1,2}}\s*{ordered}\s*\]{{1,2}}", 3), (rf"^{ordered}[.]?$", 2)):
        for found in re.finditer(pattern, prose.text, re.IGNORECASE | re.MULTILINE):
            left, right = mentioned(found, pair, "first"), mentioned(found, pair, "second")
            if left != right:
                signs = found["sign"].replace("&gt;", ">").replace("&lt;", "<")
                degree = {">>": 2, ">": 1, "=": 0, "<": -1, "<<": -2}[signs] * (1 if left == pair[0] else -1)
                yield Statement(value=degree, start=found.start(), end=found.end(), rank=rank)
    tie = "|C" if [label.upper() for label in pair] == ["A", "B"] else ""
    for found in re.finditer(rf"\[\[\s*(?:{mention(pair)}|(?P<tie>{_TIE}{tie}))\s*\]\]", prose.text, re.IGNORECASE):
        yield Statement(value=_degree(found, pair), start=found.start(), end=found.end(), rank=3)


def _alone(prose: Prose, pair: Sequence[str]) -> Iterator[Statement[int]]:
    """A label that is a line of its own: the first or the last one. Such lines for both are headings."""
    line = re.compile(
        rf"[ \t>*_`]*(?:(?:final\s+|my\s+){{0,2}}(?:{_VERDICT}|answer|ответ)\s*[:=]\s*)?"
        rf"(?:{mention(pair)}|(?P<tie>{_TIE}))[ \t.*_`]*",
        re.IGNORECASE,
    )
    lines = outer_lines(prose.text)
    found = [(where, match) for where in lines if (match := line.fullmatch(where[0]))]
    if len(found) == 1 and found[0][0] is lines[0] and len(lines) > 1:
        short = (other[0].rstrip(": ") for other in LINE.finditer(prose.text) if len(other[0]) < 60)
        headings = {_degree(match, pair) for match in map(line.fullmatch, short) if match}
        found = found if len(headings) == 1 else []
    for where, match in found:
        yield Statement(value=_degree(match, pair), start=where.start(), end=where.end(), bare=True, last_word=True)


def _said(prose: Prose, pair: Sequence[str]) -> Iterator[Statement[int]]:
    """In a sentence."""
    who, named = mention(pair), mention(pair, named=True)
    patterns = (
        rf"{who}{_OWN}\s+(?:is|was)\s+(?:therefore\s+)?{_DEGREE}(?:the\s+)?{_DEGREE}{_GOOD}",
        rf"{who}\s+(?:—\s+|-\s+)?{_DEGREE}(?:лучше|предпочтительнее|победил\w?|выигрывает|wins\b)",
        r"\bI\s+(?:\w+\s+)?(?:prefer|choose|pick|select|favou?r|go\s+(?:with|for)|opt\s+for|vote\s+for|выбираю"
        rf"|предпочитаю)\s+{named}",
        rf"\b(?:better|best|preferred|superior)\s+(?:[^\W\d]+\s+){{0,5}}?(?:is"
        rf"|would\s+be)\s+{named}(?!{_OWN}\s+(?:is|was)\b)",
        rf"\b(?:лучш(?:ий|ая|ее)|победил\w?)\s+(?:[^\W\d]+\s+){{0,3}}?(?:[—:-]\s*|это\s+)?{who}",
        rf"\b{_VERDICT}[*_`]{{0,8}}\s*(?:is|[:=—])[*_`\s]{{0,16}}(?:{who}|(?P<tie>{_TIE})\b)(?!{_OWN}\s+(?:is"
        rf"|was)\b)(?=\W{{0,40}}(?:\n|\Z|[.,(]))",
    )
    other = re.compile(rf"\s+than\s+(?!the\s+(?:other|alternative)|{who})", re.IGNORECASE)
    for place, pattern in enumerate(patterns):
        compared = place < 2
        for found in re.finditer(pattern, prose.text, re.IGNORECASE):
            clause = _CLAUSE.split(prose.sentence(found.start()))[-1]
            after = found.end()
            if compared and not _WHOLE.match(prose.text, after):
                continue
            if _DENIED.search(clause) or _CONDITION.match(prose.text, after) or other.match(prose.text, after):
                continue
            statement = Statement(value=_degree(found, pair), start=found.start(), end=after, rank=1, last_word=True)
            if not _ASPECT.match(prose.text, after) or drawn(prose, statement):
                yield statement


def _equal(prose: Prose) -> Iterator[Statement[int]]:
    for found in _EQUAL.finditer(prose.text):
        statement = Statement(value=0, start=found.start(), end=found.end(), rank=0, last_word=True)
        if drawn(prose, statement):
            yield statement


def _degree(found: re.Match[str], pair: Sequence[str]) -> int:
    if found.groupdict().get("tie"):
        return 0
    return 1 if mentioned(found, pair) == pair[0] else -1
