"""The expected score of a reply whose tokens are known, and what makes it unknown."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from adjudge.core.judge import Leaf
from adjudge.core.records import Reply, Score
from adjudge.core.scale import Scale
from adjudge.reply.combine import combine
from adjudge.reply.expected import expectation, spread_of, with_expected
from adjudge.reply.read import Expected, read
from tests.unit.reply import judges
from tests.unit.reply.judges import FIVE, SUMMARY_NAMES

TEN, HUNDRED = Scale(min=1, max=10), Scale(min=0, max=100)


def logs(**shares: float) -> dict[str, float]:
    return {name.removeprefix("p"): math.log(share) for name, share in shares.items()}


def places(text: str, words: dict[str, float] | None = None) -> tuple[tuple[int, str, dict[str, float]], ...]:
    """Every digit of the text as a token of its own."""
    return tuple((at, sign, words or {sign: 0.0}) for at, sign in enumerate(text) if sign.isdigit())


def verdict(**changed: Any) -> dict[str, Any]:
    found = {name: {"score": 4, "justification": "as of 2020"} for name in SUMMARY_NAMES}
    return {**found, "overall": {"conclusion": "so"}, **changed}


def told(text: str, words: dict[str, float] | None = None, **more: Any) -> Any:
    reply = Reply(text=text, places=places(text, words))
    return with_expected(judges.SUMMARY, reply, read(judges.SUMMARY, text), Expected(**more)).opinions[""]


def known(scale: Scale, written: int, words: dict[str, float]) -> tuple[float, float]:
    found = expectation(scale, written, words)
    assert found is not None
    return found


def test_the_mean_and_its_spread_over_the_points_of_the_scale():
    mean, spread = known(FIVE, 4, logs(p4=0.7, p3=0.3))
    assert mean == pytest.approx(3.7) and spread == pytest.approx(math.sqrt(0.21))
    mean, _ = known(FIVE, 4, {**logs(p4=0.5, p3=0.25), " 3": math.log(0.25)})
    assert mean == pytest.approx(3.5), "a point may be spelled in several ways"


def test_all_mass_on_the_written_point_is_the_plain_score():
    assert expectation(FIVE, 3, {"3": math.log(0.93)}) == (3.0, 0.0)


@pytest.mark.parametrize(
    ("scale", "written", "words"),
    [
        (FIVE, 4, {"4": math.log(0.5), "The": math.log(0.5)}),
        (FIVE, 4, {"4": math.log(0.5), "7": math.log(0.5)}),
        (FIVE, 4, {"4": 0.0, "3": 0.0}),
        (FIVE, 4, {}),
        (FIVE, 4, {"3": 0.0}),
        (FIVE, 4, {"4/5": 0.0}),
        (FIVE, 4, {"4.": 0.0}),
        (FIVE, 4, {"04": 0.0}),
        (Scale(min=1, max=5, whole=False), 4, {"4": 0.0}),
        (TEN, 1, {"1": math.log(0.9), "2": math.log(0.1)}),
        (HUNDRED, 10, {"10": math.log(0.9), "20": math.log(0.1)}),
    ],
    ids=["elsewhere", "off", "above one", "none", "other", "of five", "fraction", "zero", "not whole", "10?", "100?"],
)
def test_what_is_not_sure_is_not_said(scale, written, words):
    assert expectation(scale, written, words) is None


def test_a_long_number_among_the_tokens_shows_that_numbers_are_whole_tokens():
    assert known(TEN, 1, {"1": math.log(0.9), "10": math.log(0.1)})[0] == pytest.approx(1.9)
    assert known(HUNDRED, 85, logs(p85=0.6, p80=0.4))[0] == pytest.approx(83)
    assert expectation(TEN, 7, {"7": math.log(0.95), "1": math.log(0.05)}) == (7.0, 0.0), "1 may be the start of 10"


def test_every_rating_is_found_among_other_numbers():
    text = json.dumps(verdict())
    found = told(text, logs(p4=0.7, p3=0.3))
    for name in SUMMARY_NAMES:
        assert found.scores[name][""].value == pytest.approx(3.7)
        assert found.scores[name][""].reason == "as of 2020"
    assert found.flags == ()


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{json.dumps(verdict())}\n```",
        f"4 points of 5, as it were:\n{json.dumps(verdict())}\nSo much for 4.",
        json.dumps(verdict(), indent=2),
        "\ufeff " + json.dumps(verdict()),
    ],
    ids=["fence", "prose", "indented", "blank"],
)
def test_a_verdict_is_found_in_what_stands_around_it(text):
    assert told(text, logs(p4=0.7, p3=0.3)).scores["coverage"][""].value == pytest.approx(3.7)


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(verdict())}\n{json.dumps(verdict())}",
        json.dumps({"result": verdict()}),
        json.dumps(verdict())[:-1] + ",}",
        json.dumps(verdict(coverage={"score": "4", "justification": ""})).replace('"accuracy"', '"Accuracy"'),
        json.dumps(verdict(coverage={"score": 4.0, "justification": ""})),
    ],
    ids=["twice", "wrapped", "mended", "respelled", "4.0"],
)
def test_where_the_place_is_not_sure_the_score_stands_and_a_flag_says_so(text):
    found = told(text, logs(p4=0.7, p3=0.3))
    assert found.scores["coverage"][""].value == 4 and found.scores["coverage"][""].spread is None
    assert "no_probabilities:coverage" in found.flags


def test_a_number_of_two_tokens_has_no_probabilities():
    judge = judges.judge("single", (judges.rating("q", HUNDRED),), {"q": Leaf("q", "score")})
    text = '{"q": 85}'
    split = Reply(text=text, places=((6, "8", {"8": 0.0}), (7, "5", {"5": 0.0})))
    whole = Reply(text=text, places=((5, " 85", {" 85": math.log(0.5), " 75": math.log(0.5)}),))
    reading = read(judge, text)
    assert with_expected(judge, split, reading, Expected()).opinions[""].flags == ("no_probabilities:q",)
    assert with_expected(judge, whole, reading, Expected()).opinions[""].scores["q"][""].value == pytest.approx(80)


def test_candidates_are_told_apart_by_their_labels():
    labels = {"A": "Zeta", "B": "Alpha"}
    each = {"A": {"score": 4, "justification": "x"}, "B": {"score": 2, "justification": "y"}}
    text = json.dumps({"scores": {"correctness": each, "depth": each}, "conclusion": "so"})
    judge, expected = judges.ANSWERS, Expected(labels=labels)
    spread = tuple(
        (at, token, logs(**{f"p{token}": 0.6, "p3": 0.4})) for at, token, _ in places(text) if token in ("2", "4")
    )
    found = with_expected(judge, Reply(text=text, places=spread), read(judge, text, expected), expected).opinions[""]
    assert {who: score.value for who, score in found.scores["depth"].items()} == {
        "Zeta": pytest.approx(3.6),
        "Alpha": pytest.approx(2.4),
    }


def test_items_of_a_batch_are_told_apart_and_one_that_is_missing_hides_no_other():
    judge, expected = judges.TRANSLATION, Expected(labels={"k1": "first", "k2": "second", "k3": "third"})
    names = [criterion.name for criterion in judge.scored]
    entry = {name: {"score": 4, "why": "x"} for name in names}
    other = {name: {"score": 2, "why": "y"} for name in names}
    text = json.dumps({"scores": {"k2": other, "k1": entry}})
    likely = tuple(
        (at, token, logs(**{f"p{token}": 0.6, "p3": 0.4})) for at, token, _ in places(text) if text[at - 2 : at] == ": "
    )
    found = with_expected(judge, Reply(text=text, places=likely), read(judge, text, expected), expected)
    assert set(found.opinions) == {"first", "second"} and set(found.failures) == {"third"}
    for item, value in (("first", 3.6), ("second", 2.4)):
        assert [found.opinions[item].scores[name][""].value for name in names] == [pytest.approx(value)] * len(names)


def test_a_stated_mean_is_compared_with_the_points_that_were_written():
    right = told(json.dumps(verdict(overall={"average_score": 4.0, "conclusion": "so"})), logs(p4=0.6, p1=0.4))
    wrong = told(json.dumps(verdict(overall={"average_score": 3.0, "conclusion": "so"})), logs(p4=0.6, p1=0.4))
    assert combine(judges.SUMMARY, "1", [right], sources=()).flags == ()
    assert combine(judges.SUMMARY, "1", [wrong], sources=()).flags == ("stated_average_score_differs",)


def test_repeats_and_probabilities_add_up_as_variances():
    given = [Score(value=3.0, spread=0.6), Score(value=5.0, spread=0.8)]
    assert spread_of(given, [0, 1]) == pytest.approx(math.sqrt((0.36 + 0.64) / 2 + 2.0))
    assert spread_of(given, [0, 0]) == pytest.approx(math.sqrt(0.5)), "two orders of one repeat are no repeats"
    plain = [Score(value=value) for value in (1.0, 3.0, 5.0, 3.0)]
    assert spread_of(plain, [0, 0, 1, 1]) == pytest.approx(math.sqrt(2)), "orders are averaged first"
    assert spread_of(plain[:1], [0]) is None
    assert spread_of([Score(value=2.0), Score(value=None)], [0, 1]) is None
    assert spread_of([Score(value=2.0)] * 3, [0, 1, 2]) == 0.0
