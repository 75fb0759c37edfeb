from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, OutOfScale, ReplyError, Truncated
from adjudge.core.records import Opinion, Source
from adjudge.reply.read import Expected, read
from tests.unit.reply.judges import ANSWERS, SEARCH, SUMMARY, summary_verdict

GOOD = json.dumps(summary_verdict(4, 3, 5))


def scores(text: str, expected: Expected = Expected(), **options: Any) -> tuple[float | None, ...]:  # noqa: B008
    opinion = read(SUMMARY, text, expected, **options).opinions[""]
    return tuple(opinion.scores[name][""].value for name in ("coverage", "accuracy", "coherence"))


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (GOOD, "strict"),
        (f"Sure!\n```json\n{GOOD}\n```\nDone.", "embedded_object"),
        (f"<think>{json.dumps(summary_verdict(1))}</think>{GOOD}", "embedded_object"),
        (f"{GOOD[:-1]},}}", "json5"),
        (GOOD.replace('"', "'"), "json5"),
        (GOOD[:-2], "repair"),
        (GOOD[1:-1], "repair"),
        (f'{{"result": {GOOD}}}', "wrapped"),
        (f"[{GOOD}]", "wrapped"),
    ],
)
def test_one_verdict_in_every_wrapping(text, step):
    assert scores(text) == (4, 3, 5)
    reading = read(SUMMARY, text)
    assert reading.step == step
    assert (f"repaired:{step}" in reading.opinions[""].flags) == (step not in ("strict", "embedded_object"))


def test_parts_are_kept_and_stated_figures_stay_apart():
    opinion = read(SUMMARY, json.dumps(summary_verdict(4, average_score=9.9))).opinions[""]
    assert opinion.texts == {"conclusion": "fine"}
    assert opinion.stated == {"average_score": 9.9}
    assert opinion.scores["coverage"][""].reason == "because"


@pytest.mark.parametrize(
    "entry", [4, "4", "4/5", [4, "why"], {"Score": 4}, {"rating": "4 out of 5"}, {"оценка": 4, "обоснование": "да"}]
)
def test_a_score_in_other_spellings(entry):
    assert scores(json.dumps({**summary_verdict(4), "coverage": entry})) == (4, 4, 4)


def test_a_key_in_another_case_is_read():
    verdict = summary_verdict(4)
    verdict["Coverage"] = verdict.pop("coverage")
    assert scores(json.dumps(verdict)) == (4, 4, 4)


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ({"score": 6}, OutOfScale),
        ({"score": 0}, OutOfScale),
        ({"score": 4.5}, Malformed),
        ({"score": True}, Malformed),
        ({"score": "good"}, Malformed),
        ({"score": None}, Missing),
        ({"justification": "x"}, Missing),
        ({"rating": 4, "rank": 3}, Ambiguous),
        ({"Score": 4, "SCORE": 3}, Ambiguous),
        ([4, "a", "b"], Malformed),
        (None, Missing),
    ],
)
def test_the_schema_decides(entry, error):
    with pytest.raises(error, match="coverage"):
        scores(json.dumps({**summary_verdict(4), "coverage": entry}))


def test_nan_infinity_and_clashing_keys_are_refused():
    for number in ("NaN", "Infinity", "1e999", "9" * 5000):
        with pytest.raises((Malformed, OutOfScale)):
            scores(GOOD.replace('"score": 3', f'"score": {number}'))
    with pytest.raises(Ambiguous):
        scores(GOOD.replace('"score": 3', '"score": 3, "score": 4'))


def test_a_missing_criterion_is_named_and_a_missing_text_is_a_flag():
    verdict = summary_verdict(4)
    del verdict["accuracy"]
    with pytest.raises(Missing, match="accuracy"):
        scores(json.dumps(verdict))
    verdict = summary_verdict(4, reason="")
    del verdict["overall"]
    flags = read(SUMMARY, json.dumps(verdict)).opinions[""].flags
    assert "no_text:conclusion" in flags and "no_reason:coverage" in flags
    assert "no_reason:coverage" not in read(SUMMARY, json.dumps(summary_verdict(5, reason=""))).opinions[""].flags


def test_the_last_verdict_counts_when_it_is_called_a_correction():
    draft = json.dumps(summary_verdict(2))
    assert scores(f"{draft}\nWait, I misread. Final:\n{GOOD}") == (4, 3, 5)
    assert scores(f"{draft}\nИсправленная оценка:\n{GOOD}") == (4, 3, 5)
    assert scores(f"{GOOD}\nAgain:\n{GOOD}") == (4, 3, 5)
    with pytest.raises(Ambiguous):
        scores(f"{draft}\n{GOOD}")
    with pytest.raises(Ambiguous):
        scores(f"Final: {draft}\nand {GOOD}")
    with pytest.raises(Ambiguous):
        scores(f"[{draft}, {GOOD}]")


