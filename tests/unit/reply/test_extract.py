from __future__ import annotations

import pytest

from adjudge.reply.extract import extract, strict


def values(text: str, *, final: bool = True) -> list[object]:
    return [found.value for found in extract(text).candidates if found.final is final]


def test_strict_json_is_taken_as_it_is():
    (found,) = extract('\ufeff {"a": "</think> {}"} \n').candidates
    assert (found.value, found.step) == ({"a": "</think> {}"}, "strict")
    with pytest.raises(ValueError, match="follows"):
        strict('{"a": 1} and more')


def test_objects_in_prose_come_in_order_with_their_step():
    found = extract('First {"a": 1}, then {b: 2,} and ["c" "d"].').candidates
    assert [(one.value, one.step) for one in found] == [
        ({"a": 1}, "embedded_object"),
        ({"b": 2}, "json5"),
        (["c", "d"], "repair"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '<think>{"a": 1}</think>{"a": 2}',
        '{"a": 1} so far </think>\n{"a": 2}',
        '<THINKING>{"a": 1}</THINKING> <answer>{"a": 2}</answer>',
        '[THINK]{"a": 1}[/THINK]{"a": 2}',
        '◁think▷{"a": 1}◁/think▷{"a": 2}',
        '<|channel|>analysis<|message|>{"a": 1}<|end|><|start|>assistant<|channel|>final<|message|>{"a": 2}',
    ],
)
def test_what_stands_in_the_reasoning_is_not_final(text):
    assert values(text) == [{"a": 2}]
    assert values(text, final=False) == [{"a": 1}]


def test_an_unclosed_draft_does_not_reach_beyond_the_reasoning():
    assert values('<think>{"a": "half a draft </think>{"a": 2}') == [{"a": 2}]


def test_a_tag_inside_a_string_is_text():
    assert values('So: {"a": "it says </think> there"} .') == [{"a": "it says </think> there"}]


def test_reasoning_that_never_ends_is_reported():
    extracted = extract('<think>{"a": 1} hm')
    assert extracted.reasoning and not extracted.candidates[0].final


def test_a_stray_bracket_in_prose_hides_nothing():
    assert {"a": 1} in values('I write { for a bracket. Then {"a": 1}')
