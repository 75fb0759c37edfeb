"""A rating stated in prose. Years, counts, hedged and quoted figures are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from adjudge.core.judge import Criterion
from adjudge.core.scale import Scale
from adjudge.reply.figures import FIGURE, Figure, counted_out_of, figure, valid
from adjudge.reply.prose import Conclusion, Prose, Statement, conclude

WORD = r"(?:scores?|ratings?|grades?|marks?|оценк[аиуой]{1,2}|балл\w{0,2}|рейтинг\w{0,2})"
_DEGREE = r"(?:(?:low|high|solid|strong|perfect|mere|fair)\s+)?"
_RATES = r"(?:scor(?:es?|ed|ing)|rat(?:es?|ed|ing)|grad(?:es?|ed|ing)|оценива\w{1,3}|оценил\w?)"
_GIVES = (
    rf"(?:{_RATES}|giv(?:es?|en|ing)|earn(?:s|ed|ing)?|deserv(?:es?|ing)|award(?:s|ed)?|assign(?:s|ed)?"
    r"|ставлю|заслужива\w{1,3})"
)
EDGE = (
    r"(?=[*_`\"')\]]{0,8}(?:[.,;:!?)\n]|\s*\Z|\s+[-–—(]|\s+(?:for|in|on|as|because|due|since|indicat\w+|and|with"
    r"|while|but|which"
    r"|за|по|и|так|потому)\b))"
)


#: Compiled with the first reply in prose: it takes longer than all else that a start needs to read.
@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_MARKED = (
    rf"\[\[\s*(?:{WORD}\s*:\s*)?{FIGURE}\s*\]\]",
    rf"\\boxed\s*\{{\s*{FIGURE}\s*\}}",
    rf"<(?:final_)?(?:{WORD}|answer|final|result)>\s*{FIGURE}\s*</\w{{0,20}}>?",
)
_IN_SENTENCE = (
    rf"\b{WORD}\s+(?:of|as|at|equal\s+to|в)\s+(?:an?\s+)?{_DEGREE}{FIGURE}",
    rf"\b{_GIVES}\s(?:[^\s.;:!?\d]{{1,40}}\s+){{0,12}}?(?:an?|as|at|на)\s+{_DEGREE}{FIGURE}{EDGE}",
    rf"\b{_RATES}\s+(?:(?:it|this|them|его|её|(?:this|the)\s+\w+)\s+)?(?=\S+(?:\s+(?:out\s+of|из)|\s*/)\s*\w){FIGURE}",
    rf"\b{_RATES}\s+(?:it|this|them|(?:this|the)\s+\w+)\s+{FIGURE}{EDGE}",
    rf"\b(?:summary|answer|response|translation|text|it|this)\s+is\s+an?\s+{_DEGREE}{FIGURE}(?=[,.;)]|\s*\Z)",
)
_LEAD_TRAIL_COUNTED = (
    rf"\A\s*(?:[-*•]\s+)?[*_`\"'(]*{FIGURE}[*_`\"')]{{0,8}}"
    r"(?=[.:;,]?\s*\Z|[.:;,]?\s*\n|[.:;,]?\s*[-–—(]|[.:;,]\s+(?!\d)|(?<=star)\s|(?<=stars)\s)",
    rf"(?:(?<=[.!?…])\s|\n)\s*[*_`]*{FIGURE}[*_`.\s]*\Z",
    FIGURE + EDGE,
)
#: What goes on with a figure: a sum, another maximum, a choice, or the noun that it counts.
_CONTINUED = re.compile(
    r"[\s*_`\"')\]]{0,8}(?:[-–—+−×*/=^±:]{1,2}\s{0,2}\d|\s?(?:minus|plus|less|минус|плюс)\b|\s(?:or|to|или"
    r"|до)\s+(?:an?\s+)?\d"
    r"|\s?\(?(?:out\s+of|of|/|из)\s{0,2}\d)",
    re.IGNORECASE,
)
#: Behind a figure under a score's name, a word in small letters goes on with the phrase; these do not.
_NOUN = re.compile(
    r"[ \t]{1,4}(?!(?:out|for|in|on|as|because|due|since|indicat\w+|and|with|while|but|which|although|though|given"
    r"|based|stars?|points?(?=[ \t]*(?:[.,;:)(\n]|\Z))|of[ \t]+\d+|overall|so|is|are"
    r"|would|if|when|means|reflects|per|at|за|по|и|так|потому|из|балл\w*|поскольку|но|а|с|ведь)\b)[a-zа-яё]"
)
#: Said before a figure in its clause, these words make it another figure than the score.
_HEDGED = re.compile(
    r"(?:\b(?:prevent\w*|achiev\w*|reach\w*|attain\w*|could|might|whether|if|unless|than|at\s+least|at\s+most|below"
    r"|above|possible"
    r"|max\w*|min\w*|highest|lowest|scale|range\w*|instead\s+of|to\s+(?:earn|get|receive|be|make|become)"
    r"|would\s+(?:have|make)"
    r"|(?:mention|stat|say|report|claim)\w*\s+that|если|бы|максим\w+|миним\w+|шкал\w+|не\s+менее|не\s+более)\b.*"
    r"|\bbetween\s+\S+\s+and\s+|\b(?:от|между)\s+\S+\s+(?:до|и)\s+"
    r"|(?:\b(?:not|never|не)|n['’]t)\s+(?:(?!result|earn|scor|thus|giving|so\b)\S+\s+){0,4})\Z",
    re.IGNORECASE,
)
_IF = re.compile(r"[*_`\"')]{0,8}[ \t]+(?:if|when|means|would|could|если|означает)\b", re.IGNORECASE)
_POINT = re.compile(r"[.)]\s+\w")
_CLAUSE = re.compile(r"[,;:()]|\bbut\b|\bно\b|\band\s+(?:an?|the|i|it)\b", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:max(?:imum)?|min(?:imum)?|highest|lowest|possible|perfect|best|worst|full|previous)\s+\Z", re.I
)


def one_number(prose: Prose, criterion: Criterion, finish: str) -> Conclusion[float]:
    """The rating that the prose states."""
    assert criterion.scale is not None
    found = conclude(prose, list(_ratings(prose, criterion, criterion.scale)), finish, _continued(criterion.scale.max))
    return Conclusion(valid(found.value), found.corrected, found.alone)


@cache
def _continued(most: int) -> re.Pattern[str]:
    """What makes a figure another one; the maximum of the scale behind it does not."""
    return re.compile(rf"(?!\s*\(?(?:out\s+of|of|/|из)\s{{0,2}}{most}\b)(?:{_CONTINUED.pattern})", re.IGNORECASE)


def _ratings(prose: Prose, criterion: Criterion, scale: Scale) -> Iterator[Statement[Figure]]:
    text = prose.text
    for pattern in _compiled(_MARKED):
        yield from (_statement(found, scale, 3) for found in pattern.finditer(text))
    titled = [_statement(found, scale, 2) for found in _titled(criterion).finditer(text) if _is_score(text, found)]
    yield from titled
    leading, trailing, counting = _compiled(_LEAD_TRAIL_COUNTED)
    lead = leading.match(text)
    if lead and not _numbering(text, lead) and not (titled and _POINT.match(text, lead.end())):
        yield Statement(value=figure(lead, scale), start=lead.start("n"), end=lead.end(), bare=True)
    trail = trailing.search(text, max(0, len(text) - 200))
    if trail and any(char.isalpha() for char in text[: trail.start()]):
        yield Statement(value=figure(trail, scale), start=trail.start("n"), end=trail.end(), rank=1, bare=True)
    for pattern in _compiled(_IN_SENTENCE):
        yield from (_statement(found, scale, 1) for found in pattern.finditer(text) if not hedged(prose, found))
    for found in counting.finditer(text):
        if (found["stars"] or counted_out_of(found) == str(scale.max)) and not hedged(prose, found):
            yield _statement(found, scale, 0)


def _statement(found: re.Match[str], scale: Scale, rank: int) -> Statement[Figure]:
    return Statement(value=figure(found, scale), start=found.start(), end=found.end(), rank=rank)


def _is_score(text: str, found: re.Match[str]) -> bool:
    """Whether a figure under a score's name is one: not the maximum, a condition, or the number of a point below."""
    numbering = "\n" in text[found.start() : found.start("n")] and _POINT.match(text, found.end())
    bound = _BOUND.search(text, max(0, found.start() - 20), found.start())
    noun = _NOUN.match(text, found.end())
    return not (numbering or bound or noun or _IF.match(text, found.end()))


