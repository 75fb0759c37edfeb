"""Numbers that a text has without digits: the month of a date, a fraction in words, a Roman numeral."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjudge.models.offline.lexicon import Lexicon

_ROMAN = re.compile(r"X?(?:IX|IV|V?I{0,3})|XX")
_LETTERS = {"I": 1, "V": 5, "X": 10}
#: Words from a fraction back to the number it is added to: "two and a half".
_BACK = 3


def month(number: int | str) -> str:
    """A month as it is known by its name: no number of its own, since "may" and "march" are words, too."""
    return f"month {number}"


def may_count(word: str, low: str, words: Lexicon) -> bool:
    """Whether a word may be such a number, whatever stands beside it."""
    return low in words.months or low in words.fractions or (word[0] in _LETTERS and bool(_ROMAN.fullmatch(word)))


def otherwise(plain: Sequence[str], lower: Sequence[str], words: Lexicon) -> Iterator[str]:
    """What a sentence's words, as written and in lower case, say of numbers that other texts have in digits."""
    for at, (word, low) in enumerate(zip(plain, lower, strict=True)):
        if low in words.months:
            yield month(words.months[low])
        elif low in words.fractions:
            yield from _fraction(lower, at, words)
        elif word[0] in _LETTERS and _ROMAN.fullmatch(word) and (len(word) > 1 or _graded(lower, at, words)):
            yield str(_value(word))


def _fraction(lower: Sequence[str], at: int, words: Lexicon) -> Iterator[str]:
    value = words.fractions[lower[at]]
    start = at
    while start > max(0, at - _BACK) and lower[start - 1] in words.halving:
        start -= 1
    before = lower[start - 1] if 0 < start < at else ""
    whole = 1 if before in words.ones else words.numbers.get(before, 0)
    whole = int(before) if before.isdecimal() and len(before) < _BACK else whole
    times = words.magnitudes.get(lower[at + 1], 1) if at + 1 < len(lower) else 1
    yield from (f"{number:.10g}" for number in {value, (whole + value) * times})


def _graded(lower: Sequence[str], at: int, words: Lexicon) -> bool:
    """Whether one letter is a numeral: after "type", and before it where the letter is no word of the language."""
    after = at > 0 and lower[at - 1] in words.graded
    return after or (lower[at] not in words.stop and any(word in words.graded for word in lower[at + 1 : at + 2]))


def _value(roman: str) -> int:
    values = [_LETTERS[letter] for letter in roman]
    return sum(-one if one < other else one for one, other in zip(values, [*values[1:], 0], strict=True))
