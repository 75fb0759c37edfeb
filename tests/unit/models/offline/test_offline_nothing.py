from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

import adjudge
from adjudge.core.records import Item, Verdict
from adjudge.models.offline.judge import MEASURES, measure_all
from adjudge.models.offline.lexicon import load
from adjudge.models.offline.nothing import BASES
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import rag, search, segment, summary

STORY = "The keeper lit the lamp at six. A storm broke the window in March. The ferry found the harbour all the same."
TEXTS = ["", " \n ", "…", "🙂", "Lamp.", "The keeper lit the lamp at six.", "Смотритель зажёг лампу."]


def rag_item(text: str, source: str = "", reference: str | None = None, question: str = "When was it lit?") -> Item:
    return rag({"a": text, "b": "The keeper lit it at six."}, [source], reference, question)


#: Judge → criteria that are never a number, with what an item may hold.
NEVER = [
    ("rag-answers", ["depth"], lambda text: rag_item(text, STORY, STORY)),
    ("rag-answers", ["correctness", "completeness", "retrieval_accuracy", "conciseness", "depth"], rag_item),
    ("rag-answers", ["retrieval_accuracy"], lambda text: rag_item(text, "", STORY)),
    ("summary", ["coverage", "accuracy", "conciseness", "hallucination_check"], lambda text: summary("", text)),
    ("summary", ["coverage", "accuracy", "conciseness", "hallucination_check"], lambda text: summary(" … ", text)),
    ("translation", ["fluency", "terminology"], lambda text: segment(STORY, text, STORY)),
    ("translation", ["adequacy", "fluency", "terminology", "hallucination"], lambda text: segment(STORY, text)),
    ("translation", ["adequacy", "fluency", "terminology", "hallucination"], lambda text: segment("", text)),
    ("search-summary", ["hallucination", "quality"], lambda text: search(text, [""], "When was it lit?")),
    ("search-summary", ["relevancy"], lambda text: search(text, [STORY], "")),
]


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(("name", "criteria", "make"), NEVER)
def test_what_has_no_basis_is_never_a_number(lang, name, criteria, make):
    judge, phrases = load_judge(name, lang), load(f"words.{lang}.yaml")
    for text in TEXTS:
        found = measure_all(judge, make(text))
        measured = found["a" if name == "rag-answers" else ""]
        for criterion in criteria:
            assert measured[criterion].quality is None, (text, criterion)
            why = measured[criterion].findings[0]
            assert not why.against
            assert why.reason == phrases[why.kind]


WORST = [
    ("rag-answers", ["correctness", "completeness", "conciseness"], lambda text: rag_item(text, "", STORY)),
    ("rag-answers", ["correctness", "completeness", "retrieval_accuracy"], lambda text: rag_item(text, STORY)),
    ("summary", ["coverage", "accuracy", "coherence", "conciseness"], lambda text: summary(STORY, text)),
    ("translation", ["adequacy", "hallucination", "punctuation"], lambda text: segment(STORY, text, STORY)),
    (
        "search-summary",
        ["hallucination", "quality", "relevancy"],
        lambda text: search(text, [STORY], "When was it lit?"),
    ),
]


@pytest.mark.parametrize(("name", "criteria", "make"), WORST)
def test_a_text_without_words_is_the_worst_of_what_could_be_judged(name, criteria, make):
    judge = load_judge(name, "en")
    for text, criterion in product(["", " \n ", "🙂"], criteria):
        measured = measure_all(judge, make(text))["a" if name == "rag-answers" else ""][criterion]
        assert measured.quality == 0, (text, criterion)


def test_what_is_not_judged_still_says_that_the_text_is_empty():
    measured = measure_all(load_judge("translation", "en"), segment(STORY, ""))[""]
    assert [finding.kind for finding in measured["adequacy"].findings] == ["no_reference", "empty"]


def test_every_measure_with_a_basis_exists():
    assert set(MEASURES) - set(BASES) == {"coherence"}
    assert set(BASES) <= set(MEASURES)


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_reasons_for_not_judging_say_what_to_do(lang):
    phrases = load(f"words.{lang}.yaml")
    advice = {"en": "add |use a language model|check ", "ru": "добавьте|возьмите|дайте|проверьте"}[lang]
    reasons = ["no_measure", "no_output_field", "no_source", "no_query", "no_basis", "no_reference", "no_facts"]
    for key in [*reasons, "other_script", "terse"]:
        assert re.search(advice, phrases[key]), key


def test_candidates_are_compared_on_what_was_judged_of_all(tmp_path):
    row = {
        "id": "1",
        "question": "When was the lamp lit?",
        "sources": [STORY],
        "answers": {"a": "The keeper lit the lamp at six.", "b": "Смотритель зажёг лампу в шесть.", "c": ""},
    }
    run = adjudge.evaluate("rag-answers", [row], model="offline", store=f"sqlite:///{tmp_path / 'a.db'}")
    (verdict,) = run.outcomes()
    assert isinstance(verdict, Verdict)
    native = verdict.native
    given = {name: {who: part["score"] for who, part in per.items()} for name, per in native["scores"].items()}
    assert given["depth"] == {"a": None, "b": None, "c": None}
    assert given["correctness"]["a"] is not None and given["correctness"]["b"] is None
    common = [name for name, per in given.items() if None not in per.values()]
    assert common
    assert "correctness" not in common
    scores: Any = verdict.scores
    totals = {who: sum(scores[name][who] for name in common) for who in "abc"}
    assert {who: pytest.approx(value, abs=0.02) for who, value in totals.items()} == dict(verdict.derived["total"])
