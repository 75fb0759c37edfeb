"""Which is better: the wiring from stored runs to what is said of them."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.api.compare import GAPS_SHOWN, Comparison, compare
from adjudge.api.prepare import load
from adjudge.core.errors import ConfigError, DataError
from tests.fakes.verdicts import Given, a_row, a_run

ALL = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
JUDGE = load("summary", "en")[1]
N = 60


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def drawn(seed: int, *, up: float = 0.0, n: int = N) -> list[dict[str, float]]:
    """Scores around a level that every seed shares, lifted by `up` at most."""
    base, own = random.Random(0), random.Random(seed)
    return [
        {name: min(5, max(1, base.randint(2, 4) + (own.random() < up) + own.choice([-1, 0, 0, 0, 1]))) for name in ALL}
        for _ in range(n)
    ]


def texts(tag: str, n: int = N) -> list[dict[str, Any]]:
    return [{**a_row(JUDGE, number), "text": f"{tag} {number}"} for number in range(n)]


def made(tmp_path: Path, name: str, given: Sequence[Given], **more: Any) -> adjudge.StoredRun:
    rows = more.pop("rows", texts(name, len(given)))
    return a_run(url(tmp_path), "summary", given, rows=rows, name=name, **more)


def said(found: Comparison) -> str:
    return found.sheet.answers[0]


def test_the_answer_comes_first(tmp_path):
    found = adjudge.compare([made(tmp_path, "old", drawn(1)), made(tmp_path, "new", drawn(2, up=0.8))])
    assert said(found).startswith("new is better than old: +0.")
    assert "in Average score on 60 items, p < 0.001" in said(found)
    (pair,) = found.as_json()["overall"]["pairs"]
    assert (pair["a"], pair["b"], pair["verdict"], pair["n"]) == ("old", "new", "better", N)
    assert pair["difference"] == pytest.approx(pair["mean_b"] - pair["mean_a"])
    assert set(found.as_json()["criteria"]) == set(ALL)


def test_runs_are_found_by_their_names(tmp_path):
    made(tmp_path, "old", drawn(1))
    made(tmp_path, "new", drawn(2, up=0.8))
    found = compare(["new", "old"], store=url(tmp_path))
    assert said(found).startswith("new is better than old: +0.")
    assert found.as_json()["overall"]["pairs"][0]["verdict"] == "worse"


def test_sides_within_the_margin_are_the_same_and_the_margin_can_be_set(tmp_path):
    runs = [made(tmp_path, "old", drawn(1)), made(tmp_path, "new", drawn(2))]
    assert "are the same within ±0.2" in said(compare(runs))
    assert "can't be told apart" in said(compare(runs, margin=0.01))
    data = compare(runs, margin={"coverage": 0.5}).as_json()
    assert data["criteria"]["coverage"]["pairs"][0]["margin"] == 0.5
    assert data["criteria"]["accuracy"]["pairs"][0]["margin"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("margin", "said"),
    [
        ({"nope": 1.0}, "there is no `nope`"),
        (0.0, "a margin of 0 is none"),
        (float("inf"), "a margin of inf is none"),
        ({"coverage": float("nan")}, "a margin of nan is none"),
        (9.0, r"a margin of 9 is too wide for Coverage, whose scale is 1 to 5"),
        ({"coverage": 4.0}, r"a margin of 4 is too wide for Coverage, whose scale is 1 to 5"),
    ],
)
def test_margins_that_mean_nothing_are_refused(tmp_path, margin, said):
    runs = [made(tmp_path, "old", drawn(1)), made(tmp_path, "new", drawn(2))]
    with pytest.raises(ConfigError, match=said):
        compare(runs, margin=margin)


def test_what_these_data_could_have_shown_is_said(tmp_path):
    runs = [made(tmp_path, "old", drawn(1, n=12)), made(tmp_path, "new", drawn(3, n=12))]
    found = compare(runs, margin=0.05)
    assert "can't be told apart" in said(found)
    assert "These data could have shown a difference of 0." in said(found)
    assert "more items like these would be needed to show one of 0.05" in said(found)


def test_items_that_one_side_lacks_block_a_verdict_and_are_shown_with_why(tmp_path):
    given: list[Given] = list(drawn(2, up=0.25))
    rows = texts("new")
    given[3] = given[17] = None
    del given[9], rows[9]
    runs = [made(tmp_path, "old", drawn(1)), made(tmp_path, "new", given, rows=rows)]
    found = compare(runs)
    assert said(found).startswith("It can't be said which of old and new is better")
    data = found.as_json()
    assert data["judged_on_one_side"] == {
        "items": 3,
        "first": [
            {"item": "i17", "side": "new", "why": "failed", "told": "timed_out"},
            {"item": "i3", "side": "new", "why": "failed", "told": "timed_out"},
            {"item": "i9", "side": "new", "why": "absent", "told": None},
        ],
    }
    assert data["sides"][1]["lacks"] == {"failed": 2, "absent": 1}
    assert (data["sides"][1]["items"], data["sides"][1]["judged"]) == (N - 1, N - 3)


def test_gaps_that_can_t_turn_the_answer_don_t_block_it(tmp_path):
    given: list[Given] = list(drawn(2, up=1.0))
    given[3] = None
    found = compare([made(tmp_path, "old", drawn(1)), made(tmp_path, "new", given)])
    assert said(found).startswith("new is better than old")
    assert found.as_json()["judged_on_one_side"]["items"] == 1


def test_only_the_first_gaps_are_shown(tmp_path):
    given: list[Given] = [None if number < 20 else one for number, one in enumerate(drawn(2))]
    data = compare([made(tmp_path, "old", drawn(1)), made(tmp_path, "new", given)]).as_json()
    assert data["judged_on_one_side"]["items"] == 20
    assert len(data["judged_on_one_side"]["first"]) == GAPS_SHOWN


def test_a_criterion_that_was_not_judged_there_is_named(tmp_path):
    given = drawn(2)
    given[5] = {**given[5], "coverage": None}  # type: ignore[dict-item]
    data = compare([made(tmp_path, "old", drawn(1)), made(tmp_path, "new", given)]).as_json()
    assert data["judged_on_one_side"]["first"] == [{"item": "i5", "side": "new", "why": "unscored", "told": "Coverage"}]


def test_derived_values_over_other_criteria_are_not_compared(tmp_path):
    partly = [{**one, "coverage": None} for one in drawn(2, up=0.8)]
    found = compare([made(tmp_path, "old", drawn(1)), made(tmp_path, "new", partly)])
    data = found.as_json()
    assert data["overall"] is None and "coverage" not in data["criteria"]
    assert said(found) == "The judge has no overall value; each criterion stands for itself."
    basis, unjudged = (next(one for one in data["left_out"] if one["why"] == why) for why in ("basis", "unjudged"))
    assert basis["title"] == "Average score" and "Coverage" in basis["told"]["old"]
    assert "Coverage" not in basis["told"]["new"] and unjudged["title"] == "Coverage"
    assert any("Average score is not compared" in one for one in found.sheet.warnings)
    assert any("Coverage is not compared" in one and "(old)" in one for one in found.sheet.warnings)


def test_a_value_that_rests_on_a_part_of_its_criteria_is_warned_of(tmp_path):
    others = dict.fromkeys(("adequacy", "fluency", "terminology", "hallucination"))
    given = [{**others, "punctuation": n % 5 + 1} for n in range(30)]
    runs = [a_run(url(tmp_path), "translation", given, name=name) for name in ("old", "new")]
    over = [one for one in compare(runs).sheet.warnings if "alone" in one]
    assert over == ["Quality is over Punctuation alone: nothing else of it was judged."]
    whole = compare([made(tmp_path, "a", drawn(1)), made(tmp_path, "b", drawn(2))])
    assert not any("alone" in one for one in whole.sheet.warnings)


def test_a_side_that_judged_nothing_is_an_error(tmp_path):
    with pytest.raises(DataError, match="new: nothing was judged"):
        compare([made(tmp_path, "old", drawn(1)), made(tmp_path, "new", [None] * N)])


def test_other_judges_of_the_same_texts_rate_and_are_no_better(tmp_path):
    rows = texts("one")
    runs = [made(tmp_path, "mild", drawn(2, up=0.8), rows=rows), made(tmp_path, "hard", drawn(1), rows=rows, model="x")]
    found = compare(runs)
    assert said(found).startswith("mild is milder on these texts than hard")
    ids = " ".join(run.id for run in runs)
    assert any("not which text is better" in one and f"adjudge agree {ids}" in one for one in found.sheet.warnings)
    assert found.as_json()["differ"] == {"model": {"mild": "fake", "hard": "x"}}


def test_another_judge_of_other_texts_is_a_loud_warning(tmp_path):
    runs = [made(tmp_path, "old", drawn(1)), made(tmp_path, "new", drawn(2), model="x", lang="ru")]
    (warning,) = (one for one in compare(runs).sheet.warnings if "mixes the texts and the judge" in one)
    assert "model: fake, x" in warning and "lang: en, ru" in warning and "judge: summary@" in warning


def test_the_same_texts_judged_alike_differ_by_noise(tmp_path):
    rows = texts("one")
    runs = [made(tmp_path, name, drawn(seed), rows=rows, seed=seed) for seed, name in enumerate(("one", "other"))]
    assert any("what differs is noise of the judge" in one for one in compare(runs).sheet.warnings)


def repeated(seed: int, noise: int, *, up: float = 0.0) -> list[dict[str, list[float]]]:
    own = random.Random(f"{seed} {noise}")
    return [
        {name: [min(5, max(1, value + own.randint(-noise, noise))) for _ in range(3)] for name, value in one.items()}
        for one in drawn(seed, up=up)
    ]


def test_the_noise_of_the_judge_is_a_floor(tmp_path):
    runs = [made(tmp_path, "old", repeated(1, 2)), made(tmp_path, "new", repeated(2, 2, up=0.2))]
    found = compare(runs)
    for name in ("overall", *ALL):
        axis = found.as_json()["overall"] if name == "overall" else found.as_json()["criteria"][name]
        (pair,) = axis["pairs"]
        assert pair["noise"] > 0.0
        assert pair["verdict"] not in ("better", "worse") or abs(pair["difference"]) >= pair["noise"]


def test_a_side_asked_once_is_taken_to_be_as_noisy_as_the_other(tmp_path):
    runs = [made(tmp_path, "old", repeated(1, 1)), made(tmp_path, "new", drawn(2))]
    found = compare(runs)
    both = compare([runs[0], made(tmp_path, "again", repeated(2, 1))])
    assert found.as_json()["overall"]["pairs"][0]["noise"] > both.as_json()["overall"]["pairs"][0]["noise"] > 0
    assert "Not every side was asked more than once" in found.sheet.text().replace("\n", " ")


def test_without_repeats_the_noise_is_said_to_be_unknown(tmp_path):
    found = compare([made(tmp_path, "old", drawn(1)), made(tmp_path, "new", drawn(2))])
    assert found.as_json()["overall"]["pairs"][0]["noise"] is None
    assert "--repeat 3 tells" in found.sheet.text()


def test_more_than_two_are_ranked_with_groups_and_a_matrix(tmp_path):
    runs = [made(tmp_path, name, drawn(seed, up=up))
            for seed, (name, up) in enumerate([("a", 0.0), ("b", 0.9), ("c", 0.0)], 1)]  # fmt: skip
    found = compare(runs)
    data = found.as_json()
    assert said(found).startswith("b is the best of 3 in Average score")
    assert data["overall"]["ranking"][0]["name"] == "b"
    assert data["overall"]["groups"][0] == ["b"] and sorted(data["overall"]["groups"][1]) == ["a", "c"]
    assert [(one["a"], one["b"]) for one in data["overall"]["pairs"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [section.name for section in found.sheet.sections] == ["ranking", "matrix", "criteria", "sides"]


def test_a_pair_has_the_same_figures_whoever_else_is_compared(tmp_path):
    a, b, c = (made(tmp_path, name, drawn(seed)) for seed, name in enumerate("abc", 1))
    alone = compare([a, b]).as_json()["overall"]["pairs"][0]
    among = compare([c, a, b]).as_json()["overall"]["pairs"][2]
    ours = {key: value for key, value in among.items() if not key.startswith("p_adj")}
    assert {**alone, "verdict": "", "why": ""} | {"p_adjusted": 0} == {
        **ours,
        "verdict": "",
        "why": "",
        "p_adjusted": 0,
    }


def test_the_order_of_the_rows_decides_nothing(tmp_path):
    given, rows = drawn(2, up=0.3), texts("new")
    order = random.Random(3).sample(range(N), N)
    old = made(tmp_path, "old", drawn(1))
    pages = []
    for places in (range(N), order):
        new = made(tmp_path, "new", [given[at] for at in places], rows=[rows[at] for at in places])
        data = compare([old, new]).as_json()
        pages.append({key: value for key, value in data.items() if key != "sides"})
    assert pages[0] == pages[1]


def test_the_seed_is_used_and_0_is_one(tmp_path):
    runs = [made(tmp_path, "old", drawn(1)), made(tmp_path, "new", drawn(2))]
    ends = [compare(runs, seed=seed).as_json()["overall"]["pairs"][0]["ci95"] for seed in (0, 0, 1)]
    assert ends[0] == ends[1] != ends[2]


def test_one_criterion_alone_is_the_overall_value(tmp_path):
    costs = {"few": [{"errors": float(number % 3)} for number in range(30)]}
    costs["many"] = [{"errors": 6 * one["errors"]} for one in costs["few"]]
    runs = [a_run(url(tmp_path), "translation-mqm", given, name=name) for name, given in costs.items()]
    found = compare(runs)
    assert said(found).startswith("few is milder on these texts than many: -5.0 [-6.")
    assert found.as_json()["criteria"] == {}


def test_a_test_without_its_interval_shows_nothing(tmp_path):
    runs = [
        a_run(url(tmp_path), "translation-mqm", [{"errors": float(v)}] * 20, name=n) for n, v in (("a", 1), ("b", 6))
    ]
    assert "can't be told apart" in said(compare(runs)) and "the interval holds 0" in said(compare(runs))


def test_no_run_is_an_error():
    with pytest.raises(ConfigError, match="no run is named"):
        compare([])


def answered(tmp_path: Path, ahead: Sequence[float], sources: Sequence[str]) -> Comparison:
    """One run of questions on these source texts, whose candidate B is so far ahead of A."""
    files = load("rag-answers", "en")[1]
    rows = [{**a_row(files, number), "sources": [source]} for number, source in enumerate(sources)]
    given = [{one.name: {"A": 5.0, "B": 5.0 + by} for one in files.scored} for by in ahead]
    return compare([a_run(url(tmp_path), "rag-answers", given, rows=rows)])


def test_questions_on_one_source_show_no_winner_among_the_candidates_of_a_run(tmp_path):
    found = answered(tmp_path, [1, 2, 1, 2, 1, 2, 1, 2], ["north"] * 8)
    assert "the 8 items judged on both sides have one source" in said(found)


def test_candidates_of_a_run_are_compared_over_sources_as_runs_are(tmp_path):
    ahead, sources = [1, 2, 1, 0, 1, 2, 1, 1, 3, -1, 0, 1], [f"text {number % 6}" for number in range(12)]
    found = answered(tmp_path, ahead, sources)
    (pair,) = found.as_json()["criteria"]["clarity"]["pairs"]
    # every assignment of signs to the six sources, by hand
    sums = [ahead[at] + ahead[at + 6] for at in range(6)]
    flipped = [abs(sum(map(operator.mul, signs, sums))) for signs in itertools.product((1, -1), repeat=6)]
    beyond, level = (sum(test(one, sum(sums)) for one in flipped) / 64 for test in (operator.gt, operator.eq))
    assert (pair["n"], pair["sources"]) == (12, 6)
    assert pair["p_mid"] == pytest.approx(beyond + level / 2) and pair["p"] == pytest.approx(beyond + level)
    assert "items of one source kept together; sources: 6" in found.sheet.text()
