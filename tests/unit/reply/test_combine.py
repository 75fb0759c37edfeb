"""All opinions on an item make one verdict."""

from __future__ import annotations

from typing import Any

from adjudge.core.records import Claim, Finding, Opinion, Question, Score
from adjudge.reply.combine import combine, named
from tests.unit.reply.judges import ANSWERS, SEARCH, SUMMARY

LABELS = {"X1": "Model B", "X2": "X1-like", "X3": "C"}


def answers(correctness: dict[str, float | None], depth: dict[str, float | None], **more: Any) -> Opinion:
    def per(values: dict[str, float | None], what: str) -> dict[str, Score]:
        return {who: Score(value=value, reason=f"{what} {who} {value}") for who, value in values.items()}

    return Opinion(scores={"correctness": per(correctness, "c"), "depth": per(depth, "d")}, **more)


def summary(*values: float | None, reason: str = "r", **more: Any) -> Opinion:
    names = ("coverage", "accuracy", "coherence")
    return Opinion(
        scores={name: {"": Score(value=value, reason=reason)} for name, value in zip(names, values, strict=True)},
        **more,
    )


def test_one_opinion_is_its_own_verdict():
    found = combine(SUMMARY, "i", [summary(1, 2, 4, texts={"conclusion": "end"})], sources=(), calls=["k1", "k2"])
    assert found.scores == {"coverage": 1, "accuracy": 2, "coherence": 4}
    assert found.reasons == {"coverage": "r", "accuracy": "r", "coherence": "r"}
    assert found.derived == {"average_score": 7 / 3}
    assert found.native["overall"] == {"average_score": 2.33, "conclusion": "end"}
    assert (found.item, found.calls, found.flags) == ("i", ("k1", "k2"), ())


def test_repeats_are_averaged_and_the_nearest_reason_is_kept():
    opinions = [summary(1, 2, 3, reason="low"), summary(4, 2, 3, reason="near"), summary(5, 3, 3, reason="high")]
    found = combine(SUMMARY, "i", opinions, sources=())
    assert found.scores == {"coverage": 10 / 3, "accuracy": 7 / 3, "coherence": 3}
    assert found.reasons == {"coverage": "near", "accuracy": "low", "coherence": "low"}
    assert found.native["coverage"] == {"score": 3, "justification": "near"}
    assert found.native["accuracy"] == {"score": 2, "justification": "low"}


def test_halves_go_up_in_native_verdicts_and_stay_as_measured_in_scores():
    found = combine(SUMMARY, "i", [summary(2, 4, 1), summary(3, 5, 2)], sources=())
    assert found.scores == {"coverage": 2.5, "accuracy": 4.5, "coherence": 1.5}
    assert [found.native[name]["score"] for name in found.scores] == [3, 5, 2]
    assert found.derived["average_score"] == 8.5 / 3
    assert found.native["overall"]["average_score"] == 3.33


def test_what_was_not_judged_is_absent_and_flagged():
    found = combine(SUMMARY, "i", [summary(2, None, 4, reason="why not")], sources=())
    assert found.scores == {"coverage": 2, "coherence": 4}
    assert found.reasons["accuracy"] == "why not"
    assert found.derived == {"average_score": 3}
    assert found.native["accuracy"] == {"score": None, "justification": "why not"}
    assert found.flags == ("not_all_judged",)


def test_a_candidate_that_nobody_judged_is_flagged():
    one = answers({"A": 2, "B": 3, "C": None}, {"A": 2, "B": 3, "C": None})
    found = combine(ANSWERS, "i", [one], sources=(), candidates=("A", "B", "C"))
    assert found.flags == ("not_all_judged",)
    assert found.derived["total"] == {"A": 4, "B": 6}
    assert found.native["scores"]["depth"]["C"]["score"] is None


def test_candidates_keep_the_order_of_the_dataset():
    opinions = [answers({"C": 1, "A": 2, "B": 3}, {"C": 1, "A": 2, "B": 3})]
    found = combine(ANSWERS, "i", opinions, sources=(), candidates=("B", "C", "A"))
    for mapping in (found.scores["depth"], found.reasons["depth"], found.derived["total"], found.native["totals"]):
        assert list(mapping) == ["B", "C", "A"]  # type: ignore[arg-type]
    tied = [answers({"C": 1, "A": 2, "B": 2}, {"C": 1, "A": 2, "B": 2})]
    assert combine(ANSWERS, "i", tied, sources=(), candidates=("B", "C", "A")).native["tied"] == ["B", "A"]


def test_orders_that_disagree_are_flagged():
    first, second = answers({"A": 5, "B": 1}, {"A": 1, "B": 1}), answers({"A": 1, "B": 5}, {"A": 1, "B": 1})
    found = combine(ANSWERS, "i", [first, second], sources=(), candidates=("A", "B"))
    assert found.derived["winner"] == {"winner": None, "tied": ["A", "B"]}
    assert found.flags == ("order_flip",)


def test_a_leader_that_was_once_behind_is_not_separable():
    first, second = answers({"A": 4, "B": 3}, {"A": 4, "B": 4}), answers({"A": 3, "B": 4}, {"A": 5, "B": 1})
    third = answers({"A": 0, "B": 3}, {"A": 4, "B": 2})
    clear = combine(ANSWERS, "i", [first, second], sources=(), candidates=("A", "B"))
    assert (clear.native["winner"], clear.flags) == ("A", ())
    found = combine(ANSWERS, "i", [first, second, third], sources=(), candidates=("A", "B"))
    assert found.derived["winner"] == {"winner": "A", "tied": []}, "the arithmetic stays"
    assert found.flags == ("order_flip", "not_separable")


