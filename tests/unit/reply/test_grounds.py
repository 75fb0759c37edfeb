from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.judge import Criterion, Judge, Leaf
from adjudge.core.limits import QUOTES_LOOKED_UP
from adjudge.core.records import Finding, Opinion, Source
from adjudge.core.scale import Scale
from adjudge.reply.combine import combine
from adjudge.reply.read import Expected, ladder, read
from tests.unit.reply.judges import FIVE, SEARCH, judge

SOURCES = (
    Source(id="s1", text="The clock stopped in 1987, at twenty past four.", url="https://one.example/"),
    Source(id="s2", text="Ilsa found the note behind the dial."),
)
GROUNDED = Criterion(name="accuracy", kind="rating", scale=FIVE, evidence=True)
PLAIN = Criterion(name="style", kind="rating", scale=FIVE)
WHOLE = judge("single", (GROUNDED, PLAIN), {"accuracy": Leaf("accuracy"), "style": Leaf("style")})
APART = judge(
    "single",
    (GROUNDED, PLAIN),
    {
        "a": {part: Leaf("accuracy", part) for part in ("score", "reason", "evidence")},
        "style": Leaf("style"),
    },
)
COMPARE = judge("compare", (GROUNDED,), {"accuracy": Leaf("accuracy")})
BATCH = judge("batch", (GROUNDED,), {"accuracy": (Leaf("accuracy", "score"), Leaf("accuracy", "reason"))})
STATES = {
    "The clock stopped in 1987": ("quote_verified", "s1", (0, 25)),
    "the clock stopped … twenty past four": ("quote_repaired", "s1", (0, 46)),
    "Ilsa found the note": ("quote_misattributed", "s2", (0, 19)),
    "The clock stopped in 1988": ("quote_not_found", "", None),
}


def quotes(source: Any = 1) -> list[dict[str, Any]]:
    return [{"source": source, "quote": quote} for quote in STATES]


def told() -> tuple[Finding, ...]:
    return tuple(
        Finding(kind=kind, reason=quote, source=source, source_at=at, against=kind[6] in "mn")
        for quote, (kind, source, at) in STATES.items()
    )


def both(asked: Judge, value: Any, **shown: Any) -> Opinion:
    """The opinion as both ways of reading find it."""
    expected = Expected(sources={"": SOURCES}, **shown)
    text = json.dumps(value)
    found = read(asked, text, expected)
    assert found.step == "strict"
    assert ladder(asked, text, expected).opinions == found.opinions
    return next(iter(found.opinions.values()))


def whole(evidence: Any, score: int = 3) -> dict[str, Any]:
    given = {} if evidence is None else {"evidence": evidence}
    return {
        "accuracy": {**given, "justification": "because", "score": score},
        "style": {"justification": "because", "score": 4},
    }


def test_each_quote_of_a_rating_becomes_a_finding():
    found = both(WHOLE, whole(quotes()))
    assert found.findings == {"accuracy": {"": told()}}
    assert found.flags == ("quote_misattributed:accuracy", "quote_not_found:accuracy")
    assert (found.scores["accuracy"][""].value, found.scores["accuracy"][""].reason) == (3, "because")


def test_the_native_shape_of_a_whole_rating_is_that_of_one_without_evidence():
    verdict = combine(WHOLE, "i", [both(WHOLE, whole(quotes()))], sources=SOURCES)
    assert verdict.native["accuracy"] == {"score": 3, "justification": "because"}
    assert [one["kind"] for one in verdict.findings] == [kind for kind, _, _ in STATES.values()]
    assert verdict.findings[0]["source_at"] == [0, 25]


@pytest.mark.parametrize(
    "evidence", [None, [], "", {}, 5, [None, 3, {"quote": 7}, {"quote": " "}], {"source": 1}, "…", "—"]
)
def test_a_reply_without_evidence_is_still_a_verdict(evidence):
    found = both(WHOLE, whole(evidence))
    assert (found.scores["accuracy"][""].value, found.findings) == (3, {})
    assert found.flags == ("no_evidence:accuracy",)
    assert both(WHOLE, whole(evidence, score=5)).flags == ()


def test_shapes_of_other_prompts_are_read_as_before():
    expected = Expected(sources={"": SOURCES})
    for accuracy in ([3, "because"], 3, {"rating": 3, "why": "because"}):
        found = read(WHOLE, json.dumps({"accuracy": accuracy, "style": 4}), expected).opinions[""]
        assert found.scores["accuracy"][""].value == 3 and "no_evidence:accuracy" in found.flags


@pytest.mark.parametrize(
    ("key", "evidence"),
    [
        ("quotes", "The clock stopped in 1987"),
        ("цитаты", ["The clock stopped in 1987"]),
        ("Evidence", {"quote": "The clock stopped in 1987", "source": "s1"}),
        ("evidence", [{"цитата": "The clock stopped in 1987", "url": "https://one.example/"}]),
        ("evidence", [{"quote": "The clock stopped in 1987", "source": [2, 1]}]),
    ],
)
def test_evidence_is_read_in_the_spelling_a_model_chose(key, evidence):
    value = {"accuracy": {key: evidence, "justification": "because", "score": 3}, "style": 4}
    found = read(WHOLE, json.dumps(value), Expected(sources={"": SOURCES})).opinions[""]
    assert found.findings["accuracy"][""] == told()[:1]


