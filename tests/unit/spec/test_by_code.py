"""Criteria whose score code makes: spans and checks are read strictly, asked for in full, and never for a number."""

from __future__ import annotations

import json

import pytest

from adjudge.core.errors import SpecError
from adjudge.core.judge import Check, Leaf, category_names
from adjudge.spec.contract import reply_format, schema
from adjudge.spec.prompt import instructions
from tests.unit.spec.files import ENGLISH, JUDGE, changed, load

RATING = "clarity: {kind: rating, scale: {min: 1, max: 3, better: higher}}"
SPANS = (
    "clarity: {kind: spans, scale: {min: 0, max: 50, better: lower, whole: false}, "
    "penalties: {major: 5, minor: 1, minor/marks: 0.1}, categories: [sense/wrong, form/marks, other]}"
)
LABELS = """\
    labels:
      1: Dark
      2: Dim
      3: Clear
"""
SPAN_WORDS = """\
    severities: {major: Major, minor: Minor}
    categories: {sense/wrong: Wrong, form/marks: Marks, other: Other}
"""
CHECKED = "clarity: {kind: rating, scale: {min: 1, max: 3, better: higher}, checks: {short: 1, plain: 2.5}}"
CHECK_WORDS = """\
    checks:
      short: Are the sentences short?
      plain: Are the words plain?
"""
SPANS_JUDGE = changed(changed(JUDGE, RATING, SPANS), "  clarity: clarity\n", "  clarity: clarity.spans\n").replace(
    "mean: [clarity, brevity]", "percent: [clarity, brevity]"
)
SPANS_ENGLISH = changed(ENGLISH, LABELS, SPAN_WORDS)
CHECKS_JUDGE, CHECKS_ENGLISH = changed(JUDGE, RATING, CHECKED), changed(ENGLISH, LABELS, CHECK_WORDS)


def test_spans_are_read_with_their_penalties_and_titles(tmp_path):
    criterion = load(tmp_path, SPANS_JUDGE, SPANS_ENGLISH).criterion("clarity")
    assert criterion.penalties == {"major": 5, "minor": 1, "minor/marks": 0.1}
    assert criterion.categories == {"sense/wrong": "Wrong", "form/marks": "Marks", "other": "Other"}
    assert criterion.severities == {"major": "Major", "minor": "Minor"}
    assert criterion.scale is not None and not criterion.scale.whole and not criterion.scale.labels


def test_the_most_exact_penalty_counts(tmp_path):
    exact = "{minor: 1, minor/form: 2, minor/marks: 3, minor/form/marks: 4, major: 9}"
    told = changed(SPANS_JUDGE, "{major: 5, minor: 1, minor/marks: 0.1}", exact)
    told = changed(told, "form/marks, other]", "form/marks, form/order, other/marks, other]")
    titles = "form/marks: Marks, form/order: Order, other/marks: M"
    english = changed(SPANS_ENGLISH, "form/marks: Marks", titles)
    english = changed(english, "{major: Major, minor: Minor}", "{minor: Minor, major: Major}")
    criterion = load(tmp_path, told, english).criterion("clarity")
    costs = {name: criterion.penalty("minor", name) for name in criterion.categories}
    assert costs == {"sense/wrong": 1, "form/marks": 4, "form/order": 2, "other/marks": 3, "other": 1}
    assert {criterion.penalty("major", name) for name in criterion.categories} == {9}
    assert category_names("other") == ("other",)


def test_the_errors_are_asked_for_and_their_sum_is_not(tmp_path):
    judge = load(tmp_path, SPANS_JUDGE, SPANS_ENGLISH)
    asked = schema(judge, ())["properties"]["clarity"]
    assert list(asked["items"]["properties"]) == ["span", "explanation", "category", "severity"]
    assert asked["items"]["properties"]["category"]["enum"] == ["sense/wrong", "form/marks", "other"]
    assert asked["items"]["properties"]["severity"]["enum"] == ["major", "minor"]
    shown = instructions(judge)
    assert "sense/wrong = Wrong" in shown and "major, minor" in shown
    assert "0.1" not in shown  # who knows the price of an error weighs it by that


