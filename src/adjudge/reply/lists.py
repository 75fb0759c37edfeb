"""The list that a reply to one stage of judging holds, in whatever it is wrapped: the last one that is no quotation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from adjudge.core.errors import Ambiguous, Malformed, NoVerdict, ReplyError, TooLarge, Truncated
from adjudge.core.limits import REPLY_CHARS
from adjudge.core.records import Reply
from adjudge.reply.denial import is_withdrawn
from adjudge.reply.extract import Candidate, extract
from adjudge.reply.quotes import Quotes, only_quoted

T = TypeVar("T")
_NUMBER = re.compile(
    r"[\[(#№]?\s*(?:q|question|claim|source|вопрос|утверждение|источник)?\s*[#№]?\s*([1-9]\d{0,5})\s*[\])?.:]*",
    re.IGNORECASE,
)
#: The pattern takes long over white space without end.
_NUMBER_CHARS = 32


def read_lists(reply: Reply, shown: Sequence[str], name: str, make: Callable[[Candidate], T]) -> tuple[list[T], str]:
    """What the lists of a reply say, the last one first, and the step of the ladder that read that one.

    `make` raises NoVerdict for a value of another shape. `shown` are the texts that the reply may quote. An array
    counts only where no object does: prose has arrays too.
    """
    if len(reply.text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(reply.text)} characters, more than {REPLY_CHARS}")
    quotes, quoted, covered, end = Quotes(shown), False, -1, 0
    found: dict[type, list[tuple[T | ReplyError, str]]] = {dict: [], list: []}
    for candidate in extract(reply.text).candidates:
        if not candidate.final or candidate.start < covered:
            continue  # reasoning, or a part of a list already read
        for value in _layers(candidate.value):
            made = _made(replace(candidate, value=value), make)
            if made is None:
                continue
            covered = candidate.end
            if quotes.says(value):
                quoted = True
                continue
            end = candidate.end
            found[dict if isinstance(value, dict) else list].append((made, candidate.step))
            break
    ours = found[dict] or found[list]
    if not ours:
        if reply.finish != "stop":
            raise Truncated(f"the reply was cut off before its list of {name}")
        raise only_quoted() if quoted else NoVerdict(f"the reply holds no list of {name}")
    last, step = ours[-1]
    if isinstance(last, ReplyError):
        raise last
    if is_withdrawn(reply.text, end, listed=name != "questions"):
        raise Ambiguous(f"the reply takes back its list of {name}")
    return [value for value, _ in reversed(ours) if not isinstance(value, ReplyError)], step


def _layers(value: Any) -> Iterator[Any]:
    """The value, then the objects that it wraps by one level."""
    yield value
    if isinstance(value, dict):
        yield from (inner for inner in value.values() if isinstance(inner, dict))


def _made(candidate: Candidate, make: Callable[[Candidate], T]) -> T | ReplyError | None:
    """What is made of a value, or why nothing is; None where it is of another shape."""
    try:
        return make(candidate)
    except NoVerdict:
        return None
    except ReplyError as error:
        return error.with_traceback(None)


def sound(candidate: Candidate, name: str) -> Candidate:
    """The candidate, if nothing of it is lost or guessed."""
    if candidate.unclosed:
        raise Truncated(f"the reply was cut off inside the list of {name}")
    if candidate.guessed:
        raise Malformed("quotes inside a text are not escaped, and where the text ends is unclear")
    return candidate


def number_of(given: Any) -> int | None:
    """The number by which an entry says what it is about: 3, "3", "[3]", "Question 3"; a text that has one is none."""
    if type(given) is int or (isinstance(given, float) and given == given // 1):
        return int(given)
    match = _NUMBER.fullmatch(given.strip()) if isinstance(given, str) and len(given) <= _NUMBER_CHARS else None
    return int(match.group(1)) if match else None
