"""Which items to label: strata, the best allocation, an order that only grows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from adjudge.stats.board import Ints
from adjudge.stats.correct import Slice, estimate
from adjudge.stats.sampling import (
    AT_BEST,
    AT_WORST,
    BANDS,
    LEAST,
    MOST_STRATA,
    Strata,
    draw,
    expected_spread,
    stratify,
)

NAN = float("nan")


def _ids(n: int) -> list[str]:
    return [f"i{number}" for number in range(n)]


def test_bands_follow_the_scores_and_keep_equal_ones_together():
    quality = np.array([0.0] * 10 + [0.5] * 20 + [1.0] * 30 + [NAN] * 4)
    found = stratify(quality, [""] * 64)
    assert found.of.tolist() == [0] * 10 + [1] * 20 + [2] * 30 + [-1] * 4
    assert (found.names, found.sizes.tolist()) == (("b1", "b2", "b3"), [10, 20, 30])


@pytest.mark.parametrize("quality", [[], [NAN], [0.5], [0.5] * 100, [0.1, 0.9], [NAN, 0.3, 0.3]])
def test_few_items_and_constants_make_one_stratum_or_none(quality):
    found = stratify(np.array(quality, dtype=float), [""] * len(quality))
    judged = sum(one == one for one in quality)
    assert (len(found.names), int(found.sizes.sum())) == (min(1, judged), judged)
    assert len(
        draw(found, expected_spread(np.array(quality), found), 50, np.random.default_rng(0), _ids(len(quality)))
    ) == min(50, judged)


def test_no_stratum_is_tiny_and_there_are_never_many():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 300))
        a, b = rng.uniform(0.2, 5, 2).tolist()
        quality = rng.beta(a, b, n) if rng.random() < 0.5 else rng.integers(0, 5, n) / 4
        groups = [f"g{one}" for one in rng.integers(0, rng.integers(1, 8), n)]
        found = stratify(quality, groups)
        assert len(found.names) <= max(MOST_STRATA, BANDS)
        assert int(found.sizes.sum()) == n
        if len(set(groups)) > MOST_STRATA // 2:
            assert all(name.startswith("b") for name in found.names)


def test_languages_have_strata_of_their_own():
    quality = np.tile([0.0, 0.5, 1.0, 0.75], 20)
    found = stratify(quality, ["en"] * 40 + ["ru"] * 40)
    assert {name.split()[0] for name in found.names} == {"en", "ru"}
    assert all(found.names[own].startswith("en") for own in found.of[:40])


def test_more_labels_where_people_differ_more():
    quality = np.array([0.1] * 50 + [0.9] * 50)
    strata = stratify(quality, [""] * 100)
    spread = expected_spread(quality, strata)
    assert AT_BEST <= spread[1] < spread[0] <= AT_WORST
    chosen = draw(strata, spread, 40, np.random.default_rng(0), _ids(100))
    counts = np.bincount(strata.of[chosen])
    assert counts[0] > counts[1]


def test_the_allocation_has_the_least_variance_of_all():
    """Every way to share the labels out, tried."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        sizes, spread = rng.integers(3, 12, 3), rng.uniform(0.05, 0.5, 3)
        of = np.repeat(np.arange(3), sizes)
        strata = Strata(of=of, names=("b1", "b2", "b3"), sizes=sizes)
        n = int(rng.integers(6, min(sizes.sum(), 16) + 1))
        counts = np.bincount(of[draw(strata, spread, n, rng, _ids(len(of)))], minlength=3)

        def variance(shares, sizes=sizes, spread=spread):
            return float((sizes**2 * spread**2 / np.array(shares)).sum())

        every = [shares for shares in product(*(range(LEAST, size + 1) for size in sizes.tolist())) if sum(shares) == n]
        assert variance(counts) == pytest.approx(min(map(variance, every)), rel=1e-12)


def test_a_larger_choice_begins_with_the_smaller_one_and_row_order_decides_nothing():
    rng = np.random.default_rng(2)
    quality, ids = rng.random(200), _ids(200)
    strata = stratify(quality, [""] * 200)
    spread = expected_spread(quality, strata)
    large = [ids[place] for place in draw(strata, spread, 120, np.random.default_rng(5), ids)]
    for n in (8, 20, 50, 119):
        assert [ids[place] for place in draw(strata, spread, n, np.random.default_rng(5), ids)] == large[:n]
    assert len(set(large)) == 120
    turned = rng.permutation(200)
    other = stratify(quality[turned], [""] * 200)
    moved = [ids[place] for place in turned]
    again = draw(other, expected_spread(quality[turned], other), 120, np.random.default_rng(5), moved)
    assert [moved[place] for place in again] == large
    assert [ids[place] for place in draw(strata, spread, 120, np.random.default_rng(6), ids)] != large


def test_everything_is_chosen_where_there_is_no_more():
    quality = np.linspace(0, 1, 30)
    strata = stratify(quality, [""] * 30)
    assert sorted(draw(strata, expected_spread(quality, strata), 99, np.random.default_rng(0), _ids(30))) == [
        *range(30)
    ]


def _differing(rng, size):
    """A judge that gives most texts the best score, where people agree, and few a bad one, where they differ."""
    points, chances = np.array([0, 0.25, 0.5, 0.75, 1]), [0.12, 0.08, 0.07, 0.1, 0.63]
    place = rng.choice(5, size, p=chances)
    middle, apart = np.array([0.5, 0.6, 0.7, 0.75, 0.85])[place], np.array([0.4, 0.36, 0.2, 0.15, 0.12])[place]
    return np.clip(middle + apart * rng.uniform(-1.2, 1.2, size), 0, 1), points[place]


def _alike(rng, size):
    """People differ from the judge alike everywhere: strata can gain nothing, and must cost next to nothing."""
    judge = rng.choice(5, size, p=[0.1, 0.15, 0.3, 0.25, 0.2]) / 4
    return 0.25 + 0.5 * judge + rng.uniform(-0.25, 0.25, size), judge


@pytest.mark.parametrize(("population", "least", "most"), [(_differing, 0.9, 0.98), (_alike, 0.98, 1.03)])
def test_a_choice_by_strata_covers_and_tells_more_only_where_people_differ_unlike(population, least, most):
    """Its width to that of a random choice: what it gains on public tables is in docs/decisions/0021."""
    rng = np.random.default_rng(3)
    runs, every, n = 4_000, 400, 40
    hits, wide = np.zeros(2), np.zeros(2)
    truth = population(rng, 2_000_000)[0].mean()
    for _ in range(runs):
        people, judge = population(rng, every)
        strata = stratify(judge, [""] * every)
        chosen: list[Ints] = [
            rng.choice(every, n, replace=False),
            np.array(draw(strata, expected_spread(judge, strata), n, rng, _ids(every))),
        ]
        for place, (labelled, groups) in enumerate(zip(chosen, (strata.of * 0, strata.of), strict=True)):
            said = np.full(every, np.nan)
            said[labelled] = people[labelled]
            found = estimate(Slice(judge=judge, people=said, clusters=np.arange(every), strata=groups), 0, 1)
            hits[place] += found.ci95[0] <= truth <= found.ci95[1]
            wide[place] += found.ci95[1] - found.ci95[0]
    assert ((hits / runs >= 0.935) & (hits / runs <= 0.965)).all()
    assert least < wide[1] / wide[0] < most