def test_a_source_that_does_not_exist_is_flagged_and_any_will_do():
    found = both(WHOLE, whole([{"source": 9, "quote": "Ilsa found the note"}]))
    assert found.findings["accuracy"][""][0].kind == "quote_verified"
    assert found.flags == ("unknown_source:9",)


def test_evidence_with_a_place_of_its_own_is_shown_in_the_native_verdict():
    value = {"a": {"score": 3, "reason": "because", "evidence": quotes()}, "style": {"justification": "", "score": 5}}
    found = both(APART, value)
    assert found.findings["accuracy"][""] == told()
    native = combine(APART, "i", [found], sources=SOURCES).native
    assert native["a"]["evidence"] == [
        {"quote": "The clock stopped in 1987", "source": "https://one.example/", "found": "verified"},
        {"quote": "the clock stopped … twenty past four", "source": "https://one.example/", "found": "repaired"},
        {"quote": "Ilsa found the note", "source": "s2", "found": "misattributed"},
        {"quote": "The clock stopped in 1988", "source": None, "found": "not_found"},
    ]
    bare = {"a": {"score": 3, "reason": "because"}, "style": {"justification": "", "score": 5}}
    assert both(APART, bare).flags == ("no_evidence:accuracy",)


def test_candidates_have_their_own():
    value = {
        "accuracy": {
            "X1": {"evidence": quotes()[:1], "justification": "because", "score": 3},
            "X2": {"evidence": [], "justification": "", "score": 5},
        }
    }
    labels = {"X1": "mine", "X2": "theirs"}
    found = both(COMPARE, value, labels=labels)
    assert found.findings == {"accuracy": {"mine": told()[:1]}}
    assert found.flags == ()
    value["accuracy"]["X2"].update(score=4, justification="because")
    assert both(COMPARE, value, labels=labels).flags == ("no_evidence:accuracy",)


def test_items_of_a_batch_are_looked_up_in_their_own_sources():
    value = {
        "scores": {
            "a": {"accuracy": {"evidence": quotes()[:1], "why": "because", "score": 3}},
            "b": {"accuracy": {"evidence": quotes()[:1], "why": "because", "score": 3}},
        }
    }
    expected = Expected(labels={"a": "1", "b": "2"}, sources={"1": SOURCES[:1], "2": SOURCES[1:]})
    text = json.dumps(value)
    found = read(BATCH, text, expected)
    assert (found.step, ladder(BATCH, text, expected).opinions) == ("strict", found.opinions)
    kinds = {item: one.findings["accuracy"][""][0].kind for item, one in found.opinions.items()}
    assert kinds == {"1": "quote_verified", "2": "quote_not_found"}


def test_the_quote_of_a_claim_is_a_finding_and_its_native_shape_stays():
    claims = [
        {"text": f"claim {n}", "quote": quote, "sources": [1], "verdict": "supported"} for n, quote in enumerate(STATES)
    ]
    claims.append({"text": "no quote", "quote": "", "sources": [], "verdict": "minor"})
    claims.append({"text": "only marks", "quote": "…", "sources": [], "verdict": "minor"})
    question = {"question": "q", "answer_justification": "", "is_answered": True}
    value = {
        "hallucination_evaluation": {"hallucination_justification": "because", "claims": claims},
        "summary_quality_evaluation": {"questions_and_answers": [{"source": 1, "questions": [question]}]},
        "answer_relevancy_evaluation": {
            "relevancy_score": 3, "relevancy_justification": "because", "relevant_search_result_urls": [1],
        },
    }  # fmt: skip
    found = both(SEARCH, value)
    assert found.findings == {"hallucination": {"": told()}}
    assert {"quote_misattributed:hallucination", "quote_not_found:hallucination"} <= set(found.flags)
    native = combine(SEARCH, "i", [found], sources=SOURCES).native["hallucination_evaluation"]["claims"]
    assert [claim["quote_found"] for claim in native] == [True, True, False, False, None, None]
    assert list(native[0]) == ["text", "supported", "severity", "source_urls", "quote", "quote_found"]


def test_the_embedded_judge_states_its_own_findings():
    found = both(WHOLE, whole(quotes()), embedded=True)
    assert (found.findings, found.flags) == ({}, ())


def test_there_is_an_end_to_looking_up():
    many = [{"source": 1, "quote": f"clock {n}"} for n in range(QUOTES_LOOKED_UP + 10)]
    found = both(WHOLE, whole(many))
    assert len(found.findings["accuracy"][""]) == QUOTES_LOOKED_UP
    assert "quotes_not_looked_up" in found.flags


def test_of_several_opinions_the_findings_are_those_of_the_reason_shown():
    opinions = [replace(both(WHOLE, whole(quotes()[:n], score=2 * n + 1)), repeat=n) for n in (0, 1, 2)]
    verdict = combine(WHOLE, "i", opinions, sources=SOURCES)
    assert [one["reason"] for one in verdict.findings] == list(STATES)[:1]


def test_scales_where_low_is_good_have_their_best_at_the_low_end():
    low = replace(GROUNDED, scale=Scale(min=0, max=3, better="lower"))
    asked = judge("single", (low,), {"accuracy": Leaf("accuracy")})
    for score, flags in ((0, ()), (1, ("no_evidence:accuracy",))):
        assert both(asked, {"accuracy": {"evidence": [], "justification": "b", "score": score}}).flags == flags