def test_a_leader_behind_two_that_tie_is_not_separable_though_no_winner_changed():
    first, second = (
        answers({"A": 5, "B": 2, "C": 2}, {"A": 5, "B": 2, "C": 2}),
        answers({"A": 2, "B": 3, "C": 3}, {"A": 3, "B": 3, "C": 3}),
    )
    found = combine(ANSWERS, "i", [first, second], sources=(), candidates=("A", "B", "C"))
    assert found.native["winner"] == "A"
    assert found.flags == ("not_separable",)


def test_equal_to_the_leader_once_is_separable_still():
    opinions = [answers({"A": 3, "B": 2}, {"A": 3, "B": 3}), answers({"A": 3, "B": 2}, {"A": 2, "B": 3})]
    assert combine(ANSWERS, "i", opinions, sources=(), candidates=("A", "B")).flags == ()


def test_a_winner_that_rounding_changes_is_flagged():
    first, second = answers({"A": 3, "B": 3}, {"A": 2, "B": 3}), answers({"A": 4, "B": 4}, {"A": 3, "B": 3})
    found = combine(ANSWERS, "i", [first, second], sources=(), candidates=("A", "B"))
    assert found.derived["winner"] == {"winner": "B", "tied": []}
    assert found.native["winner"] is None
    assert "rounding_changes_winner" in found.flags


def test_flags_of_all_opinions_are_kept_once():
    opinions = [summary(1, 1, 1, flags=("a", "b")), summary(1, 1, 1, flags=("b", "c"))]
    assert combine(SUMMARY, "i", opinions, sources=()).flags == ("a", "b", "c")


def test_a_stated_figure_is_compared_with_its_own_opinion():
    """The mean over repeats differs from each opinion's own mean, and that is nobody's mistake."""
    opinions = [summary(1, 1, 1, stated={"average_score": 1}), summary(5, 5, 5, stated={"average_score": 5})]
    assert combine(SUMMARY, "i", opinions, sources=()).flags == ()
    opinions[1] = summary(5, 5, 5, stated={"average_score": 3})
    assert combine(SUMMARY, "i", opinions, sources=()).flags == ("stated_average_score_differs",)


def test_claims_and_questions_come_with_the_reason_of_their_score():
    def search(score: float, share: float, word: str) -> Opinion:
        values = {"hallucination": score, "quality": share, "relevancy": 2.0}
        return Opinion(
            scores={name: {"": Score(value=value, reason=word)} for name, value in values.items()},
            claims={"hallucination": (Claim(text=word, supported=True),)},
            questions={"quality": (Question(source="1", text=word, answered=True),)},
            selected={"relevant_sources": ("1",)},
        )

    opinions = [search(3, 0, "first"), search(1, 90, "second"), search(0, 80, "third")]
    found = combine(SEARCH, "i", opinions, sources=())
    assert found.native["hallucination_evaluation"]["hallucination_score"] == 1
    assert found.native["hallucination_evaluation"]["hallucination_justification"] == "second"
    assert found.native["hallucination_evaluation"]["claims"][0]["text"] == "second"
    assert found.native["summary_quality_evaluation"]["summary_quality_score"] == 57
    assert found.native["summary_quality_evaluation"]["questions_and_answers"][0]["questions"][0]["question"] == "third"


def test_labels_in_prose_are_given_their_names_again():
    opinion = answers({"C": 1}, {"C": 1}, texts={"conclusion": "X1 beats X2, (X3) and X1's; not X12, aX1, x1, Х1"})
    told = named(opinion, LABELS)
    assert told.texts["conclusion"] == "Model B beats X1-like, (C) and Model B's; not X12, aX1, x1, Х1"
    assert named(opinion, {}) is opinion
    reasons = answers({"C": 1}, {"C": 1})
    reasons = Opinion(scores={"depth": {"C": Score(value=1, reason="X3 < X2 \\1")}})
    assert named(reasons, LABELS).scores["depth"]["C"] == Score(value=1, reason="C < X1-like \\1")


def test_names_that_look_like_patterns_are_text():
    opinion = Opinion(scores={}, texts={"t": "X1 and X2"})
    assert named(opinion, {"X1": r"\g<0>$1", "X2": "(.*)"}).texts["t"] == r"\g<0>$1 and (.*)"


def test_the_reasons_of_checks_name_candidates_and_quotations_stay_as_they_are():
    told = [Finding(kind=kind, reason="X1 is wrong") for kind in ("check_unmet", "check_met", "quote_verified")]
    found = named(Opinion(scores={}, findings={"depth": {"C": tuple(told)}}), LABELS).findings["depth"]["C"]
    assert [one.reason for one in found] == ["Model B is wrong", "Model B is wrong", "X1 is wrong"]


def test_the_quotes_of_every_opinion_are_counted_though_one_keeps_its_own():
    def resting_on(state: str, *more: str) -> dict[str, Any]:
        kinds = [f"quote_{one}" for one in (state, *more)]
        told = tuple(Finding(kind=kind, reason="q") for kind in (*kinds, "check_met"))
        return {"findings": {"correctness": {"A": told, "B": told[:1]}}}

    first = answers({"A": 1, "B": 2}, {"A": 1, "B": 2}, **resting_on("verified", "verified"))
    other = answers({"A": 1, "B": 2}, {"A": 1, "B": 2}, **resting_on("not_found"))
    found = combine(ANSWERS, "i", [first, other], sources=(), candidates=("A", "B"))
    assert found.quotes == {"correctness": {"quote_verified": 3, "quote_not_found": 2}}
    assert [one["kind"] for one in found.findings].count("quote_not_found") == 0
    alone = combine(ANSWERS, "i", [first], sources=(), candidates=("A", "B"))
    assert alone.quotes == {}, "its findings say it all"
