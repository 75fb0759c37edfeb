"""The replies of questions in stages: a list of questions on a source, and answers that name their question."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, Truncated
from adjudge.core.limits import QUESTION_CHARS, QUESTIONS_PER_SOURCE_MAX, QUESTIONS_PER_SOURCE_MIN
from adjudge.core.records import Reply
from adjudge.reply.extract import Candidate
from adjudge.reply.findings import plain_text
from adjudge.reply.keys import ABSENT, ALIASES, look_up
from adjudge.reply.lists import number_of, read_lists, sound

_WORD = re.compile(r"\w+")
#: Two questions with the same answer of so many words ask for the same fact; a shorter one may answer many.
_LONG_ANSWER_WORDS = 4
_NUMBERED = ("question", "number", "n", "id", "вопрос", "номер")
_STATES = {
    "yes": ("yes", "true", "full", "fully", "да", "полностью"),
    "partly": ("partly", "partial", "partially", "in part", "частично", "отчасти"),
    "no": ("no", "false", "нет"),
}
_SAID = {word: state for state, spelled in _STATES.items() for word in spelled}


class Asked(NamedTuple):
    """A question on a source and the answer that the source gives."""

    text: str
    answer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """The questions of one reply; `dropped` were too long, or too many."""

    asked: tuple[Asked, ...]
    dropped: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Whether the judged text answers a question: yes, partly or no."""

    state: str
    reason: str = ""


def words_of(question: str) -> tuple[str, ...]:
    """What two questions have in common that are the same but for case, marks and white space."""
    return tuple(_WORD.findall(question.casefold().replace("ё", "е")))


def distinct(asked: Iterable[Asked]) -> list[Asked]:
    """The questions without those that say the same in the same words as one before."""
    found: dict[tuple[str, ...], Asked] = {}
    for one in asked:
        found.setdefault(words_of(one.text), one)
    return list(found.values())


def separate(asked: Iterable[Asked]) -> list[Asked]:
    """Those of the questions on one text that are on different facts: neither the question nor a long answer twice."""
    found: dict[tuple[str, ...], Asked] = {}
    for one in distinct(asked):
        answer = words_of(one.answer)
        found.setdefault(answer if len(answer) >= _LONG_ANSWER_WORDS else words_of(one.text), one)
    return list(found.values())


def read_questions(reply: Reply, judged: Sequence[str]) -> tuple[Listed, str]:
    """The questions of a reply and the step of the ladder; `judged` are the texts that the reply may quote."""

    def listed(candidate: Candidate) -> Listed:
        cut = reply.finish != "stop" or (candidate.unclosed and candidate.guessed)
        given = _entries(candidate.value, ALIASES["questions"], "questions")
        asked = [_asked(entry, f"questions[{n}]") for n, entry in enumerate(given)]
        if cut:
            asked = asked[:-1]  # the last one may have lost its end
            if len(asked) < QUESTIONS_PER_SOURCE_MIN:
                raise Truncated("the reply was cut off before there were enough questions")
        elif candidate.guessed:
            sound(candidate, "questions")
        fit = [one for one in asked if max(map(len, one)) <= QUESTION_CHARS]
        own = separate(fit)
        kept = own[:QUESTIONS_PER_SOURCE_MAX]
        return Listed(asked=tuple(kept), dropped=len(asked) - len(fit) + len(own) - len(kept))

    lists, step = read_lists(reply, judged, "questions", listed)
    return lists[0], step


def read_answers(reply: Reply, judged: Sequence[str], numbers: Collection[int]) -> tuple[dict[int, Answer], str]:
    """What is said to each numbered question, and the step of the ladder; some may be missing, but not all.

    A number that was not asked makes the reply unusable: whoever counts otherwise may have moved all of them.
    """

    def answered(candidate: Candidate) -> dict[int, Answer]:
        if reply.finish != "stop":
            raise Truncated("the reply was cut off before all questions were checked")
        found: dict[int, Answer] = {}
        for where, number, entry in _numbered(candidate.value):
            if number is None:
                raise Missing(f"{where}: no number of a question")
            if number not in numbers:
                raise Malformed(f"{where}: there is no question with the number {str(number)[:20]}")
            answer = _answer(entry, where)
            if found.setdefault(number, answer).state != answer.state:
                raise Ambiguous(f"question {number} is answered twice, and differently")
        if candidate.guessed:
            sound(candidate, "answers")
        if not found:
            raise Missing("the reply checks none of the questions")
        return found

    lists, step = read_lists(reply, judged, "answers", answered)
    for other in lists[1:]:
        for number, answer in other.items():
            if number in lists[0] and lists[0][number].state != answer.state:
                raise Ambiguous(f"several lists answer question {number}, and differently")
    return lists[0], step


def _entries(value: Any, names: tuple[str, ...], where: str) -> list[Any]:
    """The list that a value is or holds under one of some names."""
    if isinstance(value, dict):
        value = look_up(value, names, where)[0]
    if not isinstance(value, list):
        raise NoVerdict(f"{where}: there is no list")
    if not all(isinstance(entry, dict | str) for entry in value):
        raise NoVerdict(f"{where}: an entry is neither an object nor a text")
    return value


def _asked(entry: Any, where: str) -> Asked:
    if isinstance(entry, str):
        text, answer = entry, ""
    else:
        text = plain_text(look_up(entry, ALIASES["question"], where)[0])
        answer = plain_text(look_up(entry, ("answer", "ответ"), where)[0])
    text, answer = " ".join(text.split()), " ".join(answer.split())
    if not words_of(text):
        raise Missing(f"{where}: no question")
    return Asked(text, answer)


def _numbered(value: Any) -> Iterator[tuple[str, int | None, Any]]:
    """Every entry with where it stands and the number of its question: from a list, or from an object by number."""
    if isinstance(value, dict):
        inner = look_up(value, ("answers", "questions", "results", "ответы"), "answers")[0]
        if isinstance(inner, dict) or (inner is ABSENT and value and all(map(number_of, value))):
            by_number = value if inner is ABSENT else inner
            yield from ((f"answers.{key[:20]}", number_of(key), entry) for key, entry in by_number.items())
            return
    for n, entry in enumerate(_entries(value, ("answers", "questions", "results", "ответы"), "answers")):
        where = f"answers[{n}]"
        if not isinstance(entry, dict):
            raise Malformed(f"{where}: an object was due")
        yield where, number_of(look_up(entry, _NUMBERED, where)[0]), entry


def _answer(entry: Any, where: str) -> Answer:
    stated, reason = entry, ""
    if isinstance(entry, dict):
        stated = look_up(entry, ALIASES["answered"], where)[0]
        reason = plain_text(look_up(entry, ("why", *ALIASES["answer_reason"]), where)[0])
    if isinstance(stated, bool):
        return Answer(state="yes" if stated else "no", reason=reason)
    word = stated.strip(" .*_`\"'").casefold() if isinstance(stated, str) else ""
    if word not in _SAID:
        raise Malformed(f"{where}: neither yes nor partly nor no")
    return Answer(state=_SAID[word], reason=reason)