def test_without_an_output_of_its_own_spans_have_all_their_parts(tmp_path):
    judge = load(tmp_path, SPANS_JUDGE[: SPANS_JUDGE.index("output:")], SPANS_ENGLISH)
    assert judge.output["clarity"] == {part: Leaf("clarity", part) for part in ("score", "reason", "spans")}
    assert list(schema(judge, ())["properties"]["clarity"]["properties"]) == ["spans"]


def test_spans_stand_in_batches_too(tmp_path):
    told = changed(SPANS_JUDGE, "layout: single", "layout: batch")
    told = changed(changed(told, "  remark: {kind: text}\n", ""), ", remark: remark.text", "")
    english = SPANS_ENGLISH.replace("  remark:\n    title: Remark\n    asks: One sentence.\n", "")
    judge = load(tmp_path, told, english + "merge: 'Merge. {{format}}'\n")
    item = schema(judge, ("a", "b"))["$defs"]["item"]
    assert item["properties"]["clarity"]["items"]["required"] == ["span", "explanation", "category", "severity"]


WRONG_SPANS = [
    ("max: 50, better: lower", "max: 50, better: higher", "judge.yaml:10", "a sum of penalties", "better: lower"),
    ("min: 0, max: 50", "min: 1, max: 50", "judge.yaml:10", "a sum of penalties", "min: 0"),
    (", whole: false", "", "minor/marks", "is a fraction, and the scale has whole points", "whole: false"),
    (", categories: [sense/wrong, form/marks, other]", "", "judge.yaml:10", "categories are missing", "[accuracy/"),
    ("form/marks, other]", "form/marks, form/marks]", "categories", "one stands twice", "categories: ["),
    ("form/marks, other]", "form/marks, Other]", "categories", "can't be called `Other`", "small letters"),
    ("form/marks, other]", "form/marks, a/b/c]", "categories", "can't be called `a/b/c`", "group/name"),
    ("penalties: {major: 5, minor: 1, minor/marks: 0.1}, ", "", "judge.yaml:10", "`penalties` is missing", "add"),
    ("{major: 5, minor: 1, minor/marks: 0.1}", "{}", "penalties", "at least one severity", "major: 5"),
    ("minor: 1, ", "", "minor/marks", "the severity `minor` has no penalty of its own", "add `minor: 1`"),
    ("minor/marks: 0.1", "minor/mark: 0.1", "minor/mark", "no category is called `mark`", "known here: sense/wrong"),
    ("major: 5", "major: -5", "penalties.major", "must be a number of 0 or more", "5 or 0.1"),
    ("major: 5", "major: .inf", "penalties.major", "must be a number of 0 or more", "5 or 0.1"),
    ("major: 5", "major: '5'", "penalties.major", "must be a number of 0 or more", "5 or 0.1"),
    ("major: 5", "Major: 5", "penalties.Major", "a severity can't be called `Major`", "small letters"),
    ("kind: spans,", "kind: spans, measure: support,", "measure", "unknown key `measure`", "known here: kind, scale"),
    ("note: {type: text, role: output}", "note: {type: text}", "fields", "exactly one field of type text", "output"),
    ("clarity.spans", "clarity.score", "judge.yaml:16", "`clarity` has no place", "clarity: clarity.spans"),
    ("clarity.spans", "clarity", "output.clarity", "say which part of `clarity`", "score, reason, spans"),
    ("clarity: clarity.spans", "clarity: [clarity.score, clarity.reason]", "output.clarity", "of one rating", "["),
]


