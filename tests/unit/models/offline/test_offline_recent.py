from __future__ import annotations

import pytest

from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.recent import Made, Recent, once
from adjudge.models.offline.text import analyse
from adjudge.models.offline.tokens import TOKEN, tokens


def asked(kept: Recent[str], *keys: str, size: int = 1) -> list[str]:
    made: list[str] = []
    for key in keys:
        kept.get(key, size, lambda key=key: made.append(key) or key)  # type: ignore[misc,func-returns-value]
    return made


def test_what_was_made_of_late_is_not_made_again() -> None:
    kept = Recent[str](most=2, chars=100)
    assert asked(kept, "a", "b", "a", "b", "a") == ["a", "b"]


def test_the_oldest_goes_when_there_are_too_many() -> None:
    kept = Recent[str](most=2, chars=100)
    assert asked(kept, "a", "b", "a", "c", "a", "b") == ["a", "b", "c", "b"]


def test_the_oldest_goes_when_they_are_too_long_together() -> None:
    kept = Recent[str](most=10, chars=100)
    assert asked(kept, "a", "b", "c", "b", "c", "a", size=40) == ["a", "b", "c", "a"]
    assert asked(kept, "long", "long", size=101) == ["long", "long"]
    assert asked(kept, "c", "a", size=40) == []


def test_once_keeps_with_the_object() -> None:
    class Thing:
        def __init__(self) -> None:
            self.made: Made = {}

    calls: list[int] = []

    @once
    def twice(thing: Thing, n: int) -> int:
        calls.append(n)
        return 2 * n

    one, other = Thing(), Thing()
    assert [twice(one, 1), twice(one, 1), twice(one, 2), twice(other, 1)] == [2, 2, 4, 2]
    assert calls == [1, 2, 1]


def test_a_text_that_is_a_source_twice_has_two_places() -> None:
    text = analyse("The lamp was lit. The keeper slept.")
    evidence = Evidence([text, analyse("The lamp was lit. The keeper slept.")])
    assert [evidence.place(n, sentence) for n in (1, 2) for sentence in text.sentences] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "It's 3.5 million, or 1 500 000; o'clock 12:30, 1/2 x_y 5th",
        "Ёлка «стоит» 1\u00a0500 руб. — д'Артаньян, № 5, 20° и 3,5 %",
        "Größe, l'été, ¿qué? — naïve “quotes” … × ÷ ª º ² ½",
        "Ѐ ѝ ґ ү ҄ ٣٤ ４５ 𝐀𝐁 e\u0301t\u0301",
    ],
)
def test_words_are_the_same_whichever_pattern_finds_them(text: str) -> None:
    assert tokens(text) == TOKEN.findall(text)
