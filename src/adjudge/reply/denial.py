"""What the words around a verdict make of it: a judge may refuse a verdict that it shows, or take back one it gave."""

from __future__ import annotations

import re

#: How far before a verdict its sentence is looked at, and how much behind it.
_REACH = 300
_TAIL = 20_000
_LAYOUT = re.compile(r"(?:[\s*_>#`\"'“«(\[]|```[\w-]*|<[\w/|-]{1,20}>)+\Z")
_SENTENCE = re.compile(r"[.!?…](?=[\s\"'”»)*_])|\n\s*\n|[}\]](?=\s)")
_CLAUSE = re.compile(r"[,;:—–()](?!\s*\Z)|\s-\s|\n")
#: Said in the clause that leads to a verdict.
_DENIES = re.compile(
    r"\b(?:not|never|nor|cannot|refus\w+|declin\w+|instead\s+of|rather\s+than|opposed\s+to|other\s+than|reject\w*|avoid\w*"
    r"|wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|mistake|disagree\w*|unlike|against|without|tempt\w+|forged?|fake"
    r"|(?:would|could|might)\s+have|previous(?:ly)?|earlier|example|draft|template|format|placeholder"
    r"|не|нет|нельзя|никогда|вместо|отказ\w+|отверга\w+|отклоня\w+|неверн\w+|неправильн\w+|ошибочн\w+|ошибк\w+|вопреки|против|без"
    r"|прежн\w+|предыдущ\w+|раньше|ранее|пример\w*|например|чернови\w+|шаблон\w*|формат\w*|поддельн\w+)\b|n['’]t\b",
    re.IGNORECASE,
)
#: Said anywhere in the sentence before a verdict.
_REFUSES = re.compile(
    r"(?:\b(?:not|never|cannot|refuse|decline|wrong|incorrect|mistake|не|нельзя|неверно|неправильно|отказываюсь)|n['’]t)\s+"
    r"(?:\S+\s+){0,6}?(?:say|giv\w+|output\w*|answer\w*|return\w*|writ\w+|accept\w*|agree\w*|endors\w+|print\w*|produc\w+|follow\w*"
    r"|скаж\w+|сказать|говор\w+|дам|дать|даю|став\w+|постав\w+|выстав\w+|вывод\w+|вывести|напи\w+|пис\w+|соглас\w+|следующ\w+)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\{|\n[\s>]*\||\[\s*[\[{\"]")
