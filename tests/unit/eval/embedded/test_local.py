from __future__ import annotations

import json
import math

import numpy as np
import pytest
from eval.embedded.local import curve, prompts, value

from adjudge.core.records import Item
from adjudge.spec.load import load_judge


def test_every_way_of_asking_gives_a_number_that_rises_with_the_quality():
    assert value("yes-no", {"Yes": -0.1, "No": -2.0}) == pytest.approx(1.9)
    assert value("digits", {"5": math.log(0.5), " 1": math.log(0.25), "6": -0.1, "x": -0.1}) == pytest.approx(11 / 3)
    assert value("json", '{"score": 4}') == 4


@pytest.mark.parametrize(
    ("way", "said"), [("yes-no", {"The": -1.0}), ("digits", {"x": -1.0}), ("json", "{"), ("json", "{}")]
)
def test_what_says_nothing_is_not_a_number(way, said):
    assert math.isnan(value(way, said))


def test_the_three_ways_share_everything_before_the_question():
    judge = load_judge("translation", lang="en")
    made = prompts(judge, "adequacy", Item(id="1", fields={"src": "a", "trg": "b"}))
    heads = {prompt.user.rpartition("\n")[0] for prompt in made.values()}
    assert len(heads) == 1 and len({prompt.system for prompt in made.values()}) == 1
    assert [prompt.odds for prompt in made.values()] == [True, True, False]
    assert json.dumps(made["json"].schema)


def test_the_curve_is_found_again():
    x = np.linspace(-3, 3, 200)
    slope, shift = curve(x, 1 / (1 + np.exp(-(1.5 * x - 0.5))), np.full(200, 1.0))
    assert slope == pytest.approx(1.5, abs=0.02)
    assert shift == pytest.approx(-0.5, abs=0.02)
