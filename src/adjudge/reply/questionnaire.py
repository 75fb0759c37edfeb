"""The replies of questions in stages: a list of questions on a source, and answers that name their question."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, ReplyError, TooLarge, Truncated
from adjudge.core.limits import QUESTION_CHARS, QUESTIONS_PER_SOURCE_MAX, QUESTIONS_PER_SOURCE_MIN, REPLY_CHARS
from adjudge.core.records import Reply
from adjudge.reply.extract import Candidate, extract
from adjudge.reply.findings import plain_text
from adjudge.reply.keys import ABSENT, ALIASES, look_up
from adjudge.reply.quotes import Quotes, only_quoted

T = TypeVar("T")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[\[(#№]?\s*(?:q|question|вопрос)?\s*[#№]?\s*([1-9]\d{0,5})\s*[\])?.:]*", re.IGNORECASE)
#: Two questions with the same answer of so many words ask for the same fact; a shorter one may answer many.
_LONG_ANSWER_WORDS = 4
#: The pattern takes long over white space without end.
_NUMBER_CHARS = 32
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
    cut = reply.finish == "length"

    def listed(candidate: Candidate) -> Listed:
        given = _entries(candidate.value, ALIASES["questions"], "questions")
        asked = [_asked(entry, f"questions[{n}]") for n, entry in enumerate(given)]
        if cut:
            asked = asked[:-1]  # the last one may have lost its end
            if len(asked) < QUESTIONS_PER_SOURCE_MIN:
                raise Truncated("the reply was cut off before there were enough questions")
        fit = [one for one in asked if max(map(len, one)) <= QUESTION_CHARS]
        own = separate(fit)
        kept = own[:QUESTIONS_PER_SOURCE_MAX]
        return Listed(asked=tuple(kept), dropped=len(asked) - len(fit) + len(own) - len(kept))

    lists, step = _read(reply, judged, listed, "questions")
    return lists[0], step


def read_answers(reply: Reply, judged: Sequence[str], numbers: Collection[int]) -> tuple[dict[int, Answer], str]:
    """What is said to each numbered question, and the step of the ladder; some may be missing, but not all.

    A number that was not asked makes the reply unusable: whoever counts otherwise may have moved all of them.
    """

    def answered(candidate: Candidate) -> dict[int, Answer]:
        if reply.finish == "length":
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
        if not found:
            raise Missing("the reply checks none of the questions")
        return found

    lists, step = _read(reply, judged, answered, "answers")
    for other in lists[1:]:
        for number, answer in other.items():
            if number in lists[0] and lists[0][number].state != answer.state:
                raise Ambiguous(f"several lists answer question {number}, and differently")
    return lists[0], step


def _read(reply: Reply, judged: Sequence[str], make: Callable[[Candidate], T], name: str) -> tuple[list[T], str]:
    """What the lists of a reply say that are no quotations, the last one first, and the step that read that one."""
    if len(reply.text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(reply.text)} characters, more than {REPLY_CHARS}")
    candidates = [candidate for candidate in extract(reply.text).candidates if candidate.final]
    objects = [candidate for candidate in candidates if isinstance(candidate.value, dict)]
    arrays = [candidate for candidate in candidates if isinstance(candidate.value, list)]
    quotes, quoted = Quotes(judged), False
    found: list[tuple[T, Candidate]] = []
    for candidate in (*reversed(objects), *reversed(arrays)):
        try:
            value = make(candidate)
        except NoVerdict:  # of another shape
            continue
        except ReplyError:
            if found or quotes.says(candidate.value):
                continue
            raise
        if quotes.says(candidate.value):
            quoted = True
        else:
            found.append((value, candidate))
    if found:
        return [value for value, _ in found], found[0][1].step
    if reply.finish == "length":
        raise Truncated(f"the reply was cut off before its list of {name}")
    raise only_quoted() if quoted else NoVerdict(f"the reply holds no list of {name}")


def _entries(value: Any, names: tuple[str, ...], where: str) -> list[Any]:
    """The list that a value is or holds under one of some names."""
    if isinstance(value, dict):
        inner = look_up(value, names, where)[0]
        if inner is ABSENT and len(value) == 1:
            (inner,) = value.values()  # one level of wrapping
            inner = look_up(inner, names, where)[0] if isinstance(inner, dict) else ABSENT
        value = inner
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
        if isinstance(inner, dict) or (inner is ABSENT and value and all(map(_number, value))):
            by_number = value if inner is ABSENT else inner
            yield from ((f"answers.{key[:20]}", _number(key), entry) for key, entry in by_number.items())
            return
    for n, entry in enumerate(_entries(value, ("answers", "questions", "results", "ответы"), "answers")):
        where = f"answers[{n}]"
        if not isinstance(entry, dict):
            raise Malformed(f"{where}: an object was due")
        yield where, _number(look_up(entry, _NUMBERED, where)[0]), entry


def _number(given: Any) -> int | None:
    if type(given) is int or (isinstance(given, float) and given == given // 1):
        return int(given)
    match = _NUMBER.fullmatch(given.strip()) if isinstance(given, str) and len(given) <= _NUMBER_CHARS else None
    return int(match.group(1)) if match else None


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
