"""Any verdict stated in prose, with any prose around it, reads back equal; prose that states none fails."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import ReplyError
from adjudge.reply.forms import read_form
from adjudge.reply.validate import Expected
from tests.linear import assert_linear
from tests.unit.reply.test_forms import NUMBER, NUMBERS, PREFERENCE

PAIR = {"A": "first", "B": "second"}
TWO = {"1": "first", "2": "second"}
SENTENCES = (
    "The text covers the main events of 2016.",
    "It names 3 people and 12 dates, which is not enough.",
    "Both texts are fluent, though (in places) too long.",
    "In 1999 the price rose by 4.5 % to 120 dollars.",
    "Стиль ровный, но 2 факта пропущены.",
    "Nothing is invented; see lines 4-5.",
    "Assistant A explains the first step, and Assistant B the second.",
    "- a point about grammar\n- a point about style",
    "Is it complete? Hardly.",
    "The quote \"we won 3:1\" is right.",
    "Output (a) follows the order of the source, while Output (b) does not.",
    "It could be better.",
)  # fmt: skip
prose = st.lists(st.sampled_from(SENTENCES), max_size=6).map(lambda parts: " ".join(parts))
blocks = st.lists(st.sampled_from(SENTENCES), max_size=4).map("\n\n".join)
around = st.one_of(prose, blocks)
EXAMPLES = settings(max_examples=400, deadline=None)

RATINGS = (
    "Score: {n}", "**Score:** {n}", "Rating: {n}/5", "Final score: {n} out of 5", "Оценка: {n}", "Оценка: {n} из 5",
    "[[{n}]]", "Rating: [[{n}]]", "Therefore, I would give it a score of {n}.", "Groundedness: {n}",
    "I would rate it a {n} out of 5.", "<score>{n}</score>", r"\boxed{{{n}}}", "Score (1-5): **{n}**",
)  # fmt: skip
SIGNS = {">>": 2, ">": 1, "=": 0, "<": -1, "<<": -2}
PREFERRED = (
    "[[{x}]]", "Therefore, Assistant {x} is better.", "**Assistant {x} is better**", "Output ({x})", "{x}", "({x})",
    "Overall, Output ({x}) is slightly better.", "Winner: Assistant {x}", "My final verdict is: [[{x}]]",
    "The better answer is Assistant {x}.", "Итак, ответ {x} лучше.",
)  # fmt: skip


def thought(reply: str, draft: str) -> str:
    return f"<think>{draft}</think>\n{reply}" if draft else reply


@given(around, st.sampled_from(RATINGS), st.integers(1, 5), around, st.sampled_from(["", "Score: 3", "maybe [[2]]"]))
@EXAMPLES
def test_a_rating_reads_back(before: str, form: str, n: int, after: str, draft: str):
    reply = thought(f"{before}\n\n{form.format(n=n)}\n\n{after}", draft)
    found, _ = read_form(NUMBER, reply, Expected())
    assert found.scores["groundedness"][""].value == n


@given(
    st.integers(1, 10), st.integers(1, 10), st.sampled_from(["{} {}", "{}, {}", "{}/10 {}/10", "Scores: {} {}"]), around
)
@EXAMPLES
def test_two_numbers_on_the_first_line_read_back(first: int, second: int, form: str, after: str):
    found, _ = read_form(NUMBERS, f"{form.format(first, second)}\n{after}", Expected(labels=TWO))
    assert [score.value for score in found.scores["quality"].values()] == [first, second]


@given(
    around, st.integers(1, 10), st.integers(1, 10), st.sampled_from(["{}: {}\n", "{}: {}/10, ", "{}'s score is {}. "])
)
@EXAMPLES
def test_numbers_beside_their_labels_read_back(before: str, first: int, second: int, form: str):
    stated = form.format("Assistant 1", first) + form.format("Assistant 2", second)
    found, _ = read_form(NUMBERS, f"{before}\n\n{stated}", Expected(labels=TWO))
    assert [score.value for score in found.scores["quality"].values()] == [first, second]


@given(
    around, st.sampled_from([*SIGNS]), st.booleans(), around, st.sampled_from(["", "[[A=B]]", "Assistant B is better."])
)
@EXAMPLES
def test_a_degree_of_preference_reads_back(before: str, sign: str, turned: bool, after: str, draft: str):
    left, right = ("B", "A") if turned else ("A", "B")
    reply = thought(f"{before}\n\n[[{left}{sign}{right}]]\n\n{after}", draft)
    found, _ = read_form(PREFERENCE, reply, Expected(labels=PAIR))
    degree = -SIGNS[sign] if turned else SIGNS[sign]
    assert [score.value for score in found.scores["preference"].values()] == [2 + degree, 2 - degree]


@given(around, st.sampled_from(PREFERRED), st.sampled_from("AB"))
@EXAMPLES
def test_a_preference_at_the_end_reads_back(before: str, form: str, letter: str):
    found, _ = read_form(PREFERENCE, f"{before}\n\n{form.format(x=letter)}", Expected(labels=PAIR))
    assert found.scores["preference"]["first"].value == (3 if letter == "A" else 1)


@pytest.mark.parametrize(("form", "labels"), [(NUMBER, {}), (NUMBERS, TWO), (PREFERENCE, PAIR)])
@given(
    text=st.one_of(around, st.text(st.characters(exclude_categories=["N", "Cs"]).filter(lambda c: c not in "AaBbАаВв")))
)
@EXAMPLES
def test_prose_without_a_verdict_fails(form, labels, text: str):
    with pytest.raises(ReplyError):
        read_form(form, text, Expected(labels=labels))


@given(around, st.sampled_from(RATINGS), st.integers(1, 5), around)
@EXAMPLES
def test_a_rating_inside_a_quoted_item_is_never_taken(before: str, form: str, n: int, after: str):
    item = f"{before} {form.format(n=n)} {after}"
    for reply in (f"The item reads:\n\n{item}", f'"{item}" is what it says.', f"{item}\n\nI can't say more."):
        with pytest.raises(ReplyError):
            read_form(NUMBER, reply, Expected(judged=(item,)))


@pytest.mark.parametrize(("form", "labels"), [(NUMBER, {}), (NUMBERS, TWO), (PREFERENCE, PAIR)])
@given(text=st.text(alphabet="AB[]>=<()12345/.,: \n*-scoreis better"))
@EXAMPLES
def test_nothing_but_an_opinion_or_a_failure_comes_of_any_text(form, labels, text: str):
    with contextlib.suppress(ReplyError):
        found, _ = read_form(form, text, Expected(labels=labels))
        (scores,) = found.scores.values()
        assert all(form.scored[0].scale.holds(score.value) for score in scores.values())


NEAR = (
    "score ",
    "score: ",
    "a score of ",
    "4 out of 5 ",
    "Output (a) is better. ",
    "Assistant 1 and Assistant 2 ",
    "1 ",
)
LONG: dict[str, Callable[[int], str]] = {
    **{unit: partial(lambda unit, length: unit * (length // len(unit)), unit) for unit in NEAR},
    "spaces after a word": lambda length: "score" + " " * length,
}


@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize(("form", "labels"), [(NUMBER, {}), (NUMBERS, TWO), (PREFERENCE, PAIR)])
def test_time_is_linear(form, labels, shape: str):
    def work(text: str) -> None:
        with contextlib.suppress(ReplyError):
            read_form(form, text, Expected(labels=labels, judged=("a judged text " * 500,)))

    assert_linear(work, LONG[shape], 25_000)
