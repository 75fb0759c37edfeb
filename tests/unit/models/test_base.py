from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ConfigError
from adjudge.models.base import Secret, read_key, well_formed

KEY = "sk-Canary-123456789"


def test_a_secret_cannot_be_shown_copied_or_written() -> None:
    secret = Secret(KEY)
    assert {repr(secret), str(secret), f"{secret}", f"{secret!r:>3}", "%s" % secret, f"{secret:x}"} == {"***"}  # noqa: UP031
    assert not hasattr(secret, "__dict__")
    for write in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            write(secret)
    assert secret.reveal() == KEY


@given(st.text(max_size=40), st.text(max_size=40), st.integers(8, len(KEY)))
def test_no_telling_piece_of_a_key_is_left_in_a_message(before: str, after: str, length: int) -> None:
    secret = Secret(KEY)
    for piece in (KEY[:length], KEY[-length:]):
        assert piece not in secret.hidden_in_message(before + piece + after)
    assert KEY.lower() not in secret.hidden_in_message(before + KEY.upper() + after).lower()


@given(st.text(alphabet="abcdefgh ", max_size=60))
def test_hiding_leaves_other_text_alone(text: str) -> None:
    assert Secret(KEY).hidden_in_message(text) == Secret(KEY).hidden_in(text) == text


def test_a_placeholder_of_a_key_does_not_mangle_messages() -> None:
    assert Secret("x").hidden_in_message("exit") == "exit"


def test_the_key_comes_from_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    found = read_key("MY_KEY", named=True, needed=True)
    assert found and found.reveal() == KEY


@pytest.mark.parametrize(("named", "needed"), [(True, False), (False, True)])
def test_a_missing_key_names_the_variable(named: bool, needed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ConfigError, match="MY_KEY is not set") as caught:
        read_key("MY_KEY", named=named, needed=needed)
    assert "--api-key-env" in str(caught.value)


def test_a_key_that_nobody_needs_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " ")
    assert read_key("MY_KEY", named=False, needed=False) is None


def test_a_key_given_in_place_of_its_variable_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        read_key(KEY, named=True, needed=True)
    assert "Canary" not in str(caught.value)


@pytest.mark.parametrize("bad", ["sk-Canary\r\nX-Evil: 1", "sk-Canary ключ", "sk-Canary x", "sk-Canary\x7f"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", bad)
    with pytest.raises(ConfigError, match="MY_KEY") as caught:
        read_key("MY_KEY", named=False, needed=False)
    assert "Canary" not in str(caught.value)


@given(st.text(alphabet=st.characters(categories=("L", "N", "Cs", "So")), max_size=50))
def test_well_formed_text_can_be_encoded_and_the_rest_stays(text: str) -> None:
    found = well_formed(text)
    found.encode()
    whole = "".join(char for char in text if not 0xD800 <= ord(char) < 0xE000)
    assert [char for char in found if char in whole] == list(whole)
    assert well_formed(whole) == whole


def test_halves_of_one_character_are_joined() -> None:
    assert well_formed("\ud83d\ude00 \ud83d!") == "\U0001f600 \ufffd!"
