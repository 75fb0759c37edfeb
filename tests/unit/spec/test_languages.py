from __future__ import annotations

import pytest

from adjudge.spec.languages import is_language


@pytest.mark.parametrize(
    "name",
    ["English", "english", "English (US)", "English (UK)", "Chinese (simplified)", "pt_BR", "en"],
)
def test_a_name_of_a_language(name: str) -> None:
    assert is_language(name)


@pytest.mark.parametrize("word", ["no", "to", "is", "do", "No", "nO", "us", "XX", "ZZ", "or else", "NO no", "419"])
def test_a_word_in_brackets_is_no_place(word: str) -> None:
    assert not is_language(f"English ({word})")
