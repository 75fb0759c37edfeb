"""A rating that is made of checks: more checks met never make it worse, and only the ratio of the weights counts."""

from __future__ import annotations

import json

from hypothesis import assume, given
from hypothesis import strategies as st

from adjudge.core.errors import Missing
from adjudge.core.judge import Check, Criterion, Judge, Leaf
from adjudge.core.scale import Scale
from adjudge.reply.checks import score
from adjudge.reply.read import read
from tests.unit.reply.judges import judge

WEIGHTS = st.lists(st.floats(1e-6, 999_999), min_size=1, max_size=12)
SCALES = st.builds(
    lambda low, size, better: Scale(min=low, max=low + size, better=better),
    st.integers(-5, 5),
    st.integers(1, 100),
    st.sampled_from(["higher", "lower"]),
)


def criterion(weights: list[float], scale: Scale) -> Criterion:
    checks = tuple(Check(name=f"c{n}", weight=weight, asks=f"Is {n} so?") for n, weight in enumerate(weights))
    return Criterion(name="rated", kind="rating", scale=scale, checks=checks)


def one(weights: list[float], scale: Scale) -> Judge:
    return judge("single", (criterion(weights, scale),), {"rated": Leaf("rated")})


@given(WEIGHTS, SCALES)
def test_all_met_is_best_and_none_is_worst(weights, scale):
    rated = criterion(weights, scale)
    assert score(rated, {check.name: True for check in rated.checks}) == scale.best
    assert score(rated, {check.name: False for check in rated.checks}) == scale.worst


@given(WEIGHTS, SCALES, st.data())
def test_one_more_check_met_never_makes_it_worse(weights, scale, data):
    rated = criterion(weights, scale)
    met = {check.name: data.draw(st.booleans()) for check in rated.checks}
    assume(not all(met.values()))
    more = {**met, data.draw(st.sampled_from([name for name, one in met.items() if not one])): True}
    before, after = score(rated, met), score(rated, more)
    assert scale.holds(before) and scale.holds(after)
    assert after >= before if scale.better == "higher" else after <= before


@given(WEIGHTS, SCALES, st.floats(0.01, 100), st.data())
def test_weights_count_by_their_ratio(weights, scale, factor, data):
    met = {f"c{n}": data.draw(st.booleans()) for n in range(len(weights))}
    first = score(criterion(weights, scale), met)
    assert abs(score(criterion([factor * weight for weight in weights], scale), met) - first) < 1e-9 * (
        1 + abs(scale.min) + abs(scale.max)
    )


@given(WEIGHTS, SCALES, st.data())
def test_a_reply_gives_what_the_checks_come_to_and_an_absent_one_gives_nothing(weights, scale, data):
    asked = one(weights, scale)
    met = {f"c{n}": data.draw(st.booleans()) for n in range(len(weights))}
    given_checks = {name: {"why": data.draw(st.text(max_size=20)), "met": value} for name, value in met.items()}
    found = read(asked, json.dumps({"rated": {"checks": given_checks}})).opinions[""].scores["rated"][""]
    assert found.value == score(asked.criteria[0], met)
    assert found.reason.count("✗ Is") >= sum(not value for value in met.values())
    given_checks.pop(data.draw(st.sampled_from(sorted(given_checks))))
    try:
        read(asked, json.dumps({"rated": {"checks": given_checks, "score": scale.best}}))
    except Missing:
        return
    raise AssertionError("a check was filled in")
