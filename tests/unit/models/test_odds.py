from __future__ import annotations

import math
from typing import Any

import pytest

from adjudge.models.odds import TOP_WORDS, digit_places, first_odds


def place(token: str, *top: tuple[Any, Any]) -> dict[str, Any]:
    return {"token": token, "logprob": -0.5, "top_logprobs": [{"token": t, "logprob": p} for t, p in top]}


def stated(*places: Any) -> dict[str, Any]:
    return {"logprobs": {"content": list(places)}}


def test_the_words_in_the_place_of_the_first_come_with_their_log_probabilities() -> None:
    found = first_odds(stated(place("Yes", ("Yes", -0.5), ("No", -1.0)), place(".", (".", -0.1))))
    assert found == {"Yes": -0.5, "No": -1.0}


def test_blank_places_are_passed_over() -> None:
    found = first_odds(stated(place("\n", ("\n", -0.5), ("Yes", -3.0)), place(" Да", (" Да", -0.1))))
    assert found == {" Да": -0.1}


def test_the_answer_itself_counts_where_it_is_not_among_the_likeliest() -> None:
    assert first_odds(stated(place("Yes", ("No", -0.2)))) == {"No": -0.2, "Yes": -0.5}


def test_two_tokens_that_are_spelled_alike_are_one_word() -> None:
    assert first_odds(stated(place("a", ("Yes", -3.0), ("Yes", -1.0))))["Yes"] == -1.0


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"logprobs": None},
        {"logprobs": []},
        {"logprobs": {"content": None}},
        {"logprobs": {"content": "Yes"}},
        {"logprobs": {"content": [None, 5, {"token": 5}]}},
        stated(place(" ", ("x", -1.0))),
    ],
)
def test_where_nothing_is_stated_nothing_is_made_up(choice: dict[str, Any]) -> None:
    assert first_odds(choice) == {}


def test_what_is_no_log_probability_is_left_out() -> None:
    odd = [("a", None), ("b", "-1"), ("c", math.nan), ("d", -math.inf), ("e", True), (None, -1.0), ("f" * 101, -1.0)]
    assert first_odds(stated(place("Yes", *odd))) == {"Yes": -0.5}
    assert first_odds(stated(place("Yes", ("g", 3.0)))) == {"Yes": -0.5}, "no probability is above one"
    assert first_odds(stated(place("Yes", ("g", 0.001))))["g"] == 0.0, "but one may be rounded up"


INVALID: list[object] = [math.nan, None, "-0.1", -math.inf, math.inf, 0.5, 7.0, True, [], 10**400, -(10**400)]


@pytest.mark.parametrize("invalid", INVALID, ids=lambda one: str(one)[:6])
def test_without_the_probability_of_the_chosen_word_nothing_is_stated(invalid: object) -> None:
    for own, listed in ((invalid, invalid), (-0.5, invalid), (invalid, -0.5), (invalid, None)):
        top = [{"token": "Yes", "logprob": listed}, {"token": "No", "logprob": -0.5}]
        for many in (top, top[::-1], top[1:], top * 2):
            odd = {"token": "Yes", "logprob": own, "top_logprobs": many}
            if (own, many) != (-0.5, top[1:]):
                assert first_odds(stated(odd)) == {}
    assert digit_places(stated({"token": "4", "logprob": invalid, "top_logprobs": top}), "4") == ()


@pytest.mark.parametrize("invalid", [one for one in INVALID if one != -math.inf], ids=lambda one: str(one)[:6])
@pytest.mark.parametrize("word", ["No", "The", "Н", " no"])
def test_a_list_with_an_unknown_probability_has_no_order(invalid: object, word: str) -> None:
    rest = [("a", -4.0), ("Maybe", -3.0), ("b", -5.0)]
    for listed in ([(word, invalid), *rest], [*rest, (word, invalid)]):
        assert first_odds(stated(place("Yes", *listed))) == {"Yes": -0.5, "Maybe": -3.0}
        assert set(first_odds(stated(place("Yes", (word, -math.inf), *rest)))) == {"Yes", "a", "b", "Maybe"}


def test_a_list_that_goes_on_has_no_order() -> None:
    assert len(first_odds(stated(place("Yes", *((f"w{n}", -9.0) for n in range(41)), ("No", -1.0))))) == 2


def test_a_lone_surrogate_can_be_kept_and_a_long_list_is_cut() -> None:
    assert first_odds(stated(place("\ud800", ("\ud800", -1.0)))) == {"\ufffd": -0.5}
    assert len(first_odds(stated(place("0", *((str(n), -1.0) for n in range(10_000)))))) <= 2 * TOP_WORDS + 1


def tokens(*spelled: str) -> dict[str, Any]:
    return stated(*(place(one, (one, -0.5), ("3", -1.0), ("x", -2.0)) for one in spelled))


def test_tokens_with_a_digit_come_with_their_places_and_what_of_digits_could_have_stood_there() -> None:
    found = digit_places(tokens('{"', "a", '":', " 4", "}"), '{"a": 4}')
    assert found == ((5, " 4", {" 4": -0.5, "3": -1.0}),)


@pytest.mark.parametrize("around", [("<think>", "no 9</think>"), ()])
def test_what_stands_around_the_text_moves_the_places(around: tuple[str, ...]) -> None:
    assert digit_places(tokens(*around, "a ", "4", "<|end|>"), "a 4")[-1][:2] == (2, "4")


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (tokens("a ", "5"), "a 4"),
        (tokens("4", "4"), "4"),
        (tokens("4"), ""),
        ({}, "4"),
        ({"logprobs": {"content": [None]}}, "4"),
        ({"logprobs": {"content": [{"token": "4", "logprob": 0}, {"token": 5}]}}, "4"),
        ({"logprobs": {"content": [{"token": "x", "bytes": ["4"], "logprob": 0}]}}, "4"),
        ({"logprobs": {"content": [{"token": "x", "bytes": [400], "logprob": 0}]}}, "4"),
    ],
    ids=["other", "twice", "no text", "none", "null", "not a word", "no bytes", "no byte"],
)
def test_where_tokens_do_not_spell_the_text_there_are_no_places(choice: dict[str, Any], text: str) -> None:
    assert digit_places(choice, text) == ()


def test_letters_divided_among_tokens_are_joined_by_their_bytes() -> None:
    first, second = list("ё".encode()[:1]), list("ё".encode()[1:])
    content = [
        {"token": "\ufffd", "bytes": first, "logprob": 0},
        {"token": "\ufffd", "bytes": second, "logprob": 0},
        {"token": " 4", "bytes": list(b" 4"), "logprob": -0.25},
    ]
    assert digit_places({"logprobs": {"content": content}}, "ё 4") == ((1, " 4", {" 4": -0.25}),)
