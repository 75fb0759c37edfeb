"""The judges that come with adjudge say what CONTRACT promises, the same in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from adjudge.core.judge import Judge, leaves
from adjudge.core.records import Claim, ErrorSpan, Opinion, Question, Score
from adjudge.reply.combine import combine
from adjudge.spec.load import BUNDLED
from adjudge.spec.prompt import instructions, render, render_merge
from adjudge.spec.template import slots
from tests.unit.spec.rows import LANGS, NAMES, OPTIONAL, ROWS, bundled, call, item, orders

FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "summary": {"content": ("source",), "text": ("summary",), "others": (), "system": ()},
    "rag-answers": {
        "question": (),
        "sources": ("relevant_texts",),
        "answers": (),
        "reference": ("answer",),
        "retrieved": (),
    },
    "search-summary": {"user_query": ("search_query",), "search_results": (), "summary": (), "citations": ()},
    "translation": {"src": (), "trg": (), "ref": (), "src_lang": (), "trg_lang": (), "others": (), "system": ()},
}
FIELDS["translation-mqm"] = FIELDS["translation"]
FIVE, SIX = (1, 5, "higher"), (0, 5, "higher")
SCALES: dict[str, dict[str, tuple[int, int, str]]] = {
    "summary": dict.fromkeys(["coverage", "accuracy", "coherence", "conciseness", "hallucination_check"], FIVE),
    "rag-answers": dict.fromkeys(
        ["correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth"], SIX
    ),
    "search-summary": {"hallucination": (0, 3, "lower"), "quality": (0, 100, "higher"), "relevancy": (0, 3, "higher")},
    "translation": dict.fromkeys(["adequacy", "fluency", "terminology", "hallucination", "punctuation"], FIVE),
    "translation-mqm": {"errors": (0, 100, "lower")},
}
WHY = {"score": 4, "justification": "why"}
EACH = dict.fromkeys(["ModelA", "ModelB", "ModelC"], WHY)
NATIVE: dict[str, Any] = {
    "summary": {
        **dict.fromkeys(SCALES["summary"], WHY),
        "overall": {"average_score": 4, "conclusion": "the end"},
    },
    "rag-answers": {
        "scores": dict.fromkeys(SCALES["rag-answers"], EACH),
        "totals": {"ModelA": 24, "ModelB": 24, "ModelC": 24},
        "winner": None,
        "tied": ["ModelA", "ModelB", "ModelC"],
        "conclusion": "the end",
    },
    "search-summary": {
        "hallucination_evaluation": {
            "hallucination_score": 1,
            "hallucination_justification": "why",
            "claims": [
                {
                    "text": "claim",
                    "supported": False,
                    "severity": "minor",
                    "source_urls": ["https://b.example/sleep"],
                    "quote": "q",
                    "quote_found": True,
                }
            ],
        },
        "summary_quality_evaluation": {
            "summary_quality_score": 50,
            "questions_and_answers": [
                {
                    "text_url": "https://a.example/tea",
                    "questions": [
                        {"question": "a?", "is_answered": True, "answer_justification": "yes"},
                        {"question": "b?", "is_answered": False, "answer_justification": ""},
                    ],
                }
            ],
        },
        "answer_relevancy_evaluation": {
            "relevancy_score": 3,
            "relevancy_justification": "why",
            "relevant_search_result_urls": ["https://a.example/tea"],
        },
    },
    "translation": {name: [4, "why"] for name in SCALES["translation"]},
    "translation-mqm": {
        "errors": [
            {
                "span": "утро",
                "category": "fluency/grammar",
                "severity": "major",
                "explanation": "why",
                "start": 7,
                "end": 11,
            }
        ],
        "score": 4.0,
    },
}

every = pytest.mark.parametrize(("name", "lang"), [(name, lang) for name in NAMES for lang in LANGS])


@every
def test_fields_are_those_of_the_contract(name, lang):
    judge = bundled(name, lang)
    assert {field.name: field.aliases for field in judge.fields} == FIELDS[name]
    assert {field.name for field in judge.fields if not field.required} == OPTIONAL[name]


@every
def test_scales_are_those_of_the_contract_and_every_point_has_its_meaning(name, lang):
    judge = bundled(name, lang)
    scales = {criterion.name: criterion.scale for criterion in judge.scored}
    assert {key: (scale.min, scale.max, scale.better) for key, scale in scales.items() if scale} == SCALES[name]
    for criterion in judge.scored:
        if criterion.scale and criterion.kind not in ("questions", "spans"):
            assert sorted(criterion.scale.labels) == list(criterion.scale.points)
            assert len(set(criterion.scale.labels.values())) == len(criterion.scale.points)


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_are_one_judge(name):
    english, russian = (bundled(name, lang) for lang in LANGS)
    for part in ("fields", "criteria", "derived"):
        ours, theirs = getattr(english, part), getattr(russian, part)
        assert [entry.name for entry in ours] == [entry.name for entry in theirs]
        assert all(mine.title and mine.title != other.title for mine, other in zip(ours, theirs, strict=True))
    assert english.output == russian.output
    for text in ("item", "instructions", "merge"):
        assert sorted(slots(getattr(english, text))) == sorted(slots(getattr(russian, text)))
    assert english.digest != russian.digest
    assert english.langs == russian.langs == LANGS


def test_the_words_of_the_machinery_are_the_same_in_both_languages():
    folder = BUNDLED.parent / "spec" / "words"
    english, russian = (yaml.safe_load((folder / f"{lang}.yaml").read_text(encoding="utf-8")) for lang in LANGS)
    assert set(english) - set(russian) == {"language_of_code"}
    assert set(russian) <= set(english)
    places = {lang: {key: sorted(set(_places(text))) for key, text in found.items()} for lang, found in
              (("en", english), ("ru", russian))}  # fmt: skip
    assert {key: places["en"][key] for key in russian} == places["ru"]


def _places(text: str) -> list[str]:
    return [part.split("}")[0] for part in text.split("{")[1:]]


def opinion(judge: Judge) -> Opinion:
    who = ("ModelA", "ModelB", "ModelC") if judge.layout == "compare" else ("",)
    points = {"hallucination": 1, "quality": 50, "relevancy": 3} if judge.name == "search-summary" else {}
    return Opinion(
        scores={
            criterion.name: {one: Score(value=points.get(criterion.name, 4), reason="why") for one in who}
            for criterion in judge.scored
        },
        claims={
            "hallucination": (
                Claim(text="claim", supported=False, severity="minor", sources=("2",), quote="q", quote_found=True),
            )
        },
        questions={
            "quality": (
                Question(source="1", text="a?", answered=True, reason="yes"),
                Question(source="1", text="b?", answered=False),
            )
        },
        selected={"relevant_sources": ("1",)},
        spans={
            "errors": (
                ErrorSpan(text="утро", category="fluency/grammar", severity="major", explanation="why", at=(7, 11)),
            )
        },
        texts={"conclusion": "the end"},
    )


@every
def test_the_native_verdict_is_that_of_the_contract(name, lang):
    judge = bundled(name, lang)
    one = item(judge)
    sources = one.sources("search_results")
    candidates = tuple(one.answers("answers")) or ("",)
    verdict = combine(judge, one.id, [opinion(judge)], sources=sources, candidates=candidates)
    assert json.dumps(verdict.native) == json.dumps(NATIVE[name])  # the order of keys is part of the shape
    assert verdict.flags == ()


@every
def test_the_prompt_shows_every_criterion_every_label_and_every_field(name, lang):
    judge = bundled(name, lang)
    prompt = render(judge, call(order=orders(judge)), [item(judge)])
    for criterion in judge.criteria:
        assert criterion.title in prompt.system
        assert f"`{criterion.name}`" in prompt.system
        for label in criterion.scale.labels.values() if criterion.scale else ():
            assert label in prompt.system
        for category, title in criterion.categories.items():
            assert f"{category} = {title}" in prompt.system
    for value in ("Good morning.", "Доброе утро!", "English") if name.startswith("translation") else ():
        assert value in prompt.user
    assert "{{" not in prompt.system + prompt.user


@every
def test_optional_paragraphs_are_left_out(name, lang):
    judge = bundled(name, lang)
    full = render(judge, call(order=orders(judge)), [item(judge)])
    bare = render(judge, call(order=orders(judge)), [item(judge, **dict.fromkeys(OPTIONAL[name]))])
    assert bare.system == full.system
    assert bare.schema == full.schema
    kept = set(bare.user.splitlines())
    assert kept < set(full.user.splitlines()) or name == "summary"  # its optional fields are not shown
    assert "None" not in bare.user


@every
def test_what_the_judge_must_not_know_is_not_in_the_prompt(name, lang):
    judge = bundled(name, lang)
    prompt = render(judge, call(order=orders(judge)), [item(judge)])
    for secret in ("model-a", "mt-1", "ModelA", "ModelB", "ModelC"):
        assert secret not in prompt.system + prompt.user


@pytest.mark.parametrize("lang", LANGS)
def test_the_merge_shows_the_summaries_of_all_batches(lang):
    judge = bundled("translation", lang)
    batches = [{"adequacy": "one {{format}}", "fluency": "two"}, {"adequacy": "three", "fluency": "</end>"}]
    prompt = render_merge(judge, "k", batches)
    for text in ("one {{format}}", "two", "three", "</end>"):
        assert prompt.user.count(text) == 1
    assert list(prompt.schema["properties"]) == list(SCALES["translation"])
    assert instructions(judge) != prompt.system


@pytest.mark.parametrize("lang", LANGS)
def test_the_penalties_are_those_of_the_contract(lang):
    errors = bundled("translation-mqm", lang).criterion("errors")
    cost = {
        (severity, category): errors.penalty(severity, category)
        for severity in errors.severities
        for category in errors.categories
    }
    assert cost.pop(("minor", "fluency/punctuation")) == 0.1
    assert {severity: value for (severity, _), value in cost.items()} == {"critical": 25, "major": 5, "minor": 1}
    assert len(set(cost.values())) == 3


def test_every_leaf_is_known():
    for name in NAMES:
        judge = bundled(name)
        known = {criterion.name for criterion in judge.criteria} | {derived.name for derived in judge.derived}
        assert {leaf.name for leaf in leaves(judge.output)} == known - ({"quality"} if name == "translation" else set())
        assert ROWS[name].keys() - {"id"} == {field.name for field in judge.fields}
