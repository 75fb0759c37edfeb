"""From labels back to candidates, whatever the order, the names and the spelling: scores, totals, winner and prose."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.reply.combine import named
from adjudge.reply.keys import label
from adjudge.reply.read import Expected, read
from adjudge.spec.prompt import candidate_labels, render
from tests.unit.spec.rows import bundled, call, item

#: Names that look like labels, in other alphabets too (the second X1 begins with a Cyrillic letter), and other traps.
TRAPS = [
    *(
        "X1",
        "x1",
        "\u04251",
        "\u04452",
        "X2",
        "Y1",
        "Z3",
        "X",
        "1",
        "2",
        "A",
        "B",
        "Answer X1",
        "model y2",
        "X1.",
        "(X2)",
    ),
    *(
        "score",
        "scores",
        "winner",
        "total",
        "null",
        "__proto__",
        r"\g<0>",
        "$1",
        "{}",
        "a|b",
        "**",
        "Model A",
        "model a",
    ),
]
NAMES = st.lists(
    (st.sampled_from(TRAPS) | st.text(min_size=1, max_size=12)).filter(str.strip), min_size=2, max_size=8, unique=True
)
SPELLINGS: dict[str, Any] = {
    "as shown": str,
    "small": str.lower,
    "with a word": "Answer {}".format,
    "emphasised": "**{}**".format,
    "Cyrillic": lambda shown: shown.replace("X", "\u0425").replace("K", "\u041a"),
}


@settings(max_examples=300, deadline=None)
@given(NAMES, st.sampled_from(sorted(SPELLINGS)), st.data())
def test_a_reply_comes_back_to_its_candidates(names, spelling, data):
    judge = bundled("rag-answers")
    order = tuple(data.draw(st.permutations(names)))
    answers = {name: f"text {place}" for place, name in enumerate(names)}
    prompt = render(judge, call(order=order), [item(judge, answers=answers, reference=None, retrieved=None)])
    worth = {name: data.draw(st.integers(0, 5)) for name in names}
    best = data.draw(st.sampled_from(names))
    shown = {name: text for text, name in prompt.labels.items()}
    spell = SPELLINGS[spelling]
    entry = {spell(shown[name]): {"justification": f"{shown[name]}!", "score": worth[name]} for name in names}
    reply = {
        "scores": {criterion.name: entry for criterion in judge.scored},
        "totals": {spell(shown[name]): 6 * worth[name] for name in names},
        "winner": spell(shown[best]),
        "conclusion": " > ".join(shown[name] for name in names),
    }
    reading = read(judge, json.dumps(reply), Expected(labels=prompt.labels))
    opinion = named(reading.opinions[""], prompt.labels)
    for criterion in judge.scored:
        found = opinion.scores[criterion.name]
        assert {name: score.value for name, score in found.items()} == worth
        assert {name: score.reason for name, score in found.items()} == {name: f"{name}!" for name in names}
    assert opinion.stated == {"total": {name: 6 * worth[name] for name in names}, "winner": best}
    assert opinion.texts["conclusion"] == " > ".join(names)


@given(NAMES, st.sampled_from(sorted(SPELLINGS)), st.randoms())
def test_every_label_leads_to_its_own_candidate(names, spelling, draw):
    draw.shuffle(names)
    labels = candidate_labels(names)
    assert [label(SPELLINGS[spelling](shown), labels) for shown in labels] == names


@given(NAMES)
def test_what_is_neither_label_nor_name_is_nobody(names):
    labels = candidate_labels(names)
    assert label("nobody of these", labels) is None or "nobody of these" in names