def hedged(prose: Prose, found: re.Match[str]) -> bool:
    """Whether a figure in a sentence is supposed, denied, or told of something else."""
    clause = _CLAUSE.split(prose.sentence(found.start("n")))[-1]
    return bool(found["range"] or _HEDGED.search(clause) or _IF.match(prose.text, found.end()))


def _titled(criterion: Criterion) -> re.Pattern[str]:
    """A score under its name: "Score: 4", "**Rating:** 4", "Score (1-5): 4", "Groundedness: 1", "Score 3 - ..."."""
    names = [re.split(r"[\s_-]+", name) for name in (criterion.name, criterion.title) if name]
    word = "|".join([WORD, *(r"[\s_-]+".join(map(re.escape, name)) for name in names), "overall", "итого?"])
    return re.compile(
        r"\b(?:(?:my|final|overall|total|итоговая"
        rf"|общая)\s+){{0,2}}(?:{word})(?:\s*\([^()\n]{{0,60}}\))?[\"'*_`]{{0,8}}"
        r"(?:\s*(?:[:=→]|\s[-–—]\s|\bis\b|\bwould\s+be\b|равна|составляет)[\"'*_`\s\[(]*+|\s+(?=\S+\s*(?:[-–—/\n]"
        r"|out\b|из\b|балл|\Z)))"
        rf"(?:an?\s+)?{FIGURE}(?!\s*:\s)",
        re.IGNORECASE,
    )


def _numbering(text: str, lead: re.Match[str]) -> bool:
    """Whether the number that begins the text only numbers the first of several points."""
    following = str(int(lead["n"]) + 1) if lead["n"].isdigit() and len(lead["n"]) < 4 else ""
    return bool(following and re.search(rf"^[^\S\n]*{following}[.)]\s", text[lead.end() :], re.MULTILINE))
