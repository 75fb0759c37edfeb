"""What a comparison says: sentences and tables from made-up columns of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from adjudge.core.records import Settings
from adjudge.core.runs import Run
from adjudge.report.compared import LABEL_COLUMNS, Compared, Contrast, Gap, LeftOut, Party, labels
from adjudge.report.compared_said import round_up
from adjudge.report.compared_sheet import compared_sheet
from adjudge.report.compared_tables import COLUMNS, LINES
from adjudge.report.plain import width
from adjudge.report.sheet import Sheet
from adjudge.stats.board import Axis, Floats, Ints, generator
from adjudge.stats.paired import compare_pair, settle
from adjudge.stats.together import together

TOTAL = Axis(name="average_score", title="Average score", low=1, high=5, better="higher", derived=True)
COVERAGE = Axis(name="coverage", title="Coverage", low=1, high=5, better="higher")
ERRORS = Axis(name="errors", title="Errors", low=0, high=100, better="lower")
RNG = np.random.default_rng(7)
BASE = RNG.integers(2, 4, 80).astype(float)
JITTER = RNG.integers(0, 2, 80).astype(float)


def run(number: int, **more: Any) -> Run:
    common: dict[str, Any] = {"judge": "summary", "judge_digest": "d", "lang": "en", "data": "x.jsonl", "items": 80}
    common |= {"data_digest": str(number), "settings": Settings(model="m")}
    return Run(id=f"run-{number}", **{**common, **more})


def contrast(
    axis: Axis, columns: Sequence[Floats], *, margin: float | None = None, noise: float | None = None
) -> Contrast:
    pairs = settle(
        [
            compare_pair(a, b, axis=axis, margin=margin, noise=noise, rng=generator(0, axis.name))
            for a, b in combinations(columns, 2)
        ]
    )
    ranked = together(columns, pairs, seed="0") if len(columns) > 2 else None
    return Contrast(axis=axis, pairs=tuple(pairs), together=ranked)


def found(
    overall: Contrast | None,
    criteria: Sequence[Contrast] = (),
    *,
    names: Sequence[str] = ("old", "new"),
    **more: Any,
) -> Compared:
    sides = tuple(
        Party(name=name, label=label, run=run(at), status="complete", items=80, judged=80)
        for at, (name, label) in enumerate(zip(names, labels(names), strict=True))
    )
    common: dict[str, Any] = {"title": "Summary", "lang": "en", "by": "run", "paired_by": "id", "units": 80, "seed": 0}
    common |= {"repeated": (False,) * len(names), "sides": sides}
    return Compared(overall=overall, criteria=tuple(criteria), **{**common, **more})


def told(one: Compared) -> str:
    return " ".join(compared_sheet(one).answers)


def rows(sheet: Sheet, name: str) -> Mapping[str, tuple[str, ...]]:
    (section,) = (one for one in sheet.sections if one.name == name)
    return {row[0]: row[1:] for row in section.rows}


def test_a_winner_is_named_with_how_much_and_how_sure():
    text = told(found(contrast(TOTAL, [BASE, BASE + JITTER])))
    assert text.startswith("new is better than old: +0.")
    assert text.endswith("in Average score on 80 items, p < 0.001.")


def test_the_first_side_may_win_and_its_lead_is_what_is_told():
    one = found(contrast(TOTAL, [BASE + JITTER, BASE]))
    assert told(one).startswith("old is better than new: +0.")
    (line,) = rows(compared_sheet(one), "verdicts").values()
    assert line[0].startswith("-0.") and line[-1] == "worse"


def test_where_low_is_good_the_better_side_has_the_lower_mean():
    one = found(contrast(ERRORS, [10 * BASE + 5 * JITTER, 10 * BASE]))
    assert told(one).startswith("new is better than old: -")
    sheet = compared_sheet(one)
    assert "Lower is better in Errors." in sheet.sections[0].notes


def test_judges_of_the_same_texts_rate_them():
    text = told(found(contrast(TOTAL, [BASE, BASE + JITTER]), same_texts=True))
    assert text.startswith("new is milder on these texts than old")


@pytest.mark.parametrize(("lang", "words"), [("en", ("milder", "stricter")), ("ru", ("мягче", "строже"))])
def test_of_judges_it_is_said_how_strict_they_are_not_how_good(lang, words):
    """Also where low is good: fewer errors found in the same texts are a milder judge."""
    for up, axis in ((1, TOTAL), (-1, ERRORS)):
        sides = [10 * BASE, 10 * BASE + up * 5 * JITTER]
        for pair, word in ((sides, words[0]), (sides[::-1], words[1])):
            sheet = compared_sheet(replace(found(contrast(axis, pair), same_texts=True), lang=lang))
            (line,) = rows(sheet, "verdicts").values()
            assert line[-1].startswith(word)
            assert "better" not in sheet.answers[0] and "лучше" not in sheet.answers[0]


def test_a_winner_that_another_judge_found_is_doubted_at_once():
    text = told(found(contrast(TOTAL, [BASE, BASE + JITTER]), differ={"model": ("m", "x"), "lang": ("en", "ru")}))
    assert text.endswith(
        "But the sides were not judged alike (model, lang): what differs may be the judge, not the texts."
    )


def test_a_small_difference_is_one_and_said_to_be_small():
    text = told(found(contrast(TOTAL, [BASE, BASE + JITTER], margin=2.0)))
    assert "new is better than old" in text and "small: it lies within ±2." in text


def test_sameness():
    noisy = BASE + np.tile([0.5, -0.5], 40)
    assert told(found(contrast(TOTAL, [BASE, noisy], margin=0.4))).startswith(
        "old and new are the same within ±0.4: 0.00"
    )


def test_what_can_t_be_told_apart_has_what_would_tell():
    noisy = BASE + np.tile([1.0, -1.0], 40)
    text = told(found(contrast(TOTAL, [BASE, noisy])))
    assert text.startswith("old and new can't be told apart: 0.00 [-0.2")
    assert "These data could have shown a difference of 0.32. About 130 more items" in text
    assert "to show one of 0.2." in text


@pytest.mark.parametrize(
    ("lang", "paired_by", "said"),
    [
        ("en", "id", "About 130 more items like these"),
        ("en", "source", "About 130 more sources like these"),
        ("en", "query", "About 130 more questions like these"),
        ("ru", "id", "таких записей нужно ещё: около 130."),
        ("ru", "source", "таких источников нужно ещё: около 130."),
        ("ru", "query", "таких вопросов нужно ещё: около 130."),
    ],
)
def test_more_of_what_is_paired_would_be_needed(lang, paired_by, said):
    noisy = BASE + np.tile([1.0, -1.0], 40)
    assert said in told(replace(found(contrast(TOTAL, [BASE, noisy])), lang=lang, paired_by=paired_by))


def test_where_the_margin_could_have_been_shown_more_items_would_show_what_was_seen():
    shift = np.tile([1.0, -1.0], 40) + np.tile([0.6, 0.0, 0.0, 0.0], 20)
    text = told(found(contrast(TOTAL, [BASE, BASE + shift], margin=0.4)))
    assert "can't be told apart: +0.15 [-0.1" in text
    assert text.endswith("more items like these would be needed to show a difference like the one seen.")


def test_a_winner_below_the_noise_is_none():
    text = told(found(contrast(TOTAL, [BASE, BASE + JITTER], noise=3.0)))
    assert text.startswith("old and new can't be told apart: the difference of +0.") and "is below 3.00" in text


def test_gaps_that_could_turn_the_answer_block_it():
    gaps = BASE + JITTER
    gaps[:20] = np.nan
    text = told(found(contrast(TOTAL, [BASE, gaps])))
    assert text.startswith("It can't be said which of old and new is better in Average score")
    assert "items judged on one side only (20)" in text and "On the 60 items that both judged" in text
    low, high = (float(word) for word in text.rstrip(".").split("from ")[1].split(" to "))
    assert low < 0 < high


def test_one_item_is_too_few():
    assert "judged on both sides: 1, and a comparison takes two at least" in told(
        found(contrast(TOTAL, [BASE[:1], BASE[:1]]))
    )


def test_sides_that_rate_every_item_the_same_are_said_to():
    one = found(contrast(TOTAL, [BASE[:40], BASE[:40]]), [contrast(COVERAGE, [BASE[:40], BASE[:40]])])
    assert told(one).startswith("old and new have the same Average score on each of the 40 items. On others of this")
    assert "[-0.29, 0.29]" in told(one) and "p = " not in told(one)
    assert rows(compared_sheet(one), "verdicts")["Coverage"][-1] == "equal on these"
    assert "одно и то же значение" in told(replace(one, lang="ru"))


def of_sources(clusters: Ints) -> Compared:
    pair = compare_pair(BASE, BASE + JITTER, axis=TOTAL, clusters=clusters, rng=generator(0))
    return found(Contrast(axis=TOTAL, pairs=(pair,)))


def test_items_of_one_source_are_no_comparison():
    assert "the 80 items judged on both sides have one source" in told(of_sources(np.zeros(80, dtype=np.int64)))


def test_items_that_share_sources_are_said_to_be_kept_together():
    sheet = compared_sheet(of_sources(np.arange(80) // 4))
    assert "items of one source kept together; sources: 20" in sheet.facts
    assert sheet.warnings == ("Only 20 sources: rare large differences may not be among them.",)
    assert sheet.data["overall"]["pairs"][0]["sources"] == 20
    assert not any("sources" in fact for fact in compared_sheet(of_sources(np.arange(80))).facts)


def test_what_is_permuted_is_counted():
    p, _ = (" ".join(one.notes) for one in compared_sheet(of_sources(np.arange(80) // 4)).sections[:2])
    assert "a permutation test over 20 sources)" in p
    p, _ = (" ".join(one.notes) for one in compared_sheet(of_sources(np.arange(80))).sections[:2])
    assert "a permutation test over 80 items)" in p


def test_nothing_is_reckoned_from_few_sources():
    sheet = compared_sheet(of_sources(np.arange(80) // 20))
    assert "could have shown" not in sheet.answers[0] and "more items" not in sheet.answers[0]
    power = next(one for one in sheet.sections if one.name == "power")
    assert [row[2:] for row in power.rows] == [("—", "—")]
    assert "Below 5 items, or sources, nothing is reckoned from their spread." in power.notes
    known = next(one for one in compared_sheet(of_sources(np.arange(80) // 4)).sections if one.name == "power")
    assert known.rows[0][2] != "—" and not any("reckoned" in note for note in known.notes)


def test_an_interval_without_0_beside_a_test_that_shows_nothing_is_explained():
    (pair,) = of_sources(np.arange(80)).heads[0].pairs
    odd = replace(pair, seen=replace(pair.seen, difference=-0.5, interval=(-0.9, -0.1), p_adjusted=0.067))
    text = told(found(Contrast(axis=TOTAL, pairs=(odd,))))
    assert "can't be told apart" in text and "yet the permutation test does not show a difference" in text
    plain = replace(odd, seen=replace(odd.seen, interval=(-0.9, 0.1)))
    assert "made in different ways" not in told(found(Contrast(axis=TOTAL, pairs=(plain,))))


def test_lines_with_other_numbers_of_items_are_counted_from_and_to():
    short = np.where(np.arange(80) < 1, np.nan, BASE)
    one = found(contrast(TOTAL, [short, BASE + JITTER]), [contrast(COVERAGE, [BASE, BASE + JITTER])])
    assert "a permutation test over 79–80 items)" in " ".join(compared_sheet(one).sections[0].notes)


def test_what_a_run_that_stopped_early_did_not_ask_has_a_reason_of_its_own():
    one = found(contrast(TOTAL, [BASE, BASE + JITTER]), lacking=3, gaps=(Gap(item="i1", side=1, why="stopped"),))
    one = replace(one, sides=(one.sides[0], replace(one.sides[1], lacks={"stopped": 3})))
    sheet = compared_sheet(one)
    assert rows(sheet, "lacking")["i1"] == ("new", "not asked: --until was answered")
    assert any("new: stopped early, when --until was answered" in warning for warning in sheet.warnings)


def test_criteria_that_go_against_the_overall_value_are_named():
    criteria = [contrast(COVERAGE, [BASE, BASE + JITTER]), contrast(ERRORS, [BASE * 10, (BASE + JITTER) * 10])]
    text = told(found(contrast(TOTAL, [BASE, BASE + JITTER]), criteria))
    assert "Against the overall value, old is better than new in Errors (-" in text
    assert "Coverage" not in text


def test_without_an_overall_value_every_criterion_is_told():
    noisy = BASE + np.tile([1.0, -1.0], 40)
    criteria = [contrast(COVERAGE, [BASE, BASE + JITTER]), contrast(replace(COVERAGE, title="Style"), [BASE, noisy])]
    text = told(found(None, criteria))
    assert text.startswith("The judge has no overall value")
    assert "new is better than old in Coverage (+0." in text and "Can't be told apart: Style (0.00)." in text


def three(**more: Any) -> Compared:
    columns = [BASE, BASE + JITTER, BASE + np.tile([0.5, -0.5], 40)]
    return found(contrast(TOTAL, columns), [contrast(COVERAGE, columns)], names=("a", "b", "c"), **more)


def test_three_are_ranked_with_letters_and_a_matrix():
    sheet = compared_sheet(three())
    assert sheet.answers[0].startswith("b is the best of 3 in Average score on 80 items: better than every other.")
    assert list(rows(sheet, "ranking")) == ["1 b", "2 a", "2 c"]
    assert [line[-1] for line in rows(sheet, "ranking").values()] == ["a", "b", "b"]
    matrix = rows(sheet, "matrix")
    assert matrix["b"][0] == "·" and matrix["b"][1].startswith("+0.") and matrix["b"][1].endswith("*")
    assert matrix["a"][0] == matrix["b"][1].replace("+", "-") and matrix["a"][2] == "0.00="
    assert rows(sheet, "criteria")["Coverage"][0].endswith(" a")


def test_a_small_lead_over_others_is_said_to_be_small():
    columns = [BASE, BASE + 0.1 * JITTER, BASE - 1.0 + np.tile([0.5, -0.5], 40)]
    sheet = compared_sheet(found(contrast(TOTAL, columns), names=("a", "b", "c")))
    assert sheet.answers[0] == (
        "b is the best of 3 in Average score on 80 items: better than every other. "
        "Its lead over a is real and small: it lies within ±0.2. 3 of 3 pairs can be told apart. "
        "Pairs whose difference is real and small, within the margin: 1."
    )
    matrix = rows(sheet, "matrix")
    assert matrix["b"][1].endswith("*=") and matrix["a"][0].endswith("*=")
    assert matrix["b"][2].endswith("*") and matrix["c"][0].endswith("*")


def test_what_each_pair_could_have_shown_is_told_as_a_range():
    notes = " ".join(next(one for one in compared_sheet(three()).sections if one.name == "ranking").notes)
    known = [pair.smallest for pair in three().heads[0].pairs if pair.smallest is not None]
    assert f"could have shown a difference of {min(known):.2f} to {max(known):.2f}" in notes
    columns = [BASE, BASE + np.tile([1.0, -1.0], 40), BASE]
    alike = compared_sheet(found(contrast(TOTAL, columns), names=("a", "b", "c"))).text()
    assert " to 0." not in alike and "could have shown a difference of 0." in " ".join(alike.split())


def test_three_that_are_all_the_same():
    columns = [BASE, BASE + np.tile([0.1, -0.1], 40), BASE + np.tile([-0.1, 0.1], 40)]
    text = told(found(contrast(TOTAL, columns), names=("a", "b", "c")))
    assert text == "All 3 are the same within ±0.2 in Average score on 80 items."


def test_three_of_which_none_can_be_told_apart():
    columns = [BASE, BASE + np.tile([1.0, -1.0], 40), BASE + np.tile([-1.0, 1.0, 1.0, -1.0], 20)]
    text = told(found(contrast(TOTAL, columns), names=("a", "b", "c")))
    assert (
        text
        == "None of 3 can be told apart from the others in Average score on 80 items. 0 of 3 pairs can be told apart."
    )


def test_many_sides_are_cut_in_tables_and_not_in_json():
    columns = [BASE + 0.01 * at for at in range(LINES + 2)]
    names = [f"s{at}" for at in range(LINES + 2)]
    sheet = compared_sheet(found(contrast(TOTAL, columns), [contrast(COVERAGE, columns)], names=names))
    assert sheet.title == f"Summary: {LINES + 2} compared"
    assert len(rows(sheet, "ranking")) == LINES and len(rows(sheet, "matrix")) == COLUMNS
    assert {len(line) for line in (*rows(sheet, "matrix").values(), *rows(sheet, "criteria").values())} == {COLUMNS}
    assert len(sheet.data["overall"]["ranking"]) == LINES + 2
    assert f"Shown: {COLUMNS} of {LINES + 2} sides" in sheet.text()


def test_what_a_side_lacks_is_counted_and_told():
    overall = contrast(TOTAL, [BASE, BASE + JITTER])
    one = found(overall)
    sides = (one.sides[0], replace(one.sides[1], lacks={"failed": 2, "absent": 1, "pending": 1, "unscored": 1}))
    gaps = (
        Gap(item="i1", side=1, why="failed", told="timed_out"),
        Gap(item="i2", side=1, why="pending"),
        Gap(item="i3", side=1, why="absent"),
        Gap(item="i4", side=1, why="unscored", told="Coverage"),
    )
    sheet = compared_sheet(replace(one, sides=sides, lacking=5, gaps=gaps))
    assert [line[1] for line in rows(sheet, "lacking").values()] == [
        "failed: timed_out",
        "not judged yet",
        "not in the dataset",
        "not judged: Coverage",
    ]
    page = " ".join(sheet.text().split())
    assert "new: failed 2, not judged yet 1, not in the dataset 1, not judged on everything 1." in page
    assert "Shown: 4 of 5 items." in page
    by_source = compared_sheet(replace(one, sides=sides, lacking=5, gaps=gaps, paired_by="source")).text(width=200)
    assert "no text there" in by_source and "no text there 1" in by_source


@pytest.mark.parametrize(
    ("more", "warning"),
    [
        (
            {"differ": {"model": ("m", "x")}},
            "not judged alike (model: m, x): a difference mixes the texts and the judge",
        ),
        ({"differ": {"model": ("m", "x")}, "same_texts": True}, "adjudge agree run-0 run-1"),
        ({"same_texts": True}, "what differs is noise of the judge"),
        ({"other_source": 3}, "the same id and other source texts on different sides: 3"),
        ({"other_reference": 3}, "(3 items): there what differs may be the golden answers, not the texts"),
        ({"paired_by": "source"}, "paired by their source texts"),
        ({"paired_by": "query"}, "paired by their questions"),
        ({"by": "system", "paired_by": "source", "unnamed": 4}, "Rows that name no system, left out: 4"),
        (
            {"left_out": (LeftOut(title="Style", why="basis", told=("Tone, Wit", "Tone")),)},
            "Style is not compared: it rests on other criteria on different sides (old: Tone, Wit; new: Tone)",
        ),
        ({"left_out": (LeftOut(title="Wit", why="unjudged", told=("Wit", "")),)}, "judged on some sides only (old)"),
    ],
)
def test_what_must_be_known_with_it(more, warning):
    (only,) = compared_sheet(found(contrast(TOTAL, [BASE, BASE + JITTER]), **more)).warnings
    assert warning in only


def test_unfinished_runs_and_few_items_are_warned_of():
    one = found(contrast(TOTAL, [BASE[:6], (BASE + JITTER)[:6]]))
    one = replace(one, sides=(one.sides[0], replace(one.sides[1], status="interrupted")))
    unfinished, few = compared_sheet(one).warnings
    assert "new: the run is not finished" in unfinished and "Only 6 items" in few


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("case", ["two", "three"])
def test_lines_keep_to_the_width_in_both_languages(lang, columns, case):
    two = found(contrast(TOTAL, [BASE, BASE + JITTER]), [contrast(COVERAGE, [BASE, BASE])], names=("x" * 90, "y" * 90))
    sheet = compared_sheet(replace(two if case == "two" else three(), lang=lang))
    lines = sheet.text(width=columns).splitlines()
    assert max(map(width, lines)) <= columns
    assert "$" not in sheet.text() + sheet.markdown()


def test_labels_are_short_and_no_two_alike():
    assert labels(["old", "new"]) == ["old", "new"]
    long = labels(["summary-of-the-first-night", "summary-of-the-first-day", ""])
    assert long == ["1 summary-of-the-fi…", "2 summary-of-the-fi…", "3"]
    assert max(map(width, long)) <= LABEL_COLUMNS


@pytest.mark.parametrize(("count", "about"), [(1, 1), (99, 99), (101, 110), (1234, 1300), (120, 120)])
def test_counts_that_are_only_about_so_large_have_two_figures(count, about):
    assert round_up(count) == about
