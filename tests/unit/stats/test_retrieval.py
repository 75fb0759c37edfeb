"""Retrieval: matching by content, and the measures against ir-measures."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.retrieval import RANKS, Passage, figures, matches, overlap, ranked, shingles
from tests.linear import assert_linear

TEXT = " ".join(f"w{number}" for number in range(100))


def words(first: int, last: int) -> str:
    return " ".join(TEXT.split()[first:last])


def passages(*texts: str) -> list[Passage]:
    return [Passage(text=text) for text in texts]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (words(0, 40), words(0, 40), True),
        (words(0, 40), words(0, 100), True),
        (words(0, 100), words(30, 50), True),
        (words(0, 40), words(15, 55), True),
        (words(0, 40), words(25, 65), False),
        (words(0, 40), words(60, 90), False),
        ("Ёлка стоит в углу — и ПАХНЕТ!", "елка стоит в углу и пахнет", True),
        ("the", "the cat sat on the mat", False),
        ("on the mat", "the cat sat on the mat", True),
        ("", "", False),
        ("!!!", "???", False),
    ],
)
def test_what_matches_by_content(one, other, alike):
    assert matches(passages(one), passages(other)) == [frozenset([0] if alike else [])]
    assert matches(passages(other), passages(one)) == [frozenset([0] if alike else [])]
    assert (overlap(shingles(one), shingles(other)) >= 0.5) == alike


def test_an_id_matches_whatever_the_text():
    relevant = [Passage(text="one two three four", id="a"), Passage(text="five six seven eight", id="b")]
    retrieved = [Passage(text="nine", id="b"), Passage(text="one two three four", id="c"), Passage(text="nine")]
    assert matches(retrieved, relevant) == [{1}, {0}, set()]


def test_a_relevant_text_counts_once_and_a_matching_passage_always():
    found = figures([frozenset([0]), frozenset([0]), frozenset(), frozenset([1])], 3)
    assert found.recall == pytest.approx(2 / 3)
    assert found.precision == pytest.approx(3 / 4)
    assert found.mrr == 1
    ideal = 1 + 0.6309297535714575 + 0.5
    assert found.ndcg == pytest.approx((1 + 0.43067655807339306) / ideal)


def test_nothing_retrieved_is_nothing_found():
    for k in (None, 1, 5):
        found = figures([], 2, k)
        assert (found.recall, found.precision, found.mrr, found.ndcg) == (0, 0, 0, 0)
    with pytest.raises(ValueError, match="nothing to find"):
        figures([], 0)


def table(seed: int) -> tuple[list[frozenset[int]], int]:
    """A list in which passages match at most one relevant text, some of them the same."""
    rng = random.Random(seed)
    relevant = rng.randint(1, 8)
    found = [
        frozenset([rng.randrange(relevant)]) if rng.random() < 0.5 else frozenset() for _ in range(rng.randint(1, 14))
    ]
    return found, relevant


def test_the_measures_are_those_of_ir_measures():
    ir = pytest.importorskip("ir_measures")
    once: dict[str, dict[str, int]] = {}
    every: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    tables = {str(seed): table(seed) for seed in range(400)}
    for query, (found, relevant) in tables.items():
        # where a text was found before, the passage is another document: it is worth nothing, or as much, as measured
        seen: set[int] = set()
        names, news = [], []
        for place, matched in enumerate(found):
            new = matched - seen
            names.append(f"d{place}")
            news.append(bool(new))
            seen |= matched
        missed = {f"missed{number}": 1 for number in range(relevant - len(seen))}
        once[query] = {**{name: int(new) for name, new in zip(names, news, strict=True)}, **missed}
        every[query] = {name: int(bool(matched)) for name, matched in zip(names, found, strict=True)}
        run[query] = {name: float(-place) for place, name in enumerate(names)}
    checked = 0
    for k in RANKS:
        wanted: dict[tuple[str, str], float] = {}
        for metric in ir.iter_calc([ir.R @ k, ir.nDCG @ k, ir.RR @ k], once, run):
            wanted[metric.query_id, str(metric.measure)] = metric.value
        for metric in ir.iter_calc([ir.P @ k], every, run):
            wanted[metric.query_id, str(metric.measure)] = metric.value
        for query, (found, relevant) in tables.items():
            ours: Any = figures(found, relevant, k)
            named = {"R": ours.recall, "nDCG": ours.ndcg, "RR": ours.mrr, "P": ours.precision}
            for name, value in ((f"{name}@{k}", value) for name, value in named.items()):
                assert value == pytest.approx(wanted[query, name], abs=1e-9), (query, name, found, relevant)
                checked += 1
    assert checked == 4 * 4 * 400


@given(st.lists(st.frozensets(st.integers(0, 5), max_size=3), max_size=12), st.sampled_from([None, *RANKS]))
def test_every_measure_is_a_share(found, k):
    measures = figures(found, 6, k)
    for value in (measures.recall, measures.precision, measures.mrr, measures.ndcg):
        assert 0 <= value <= 1


@given(st.integers(0, 10**6))
def test_what_comes_earlier_counts_no_less(seed):
    found, relevant = table(seed)
    found = [matched if matched not in found[:place] else frozenset() for place, matched in enumerate(found)]
    better = sorted(found, key=lambda matched: not matched)
    for k in (None, *RANKS):
        before, after = figures(found, relevant, k), figures(better, relevant, k)
        for name in ("recall", "precision", "mrr", "ndcg"):
            assert getattr(after, name) >= getattr(before, name) - 1e-12


def test_all_ranks_and_the_whole_list():
    made = ranked(passages(words(0, 30), words(30, 60)), passages(words(0, 60)))
    assert list(made) == [*RANKS, None]
    assert (made[1].recall, made[10].precision, made[None].precision) == (1, 0.2, 1)


def test_matching_takes_linear_time():
    def make(size: int) -> str:
        return " ".join(f"w{number % 5000}" for number in range(size // 6))

    def work(text: str) -> object:
        return matches(passages(text[: len(text) // 2], text[len(text) // 2 :]), passages(text))

    assert_linear(work, make, 200_000)
