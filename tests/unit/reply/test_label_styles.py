"""Every way a model may call candidates × every naming of them × every order: no score goes to another candidate.

`python -m tests.unit.reply.test_label_styles` prints which share is read and which is asked again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations, product
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


#: What stands around the counter of an id.
AROUND = (
    "{}", "q{}", "s{}", "a{}", "T{}", "d{}", "en{}", "en-{}", "seg-{}", "doc{}", "line_{}", "question-{}", "summary{}",
    "sent_{}",     "1.{}", "{}.1", "1-{}", "{}-1", "2.{}", "{}.2", "1{}", "{}a", "{}-en", "q{}.en", "0000{}", "q-{}",
    "en-us-{}", "q1-{}", "id{}", "1.{}.1", "{}:de", "row{}", "s1.{}", "ID-{}",
)  # fmt: skip
ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi")
COUNTERS: dict[str, Callable[[int], str]] = {
    "number": str,
    "padded": lambda n: f"{n:02}",
    "letter": lambda n: "ABCDEF"[n - 1] if n else "",
    "small letter": lambda n: "abcdef"[n - 1] if n else "",
    "Roman": lambda n: ROMAN[n].upper(),
    "small Roman": lambda n: ROMAN[n],
}
#: What is counted in the ids at three places: all that holds, or passes, the beginning of a count.
NUMBERS_SHOWN = [*permutations(range(5), 3)]
#: An id that is none of the others' style, and nothing that a model would count.
ODD = "an odd one"


def styled() -> Iterator[tuple[tuple[str, ...], list[str], bool]]:
    """Ids at three places, what a model calls the items that counts in their style, and whether ids should be kept."""
    for around, (kind, counter), numbers, odd in product(AROUND, COUNTERS.items(), NUMBERS_SHOWN, (None, 0, 1, 2)):
        if around == "1{}" and kind in ("number", "padded"):
            continue  # 10, 11 and 12 are none that a count begins with
        spelled = [around.format(counter(number)) if counter(number) else "" for number in numbers]
        shown = tuple(ODD if place == odd else one for place, one in enumerate(spelled))
        if "" in shown or len(set(shown)) < 3:
            continue
        ordered = odd is None and numbers == (1, 2, 3)
        for first in (0, 1):
            # who is shown q1, q2 does not count from q0
            tolerated = not first and all(n == place + 1 or place == odd for place, n in enumerate(numbers))
            called = [around.format(counter(n)) for n in range(first, first + 3)]
            if not tolerated and all(counter(n) for n in range(first, first + 3)):
                yield shown, called, ordered


def counted_items(every: int = 1) -> tuple[Counter[str], list[Any]]:
    found: Counter[str] = Counter()
    wrong = []
    for number, (shown, called, ordered) in enumerate(islice(styled(), 0, None, every)):
        given, right = _counted_items(shown, called[: 3 - number % 3], bool(number % 2))
        found["wrong" if not right else "right" if given else "again"] += 1
        if not right:
            wrong.append((shown, called, given))
        assert not ordered or not _changed(shown), shown
    return found, wrong


def _changed(ids: Sequence[str]) -> list[str]:
    """The ids that are plain and have a suffix."""
    return [shown for shown, one in zip(_shown(ids), ids, strict=True) if shown.startswith(f"{one}-")]


def _shown(ids: Sequence[str]) -> list[str]:
    return list(item_labels([Item(id=one, fields={}) for one in ids]))


def test_ids_of_any_style_that_a_model_counts_get_their_own_scores_or_none() -> None:
    found, wrong = counted_items(every=5)
    assert not wrong, (len(wrong), wrong[:5])
    assert found["right"] > 50


@pytest.mark.parametrize("around", AROUND)
def test_ids_that_go_up_from_the_first_item_are_kept_and_others_are_not(around: str) -> None:
    for kind, counter in COUNTERS.items():
        ids = [around.format(counter(n)) for n in (1, 2, 3)]
        if len({len(one.strip("0123456789")) for one in ids}) == 1 and (around != "1{}" or "letter" in kind):
            assert not _changed(ids)
            for order in permutations(ids):
                assert order == tuple(ids) or not set(_shown(order)) & set(ids), order
    assert not _changed([around.format(n) for n in (21, 22, 23)])


def test_ids_of_several_styles_that_a_model_counts_get_their_own_scores_or_none() -> None:
    for pool in (
        ("q1", "s1", "q2", "s2"), ("1.1", "1.2", "2.1", "2.2"), ("1a", "1b", "2a", "2b"),
        ("en-1", "de-1", "en-2", "de-2"), ("1", "2", "x1", "x2"), ("A", "1", "I", "B"), ("t1", "t2", "t3", ODD),
        ("q2", "q3", "q4", ODD), ("II", "III", "IV", "V"),
        ("a-1", "a-2", "b-1", "b-I"), ("1-2", "1-3", "2-2", "3"),
    ):  # fmt: skip
        parts = {(name, part) for name in pool if name != ODD for part in re.findall(r"\d+|[A-Za-z]+", name)}
        around = {name.replace(part, "{}", 1) for name, part in parts}
        for order in permutations(pool, 3):
            for style, counter in product(sorted(around), COUNTERS.values()):
                called = [style.format(counter(n)) for n in (1, 2, 3)]
                # where the whole list counts in another style, the model does not begin one of its own
                if called[0] in order[1:] and _shown(order) == list(order):
                    continue
                found, right = _counted_items(order, called, False)
                assert right, (order, _shown(order), called, found)


def test_ids_that_count_the_items_are_shown_as_they_are() -> None:
    for ids in (["1", "2", "3"], ["0", "1"], ["A", "B"], ["12", "11"], ["3", "9"], ["item-1", "item-2"]):
        assert list(item_labels([Item(id=one, fields={}) for one in ids])) == ids
    for ids in (["2", "1"], ["1", "3"], ["0", "2"], ["B", "A"], ["1", "b"], ["1", "x"]):
        assert not set(item_labels([Item(id=one, fields={}) for one in ids])) & {"0", "1", "2", "3", "A", "B", "b"}


def test_one_item_alone_keeps_its_id() -> None:
    assert item_labels([Item(id="7", fields={})]) == {"7": "7"}


#: Names that hold a label after a word, glued to it or not.
GLUED = tuple(
    (f"{noun}{between}{{}}1", f"{noun}{between}{{}}2")
    for noun in (
        "Output", "Assistant", "Answer", "Response", "Model", "Candidate", "System", "Option", "Summary",
        "Translation", "Text", "Version", "Ответ", "Вариант", "Модель", "Кандидат", "Перевод", "Резюме", "Система",
        "Ассистент", "Текст", "Версия", "model", "answer", "МОДЕЛЬ", "", "gpt", "The model", "v",
    )
    for between in ("", " ", "-", "_", "#", " (")
)  # fmt: skip
#: X as it may be written, and as a reader takes it.
WRITTEN = ("X", "x", "Х", "х", "Ｘ", "Χ", "Y", "У", "Z", "XX", "X-", "x_", "X ", "X№", "𝐗", "К", "Q", "XY")


def glued() -> Iterator[tuple[tuple[str, ...], Mapping[str, str], list[str]]]:
    """Names of candidates, their labels, and what a model calls them that counts in the style of the names."""
    for pair, written in product(GLUED, WRITTEN):
        names = tuple(name.format(written) for name in pair)
        for order in permutations(names):
            labels = candidate_labels(order)
            yield order, labels, list(names)
            yield order, labels, [name.casefold() for name in names]
            yield order, labels, list(order)


@pytest.mark.parametrize("form", FORMS)
def test_no_name_is_read_as_a_label(form: str) -> None:
    wrong = [
        (order, called) for order, labels, called in glued() if (read_as(form, called, order, labels)) not in ("again",)
    ]
    assert not wrong, (len(wrong), wrong[:5])


LABELS = {"X1": "one", "X2": "two"}
#: The first cells of a table's rows and what they are worth in the first and the second column of candidates.
ROWS = (("correctness", 5, 3), ("depth", 4, 1))
#: What a model may write over the columns.
HEADERS = (
    "X1", "X2", "x1", "**X2**", "Answer X1", "Ответ X2", "Х1", "X 1", "X3", "X0", "A", "B", "1", "2", "Model A",
    "Model 1", "one", "two", "Y1", "Weight", "Why", "", "5", "X1 (A)", "X1 and X2", "#",
)  # fmt: skip


def _table(
    *headed: tuple[Sequence[str], Sequence[str]], ruled: bool = True
) -> dict[str, dict[str, float | None]] | None:
    """The scores in tables that stand under one another, each a header and rows."""
    lines = []
    for header, rows in headed:
        lines += [f"| {' | '.join(header)} |", *(["|" + "---|" * len(header)] if ruled else ()), *rows]
    said = "\n".join([*lines, "", "**Winner:** X1", "**Conclusion:** fine."])
    try:
        opinion = read(ANSWERS, said, Expected(labels=LABELS)).opinions[""]
    except ReplyError:
        return None
    return {name: {who: one.value for who, one in by.items()} for name, by in opinion.scores.items()}


def _cells(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def test_a_table_is_read_by_its_header_alone() -> None:
    read_well = 0
    for first, second in product(HEADERS, repeat=2):
        found = _table((("Criterion", first, second, "Why"), [_cells(*row, "so") for row in ROWS]))
        who = [
            LABELS.get(one.strip("*").removeprefix("Answer ").removeprefix("Ответ ").upper().replace("Х", "X"))
            for one in (first, second)
        ]
        due = {name: dict(zip(who, map(float, worth), strict=True)) for name, *worth in ROWS}
        assert found == due if None not in who and len(set(who)) == 2 else found is None, (first, second, found)
        read_well += found is not None
    assert read_well == 24


@pytest.mark.parametrize("columns", [3, 4])
def test_a_label_over_two_columns_or_none_is_refused(columns: int) -> None:
    for header in product(("X1", "X2", "Weight", "X1 (A)", "Answer X2"), repeat=columns):
        plain = [one.removeprefix("Answer ") for one in header]
        found = _table((("Criterion", *header, "Why"), [_cells(name, *range(columns), "so") for name, *_ in ROWS]))
        if plain.count("X1") == plain.count("X2") == 1:
            assert found is not None
            assert found["depth"] == {"one": float(plain.index("X1")), "two": float(plain.index("X2"))}
        else:
            assert found is None, header


def test_a_row_with_another_number_of_cells_is_not_read_by_place() -> None:
    plain = ("Criterion", "X1", "X2", "Why")
    for cells in ((4, 5, 3), (4, 5, 3, "so"), ("so", 5, 3), (5,), ("5",), (1, 2, 3, 4), ("**4**", "3/5", "2/5"), ()):
        for header in (plain, plain[:3], (*plain[:3], "Why", "More")):
            if len(cells) + 1 != len(header) or "so" in cells[:2]:
                assert _table((header, [_cells("correctness", *cells), _cells("depth", *cells)])) is None, (
                    header,
                    cells,
                )
    barred = [_cells(*row, "so", "or so") for row in ROWS]
    assert _table((plain, barred)) == {"correctness": {"one": 5, "two": 3}, "depth": {"one": 4, "two": 1}}
    assert _table((plain, [_cells(*row) for row in ROWS])) == _table((plain, barred)), "a reason may be left out"


@pytest.mark.parametrize("ruled", [False, True])
def test_a_header_inside_a_table_holds_from_there(ruled: bool) -> None:
    first, second = (_cells(*row, "so") for row in ROWS)
    one = ("Criterion", "X1", "X2", "Why")
    assert _table((one, [first]), (one, [second]), ruled=ruled) is not None or ruled
    others = [
        ("Criterion", "X2", "X1", "Why"),
        ("Criterion", "X1", "Weight", "X2"),
        ("Criterion", "**x2**", "Answer X1"),
    ]
    others += (
        [("Criterion", "A", "B", "Why"), ("Criterion", "X1", "X1", "Why"), ("Criterion", "Y1", "X1")] if ruled else []
    )
    for other in others:
        assert _table((one, [first]), (other, [second]), ruled=ruled) is None, other
        assert _table((other, [first]), (one, [second]), ruled=ruled) is None, other
        assert _table((one, [first, second]), (other, [first, second]), ruled=ruled) in (
            None,
            _table((one, [first, second])),
        )


def test_labels_are_found_for_names_that_hold_them_all() -> None:
    every = "".join(f"{''.join(letters)}1" for size in (1, 2, 3) for letters in product("XYZQWVKJ", repeat=size))
    labels = candidate_labels((every, "b"))
    assert list(labels.values()) == [every, "b"]
    assert all(len(shown) == 5 for shown in labels)


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
    print("items:", dict(counted_items()[0]))
    for form in FORMS:
        told = Counter(read_as(form, called, order, labels) for order, labels, called in glued())
        print(f"{form:12} names of candidates:", dict(told))
        print(f"{form:12}", *(f"{how}: {n}" for how, n in sorted(counted(form)[0].items())), sep="  ")
