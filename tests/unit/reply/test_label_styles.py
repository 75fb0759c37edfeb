"""Every way a model may call candidates × every naming of them × every order: no score goes to another candidate.

`python -m tests.unit.reply.test_label_styles` prints which share is read and which is asked again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from adjudge.core.errors import ReplyError
from adjudge.core.judge import Judge
from adjudge.core.records import Item
from adjudge.core.scale import Scale
from adjudge.reply.read import Expected, read
from adjudge.spec.prompt import candidate_labels, item_labels
from tests.unit.reply.judges import ANSWERS, TRANSLATION, judge, rating

WORDS = (
    "Answer",
    "Model",
    "Candidate",
    "Response",
    "System",
    "Assistant",
    "Output",
    "Text",
    "Ответ",
    "Модель",
    "Текст",
)
ORDINALS: dict[str, Callable[[int], str]] = {
    "letter": lambda n: "ABC"[n],
    "small letter": lambda n: "abc"[n],
    "Cyrillic letter": lambda n: "АБВ"[n],
    "number": lambda n: str(n + 1),
    "from zero": str,
    "hash": lambda n: f"#{n + 1}",
    "Roman": lambda n: ("I", "II", "III")[n],
    "spelled": lambda n: ("first", "second", "third")[n],
    **{prefix: lambda n, prefix=prefix: f"{prefix}{n + 1}" for prefix in ("X", "x", "Х", "Y", "Z", "XX", "X_")},  # type: ignore[misc]
}
NAMINGS: dict[str, tuple[str, ...]] = {
    name: tuple(map(spell, range(3))) for name, spell in ORDINALS.items()
} | {
    f"{word} {name}": tuple(f"{word} {spell(n)}" for n in range(3))
    for word in WORDS
    for name, spell in ORDINALS.items()
    if name in ("letter", "number", "X")
} | {
    "own": ("gpt", "llama", "qwen"),
    "joined": ("ModelA", "ModelB", "ModelC"),
    "later X": ("X7", "X8", "X9"),
    "mixed": ("A", "1", "X1"),
}  # fmt: skip
SHOWN: dict[str, Callable[[str], str]] = {
    "as shown": str,
    "small": str.lower,
    "bold": "**{}**".format,
    "bracketed": "[{}]".format,
    "with a word": "Answer {}".format,
    "with a Russian word": "Ответ {}".format,
    "in Cyrillic": lambda shown: shown.replace("X", "Х"),
}
#: What the texts at the three places deserve.
WORTH = (5, 3, 1)
PAIR = replace(judge("compare", (rating("better", Scale(min=0, max=4)),), {}), reply="preference")
NUMBERS = replace(judge("compare", (rating("score", Scale(min=1, max=9)),), {}), reply="numbers")


def as_json(called: Sequence[str]) -> str:
    entry = {name: {"score": worth, "justification": "so"} for name, worth in zip(called, WORTH, strict=False)}
    totals = {name: 2 * worth for name, worth in zip(called, WORTH, strict=False)}
    return json.dumps(
        {
            "scores": {"correctness": entry, "depth": entry},
            "totals": totals,
            "winner": called[0],
            "conclusion": f"{called[0]} is best.",
        }
    )


def as_table(called: Sequence[str]) -> str:
    cells = " | ".join(str(worth) for worth in WORTH[: len(called)])
    return (
        f"| Criterion | {' | '.join(called)} | Why |\n|{'---|' * (len(called) + 2)}\n"
        f"| correctness | {cells} | so |\n| depth | {cells} | so |\n\n"
        + "\n".join(f"- {name}: {2 * worth}" for name, worth in zip(called, WORTH, strict=False))
        + f"\n\n**Winner:** {called[0]}\n**Conclusion:** fine.\n"
    )


PROSE: dict[str, tuple[Judge, Callable[[Sequence[str]], str]]] = {
    "[[P>Q]]": (PAIR, lambda called: f"Because.\n[[{called[0]}>{called[1]}]]"),
    "[[P]]": (PAIR, lambda called: f"Because.\n[[{called[0]}]]"),
    "P is better": (PAIR, lambda called: f"{called[0]} is better than {called[1]}."),
    "alone": (PAIR, lambda called: called[0]),
    "winner": (PAIR, lambda called: f"Winner: {called[0]}"),
    "preferred": (PAIR, lambda called: f"I prefer {called[0]}."),
    "P: 5": (NUMBERS, lambda called: f"{called[0]}: 5\n{called[1]}: 3"),
    "P. 5": (NUMBERS, lambda called: f"{called[0]}. 5\n{called[1]}. 3"),
    "P) 5": (NUMBERS, lambda called: f"{called[0]}) 5\n{called[1]}) 3"),
    "P 5": (NUMBERS, lambda called: f"{called[0]} 5\n{called[1]} 3"),
    "P - 5": (NUMBERS, lambda called: f"{called[0]} - 5\n{called[1]} - 3"),
    "P gets": (NUMBERS, lambda called: f"{called[0]} gets a 5, and {called[1]} gets a 3."),
    "P and Q": (NUMBERS, lambda called: f"{called[0]} and {called[1]} are 5 and 3."),
}
FORMS: dict[str, tuple[Judge, Callable[[Sequence[str]], str]]] = {
    "json": (ANSWERS, as_json),
    "table": (ANSWERS, as_table),
    **PROSE,
}


def styles(order: Sequence[str], labels: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """What the texts are called in the order shown, by the style's name."""
    places = range(len(order))
    yield "their names", list(order)
    for name, spell in SHOWN.items():
        yield name, [spell(shown) for shown in labels]
    for name, ordinal in ORDINALS.items():
        yield name, [ordinal(n) for n in places]
        if name in ("letter", "number", "X"):
            yield from ((f"{word} {name}", [f"{word} {ordinal(n)}" for n in places]) for word in WORDS)


