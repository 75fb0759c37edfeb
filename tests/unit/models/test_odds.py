from __future__ import annotations

import math
from typing import Any

import pytest

from adjudge.models.odds import TOP_WORDS, first_odds


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
    assert first_odds(stated(place("Yes", ("g", 3.0))))["g"] == 0.0, "no probability is above one"


def test_a_lone_surrogate_can_be_kept_and_a_long_list_is_cut() -> None:
    assert first_odds(stated(place("\ud800", ("\ud800", -1.0)))) == {"\ufffd": -0.5}
    assert len(first_odds(stated(place("0", *((str(n), -1.0) for n in range(10_000)))))) <= 2 * TOP_WORDS + 1
