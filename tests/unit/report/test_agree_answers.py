"""The sentences that say whether a judge can be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from adjudge.report.agree_answers import (
    Kind,
    Named,
    answers,
    found_of,
    listed,
    people_differ,
    people_warnings,
    point_of,
)
from adjudge.report.words import words
from adjudge.stats.agreement import agreement
from adjudge.stats.board import Axis, generator

EN, RU = words("en"), words("ru")


def named(judge, people, *, low=1, high=5, title="Coverage", clusters=None) -> Named:
    """The agreement of a judge with people: a list of values, or a list of lists with one for each person."""
    axis = Axis(name=title.lower(), title=title, low=low, high=high, better="higher")
    table = np.array(people, dtype=float)
    table = table[:, None] if table.ndim == 1 else table
    own = np.array(judge, dtype=float)
    groups = np.arange(len(own)) if clusters is None else np.array(clusters)
    found = agreement(own, table, groups, axis=axis, rng=generator(0, "test"))
    return Named(agreement=found, title=title, annotators=tuple("abcdefgh"[: table.shape[1]]))


def told(*found: Named, kind: Kind = "people", languages=None, say=EN) -> list[str]:
    return list(answers(kind, found, languages or {}, say))


GOOD = [1, 2, 3, 4, 5] * 12
NOISE = [int(value) for value in np.random.default_rng(5).integers(1, 6, 60)]
#: Exactly right one time in five, as chance would have it.
UNRELATED = [(at + at // 5) % 5 + 1 for at in range(60)]
#: Right in its order and never in its point.
SHIFTED = [1, 1, 2, 3, 4] * 12


def test_beyond_chance():
    one = named([1, 2, 3, 4, 4] * 12, GOOD)
    assert found_of(one.agreement) == "beyond"
    assert told(one)[0].startswith("The judge agrees with people beyond chance on Coverage (0.9")


def test_not_to_be_told_from_chance():
    one = named(UNRELATED, GOOD)
    assert found_of(one.agreement) == "chance"
    assert told(one)[0].startswith("Agreement with people can't be told from chance on Coverage (0.")


def test_worse_than_one_answer_comes_first():
    people = [5] * 41 + [1] * 19
    judge = [1] * 15 + [5] * 26 + [5] * 15 + [1] * 4
    bad = named(judge, people, title="Accuracy")
    said = told(named(GOOD, GOOD), bad)
    assert said[0].startswith("On Accuracy the judge does worse here than always answering 5: it agrees with people on")
    assert "50 % of 60" in said[0] and "68 %" in said[0] and "can't be told from chance" in said[0]
    assert said[1].startswith("The judge agrees with people beyond chance on Coverage (1.00 [0.8")


def test_against_people_is_not_chance():
    one = named([6 - value for value in GOOD], GOOD)
    assert found_of(one.agreement) == "against"
    said = told(one, named(GOOD, GOOD, title="Depth"))
    assert said[0].startswith("The judge goes against people on Coverage (-1.00 [-1.00, -0.8")
    assert "same end of the scale" in said[0]
    assert told(one, say=RU)[0].startswith("Судья идёт вразрез с людьми: Coverage (-1,00")
    (lost,) = (line for line in told(named(GOOD, GOOD), languages={"ru": [one]}) if "language ru" in line)
    assert "Coverage (-1.00" in lost


@pytest.mark.parametrize(("n", "found"), [(1, "unknown"), (4, "unknown"), (5, "chance"), (10, "beyond")])
def test_few_texts_that_all_agree_prove_little(n, found):
    one = named(GOOD[:n], GOOD[:n])
    assert found_of(one.agreement) == found
    assert not n < 10 or not any("beyond" in sentence for sentence in told(one))


def test_of_repeats_no_answer_is_right_more_often():
    noisy = named([5] * 26 + [1] * 15 + [5] * 15 + [1] * 4, [5] * 41 + [1] * 19)
    assert found_of(noisy.agreement) == "worse"
    (said,) = told(noisy, kind="repeats")
    assert said.startswith("Agreement with itself can't be told from chance on Coverage")
    coarse = named([4] * 40 + [1, 2, 4, 5] * 8, [3] * 40 + [1, 2, 4, 5] * 8)
    assert not any("one and the same answer" in sentence for sentence in told(coarse, kind="repeats"))


def test_right_in_its_order_and_wrong_in_its_points():
    people = [3] * 40 + [1, 2, 4, 5] * 8
    one = named([4] * 40 + [1, 2, 4, 5] * 8, people)
    assert found_of(one.agreement) == "beyond"
    (said,) = (sentence for sentence in told(one) if sentence.startswith("Even so"))
    assert "Coverage (always 3: 56 %, the judge: 44 %)" in said
    assert "trust its order" in said


def test_nothing_can_be_said():
    assert "can't be said: all of them were labelled the same" in told(named(GOOD, [3] * 60))[0]
    assert "can't be said: no text has a score of both" in told(named([np.nan] * 3, [1, 2, 3]))[0]
    assert "can't be said: all texts belong to one source" in told(named(NOISE, GOOD, clusters=[0] * 60))[0]


def test_bias_is_said_where_it_is_sure():
    said = told(named(SHIFTED, GOOD), named([1, 2, 3, 4, 5] * 12, GOOD, title="Depth"))
    (less,) = (sentence for sentence in said if "fewer points than people" in sentence)
    assert "Coverage (-0.80 [" in less and "Depth" not in less
    assert not any("more points" in sentence for sentence in said)
    more = told(named(GOOD, SHIFTED), kind="judge")
    assert any("more points than the other run on Coverage (+0.80" in sentence for sentence in more)
    assert not any("more points" in sentence for sentence in told(named(GOOD, SHIFTED), kind="repeats"))


def test_beside_a_person():
    people = [[value, value, min(5, value + 1)] for value in GOOD]
    said = told(named(NOISE, people), named(GOOD, people, title="Depth"))
    (beside,) = (sentence for sentence in said if sentence.startswith("Each held against"))
    assert " on Coverage and " in beside and beside.endswith(" on Depth.")


def test_the_alternative_annotator_test():
    draw = np.random.default_rng(1)
    people = np.clip(np.array(GOOD)[:, None] + draw.integers(-1, 2, (60, 3)), 1, 5).tolist()
    said = told(named(GOOD, people), named(NOISE, people, title="Depth"))
    assert any("may stand in for a person on Coverage (it holds its own against 3 of 3 people)" in s for s in said)
    assert any("may not stand in for a person on Depth (it holds its own against 0 of 3 people)" in s for s in said)
    assert not any("says little" in sentence for sentence in said)
    hollow = told(replace(named(GOOD, people), hollow=True))
    assert any(sentence.startswith("On Coverage that says little: one and the same answer") for sentence in hollow)
    assert any("takes at least 3 people" in sentence for sentence in told(named(GOOD, GOOD)))
    assert any("texts of 30 sources or more" in sentence for sentence in told(named(GOOD[:20], people[:20])))
    assert not any("stand in" in sentence for sentence in told(named(GOOD, GOOD), kind="judge"))


def test_a_language_in_which_it_fails():
    good, bad = named(GOOD, GOOD), named(UNRELATED, GOOD)
    said = told(good, languages={"en": [good], "ru": [bad]})
    (sentence,) = (sentence for sentence in said if "language" in sentence)
    assert sentence.startswith(
        "In texts of language ru, though, it does not agree with people beyond chance on Coverage"
    )


def test_people_who_do_not_agree_with_each_other():
    draw = np.random.default_rng(2)
    assert people_differ(named(GOOD, draw.integers(1, 6, (60, 3)).tolist()).agreement)
    assert not people_differ(named(GOOD, [[value, value] for value in GOOD]).agreement)
    assert not people_differ(named(GOOD, GOOD).agreement)


@pytest.mark.parametrize(("point", "english", "russian"), [(0, "no", "нет"), (1, "yes", "да")])
def test_points_of_yes_and_no(point, english, russian):
    one = named([0, 1] * 10, [0, 1] * 10, low=0, high=1).agreement
    assert (point_of(one, point, EN), point_of(one, point, RU)) == (english, russian)
    assert point_of(named(GOOD, GOOD).agreement, point, EN) == str(point)


def test_lists_as_sentences_have_them():
    assert [listed(parts, EN) for parts in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert listed(["a", "b"], RU) == "a и b"


def test_in_russian_too():
    said = told(named(SHIFTED, [[value, value, value] for value in GOOD]), say=RU)
    assert said[0].startswith("Судья согласен с людьми сверх случайного: Coverage (0,")
    assert any(sentence.startswith("Судья ставит меньше баллов, чем люди: Coverage (-0,80") for sentence in said)


@pytest.mark.parametrize(
    ("say", "people", "judge"),
    [
        (EN, "In texts of language ru people's agreement", "In texts of language ru, though"),
        (RU, "В текстах на языке ru согласие людей между собой", "Но в текстах на языке ru"),
    ],
)
def test_a_language_in_which_people_do_not_agree_is_no_fault_of_the_judge(say, people, judge):
    draw = np.random.default_rng(2)
    good = named(GOOD, [[value, value] for value in GOOD])
    torn = named(UNRELATED, draw.integers(1, 6, (60, 3)).tolist())
    assert people_differ(torn.agreement) and found_of(torn.agreement) == "worse"
    said = told(good, languages={"en": [good], "ru": [torn]}, say=say)
    assert said[1].startswith(people) and "Coverage" in said[1]
    assert not any(judge in sentence for sentence in said)
    alone = told(good, languages={"en": [good], "ru": [named(UNRELATED, GOOD)]}, say=say)
    assert any(judge in sentence for sentence in alone) and not any(people in sentence for sentence in alone)
    assert not list(people_warnings([good], {"en": [good], "ru": [torn]}, say))


def test_people_who_do_not_agree_come_first_where_that_decides():
    draw = np.random.default_rng(2)
    torn = named(UNRELATED, draw.integers(1, 6, (60, 3)).tolist())
    said = told(torn, named(GOOD, GOOD, title="Depth"), languages={"en": [torn], "ru": [torn]})
    assert said[0].startswith("People's agreement with each other can't be told from chance: Coverage. ")
    assert not any("language" in sentence for sentence in said)
    assert not list(people_warnings([torn], {"en": [torn], "ru": [torn]}, EN))


def test_people_who_do_not_agree_are_a_warning_where_the_judge_agrees_with_their_mean():
    draw = np.random.default_rng(2)
    people = draw.integers(1, 6, (60, 3))
    near = named(people.mean(axis=1).round().tolist(), people.tolist())
    assert people_differ(near.agreement) and found_of(near.agreement) == "beyond"
    assert not any("People's agreement" in sentence for sentence in told(near))
    (warned,) = people_warnings([near], {}, EN)
    assert warned.startswith("People's agreement with each other can't be told from chance: Coverage. ")
    good = named(GOOD, [[value, value] for value in GOOD])
    (warned,) = people_warnings([good], {"ru": [near]}, EN)
    assert warned.startswith("In texts of language ru people's agreement")


@pytest.mark.parametrize("judge", [[1, 2, 3, 4, 5] * 2, [2, 1, 3, 5, 4] * 2])
def test_few_sources_are_said_to_be_few_and_not_to_look_like_chance(judge):
    clusters = [0] * 5 + [1] * 5
    one = named(judge, [1, 2, 3, 4, 5] * 2, clusters=clusters)
    assert found_of(one.agreement) == "unknown"
    (said,) = (line for line in told(one, kind="repeats"))
    assert "agrees with itself" in said and said.endswith("there are too few sources (2).")
    assert "источников слишком мало (2)" in told(one, kind="repeats", say=RU)[0]


def test_few_texts_are_said_to_be_few():
    assert any("there are too few texts" in line for line in told(named([1, 2, 3], [1, 2, 3])))
