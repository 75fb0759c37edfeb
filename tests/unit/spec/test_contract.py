"""The response schema: in the strict subset that servers take, reasons before scores, nothing computed asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from adjudge.spec.contract import (
    answer_list,
    claim_list,
    merge_format,
    reply_format,
    schema,
    stage_format,
    summaries,
)
from tests.unit.spec.files import JUDGE, load
from tests.unit.spec.rows import LANGS, NAMES, bundled

KEYWORDS = {
    "object": {"type", "properties", "required", "additionalProperties", "$defs"},
    "array": {"type", "items", "description"},
    "string": {"type", "description", "enum"},
    "integer": {"type", "description", "minimum", "maximum"},
    "boolean": {"type", "description"},
}
LABELS: dict[str, tuple[str, ...]] = {"single": (), "compare": ("X1", "X2"), "batch": ("a", "b", "item-1")}


def parts(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield found
    for child in (*found.get("properties", {}).values(), *found.get("$defs", {}).values()):
        yield from parts(child)
    if "items" in found:
        yield from parts(found["items"])


def keys(found: dict[str, Any]) -> set[str]:
    return {name for part in parts(found) for name in part.get("properties", {})}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_the_schema_is_in_the_strict_subset(name, lang):
    judge = bundled(name, lang)
    found = schema(judge, LABELS[judge.layout])
    assert json.loads(json.dumps(found)) == found
    for whole in (found, summaries(judge)):
        for part in parts(whole):
            if "$ref" in part:
                assert part == {"$ref": "#/$defs/item"}
                assert "item" in found["$defs"]
                continue
            assert set(part) <= KEYWORDS[part["type"]]
            if part["type"] == "object":
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
                assert part["properties"]
            if part["type"] in ("string", "integer", "boolean"):
                assert part.get("description") or part == {"type": "integer", "minimum": 1}  # an entry of a list


@pytest.mark.parametrize("name", NAMES)
def test_reasons_come_before_scores(name):
    judge = bundled(name)
    pairs = 0
    for part in parts(schema(judge, LABELS[judge.layout])):
        order = list(part.get("properties", {}))
        for reason, score in (
            ("justification", "score"),
            ("why", "score"),
            ("relevancy_justification", "relevancy_score"),
            ("claims", "hallucination_justification"),
            ("answer_justification", "is_answered"),
            ("quote", "verdict"),
            ("explanation", "severity"),
            ("clarity", "conclusion"),
        ):
            if reason in order and score in order:
                pairs += 1
                assert order.index(reason) < order.index(score)
    assert pairs


@pytest.mark.parametrize("name", NAMES)
def test_nothing_computed_is_asked_for(name):
    judge = bundled(name)
    asked = keys(schema(judge, LABELS[judge.layout]))
    computed = {"average_score", "totals", "winner", "tied", "hallucination_score", "summary_quality_score"}
    assert asked.isdisjoint(computed | ({"quality"} if name == "translation" else set()))
    assert asked.isdisjoint({"quote_found", "source_urls", "text_url", "start", "end"})
    assert ("severity" in asked) is ("span" in asked)


def test_scores_are_bound_by_their_scales():
    judge = bundled("rag-answers")
    found = schema(judge, ("X1", "X2"))["properties"]["scores"]["properties"]["depth"]["properties"]
    assert list(found) == ["X1", "X2"]
    assert (found["X1"]["properties"]["score"]["minimum"], found["X1"]["properties"]["score"]["maximum"]) == (0, 5)


def test_a_batch_asks_for_every_id_and_a_summary_per_criterion():
    judge = bundled("translation")
    found = schema(judge, ("a", "b"))
    assert found["properties"]["scores"]["required"] == ["a", "b"]
    assert found["properties"]["summary"] == summaries(judge)
    assert found["$defs"]["item"]["required"] == [criterion.name for criterion in judge.scored]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_the_skeleton_shows_every_key_that_is_asked_for(name, lang):
    judge = bundled(name, lang)
    shown = reply_format(judge)
    for key in keys(schema(judge, ())) - {"item"}:
        assert f'"{key}"' in shown
    assert reply_format(judge) == shown
    if judge.merge:
        assert all(f'"{criterion.name}"' in merge_format(judge) for criterion in judge.scored)


def test_a_judge_without_an_output_of_its_own_asks_for_everything(tmp_path):
    judge = load(tmp_path, JUDGE[: JUDGE.index("output:")])
    assert list(schema(judge, ())["properties"]) == ["clarity", "brevity", "remark"]


def test_fractions_are_allowed_in_words_where_the_schema_allows_them(tmp_path):
    assert "Numbers are whole numbers" in reply_format(load(tmp_path))
    fractions = JUDGE.replace("brevity: {kind: rating, scale: {", "brevity: {kind: rating, scale: {whole: false, ")
    told = reply_format(load(tmp_path, fractions))
    assert "a score may be a fraction" in told
    assert "whole numbers" not in told
    assert "they are computed" in told


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_said_of_scores_is_not_said_of_a_stage_or_a_merge(lang):
    """The claims of a text may be percentages and fractions, and the numbers of questions are keys."""
    told = [stage_format(lang, claim_list(lang)), stage_format(lang, answer_list(lang, ("1",)))]
    for text in (*told, merge_format(bundled("translation", lang))):
        assert text.rstrip().endswith("}")
