"""Slots substitute and nothing else (promise 22), for any content."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.records import Item
from adjudge.spec.prompt import candidate_labels, item_labels, render
from adjudge.spec.template import fill, slots, stray, without
from tests.unit.spec.rows import bundled, call, item, taken_apart

PARTS = st.sampled_from(
    [
        "{{text}}",
        "{{content}}",
        "{",
        "}",
        "{{",
        "}}",
        "<<<",
        ">>>",
        "\n",
        "\n\n",
        "\\1",
        "%s",
        "$x",
        "```",
        "X1",
        "\x00",
        "\ud800",
    ]
)
HOSTILE = st.lists(PARTS | st.text(max_size=8), max_size=12).map("".join)
NAMES = st.text(min_size=1, max_size=20).filter(str.strip)


@settings(max_examples=300, deadline=None)
@given(HOSTILE, HOSTILE, st.integers())
def test_a_prompt_is_constant_outside_its_fences(content, text, key):
    judge = bundled("summary")
    plain, _, _ = taken_apart(render(judge, call(), [item(judge, content="a", text="b")]).user)
    made = render(judge, call(key=str(key)), [item(judge, content=content, text=text)])
    shown, texts, mark = taken_apart(made.user)
    assert shown == plain
    assert texts == [content, text]
    assert mark not in content + text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4))
def test_a_batch_holds_every_text_once_and_in_order(pairs):
    judge = bundled("translation")
    items = [item(judge, id=f"i{n}", src=src, trg=trg, ref=None) for n, (src, trg) in enumerate(pairs)]
    plain = [item(judge, id=f"i{n}", src="", trg="", ref=None) for n in range(len(pairs))]
    shown, texts, _ = taken_apart(render(judge, call(), items).user)
    assert shown == taken_apart(render(judge, call(), plain).user)[0]
    assert texts == [text for pair in pairs for text in pair]


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(NAMES, HOSTILE, min_size=2, max_size=8), st.data())
def test_candidates_stand_in_the_order_of_the_call_under_labels_that_are_no_names(answers, data):
    judge = bundled("rag-answers")
    order = tuple(data.draw(st.permutations(list(answers))))
    prompt = render(judge, call(order=order), [item(judge, answers=answers, reference=None, retrieved=None)])
    assert list(prompt.labels.values()) == list(order)
    _, texts, _ = taken_apart(prompt.user)
    assert texts[-len(order) :] == [answers[name] for name in order]
    for label in prompt.labels:
        assert not any(re.search(rf"(?<!\w){label}(?!\w)", name, re.IGNORECASE) for name in order)


@given(st.lists(st.text(max_size=30), unique=True, max_size=12))
def test_labels_of_items_are_plain_distinct_and_lead_back(ids):
    labels = item_labels([Item(id=one, fields={}) for one in ids])
    assert list(labels.values()) == ids
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:-]*", label) for label in labels)


@given(st.lists(st.text("XYZQWVKJ12345678 ", min_size=1, max_size=200), min_size=2, max_size=8, unique=True))
def test_there_is_always_a_label_that_is_no_name(names):
    labels = candidate_labels(names, " ".join(names))
    assert list(labels.values()) == names
    joined = "\n".join(names)
    assert not any(re.search(rf"(?<!\w){label}(?!\w)", joined) for label in labels)


@given(HOSTILE, st.dictionaries(st.sampled_from(["text", "content"]), HOSTILE, min_size=2))
def test_filling_scans_nothing_twice(text, values):
    found = fill(text, values.__getitem__)
    position = 0
    for name in slots(text):  # every slot gives its value, in order, and the rest stays
        position = found.index(values[name], position) + len(values[name])
    assert len(found) == len(text) + sum(len(values[name]) - len(name) - 4 for name in slots(text))
    if not slots(text):
        assert found == text


@given(HOSTILE)
def test_leaving_out_leaves_no_slot(text):
    assert "text" not in slots(without(text, ["text"]))
    assert (stray(text) is None) == ("{{" not in re.sub(r"\{\{\s*[a-z][a-z0-9_]*\s*\}\}", " ", text))
