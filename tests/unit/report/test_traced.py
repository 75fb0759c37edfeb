"""From a sentence of the summary to the items behind it."""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.judge import Criterion
from adjudge.core.scale import Scale
from adjudge.report.traced import traced
from tests.unit.report.sample import failure, single, verdict

JUDGE = replace(
    single(),
    criteria=(
        Criterion(name="coverage", kind="rating", scale=Scale(min=1, max=5)),
        Criterion(name="hallucination", kind="rating", scale=Scale(min=0, max=3, better="lower")),
        Criterion(name="share", kind="rating", scale=Scale(min=0, max=100, whole=False)),
    ),
)


def said(texts, scores, name="coverage", judge=JUDGE, **options):
    outcomes = [(n, verdict(f"i{n}", {name: score}) if score is not None else failure(f"i{n}")) for n, score in scores]
    return traced(judge, texts, outcomes, **options).get(name, "")


def test_counts_and_the_worst_come_from_the_scores():
    found = said({"coverage": "Fine."}, enumerate([5, 1, 3, 3, 5, 4.6, None, 2.5]))
    assert found == (
        "Fine. Items worse than 5: 4 of 7 judged (score 1: 1, score 3: 3). The worst: [i1] 1, [i7] 2.5, [i2] 3, [i3] 3."
    )


def test_where_low_is_good_the_worst_is_high():
    assert said({}, enumerate([0, 3, 1]), "hallucination") == (
        "Items worse than 0: 2 of 3 judged (score 3: 1, score 1: 1). The worst: [i1] 3, [i2] 1."
    )


def test_where_all_is_at_its_best_nothing_is_named():
    assert said({"coverage": "Fine."}, enumerate([5, 5])) == "Fine. Items worse than 5: 0 of 2 judged."


def test_where_nothing_was_judged_the_prose_stands_alone_and_nothing_is_made_up():
    assert said({"coverage": "Not judged."}, enumerate([None])) == "Not judged."
    assert traced(JUDGE, {}, []) == {}


def test_many_points_are_no_line():
    found = said({}, enumerate([float(n) for n in range(50)]), "share")
    assert found.startswith("Items worse than 100: 50 of 50 judged. The worst: [i0] 0, [i1] 1,")


def test_a_sentence_names_the_lowest_of_its_batches_in_the_order_of_the_dataset_where_equal():
    scores = list(enumerate([5, 4, 2, 2, 5, 5, 1, None, 5]))
    found = said({"coverage": "A [1]. B [2, 3]. C [3]. D [4]."}, scores, batches=(1, 2, 3), size=3)
    assert found.startswith("A [i2, i1, i0]. B [i6, i3, i4]. C [i6, i8]. D. Items worse than 5: 4 of 8")


def test_a_batch_without_a_verdict_leads_nowhere():
    assert said({"coverage": "A [2]."}, [(0, 5), (1, None)], batches=(1, 2)).startswith("A. Items")


def test_ids_stand_as_they_are_in_the_dataset():
    outcomes = [(0, verdict("a [b], «c»\n$n", {"coverage": 1}))]
    found = traced(JUDGE, {"coverage": "A [1]."}, outcomes, batches=(1,))["coverage"]
    assert found.startswith("A [a [b], «c»\n$n].") and found.endswith("The worst: [a [b], «c»\n$n] 1.")