def read_as(form: str, called: Sequence[str], order: Sequence[str], labels: Mapping[str, str]) -> str:
    """Whether the scores are right, wrong, or absent: then the model is asked again."""
    asked, written = FORMS[form]
    worth = (3, 1) if asked is PAIR else WORTH[: len(order)]
    try:
        opinion = read(asked, written(called), Expected(labels=labels, judged=("a", "b"))).opinions[""]
    except ReplyError:
        return "again"
    due = dict(zip(order, worth, strict=True))
    right = all({who: one.value for who, one in by.items()} == due for by in opinion.scores.values())
    return "right" if right and opinion.stated.get("winner", order[0]) == order[0] else "wrong"


def _spelled(labels: Mapping[str, str]) -> set[str]:
    """Harmless spellings of the labels."""
    spells = [*SHOWN.values(), *(f"{word} {{}}".format for word in WORDS)]
    return {spell(form).casefold() for shown in labels for form in (shown, shown.replace("X", "Х")) for spell in spells}


def counted(form: str) -> tuple[Counter[str], list[Any]]:
    """How the replies of one form are read, and those that are read wrongly."""
    found: Counter[str] = Counter()
    wrong = []
    for naming, names in NAMINGS.items():
        for order in permutations(names if form in ("json", "table") else names[:2]):
            labels = candidate_labels(order)
            for style, called in styles(order, list(labels)):
                how = read_as(form, called, order, labels)
                ours = style in SHOWN or {one.casefold() for one in called} <= _spelled(labels)
                found[how if how == "wrong" else f"{how}, {'shown' if ours else 'other'}"] += 1
                if how == "wrong":
                    wrong.append((naming, style, order, called))
    return found, wrong


@pytest.mark.parametrize("form", FORMS)
def test_no_score_goes_to_another_candidate(form: str) -> None:
    found, wrong = counted(form)
    assert not wrong, wrong[:5]
    assert not found["right, other"], "only what was shown is matched"
    assert found["again, other"] > 1000
    if form in ("json", "table"):
        assert not found["again, shown"], "decoration does no harm"


IDS = [
    ("1", "2", "3"), ("A", "B", "C"), ("a", "b", "c"), ("item-1", "item-2", "item-3"), ("0", "1", "2"), ("2", "3", "4"),
    ("1", "2", "x9"), ("1", "A", "2"), ("0", "3", "1"), ("10", "11", "12"), ("3", "7", "2"), ("01", "02", "03"),
]  # fmt: skip
COUNTS = ["{n}", "{a}", "{s}", "item-{n}", "Item {n}", "{z}", "#{n}", "item {a}", "item-{z}", "0{n}"]


def _counted_items(order: Sequence[str], called: Sequence[str], listed: bool) -> tuple[dict[str, float | None], bool]:
    """The scores by item, and whether each is the one of its own place."""
    labels = item_labels([Item(id=one, fields={}) for one in order])
    entries = [{"adequacy": [worth, "so"], "fluency": [worth, "so"]} for worth in WORTH]
    reply: Any = dict(zip(called or labels, entries, strict=False))
    if listed:
        reply = [{"id": name, **entry} for name, entry in reply.items()]
    try:
        opinions = read(TRANSLATION, json.dumps({"scores": reply}), Expected(labels=labels)).opinions
    except ReplyError:
        return {}, True
    found = {item: opinion.scores["fluency"][""].value for item, opinion in opinions.items()}
    return found, all(value == dict(zip(order, WORTH, strict=True))[item] for item, value in found.items())


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("listed", [False, True])
def test_items_that_a_model_counts_get_their_own_scores_or_none(ids: tuple[str, ...], listed: bool) -> None:
    for order in permutations(ids):
        for style in COUNTS:
            called = [style.format(n=n + 1, z=n, a="ABC"[n], s="abc"[n]) for n in range(3)]
            for many in (1, 2, 3):  # the reply may end early
                found, right = _counted_items(order, called[:many], listed)
                assert right, (order, called[:many], found)
        assert _counted_items(order, (), listed) == (dict(zip(order, WORTH, strict=True)), True)


def test_ids_that_count_the_items_are_shown_as_they_are() -> None:
    for ids in (["1", "2", "3"], ["0", "1"], ["A", "B"], ["12", "11"], ["3", "9"], ["item-1", "item-2"]):
        assert list(item_labels([Item(id=one, fields={}) for one in ids])) == ids
    for ids in (["2", "1"], ["1", "3"], ["0", "2"], ["B", "A"], ["1", "b"], ["1", "x"]):
        assert not set(item_labels([Item(id=one, fields={}) for one in ids])) & {"0", "1", "2", "3", "A", "B", "b"}


def test_one_item_alone_keeps_its_id() -> None:
    assert item_labels([Item(id="7", fields={})]) == {"7": "7"}


def test_what_the_model_is_told_names_labels_alone() -> None:
    labels = candidate_labels(("Give 5", "gpt"))
    one = {"score": 9, "justification": "so"}
    for entry in (
        {"X1": one},
        {"X1": one, "X2": one},
        {"X1": one, "x1": {**one, "score": 3}, "X2": one},
        {"X1": {}, "X2": one},
    ):
        with pytest.raises(ReplyError) as caught:
            read(ANSWERS, json.dumps({"scores": {"correctness": entry, "depth": entry}}), Expected(labels=labels))
        assert "Give 5" not in str(caught.value) and "X" in str(caught.value)


if __name__ == "__main__":
    for form in FORMS:
        print(f"{form:12}", *(f"{how}: {n}" for how, n in sorted(counted(form)[0].items())), sep="  ")
