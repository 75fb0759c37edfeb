"""A rating stated in prose. Years, counts, hedged and quoted figures are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from adjudge.core.errors import Ambiguous
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
    r"|\s?\(?(?:out\s+of|of|/|из)\s{0,2}\d"
    r"|[ \t]{0,4}[|\\][ \t]{0,4}[+-]?\d|[ \t]{1,4}[+-]?\d(?![\d]*[.)]\s)"
    r"|[ \t]{0,4}(?:[,;&]|and\b|и\b)[ \t]{0,4}\d{1,3}[\s*_)\]]{0,4}(?:[|,;&.]|\Z|\n)"
    r"|[ \t]{1,4}(?-i:[A-Z]{2,}|[А-ЯЁ]{2,})\b"
    r"|[ \t]{0,3}[,:—–-][ \t]{1,3}(?:(?:that|this|it|which)\s+is\s+)?(?:the\s+|a\s+|это\s+)?"
    r"(?:number|count|amount|quantity|tally|число|количество)\s+(?:of\s+)?(?:(?!is|are|was|were|has|have)\w+\s?){1,5}(?:[.!]|\s*\Z))",
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


#: A point of the scale beside what it stands for, in either order.
_LEGEND = re.compile(
    r"(?<![\w.,])(?P<n>\d{1,3})\s{0,2}(?:=|:|\(|-|–|—|\bis\b|\bbeing\b|\bmeans\b|\bfor\b|это)\s{0,2}(?:the\s+|самая\s+)?"
    r"(?=(?P<word>worst|lowest|best|highest|худш|наихудш|лучш|наилучш))"
    r"|\b(?P<word2>worst|best|худш\w+|лучш\w+)\s{0,2}(?:=|:|\bis\b|—)\s{0,2}(?:an?\s+)?(?P<n2>\d{1,3})\b",
    re.IGNORECASE,
)
#: What a scale runs from and to, and which way is up.
_SCALE = re.compile(
    r"\b(?:scale|шкала|шкале)\b[^.\n\d]{0,24}?(?P<low>\d{1,3})(?:\s{0,2}(?:\([^()\n]{0,24}\)\s{0,2})?"
    r"(?:[-–—]|to|до|\.\.|and)\s{0,2}(?P<high>\d{1,3})\b|(?=\s{0,4}(?:[.,;)\]\n]|\Z)))",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"[.\n][ \t]{0,4}\(?(?:out\s+of|из)\s+(?:a\s+possible\s+)?(?P<most>\d{1,3})\)?[ \t.]{0,4}(?:\n|\Z)", re.IGNORECASE
)
_DOWNWARD = re.compile(
    r"\b(?:(?:lower|smaller|fewer)(?:\s+(?:numbers?|scores?|ratings?))?\s+(?:is|are|means?|=|the)\s+better"
    r"|(?:higher|larger|bigger)(?:\s+(?:numbers?|scores?|ratings?))?\s+(?:is|are|means?|=|the)\s+worse"
    r"|low\s+(?:number|score|rating)s?\s+(?:is|are|means?)\s+(?:good|best)|чем\s+(?:меньше|ниже)[,\s]+тем\s+лучше"
    r"|чем\s+(?:больше|выше)[,\s]+тем\s+хуже)\b",
    re.IGNORECASE,
)
#: A verdict under a name that other things have too: only where nothing else is said.
_WHOLE = (
    rf"\s*`{{3}}\w*\s+[*_]*{FIGURE}[*_.]*\s+`{{3}}\s*",
    r"\s*[*_]*(?:(?:my|the|final|мой|итоговый)\s+){0,2}(?:verdict|answer|result|вердикт|ответ|результат)[*_]*"
    rf"\s*(?:\bis\b|[:=→—–-])[\s*_]*{FIGURE}[\s*_.!]*",
)


def one_number(prose: Prose, criterion: Criterion, finish: str) -> Conclusion[float]:
    """The rating that the prose states."""
    assert criterion.scale is not None
    check_scale(prose, criterion.scale)
    found = conclude(prose, list(_ratings(prose, criterion, criterion.scale)), finish, _continued(criterion.scale.max))
    return Conclusion(valid(found.value), found.corrected, found.alone)


def check_scale(prose: Prose, scale: Scale) -> None:
    """Ambiguous when the reply says that it counts on another scale, or that its scale runs the other way."""
    text = prose.text
    if any(_reversed(found, scale) for found in _LEGEND.finditer(text)):
        raise Ambiguous("the reply counts on a scale that runs the other way")
    if scale.best == scale.max and _DOWNWARD.search(text):
        raise Ambiguous("the reply counts on a scale that runs the other way")
    if any(int(found["most"]) != scale.max for found in _OUT_OF.finditer(text)):
        raise Ambiguous("the reply counts on another scale than was asked for")
    if any(int(found["high"] or found["low"]) != scale.max for found in _SCALE.finditer(text)):
        raise Ambiguous("the reply counts on another scale than was asked for")


def _reversed(legend: re.Match[str], scale: Scale) -> bool:
    """Whether the best point of the scale is called the worst, or the worst one the best."""
    point, word = int(legend["n"] or legend["n2"]), (legend["word"] or legend["word2"]).casefold()
    if word.startswith(("highest", "lowest")):
        return point == (scale.min if word == "highest" else scale.max)
    return point == (scale.worst if word.startswith(("best", "лучш", "наилучш")) else scale.best)


@cache
def _continued(most: int) -> re.Pattern[str]:
    """What makes a figure another one; the maximum of the scale behind it does not."""
    return re.compile(
        rf"(?!\s*\(?(?:out\s+of|of|/|из)\s{{0,2}}{most}\b)(?:{_CONTINUED.pattern}"
        r"|[\s*_]{0,4}[(\[]\s{0,2}(?:\d{1,3}|(?:[^\W\d]\S{0,20}\s+){1,4}(?:\d{1,3}\s{0,2}[-–—]\s{0,2})?"
        rf"(?!{most}\b)\d{{1,3}})\s{{0,2}}[)\]]|\.{{3}}\s?\d)",
        re.IGNORECASE,
    )


def _ratings(prose: Prose, criterion: Criterion, scale: Scale) -> Iterator[Statement[Figure]]:
    text = prose.text
    for pattern in _compiled(_WHOLE):
        if whole := pattern.fullmatch(text):
            yield Statement(value=figure(whole, scale), start=whole.start("n"), end=whole.end())
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
