"""The tables of agreement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adjudge.report.agree_tables import (
    Apart,
    Said,
    apart_section,
    confusion_section,
    detail_section,
    main_section,
)
from adjudge.report.words import words
from adjudge.stats.agreement import FIGURES
from tests.unit.report.test_agree_answers import GOOD, NOISE, SHIFTED, named

EN = words("en")


def test_one_line_for_each_criterion():
    section = main_section("people", [named([*SHIFTED[:-1], np.nan], GOOD)], EN)
    assert section.columns == ("Criterion", "n/N", "Same", "One answer", "±1", "Kappa", "Rho", "Bias")
    (row,) = section.rows
    assert row[:5] == ("Coverage", "59/60", "20 %", "20 % (1)", "100 %")
    assert row[-1] == "-0.80"
    (note,) = section.notes
    assert note.startswith("n/N: texts with a score of the judge, of those with labels.")


def test_a_person_has_a_column_where_several_labelled():
    section = main_section("people", [named(GOOD, [[v, v] for v in GOOD]), named(NOISE, GOOD, title="Depth")], EN)
    at = section.columns.index("A person")
    assert [row[at] for row in section.rows] == ["1.00", "—"]


def test_a_scale_of_two_points_has_no_near_miss():
    (row,) = main_section("people", [named([0, 1] * 10, [1, 1] * 10, low=0, high=1)], EN).rows
    assert row[2:5] == ("50 %", "100 % (yes)", "—")


def test_every_figure_with_its_interval():
    one = named(SHIFTED, [[value, value] for value in GOOD])
    section = detail_section(one, EN)
    assert section.title == "Coverage: all figures over 60 of 60"
    assert section.columns == ("Figure", "Value", "95 % interval", "One answer", "Judge", "Person")
    shown = {row[0]: row[1:] for row in section.rows}
    assert len(shown) == len(FIGURES) - 2  # no source has two texts here
    assert shown["the same point"][0] == "20 %"
    assert shown["the same point"][1].startswith("[") and "." not in shown["the same point"][1]
    assert shown["bias"][0] == "-0.80"
    assert any("no source has two texts" in note for note in section.notes)


def test_why_a_figure_is_not_known():
    section = detail_section(named([3] * 20, GOOD[:20]), EN)
    (note,) = (note for note in section.notes if "the judge gives all of them the same score" in note)
    assert note.startswith("Not known: Pearson's r; Spearman's rho; Kendall's tau-b")


def test_the_margin_within_sources_is_named_where_it_is_another():
    one = named(SHIFTED, GOOD)
    other = replace(one, agreement=replace(one.agreement, epsilon=0.0, epsilon_within=1.0))
    assert "Within a source the margin is 1.00." in detail_section(other, EN).notes
    assert not any("margin is" in note for note in detail_section(one, EN).notes)


def test_who_gave_which_point():
    section = confusion_section("people", named([1, 1, 2], [1, 2, 2], high=2), EN)
    assert section is not None
    assert section.columns == ("people ↓ judge →", "1", "2")
    assert section.rows == (("1", "1", "0"), ("2", "1", "1"))
    assert confusion_section("people", named(range(60), range(60), low=0, high=100), EN) is None


def test_where_they_are_furthest_apart():
    one = Apart(
        item="i1",
        candidate="",
        criterion="coverage",
        title="Coverage",
        gap=2.5,
        judge=Said(who="", value=5.0, why="all there"),
        others=(Said(who="anna", value=2.0, why="half is missing"), Said(who="", value=3.0, why="")),
    )
    section = apart_section("people", [one], EN)
    assert section.rows == (("i1", "Coverage", "5", "2, 3", "+2.50"),)
    assert section.notes == ("i1, Coverage. Judge (5): all there · anna (2): half is missing",)


def test_scores_of_people_are_parted_otherwise_than_their_decimals():
    others = tuple(Said(who="", value=value, why="") for value in (2.5, 1.5))
    judge = Said(who="", value=5.0, why="")
    one = Apart(item="i1", candidate="", criterion="c", title="C", gap=3.0, judge=judge, others=others)
    shown = [apart_section("people", [one], say).rows[0][3] for say in (EN, words("ru"))]
    assert shown == ["2.5, 1.5", "2,5; 1,5"]


def test_a_candidate_is_named_and_many_values_are_a_mean():
    others = tuple(Said(who="", value=value, why="x" * 1000) for value in (1.0, 2.0, 3.0, 4.0, 5.0, 3.0))
    judge = Said(who="", value=None, why="")
    one = Apart(item="i1", candidate="A", criterion="c", title="C", gap=0.0, judge=judge, others=others)
    section = apart_section("people", [one], EN)
    assert section.rows == (("i1", "A", "C", "—", "mean 3", "0.00"),)
    (note,) = section.notes
    assert note.startswith("i1, A, C. A person (1): xxx")
    assert len(note) < 2000
