"""Ratings that ask for evidence: the files that may say so, and what the model is then asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.core.errors import SpecError
from adjudge.core.judge import Judge, Leaf
from adjudge.spec.contract import reply_format, schema
from tests.unit.spec.files import JUDGE, load
from tests.unit.spec.rows import LANGS, bundled

RATING = "clarity: {kind: rating, scale: {min: 1, max: 3, better: higher}"
ASKED = JUDGE.replace(RATING, f"{RATING}, evidence: true")


def made(folder: Path, old: str = "", new: str = "") -> Judge:
    assert old in ASKED
    return load(folder, ASKED.replace(old, new) if old else ASKED)


def refused(folder: Path, old: str, new: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        made(folder, old, new)
    return caught.value


def test_evidence_stands_before_the_reason_and_that_before_the_score(tmp_path):
    judge = made(tmp_path)
    found = schema(judge, ())["properties"]["clarity"]
    assert found["required"] == ["evidence", "justification", "score"]
    quote = found["properties"]["evidence"]["items"]
    assert quote["required"] == ["source", "quote"] and quote["additionalProperties"] is False
    assert "copied exactly" in reply_format(judge)
    assert judge.output["clarity"] == Leaf("clarity")


@pytest.mark.parametrize("lang", LANGS)
def test_the_bundled_judges_ask_where_there_is_a_source_to_quote(lang):
    asked = {
        name: [one.name for one in bundled(name, lang).criteria if one.evidence]
        for name in ("summary", "rag-answers", "search-summary", "translation")
    }
    assert asked == {
        "summary": ["coverage", "accuracy"],
        "rag-answers": ["correctness", "retrieval_accuracy"],
        "search-summary": [],
        "translation": [],
    }
    assert "evidence" in bundled("summary", lang).instructions.lower()


def test_parts_that_stand_apart_need_a_place_for_it(tmp_path):
    apart = "  clarity: {points: clarity.score, why: clarity.reason}\n"
    error = refused(tmp_path, "  clarity: clarity\n", apart)
    assert "the evidence of `clarity` has no place in the output" in error.what
    assert error.hint == "add `clarity_evidence: clarity.evidence`"
    judge = made(tmp_path, "  clarity: clarity\n", apart.replace("{", "{quotes: clarity.evidence, "))
    assert schema(judge, ())["properties"]["clarity"]["required"] == ["quotes", "why", "points"]


def test_only_a_rating_that_asks_for_it_has_the_part(tmp_path):
    error = refused(tmp_path, "  brevity: brevity\n", "  brevity: {points: brevity.score, quotes: brevity.evidence}\n")
    assert "`brevity` has no part `evidence`" in error.what
    assert "evidence" not in str(error.hint)
    error = refused(tmp_path, "  remark: {kind: text}", "  remark: {kind: text, evidence: true}")
    assert "unknown key `evidence`" in error.what


def test_there_must_be_a_source_to_quote(tmp_path):
    error = refused(tmp_path, "article: {type: text, role: source", "article: {type: text, role: other")
    assert "no field has the role source" in error.what


def test_it_has_one_place(tmp_path):
    twice = "  clarity: [clarity.score, clarity.reason]\n  quotes: clarity.evidence\n"
    assert "the evidence of `clarity` stands twice" in refused(tmp_path, "  clarity: clarity\n", twice).what