@pytest.mark.parametrize(("old", "new", "where", "what", "hint"), WRONG_SPANS)
def test_a_mistake_in_spans_is_named_with_its_place(tmp_path, old, new, where, what, hint):
    with pytest.raises(SpecError) as caught:
        load(tmp_path, changed(SPANS_JUDGE, old, new), SPANS_ENGLISH)
    assert where in str(caught.value.where) and what in str(caught.value) and hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("    severities: {major: Major, minor: Minor}\n", "", "the key `severities` is missing"),
        ("minor: Minor}", "tiny: Tiny}", "unknown key `tiny`"),
        (", other: Other}", "}", "the key `other` is missing"),
        (", other: Other}", ", other: Other, more: More}", "unknown key `more`"),
    ],
)
def test_every_severity_and_category_has_its_title(tmp_path, old, new, what):
    with pytest.raises(SpecError, match=what):
        load(tmp_path, SPANS_JUDGE, changed(SPANS_ENGLISH, old, new))


def test_checks_are_read_with_their_weights(tmp_path):
    judge = load(tmp_path, CHECKS_JUDGE, CHECKS_ENGLISH)
    assert judge.criterion("clarity").checks == (
        Check(name="short", weight=1, asks="Are the sentences short?"),
        Check(name="plain", weight=2.5, asks="Are the words plain?"),
    )
    assert "plain: Are the words plain?" in instructions(judge)
    assert "2.5" not in instructions(judge)


@pytest.mark.parametrize("shape", ["clarity: clarity", "clarity: [clarity.score, clarity.reason]"])
def test_checks_are_asked_for_in_the_place_of_a_score(tmp_path, shape):
    judge = load(tmp_path, changed(CHECKS_JUDGE, "  clarity: clarity\n", f"  {shape}\n"), CHECKS_ENGLISH)
    asked = schema(judge, ())["properties"]["clarity"]
    assert list(asked["properties"]) == ["checks"]
    assert {name: list(one["properties"]) for name, one in asked["properties"]["checks"]["properties"].items()} == {
        "short": ["why", "met"],
        "plain": ["why", "met"],
    }
    assert '"met": <true or false>' in reply_format(judge)
    assert "1-3" not in json.dumps(asked)


def test_checks_in_parts_are_asked_for_at_the_score(tmp_path):
    parts = "  point: clarity.score\n  because: clarity.reason\n"
    judge = load(tmp_path, changed(CHECKS_JUDGE, "  clarity: clarity\n", parts), CHECKS_ENGLISH)
    asked = schema(judge, ())["properties"]
    assert "because" not in asked and list(asked["point"]["properties"]) == ["checks"]


WRONG_CHECKS = [
    ("plain: 2.5", "plain: 0", CHECKS_ENGLISH, "a check without weight"),
    ("plain: 2.5", "Plain: 2", CHECKS_ENGLISH, "a check can't be called `Plain`"),
    ("plain: 2.5", "plain: much", CHECKS_ENGLISH, "`plain` must be a number of 0 or more"),
    ("{short: 1, plain: 2.5}", "{}", CHECKS_ENGLISH, "no check stands here"),
    (", plain: 2.5", "", CHECKS_ENGLISH, "unknown key `plain`"),
    (", checks: {short: 1, plain: 2.5}", "", CHECKS_ENGLISH, "the key `labels` is missing"),
    ("plain: 2.5", "plain: 2", changed(CHECKS_ENGLISH, "words plain?", "words plain"), "this is not a question"),
    ("plain: 2.5", "plain: 2", changed(ENGLISH, LABELS, LABELS + CHECK_WORDS), "are made of checks"),
    ("plain: 2.5", "plain: 2", ENGLISH, "are made of checks"),
    ("plain: 2.5}", "plain: 2}, evidence: true", CHECKS_ENGLISH, "made of checks or of evidence"),
]


@pytest.mark.parametrize(("old", "new", "english", "what"), WRONG_CHECKS)
def test_a_mistake_in_checks_is_named(tmp_path, old, new, english, what):
    with pytest.raises(SpecError, match=what):
        load(tmp_path, changed(CHECKS_JUDGE, old, new), english)


def test_checks_need_weights(tmp_path):
    with pytest.raises(SpecError, match="names no checks for this criterion"):
        load(tmp_path, JUDGE, changed(ENGLISH, LABELS, LABELS + CHECK_WORDS))