_VERDICT = r"(?:that|this|these|those|which|(?:the|my)\s+(?:above|first|previous|verdict|scores?|ratings?|json|answer))"
_VERDICT_RU = r"(?:это|этот|выше|вышеприведённое|(?:мо[йяи]\s+)?(?:оценк[аи]|вердикт|ответ))"
#: Said behind a verdict, these take it back.
_WITHDRAWS = re.compile(
    rf"\bscratch\s+that|\bon\s+(?:reflection|second\s+thoughts?)|\bi\s+(?:\w+\s+)?(?:reconsider|revise|correct|re-?evaluate|change)\b"
    rf"|\btak(?:e|ing)\s+(?:\w+\s+)?back\b|\btook\s+\w+\s+back\b|\bretract\w*|\bwithdr[ae]w\w*|\bdisregard\b|\bignore\s+(?:it|that|this|the|my|all)\b"
    rf"|\bdiscard\b|\boops\b|\bsorry\b|\bapolog\w+|\bmy\s+(?:mistake|error|bad)\b"
    rf"|\b{_VERDICT}(?:['’]s|\s+(?:is|was|are|were|would\s+be|looks?|seems?|may\s+be|might\s+be))\s+(?:\w+\s+)?"
    rf"(?:wrong|incorrect|mistaken|invalid|false|not\s+(?:my|the|right|correct|true|what|how|valid|final)"
    rf"|an?\s+(?:mistake|error|example|draft|template|placeholder)|too\s+(?:high|low|harsh|lenient|generous|strict)|only\s+an?|just\s+an?)"
    rf"|\bshould\s+(?:have\s+been|(?:\w+\s+)?be\s+(?:an?\s+)?\d)|\blet\s+me\s+(?:redo|fix|correct|revise|change)\s+(?:that|this|it|the|my)\b"
    rf"|\bi\s+(?:made\s+(?:an?|some)\s+(?:mistake|error)|meant|misread|misjudged|miscounted|was\s+wrong)"
    rf"|\bi\s+(?:do\s+not|don['’]t|cannot|can['’]?t|would\s+not|wouldn['’]t|refuse\s+to)\s+(?:\w+\s+)?(?:say|give|endorse|stand|mean|output|agree|accept)"
    rf"|\bnot\s+(?:my|the)\s+(?:final|actual|real|own|verdict|answer)"
    rf"|\b(?:пересматрива\w+|передумал\w*|переоценива\w+|ошиб(?:ся|лась|аюсь)|моя\s+ошибка|беру\s+(?:\w+\s+){{0,2}}(?:назад|обратно)"
    rf"|отзываю|отменяю|не\s+учитывай\w*|игнорируйте|извин\w+|прошу\s+прощения|простите|должн\w+\s+быть\s+\d|исправляю|поправляюсь"
    rf"|{_VERDICT_RU}\s+(?:\w+\s+)?(?:неверн\w+|неправильн\w+|не\s+так\w*|ошиб\w+|не\s+мо[йяи]|слишком\s+\w+|пример|черновик|шаблон)"
    rf"|(?:не\s+так|неверно|неправильно)(?=[.,:!])|не\s+мо[йя]\s+(?:вердикт|оценка|ответ)|отказываюсь)\b",
    re.IGNORECASE,
)
#: Said last behind a verdict, these announce another one.
_ANNOUNCES = re.compile(
    r"\b(?:correct(?:ion|ed)|revis(?:ed|ion)|updated|fixed|final|true|real|actual|new|better|исправлен\w*|исправление|пересмотренн\w+"
    r"|уточн[её]нн\w+|итогов\w+|окончательн\w+|нов\w+|верн\w+)"
    r"(?:\s+(?:verdict|answer|scores?|ratings?|evaluation|json|version|вердикт|ответ|оценк\w+|вариант))?[\s*_]*[:—-]?[\s*_`]*(?:```\w*)?\s*\Z",
    re.IGNORECASE,
)
#: Sentences that begin so turn against what the judge itself just said; other words of prose are about the judged text.
_TURNS = re.compile(
    r"(?:^|[.!?…\n])[\s*_\"'(]{0,20}+(?:wait|hold\s+on|oops|scratch\s+that|correction|hmm+|actually,?\s+no|no,\s+(?:that|wait|this)"
    r"|on\s+(?:reflection|second\s+thoughts?)|(?:sorry|apologies),\s+(?:I|that|this|my)|let\s+me\s+(?:redo|revise|correct|reconsider|re-?evaluate)"
    r"|I\s+(?:take\s+(?:that|it)\s+back|was\s+wrong|made\s+an?\s+(?:mistake|error)|(?:must|need\s+to|have\s+to)\s+(?:revise|correct|change))"
    r"|(?:that|this)\s+(?:score|rating|verdict)\s+(?:is|was)\s+(?:wrong|incorrect|a\s+mistake|too\s+\w+)|(?:that|this)\s+is\s+wrong"
    r"|стоп|подожди(?:те)?|погоди(?:те)?|поправка|исправляю|поправляюсь|передумал\w*|нет,\s+(?:это|так|не)|извините,\s+(?:я|это)|простите,\s+(?:я|это)"
    r"|я\s+ошиб(?:ся|лась)|беру\s+(?:\w+\s+){0,2}(?:назад|обратно)|это\s+(?:неверно|неправильно|ошибка)|пересматрива\w+)\b",
    re.IGNORECASE,
)


def is_taken_back(prose: str, end: int) -> bool:
    """Whether prose behind a verdict, with no other verdict in it, takes the verdict back or announces another one."""
    behind = prose[end : end + _TAIL]
    return bool(_TURNS.search(behind) or _ANNOUNCES.search(behind[-80:]))


def is_denied(text: str, start: int, since: int = 0) -> bool:
    """Whether the words that lead to a verdict, none of them before `since`, deny that it is one."""
    lead = text[max(since, start - _REACH) : start]
    lead = _LAYOUT.sub("", lead[-_REACH:])
    if not lead:
        return False
    ended = lead[-1] in ".!?…"
    sentence = _SENTENCE.split(lead[:-1] if ended else lead)[-1]
    if _REFUSES.search(sentence):
        return True
    return not ended and _DENIES.search(_CLAUSE.split(sentence)[-1]) is not None


def is_withdrawn(text: str, end: int, *, repeated: bool = False) -> bool:
    """Whether what is said behind a verdict, up to the next object or table, takes it back or announces another one.

    Where the same verdict is `repeated` there, announcing it takes nothing back.
    """
    other = _OTHER.search(text, end, end + _TAIL)
    behind = text[end : other.start() if other else end + _TAIL]
    return bool(_WITHDRAWS.search(behind) or (not repeated and _ANNOUNCES.search(behind[-80:])))
