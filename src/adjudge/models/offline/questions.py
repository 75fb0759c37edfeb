"""Questions made from the facts of the sources, and whether the text answers them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.core.limits import QUESTIONS_PER_SOURCE_MIN
from adjudge.models.offline.coverage import recall
from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.findings import Finding, Measured, quote, weights
from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Number, Sentence, analyse, bare, fold
from adjudge.models.offline.view import View

_QUESTIONS_MOST = 10
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+|\s+[—–]\s+")
_CLAUSE_STEMS = 3
_GAP = "___"
_BEFORE_NUMBER = re.compile(r"(?<![\w.,:/-])")
_AFTER_NUMBER = re.compile(r"(?:\s?[–—-]\s?\d[\d.,]*\d|\s?[–—-]\s?\d)?(?![\w/]|[.,:]\d)")
#: Stands for the name looked for: a pattern for each name would take longer to make than the rest of a verdict.
_SIGN = "\ue000"
_CAPITAL = rf"(?:[^\W\d_a-zа-я]|{_SIGN})[\w'’{_SIGN}-]*"
#: Neighbouring words in capitals are one name, but for the first of a sentence, which has its capital anyway.
_NAME = re.compile(rf"(?<=\s)(?:{_CAPITAL} )*(?<![\w{_SIGN}-]){_SIGN}(?![\w{_SIGN}-])(?: {_CAPITAL})*")
#: Fewer content words beside the gap than this leave a reader guessing what is asked.
_GAP_STEMS = 2
_SHOWN = 300
_AROUND = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """A fact with one value left out, as written in `value`; it is known by its number, or by the stems of a name."""

    text: str
    value: str
    number: Number | None = None
    stems: frozenset[str] = frozenset()
    #: The content words around the gap: what the question is about, however long its sentence.
    about: tuple[str, ...] = ()

    def filled_by(self, sentences: Sequence[Sentence]) -> bool:
        if self.number is None:
            there = self.stems.intersection(stem for sentence in sentences for stem in sentence.stems)
            return 2 * len(there) >= len(self.stems)
        every = (way for sentence in sentences for number in sentence.numbers for way in number.readings)
        return self.number.within(frozenset().union(*every))


def questions(view: View) -> tuple[list[dict[str, Any]] | None, Measured]:
    """For each source its facts as questions, answered by the text or not (None: nothing to ask), and the whole."""
    if view.comparable:
        return None, view.none(view.comparable)
    listed: list[dict[str, Any]] = []
    open_: list[Finding] = []
    total = 0
    for number in range(1, len(view.case.sources) + 1):
        asked = [_question(view, number, fact, left) for fact, left in _asked(view.case.evidence, number)]
        if asked:
            listed.append({"source": number, "questions": [entry for entry, _ in asked]})
            open_ += [finding for _, finding in asked if finding is not None]
            total += len(asked)
    if not listed:
        return None, view.none("no_facts")
    said = view.find("questions_answered", against=False, n=total - len(open_), total=total)
    return listed, Measured(quality=1 - len(open_) / total, findings=(said, *open_))


@once
def _asked(evidence: Evidence, number: int) -> list[tuple[Sentence, Gap | None]]:
    """The facts of one source with what is left out of them: the same for every text that is made of it."""
    return [(fact, gap(fact)) for fact in facts(evidence, number)]


def facts(evidence: Evidence, number: int) -> list[Sentence]:
    """The key statements of one source, in its order; sentences are cut into clauses where there are too few."""
    chosen = [evidence.at[i][1] for i in evidence.keys(0.4, QUESTIONS_PER_SOURCE_MIN, _QUESTIONS_MOST, only=number)]
    while len(chosen) < QUESTIONS_PER_SOURCE_MIN:
        halves = {at: _halves(sentence) for at, sentence in enumerate(chosen)}
        longest = max((at for at in halves if halves[at]), key=lambda at: (len(chosen[at].stems), -at), default=None)
        if longest is None:
            break
        chosen[longest : longest + 1] = halves[longest]
    return chosen


def _halves(sentence: Sentence) -> list[Sentence]:
    """A sentence as two, cut at the clause mark nearest its middle, when both sides say something."""
    whole = sentence.text
    middle = len(whole) / 2
    for cut in sorted(_CLAUSE.finditer(whole), key=lambda found: abs(found.start() - middle))[:4]:
        sides = [_one(sentence, *ends) for ends in ((0, cut.start()), (cut.end(), len(whole)))]
        if all(len(side.stems) >= _CLAUSE_STEMS for side in sides):
            return sides
    return []


def _one(sentence: Sentence, start: int, end: int) -> Sentence:
    """A part of a sentence as a sentence of its own, in its place."""
    parsed = analyse(sentence.text[start:end]).sentences
    return Sentence(
        text=sentence.text[start:end],
        stems=tuple(stem for part in parsed for stem in part.stems),
        words=tuple(word for part in parsed for word in part.words),
        numbers=tuple(number for part in parsed for number in part.numbers),
        names=tuple(name for part in parsed for name in part.names),
        negated=frozenset(stem for part in parsed for stem in part.negated),
        start=sentence.start + start,
    )


def gap(fact: Sentence) -> Gap | None:
    """The fact with its first number (in digits, if it can be), else its first name left out, when enough is left."""
    text = bare(fact.text).rstrip(" .;,:?!")
    plain = fold(text)
    if len(plain) != len(text) or _SIGN in plain:
        return None
    for number in sorted(fact.numbers, key=lambda number: number.spelled):
        if span := _number(plain, number.text):
            return _left_out(fact, Gap(text=text, value="", number=number), span)
    # "I'm" has its capital for another reason than a name.
    for word in (word for word, _ in fact.names if word.split("'")[0].lower() not in lexicon("en").stop):
        if span := _name(plain, word):
            return _left_out(fact, Gap(text=text, value=""), span)
    return None


def _number(plain: str, number: str) -> tuple[int, int] | None:
    """Where a number stands by itself, with the one it is a range with."""
    at = plain.find(number)
    while at >= 0:
        found = _BEFORE_NUMBER.match(plain, at) and _AFTER_NUMBER.match(plain, at + len(number))
        if found:
            return at, found.end()
        at = plain.find(number, at + 1)
    return None


def _name(plain: str, word: str) -> tuple[int, int] | None:
    """Where a word in capitals stands inside a sentence, with those beside it."""
    signed = plain.replace(word, _SIGN)
    found = _NAME.search(signed)
    if not found:
        return None
    start, end = (at + (len(word) - 1) * signed.count(_SIGN, 0, at) for at in found.span())
    return start, end


def _left_out(fact: Sentence, whole: Gap, span: tuple[int, int]) -> Gap | None:
    start, end = span
    value, rest = whole.text[start:end], whole.text[:start] + _GAP + whole.text[end:]
    own = frozenset(stem for sentence in analyse(value).sentences for stem in sentence.stems)
    at = next((at for at, stem in enumerate(fact.stems) if stem in own), 0)
    around = fact.stems[max(0, at - _AROUND) : at + len(own) + _AROUND]
    about = tuple(stem for stem in dict.fromkeys(around) if stem not in own)
    # A number that opens a line is the line's own.
    counted = not whole.text[:start] and value.isdigit() and whole.text[end:].lstrip()[:1].isupper()
    enough = own and len(about) >= _GAP_STEMS and not counted
    return replace(whole, text=rest, value=value, stems=own, about=about) if enough else None


def _question(view: View, number: int, fact: Sentence, left: Gap | None) -> tuple[dict[str, Any], Finding | None]:
    """One question as a verdict lists it, and the finding when the text leaves it open."""
    stems = left.about if left else fact.stems
    near = view.own.nearest(stems)
    there = {"quote": quote(near.text)}
    filled = left is None or left.filled_by((*near.sentences, *near.others))
    # Two neighbouring sentences may share an answer; a word anywhere else in the text counts half.
    share = (near.share + recall(view.case.evidence, stems, view.own)) / 2
    held = bool(near.sentences) and share >= weights("thresholds")["answered"]
    held = held and not view.own.turns(fact)
    key = "question" if left is None else "question_number" if left.number else "question_name"
    asked = view.say(key, fact=quote(left.text if left else fact.text.rstrip(" .;,:?!"), _SHOWN))
    if held and filled:
        said = view.say("answered_by", value=left.value, **there) if left else view.say("answered", **there)
    elif not near.sentences:
        said = view.say("unanswered")
    elif left and not filled:
        said = view.say("unanswered_value", value=left.value, **there)
    else:
        said = view.say("unanswered_near", **there)
    entry = {"question": asked, "answer_justification": said, "is_answered": held and filled}
    if held and filled:
        return entry, None
    return entry, view.find("question_open", near=(number, fact), question=asked)
