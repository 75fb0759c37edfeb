"""Replies that real judges gave, read as the published values say, or otherwise for a reason that is written down."""

from __future__ import annotations

import re

import pytest

from tests.unit.reply.disagreements import REASONS, WHY
from tests.unit.reply.published import (
    LETTERS,
    REPLIES,
    SETS,
    Case,
    head_to_head,
    judge,
    llmbar_ratings,
    scaled,
    summeval,
    topicalchat,
    unpublished,
)

pytestmark = pytest.mark.skipif(
    not REPLIES.is_dir(), reason="the published replies are not here: ../shared/data/replies"
)


@pytest.fixture(scope="module")
def differing() -> dict[str, tuple[Case, object]]:
    """Every case of every set that is not read as published."""
    read = ((case, case.read()) for make in SETS.values() for case in make())
    return {case.id: (case, value) for case, value in read if value != case.published}


def test_every_disagreement_is_explained_and_every_explanation_needed(differing):
    assert set(differing) == {name for names in WHY.values() for name in names}
    assert set(WHY) == set(REASONS)


def test_at_least_99_percent_are_read_as_published(differing):
    total = sum(1 for make in SETS.values() for _ in make())
    assert total == 23700
    assert len(differing) <= total / 100


def test_the_explanations_are_what_the_reader_says(differing):
    kinds = {"off_scale": "out_of_scale", "none": "no_verdict"}
    kinds |= {"cut": "no_verdict", "both": "ambiguous"}
    for why, kind in kinds.items():
        assert {differing[name][1] for name in WHY[why]} == {kind}, why
    assert {differing[name][1] for name in WHY["neither"]} == {0}


def test_where_the_published_rules_took_the_other_text_the_reply_says_so(differing):
    """Checked without the reader: the last words on which text is better, that are not a debater's, are ours."""
    plain = re.compile(r"(?<!argues that )(?<!argued that )output \(([ab])\) is better", re.IGNORECASE)
    for name in (*WHY["says"], *WHY["concludes"]):
        case, value = differing[name]
        assert LETTERS[plain.findall(case.raw)[-1]] == value, name
    for name in WHY["says"]:
        assert len(set(re.findall(r"output \(([ab])\) is better", differing[name][0].raw, re.IGNORECASE))) == 1, name
    for name in WHY["other"]:
        case, value = differing[name]
        assert f"a {value:.0f} out of 5" in case.raw, name


def test_texts_rated_one_by_one_rank_as_published():
    rating = scaled(judge("rating"), 0, 9)
    ranked, failed = 0, []
    for name, replies, winner in llmbar_ratings():
        first, second = (Case(id=name, raw=raw, published=None, judge=rating).read() for raw in replies)
        if isinstance(first, str) or isinstance(second, str):
            failed.append((name, [reply for reply in replies if not reply.isdigit() or int(reply) > 9]))
        elif first != second:  # of equal ratings the published rules call the second the winner
            assert winner == ("1" if first > second else "2"), name
            ranked += 1
    assert ranked > 1000
    assert all(bad for _, bad in failed) and len(failed) < 5


def test_where_nothing_was_published_only_ties_are_read():
    read = [case.read() for case in unpublished()]
    assert {value for value in read if not isinstance(value, str)} == {0}


def test_a_set_the_rules_were_not_made_with_is_never_misread():
    for case in head_to_head():
        value = case.read()
        assert isinstance(value, str) or value == LETTERS[case.raw.strip(" .")[0].lower()], case.raw


@pytest.mark.parametrize(("make", "every", "share"), [(summeval, 5, 0.98), (topicalchat, 20, 0.98)])
def test_ratings_without_a_published_value_are_covered(make, every, share):
    """A sample of the two large sets; the rest mostly states no rating."""
    read = [case.read() for place, case in enumerate(make()) if place % every == 0]
    assert sum(not isinstance(value, str) for value in read) >= share * len(read)