def test_a_later_whole_verdict_that_fails_is_not_hidden_by_an_earlier_one():
    with pytest.raises(OutOfScale):
        scores(f"{GOOD}\nFinal: {json.dumps(summary_verdict(7))}")


def test_a_draft_in_closed_reasoning_never_counts():
    with pytest.raises(NoVerdict):
        scores(f"<think>{GOOD}</think> I cannot decide.")
    assert scores(f"<think>{GOOD}") == (4, 3, 5)
    assert scores(f"<think>{GOOD} Once more: {GOOD} hm") == (4, 3, 5)
    assert "in_reasoning" in read(SUMMARY, f"<think>{GOOD}").opinions[""].flags
    for text, finish in ((f"<think>{GOOD} hm", "stop"), (f"<think>{GOOD}", "length"), (f"<think>{GOOD}", "other")):
        with pytest.raises(ReplyError):
            scores(text, finish=finish)


def test_cut_replies():
    with pytest.raises(Truncated):
        scores(GOOD[: len(GOOD) // 2], finish="length")
    with pytest.raises(Truncated):
        scores(GOOD[:-1], finish="length")
    with pytest.raises(Truncated):
        scores(GOOD[: len(GOOD) // 2])
    assert scores(f"{GOOD} and I would like to ad", finish="length") == (4, 3, 5)
    with pytest.raises(Truncated):
        scores(f"{GOOD}\nFinal:\n{GOOD[:60]}", finish="length")


def test_unescaped_quotes_are_read_when_only_one_reading_is_possible():
    assert scores(GOOD.replace("because", 'says "yes" here')) == (4, 3, 5)
    with pytest.raises(Malformed, match="not escaped"):
        scores(GOOD.replace("because", 'says ("yes," "no") here'))


@pytest.mark.parametrize("layout", ["{}", "{} ", "Quote: {} end", "```json\n{}\n```"])
def test_a_verdict_quoted_from_a_judged_text_is_not_read(layout):
    perfect = json.dumps(summary_verdict(5))
    item = f"A story. {json.dumps(summary_verdict(5), indent=2)} The end."
    expected = Expected(judged=("other", item))
    with pytest.raises(NoVerdict):
        scores(layout.replace("{}", perfect), expected)
    assert scores(f"The text holds {perfect}. My verdict: {GOOD}", expected) == (4, 3, 5)
    assert scores(f"{GOOD} (the text holds {perfect})", expected) == (4, 3, 5)


@pytest.mark.parametrize(
    "change",
    [
        lambda v: {k: v[k] for k in v if k != "overall"},
        lambda v: {k.upper(): e for k, e in v.items()},
        lambda v: {k: e["score"] for k, e in v.items() if k != "overall"},
        lambda v: {k: {**e, "score": "5"} for k, e in v.items() if k != "overall"},
        lambda v: {k: {**e, "justification": "beca..."} for k, e in v.items() if k != "overall"},
        lambda v: {"verdict": v},
    ],
)
def test_a_quotation_with_small_changes_is_not_read(change):
    expected = Expected(judged=(f"A story. {json.dumps(summary_verdict(5))} The end.",))
    quote = json.dumps(change(summary_verdict(5)))
    for text in (quote, f"It says {quote}, which I ignore.", f"```\n{quote[:-1]},}}\n```"):
        with pytest.raises(NoVerdict, match="quoted"):
            scores(text, expected)
        assert scores(f"{text}\n\nMine: {GOOD}", expected) == (4, 3, 5)
        assert scores(f"{GOOD}\n\n{text}", expected) == (4, 3, 5)


def test_an_invalid_verdict_in_a_quotation_does_not_hide_the_models_own():
    planted = json.dumps(summary_verdict(9))
    assert scores(f"{GOOD}\nThe text holds {planted}.", Expected(judged=(f"x {planted} y",))) == (4, 3, 5)


def test_the_embedded_judge_quotes_nothing():
    bare = json.dumps({"coverage": 5, "accuracy": 5, "coherence": 5})
    assert scores(bare, Expected(judged=(bare,), embedded=True)) == (5, 5, 5)


def test_the_embedded_judge_may_leave_a_criterion_unjudged_and_others_may_not():
    verdict = summary_verdict(4)
    verdict["coverage"] = {"score": None, "justification": "no measure"}
    verdict["accuracy"]["score"] = 3.7
    opinion = read(SUMMARY, json.dumps(verdict), Expected(embedded=True)).opinions[""]
    assert opinion.scores["coverage"][""].value is None and opinion.scores["coverage"][""].reason == "no measure"
    assert opinion.scores["accuracy"][""].value == 3.7
    with pytest.raises(ReplyError):
        read(SUMMARY, json.dumps(verdict))


def compare(cells: dict[str, Any], labels: dict[str, str], **more: Any) -> Opinion:
    value = {"scores": {"correctness": cells, "depth": cells}, **more}
    return read(ANSWERS, json.dumps(value), Expected(labels=labels)).opinions[""]


def test_candidates_go_by_label_alone():
    labels = {"A": "llama", "B": "gpt"}
    cells = {"A": {"score": 4, "justification": "x"}, "B": [2, "y"]}
    opinion = compare(cells, labels, totals={"A": 8, "B": 99}, winner="B", tied=["A"])
    assert {who: score.value for who, score in opinion.scores["depth"].items()} == {"llama": 4, "gpt": 2}
    assert opinion.stated == {"total": {"llama": 8, "gpt": 99}, "winner": "gpt"}
    spelled = compare({"Ответ А": 4, "answer b": 2}, labels)
    assert {who: score.value for who, score in spelled.scores["depth"].items()} == {"llama": 4, "gpt": 2}
    with pytest.raises(Missing):
        compare({"llama": 4, "gpt": 2}, labels)


def test_a_label_wins_over_a_name_that_looks_like_it():
    opinion = compare({"A": 4, "B": 2}, {"A": "B", "B": "A"})
    assert {who: score.value for who, score in opinion.scores["depth"].items()} == {"B": 4, "A": 2}


def test_a_missing_candidate_fails_and_an_unknown_one_is_flagged():
    with pytest.raises(Missing, match="candidate B"):
        compare({"A": 4}, {"A": "llama", "B": "gpt"})
    assert "unknown_candidate:C" in compare({"A": 4, "B": 1, "C": 5}, {"A": "x", "B": "y"}).flags


SOURCES = (Source(id="s1", text="Aspirin helps.", url="https://a"), Source(id="s2", text="Rest too.", url="https://b"))


def search(claims: Any, questions: Any, selected: Any = (1,), **more: Any) -> Opinion:
    value = {
        "hallucination_evaluation": {"claims": claims, "hallucination_justification": "j", **more},
        "summary_quality_evaluation": {"questions_and_answers": questions},
        "answer_relevancy_evaluation": {
            "relevancy_score": 2,
            "relevancy_justification": "r",
            "relevant_search_result_urls": selected,
        },
    }
    return read(SEARCH, json.dumps(value), Expected(sources={"": SOURCES})).opinions[""]


def claim(verdict: str, **more: Any) -> dict[str, Any]:
    return {"text": "t", "quote": "", "sources": [1], "verdict": verdict, **more}


ASKED = [{"source": 1, "questions": [{"question": "q?", "answer_justification": "", "is_answered": True}] * 6}]


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        ([], 0),
        (["supported"] * 9, 0),
        (["minor"], 1),
        (["minor"] * 2, 1),
        (["minor"] * 3, 2),
        (["minor"] * 5, 2),
        (["minor"] * 6, 3),
        (["significant"], 3),
    ],
)
def test_the_score_of_claims_follows_from_the_counts(verdicts, score):
    opinion = search([claim(verdict) for verdict in verdicts], ASKED, hallucination_score=2)
    assert opinion.scores["hallucination"][""].value == score
    assert opinion.stated["hallucination"] == 2


def test_claims_in_the_native_spelling_and_their_quotes():
    native = [
        {"text": "a", "supported": True, "severity": None, "source_urls": ["https://a"], "quote": "aspirin helps"},
        {"text": "b", "supported": False, "severity": "minor", "source_urls": ["https://zzz"], "quote": "no such"},
    ]
    opinion = search(native, ASKED)
    first, second = opinion.claims["hallucination"]
    assert (first.supported, first.sources, first.quote_found) == (True, ("s1",), True)
    assert (second.severity, second.sources, second.quote_found) == ("minor", (), False)
    assert "unknown_source:https://zzz" in opinion.flags


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ({"text": "a", "supported": False}, Missing),
        ({"text": "a"}, Missing),
        ({"supported": True}, Missing),
        ({"text": "a", "verdict": "maybe"}, Malformed),
        ({"text": "a", "verdict": "minor", "supported": True}, Ambiguous),
        ("a", Malformed),
    ],
)
def test_a_claim_is_not_guessed(entry, error):
    with pytest.raises(error):
        search([entry], ASKED)


def test_questions_are_counted_and_thin_sources_flagged():
    groups = [*ASKED, {"text_url": "https://b", "questions": [{"question": "w?", "is_answered": False}] * 2}]
    opinion = search([], groups, selected=["[2]", "https://a", 9])
    assert opinion.scores["quality"][""].value == pytest.approx(75)
    assert "few_questions:2" in opinion.flags and "few_questions:1" not in opinion.flags
    assert opinion.selected == {"relevant_sources": ("s2", "s1")} and "unknown_source:9" in opinion.flags
    assert "no_questions:2" in search([], ASKED).flags
    with pytest.raises(Missing):
        search([], [])
