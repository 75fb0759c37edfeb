"""Derived values and combined opinions, for any scores."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ReplyError
from adjudge.core.records import Opinion, Score
from adjudge.reply.combine import combine
from adjudge.reply.derive import contradictions, derive
from adjudge.reply.native import native
from adjudge.reply.read import read
from tests.property.test_reply_strict import SOURCES, replies
from tests.unit.reply.judges import ANSWERS, SUMMARY
from tests.unit.spec.rows import bundled

POINTS = st.floats(0, 5) | st.integers(0, 5).map(float)
NAMES = st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=8, unique=True)


@st.composite
def opinions(draw: Any, judged: bool = False) -> tuple[list[str], list[Opinion]]:
    names = draw(NAMES)
    value = POINTS if judged else st.none() | POINTS

    def one() -> Opinion:
        scores = {
            criterion.name: {name: Score(value=draw(value), reason=draw(st.text(max_size=3))) for name in names}
            for criterion in ANSWERS.scored
        }
        return Opinion(scores=scores, flags=tuple(draw(st.lists(st.sampled_from("abc"), max_size=2))))

    return names, [one() for _ in range(draw(st.integers(1, 4)))]


def numbers(verdict: Any) -> Any:
    native = {key: value for key, value in verdict.native.items() if key != "conclusion"}
    native["scores"] = {
        name: {who: entry["score"] for who, entry in per.items()} for name, per in native["scores"].items()
    }
    return verdict.scores, verdict.derived, native, set(verdict.flags)


@given(opinions(), st.randoms(use_true_random=False))
def test_the_order_of_opinions_decides_no_number(made, draw):
    names, given_opinions = made
    shuffled = list(given_opinions)
    draw.shuffle(shuffled)
    first, second = (combine(ANSWERS, "i", some, sources=(), candidates=names) for some in (given_opinions, shuffled))
    assert numbers(first) == numbers(second)


@given(opinions())
def test_a_verdict_holds_means_of_what_was_judged_and_points_of_the_scale(made):
    names, given_opinions = made
    verdict = combine(ANSWERS, "i", given_opinions, sources=(), candidates=names)
    complete = True
    for criterion in ANSWERS.scored:
        for name in names:
            values = [one.scores[criterion.name][name].value for one in given_opinions]
            known = [value for value in values if value is not None]
            shown = verdict.native["scores"][criterion.name][name]
            found = verdict.scores.get(criterion.name, {}).get(name)  # type: ignore[union-attr]
            reasons = [one.scores[criterion.name][name].reason for one in given_opinions]
            assert shown["justification"] in reasons
            if known:
                assert found == pytest.approx(sum(known) / len(known))
                assert shown["score"] == math.floor(found + 0.5)
                assert min(known) - 1e-9 <= found <= max(known) + 1e-9
            else:
                complete = False
                assert found is None and shown["score"] is None
    assert ("not_all_judged" in verdict.flags) == (not complete)


@given(opinions(judged=True))
def test_the_winner_has_the_highest_total_or_nobody_wins(made):
    names, given_opinions = made
    derived = combine(ANSWERS, "i", given_opinions, sources=(), candidates=names).derived
    totals, winner = derived["total"], derived["winner"]
    assert list(totals) == names
    best = max(totals.values())
    leaders = [name for name in names if best - totals[name] <= 1e-9]
    assert winner == ({"winner": leaders[0], "tied": []} if len(leaders) == 1 else {"winner": None, "tied": leaders})


@given(st.lists(st.integers(1, 5), min_size=5, max_size=5), st.sampled_from(["summary", "translation"]))
def test_means_and_percentages(values, name):
    judge = bundled(name)
    found = derive(judge, {one.name: float(value) for one, value in zip(judge.scored, values, strict=True)})
    expected = sum(values) / 5 if name == "summary" else 100 * (sum(values) / 5 - 1) / 4
    assert list(found.values()) == [pytest.approx(expected)]


@given(
    st.dictionaries(
        st.sampled_from(["average_score", "coverage", "x"]), st.integers() | st.text() | st.floats() | st.none()
    )
)
def test_what_a_reply_states_changes_nothing_but_flags(stated):
    scores = {one.name: {"": Score(value=3.0, reason="r")} for one in SUMMARY.scored}
    plain = combine(SUMMARY, "i", [Opinion(scores=scores)], sources=())
    told = combine(SUMMARY, "i", [Opinion(scores=scores, stated=stated)], sources=())
    assert replace(told, flags=()) == plain
    assert all(flag.startswith("stated_") for flag in told.flags)


@given(st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_a_figure_that_is_right_is_never_flagged(values):
    scores = {one.name: float(value) for one, value in zip(SUMMARY.scored, values, strict=True)}
    truth = derive(SUMMARY, scores)
    for digits in (1, 2, 3):
        assert not list(contradictions(SUMMARY, {"average_score": round(truth["average_score"], digits)}, truth))
    assert list(contradictions(SUMMARY, {"average_score": truth["average_score"] + 0.2}, truth))


@given(replies(changes=0))
def test_two_equal_opinions_are_as_good_as_one(case):
    judge, text, expected, _ = case
    names = tuple(expected.labels.values()) if judge.layout == "compare" else ("",)
    try:
        found = read(judge, text, expected).opinions.values()
    except ReplyError:
        return
    for opinion in found:
        once, twice = (combine(judge, "i", [opinion] * n, sources=SOURCES, candidates=names) for n in (1, 2))
        assert len(twice.trials) == 2
        quoted = sum(str(one["kind"]).startswith("quote_") for one in once.findings)
        assert sum(sum(kinds.values()) for kinds in twice.quotes.values()) == 2 * quoted
        assert repr(once) == repr(replace(twice, trials=(), quotes={}))


@given(st.floats(-1e12, 1e12) | st.integers(-(10**12), 10**12).map(lambda n: n / 1000))
def test_two_decimals_are_shown_and_halves_go_up(value):
    scores = {one.name: {"": Score(value=3.0)} for one in SUMMARY.scored}
    shown = native(SUMMARY, Opinion(scores=scores), {"average_score": value}, ())["overall"]["average_score"]
    assert shown == float(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))
    assert isinstance(shown, int) == float(shown).is_integer()
