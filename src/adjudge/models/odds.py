"""The probabilities that a server states, in the OpenAI-compatible form: of an answer's first word, or its digits."""

from __future__ import annotations

import codecs
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudge.core.records import Request
from adjudge.models.base import well_formed

#: How many words a server is asked for, and how many tokens: some begin with a blank one.
TOP_WORDS = 20
#: What servers with a lower limit take.
TOP_WORDS_FEW = 5
ANSWER_TOKENS = 4
#: What is enough for a scale of few points, each spelled in two ways; every token of a reply comes with so many.
TOP_POINTS = 10
_WORD_CHARS = 100
#: How far above 0 a log probability may be: one that is further up is none.
_ROUNDING = 0.01
_LARGEST = sys.float_info.max
#: The calls whose replies state scores.
_SCORING = frozenset({"judge", "repair", "again", "rest", "part", "probe"})
_DIGIT = re.compile("[0-9]")


def wanted(top: int = TOP_WORDS) -> dict[str, Any]:
    """What a request says in order to be told them."""
    return {"logprobs": True, "top_logprobs": top}


def first_odds(choice: Mapping[str, Any]) -> dict[str, float]:
    """Word → log probability at the first place that is not blank; empty where the choice states none."""
    stated = choice.get("logprobs")
    places = stated.get("content") if isinstance(stated, dict) else None
    for place in places if isinstance(places, list) else ():
        if isinstance(place, dict) and isinstance(place.get("token"), str) and place["token"].strip():
            words = _words(place)
            return words if _is_ranked(place) else _two(words, well_formed(place["token"]))
    return {}


def _words(place: Mapping[str, Any]) -> dict[str, float]:
    """Word → log probability; empty where the chosen word's own is none, since the others' mean nothing then."""
    found: dict[str, float] = {}
    for word, logprob in [*_listed(place)[: 2 * TOP_WORDS], (place["token"], place.get("logprob"))]:
        if _is_logprob(logprob) and len(word) <= _WORD_CHARS:
            # several tokens may be spelled alike: the likeliest stands for them, as the answer itself is listed twice
            word = well_formed(word)
            found[word] = max(min(float(logprob), 0.0), found.get(word, -math.inf))
        elif word == place["token"]:
            return {}
    return found


def _listed(place: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The alternatives and what is stated of each."""
    top = place.get("top_logprobs")
    entries = [entry for entry in top if _is_place(entry)] if isinstance(top, list) else []
    return [(entry["token"], entry.get("logprob")) for entry in entries]


def _is_logprob(value: object) -> bool:
    # not math.isfinite, which fails on the longest integers
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST <= value < _ROUNDING


def _is_ranked(place: Mapping[str, Any]) -> bool:
    """Whether what is listed is likelier than what is not: no word that may be an answer lacks its probability."""
    listed = _listed(place)
    # a single Latin letter is no answer; minus infinity says that a word is never said
    answers = (logprob for word, logprob in listed if len(word) > 1 or not word.isascii())
    return len(listed) <= 2 * TOP_WORDS and all(_is_logprob(one) or one == -math.inf for one in answers)


def _two(words: Mapping[str, float], chosen: str) -> dict[str, float]:
    """The chosen word and the likeliest other: of two words, no reader concludes what the rest is."""
    others = sorted((word for word in words if word != chosen), key=lambda word: -words[word])
    return {word: words[word] for word in (chosen, *others[:1]) if word in words}


def places_wanted(request: Request) -> bool:
    """Whether the probabilities of the digits in the reply are wanted."""
    return request.settings.probabilities and not request.prompt.odds and request.call.stage in _SCORING


def points_wanted(request: Request, top: int) -> dict[str, Any]:
    """What a request says in order to be told them; `top` is what the server gives at most."""
    few = all(one.scale is None or len(one.scale.points) <= TOP_POINTS for one in request.judge.criteria)
    return wanted(min(top, TOP_POINTS) if few else top)


def digit_places(choice: Mapping[str, Any], text: str) -> tuple[tuple[int, str, dict[str, float]], ...]:
    """Where each token with a digit begins in the text, the token, and the alternatives with a digit.

    Empty where the choice states no tokens, or where the text is not what they spell, once and for sure.
    """
    stated = choice.get("logprobs")
    places = stated.get("content") if isinstance(stated, dict) else None
    if not text or not isinstance(places, list) or not all(map(_is_place, places)):
        return ()
    found = []
    for start, token, place in _spelled(places, text) or _spelled_in_bytes(places, text):
        if _DIGIT.search(token) and len(token) <= _WORD_CHARS and text.startswith(token, start):
            words = {word: logprob for word, logprob in _words(place).items() if _DIGIT.search(word)}
            if words:
                found.append((start, token, words))
    return tuple(found)


def _is_place(place: object) -> bool:
    return isinstance(place, dict) and isinstance(place.get("token"), str)


def _spelled(places: Sequence[Mapping[str, Any]], text: str) -> list[tuple[int, str, Mapping[str, Any]]]:
    """Each token with its place in the text; some servers add the end of the turn, or reasoning before the text."""
    whole = "".join(place["token"] for place in places)
    at = whole.find(text)
    if at < 0 or whole.find(text, at + 1) >= 0:
        return []
    found, start = [], -at
    for place in places:
        found.append((start, place["token"], place))
        start += len(place["token"])
    return [one for one in found if one[0] >= 0]


def _spelled_in_bytes(places: Sequence[Mapping[str, Any]], text: str) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """The same where a letter is divided among tokens: their bytes tell, if the server states them."""
    given = [place.get("bytes") for place in places]
    try:
        parts = [bytes(one) for one in given if isinstance(one, list)]
    except (TypeError, ValueError):
        return
    whole, body = b"".join(parts), text.encode("utf-8", "replace")
    at = whole.find(body)
    if len(parts) < len(given) or at < 0 or whole.find(body, at + 1) >= 0:
        return
    decoder, start, passed = codecs.getincrementaldecoder("utf-8")("replace"), 0, 0
    for place, part in zip(places, parts, strict=True):
        if passed >= at:
            begun = bool(decoder.getstate()[0])
            letters = decoder.decode(part)
            if not begun:
                yield start, letters, place
            start += len(letters)
        passed += len(part)
