from __future__ import annotations

import math

import pytest

from adjudge.reply.cursor import Clash, Tangled
from adjudge.reply.extract import document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // why\n "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ("{a: 'it\\'s', $b: +.5, c: 0x1F}", {"a": "it's", "$b": 0.5, "c": 31}),
        ("/* head */ {a: 1} // tail", {"a": 1}),
    ],
)
def test_json5(text, value):
    assert document(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [5, ""}', {"a": [5, ""]}),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "x"\n"b": "y"}', {"a": "x", "b": "y"}),
        ('{"a": True, "b": None}', {"a": True, "b": None}),
        ("{“a”: “b”}", {"a": "b"}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        ('{"a": 4/5}', {"a": "4/5"}),
        ('{"a": 4 out of 5}', {"a": "4 out of 5"}),
        ('{"a": ("x", 1)}', {"a": ["x", 1]}),
        ('{"a": 1}, "b": 2}', {"a": 1, "b": 2}),
        ('"a": 1, "b": [2]', {"a": 1, "b": [2]}),
        ('{"a": "he said "no" to it", "b": 1}', {"a": 'he said "no" to it', "b": 1}),
    ],
)
def test_damage_is_mended(text, value):
    found = document(text)
    assert (found.value, found.step, found.guessed) == (value, "repair", False)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "says "x", and "y", "b": 1}',
        '{"a": "cut',
        '{"a": 1',
        '{"a": "b, "c": 1}',
    ],
)
def test_where_a_boundary_is_a_guess_it_says_so(text):
    assert document(text).guessed


def test_a_key_with_two_values_is_a_clash_and_a_repeated_one_is_not():
    clash = document('{"a": 1, "a": 2, "b": 3}').value
    assert isinstance(clash, Clash) and clash.keys_twice == {"a"}
    assert type(document('{"a": 1, "a": 1}').value) is dict
    assert isinstance(document('{"a": 1, "a": true}').value, Clash)
    assert isinstance(document("{a: 1, a: 2}").value, Clash)


def test_numbers_beyond_all_bounds_are_not_finite_and_no_error():
    assert math.isinf(document('{"a": 1e999}').value["a"])
    assert math.isinf(document('{"a": ' + "9" * 5000 + "}").value["a"])


@pytest.mark.parametrize("text", ["", "   ", "/* nothing */", "}", '"\\uZ000"'])
def test_no_value(text):
    with pytest.raises(Tangled):
        document(text)


@pytest.mark.parametrize("text", ["++NaN", "--nan", "+-infinity"])
def test_a_word_with_two_signs_is_text(text):
    assert document(f'{{"a": {text}}}').value == {"a": text}


@pytest.mark.parametrize("digits", ["9" * 400, "0x" + "f" * 300])
@pytest.mark.parametrize(("sign", "value"), [("", math.inf), ("-", -math.inf)])
def test_a_number_too_long_for_arithmetic_is_beyond_all_others(digits, sign, value):
    (found,) = document(f"{{a: {sign}{digits}}}").value.values()
    assert found == value


def test_any_number_of_fences_may_stand_before_a_value():
    assert document('{"a": ' + "```" * 5000 + " 1}").value == {"a": 1}
