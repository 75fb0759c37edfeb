"""Every shape in which a server may state log probabilities: the score is right within a tolerance, or there is none.

`python -m tests.unit.reply.test_odds_shapes` prints which share is read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from typing import Any

import pytest

from adjudge.core.errors import NoVerdict
from adjudge.core.records import Reply
from adjudge.models.odds import first_odds
from adjudge.reply.odds import quality, read_answer
from adjudge.spec.load import load_judge

JUDGE = load_judge("translation", lang="en")
FLUENCY = JUDGE.criterion("fluency")
#: How far a score may be from the true one, as a share of the scale.
TOLERANCE = 0.1
SPELLED: dict[str, dict[str, tuple[str, ...]]] = {
    "plain": {"yes": ("Yes",), "no": ("No",)},
    "blank": {"yes": (" Yes", "yes"), "no": (" no", "No")},
    "marked": {"yes": ("▁Yes", "YES"), "no": ("ĠNo", "no.")},
    "Russian": {"yes": ("Да", " да"), "no": ("Нет", " нет")},
    "Russian, cut": {"yes": ("Да",), "no": ("Н",)},
    "Russian, cut twice": {"yes": ("Д",), "no": ("Не",)},
}
#: What the reply is where it goes on after its first token.
GOES_ON = {
    "The": "The text is", "I": "I cannot judge", "N": "N/A", "**": "**Unclear**", "<think>": "<think>\nYes, but",
}  # fmt: skip
OTHERS = ("The", "<think>", "I", "None", "Not", "Yesterday", "N", "Не", "**", "Maybe", "")
#: Words that end up in a long list although nobody would say them.
FILLERS = {f"w{n}": 1e-7 for n in range(12)}


def truths() -> Iterator[tuple[float, float, dict[str, float], dict[str, str]]]:
    """P(yes), P(no) over all spellings, the whole distribution over first tokens, and the reply of each token."""
    masses = (1.0, 0.999, 0.97, 0.8, 0.6, 0.3, 0.05, 0.001)
    shares = (0.0005, 0.02, 0.2, 0.5, 0.7, 0.95, 0.9999)
    for (name, spelled), mass, share, other in product(SPELLED.items(), masses, shares, OTHERS):
        whole: dict[str, float] = {}
        for part, words in ((share, spelled["yes"]), (1 - share, spelled["no"])):
            for word, weight in zip(words, (0.7, 0.3) if len(words) > 1 else (1.0,), strict=True):
                whole[word] = mass * part * weight
        if other in whole:
            continue
        replies = GOES_ON | ({"Н": "Нет", "Не": "Нет", "Д": "Да"} if "cut" in name else {"Не": "Не могу судить"})
        if other == "Не":
            replies["Не"] = "Не могу судить"
        rest = 1 - mass
        whole |= {other: 0.8 * rest, "zz": 0.15 * rest, "qq": 0.05 * rest}
        # what begins a word and is something else is no answer: the truth does not count it
        yield mass * share, mass * (1 - share), {word: p for word, p in whole.items() if p > 0}, replies


def _entry(word: str, p: float) -> dict[str, Any]:
    return {"token": word, "logprob": math.log(p), "bytes": list(word.encode())}


def _top(whole: Mapping[str, float], k: int) -> list[dict[str, Any]]:
    return [_entry(word, p) for word, p in sorted(whole.items(), key=lambda one: -one[1])[:k]]


Whole = dict[str, float]
Entries = list[dict[str, Any]]
#: How much a server lists.
LISTS: dict[str, Callable[[Whole, str], Any]] = {
    "twenty": lambda whole, said: _top(whole | FILLERS, 20),
    "all": lambda whole, said: _top(whole, 20),
    "five": lambda whole, said: _top(whole, 5),
    "three": lambda whole, said: _top(whole, 3),
    "two": lambda whole, said: _top(whole, 2),
    "the likeliest": lambda whole, said: _top(whole, 1),
    "the answer": lambda whole, said: [_entry(said, whole[said])],
    "empty": lambda whole, said: [],
    "without the answer": lambda whole, said: [one for one in _top(whole, 20) if one["token"] != said],
}
#: How a server states what it lists.
STATED: dict[str, Callable[[Entries], Any]] = {
    "plainly": list,
    "twice": lambda listed: listed * 2,
    "reversed": lambda listed: listed[::-1],
    "rounded": lambda listed: [one | {"logprob": round(one["logprob"], 2)} for one in listed],
    "with sentinels": lambda listed: [one | {"logprob": -9999.0} if one["logprob"] < -9 else one for one in listed],
    "with nonsense": lambda listed: [
        {"token": "a", "logprob": math.nan}, {"token": "b", "logprob": math.inf}, {"token": "c", "logprob": -math.inf},
        {"token": None, "logprob": -1.0}, {"token": "d", "logprob": "-1"}, {"token": "e", "logprob": 7.0}, 3, *listed,
    ],
    "as null": lambda listed: None,
    "as an object": lambda listed: {one["token"]: one["logprob"] for one in listed},
    "negated": lambda listed: [one | {"logprob": -one["logprob"]} for one in listed],
    "as sentinels": lambda listed: [one | {"logprob": -9999.0} for one in listed],
    "as zeros": lambda listed: [one | {"logprob": 0.0} for one in listed],
}  # fmt: skip
#: These say nothing true of any word, the answer's own entry included.
FALSE: Mapping[str, Callable[[float], float]] = {
    "negated": lambda logprob: -logprob, "as sentinels": lambda _: -9999.0, "as zeros": lambda _: 0.0,
}  # fmt: skip
Shape = tuple[str, str]


def choices() -> Iterator[tuple[Shape, float, float, str, Any]]:
    """A shape, the true probabilities, what the model said, and the choice as a server states it."""
    for yes, no, whole, replies in truths():
        likeliest, least = (pick(whole, key=lambda word: whole[word]) for pick in (max, min))
        for (size, listed), (manner, stated), said in product(LISTS.items(), STATED.items(), {likeliest, least}):
            # a server that states zeros for one word says that it is sure of it
            if said and not (manner == "as zeros" and size in ("the answer", "the likeliest", "empty")):
                own = _entry(said, whole[said])
                own["logprob"] = FALSE.get(manner, float)(own["logprob"])
                place = {**own, "top_logprobs": stated(listed(whole, said))}
                yield (size, manner), yes, no, replies.get(said, said), {"logprobs": {"content": [place]}}


def how(yes: float, no: float, said: str, choice: Any) -> str:
    """Whether the score is right, wrong or absent."""
    scale = FLUENCY.scale
    assert scale is not None
    try:
        score, _ = read_answer(JUDGE, FLUENCY, Reply(text=said, odds=first_odds(choice)))
    except NoVerdict:
        return "no score"
    assert score.value is not None
    due = quality(math.log(max(yes, 1e-12) / max(no, 1e-12)))
    off = abs((score.value - scale.worst) / (scale.best - scale.worst) - due)
    return "right" if yes + no >= 0.45 and off <= TOLERANCE else "wrong"


def counted(every: int = 1) -> tuple[dict[Shape, Counter[str]], list[Any]]:
    found: dict[Shape, Counter[str]] = {}
    wrong = []
    for shape, yes, no, said, choice in islice(choices(), 0, None, every):
        told = how(yes, no, said, choice)
        # how often a score can be due at all
        answered = said.strip(" ▁Ġ.").casefold() in ("yes", "no", "да", "нет")
        found.setdefault(shape, Counter())[told if yes + no >= 0.5 and answered else f"{told}, none due"] += 1
        if told == "wrong" or (told == "right" and not answered):
            wrong.append((shape, yes, no, said, first_odds(choice)))
    return found, wrong


def test_no_shape_gives_a_wrong_score() -> None:
    found, wrong = counted(every=7)
    assert not wrong, (len(wrong), wrong[:5])
    for shape, many in found.items():
        if shape[0] in ("twenty", "all", "without the answer") and shape[1] in list(STATED)[:6]:
            assert many["right"] >= 0.7 * (many["right"] + many["no score"]), "what is stated in full is read"
        if shape[1] == "as sentinels":
            assert not many["right"]


@pytest.mark.parametrize(
    ("odds", "said"),
    [
        ({"No": -0.7, "The": -0.75}, "No"),
        ({"<think>": -0.05, "Yes": -4.0, "No": -5.0}, "<think>"),
        ({"I": -0.01, "No": -6.0, "Yes": -8.0}, "I cannot judge"),
        ({"No": -0.01, "Yes": -5.0}, "No idea"),
        ({"No": -0.01, "Yes": -5.0}, "None of it"),
        ({"Yes": -0.01, "No": -5.0}, "Yes/No"),
        ({"Yes": -0.01, "No": -5.0}, "Yesterday"),
        ({"Не": -0.01, "Да": -5.0}, "Не могу судить"),
        ({"Н": -0.01, "Да": -5.0}, "Неясно"),
        ({"Н": -0.5, "Да": -1.0}, ""),
        ({"Н": -1.0, "Да": -0.5}, "Да"),
        ({"N": -0.5, "Yes": -1.0}, "N"),
        ({"Yes": -0.6, "**": -0.9}, "Yes"),
        ({"Yes": -0.1, "No": -0.2}, "Yes"),
        ({"No": 0.0, "Yes": 0.0}, "No"),
        ({"No": -9999.0}, "No"),
        ({}, "No"),
    ],
)
def test_what_does_not_tell_is_a_failure(odds: dict[str, float], said: str) -> None:
    with pytest.raises(NoVerdict):
        read_answer(JUDGE, JUDGE.criterion("fluency"), Reply(text=said, odds=odds))


@pytest.mark.parametrize(
    ("odds", "said", "value"),
    [
        ({"No": math.log(0.999)}, "No", 1.0),
        ({"Yes": math.log(0.999)}, "Yes", 5.0),
        ({"No": math.log(0.9), "The": math.log(0.08)}, "No.", 1.0),
        ({"Не": math.log(0.9), "Да": math.log(0.1)}, "Нет", 1.2),
        ({"Д": math.log(0.6), "Н": math.log(0.4)} | dict.fromkeys("abcdefgh", -20.0), "Да.", 3.8),
        ({"No": -0.0001, "Yes": -9999.0}, "No, it is not", 1.0),
    ],
)
def test_what_tells_is_a_score(odds: dict[str, float], said: str, value: float) -> None:
    score, _ = read_answer(JUDGE, JUDGE.criterion("fluency"), Reply(text=said, odds=odds))
    assert score.value == pytest.approx(value, abs=0.1)


#: What is said instead of one of the two words, or beside it.
NEITHER = (
    "", " ", "I cannot", "Nein", "Oui", "Ja", "Y", "N", "Д", "Н", "Не", "Maybe", "True", "yess", "Yesno", "YesNo",
    "Yes1", "<think>\nOkay", "<think>Yes", "Answer: Yes", "1. Yes", "5 Yes", "not yes", "!Yes", "≠Yes",
    '{"answer": "Yes"}', "Yeş", "Nо", "Yes idea", "No idea", "No-one", "No‑one", "No’one", "No_one",
    "No. 5", "No.5", "No=Yes", "Yes?", "N o",
    "Ни да", "Данет", "Нет ли", "Да́", "Not", "None", "Nothing", "Yesterday", "<b>Yes</b>", "Is it? Yes", "No\u2003idea",
)  # fmt: skip
BETWEEN = (
    ", ",
    ". ",
    " or ",
    "/",
    " / ",
    " and ",
    "\n",
    "; ",
    " — ",
    "... ",
    "? ",
    ": ",
    " (",
    "! Wait, ",
    ".\n\nActually ",
    "**, **",
)
BOTH = tuple(
    f"{one}{between}{other}"
    for yes, no in product(("Yes", "yes", "Да", "ДА"), ("No", "NO", "Нет", "нет"))
    for one, other in ((yes, no), (no, yes))
    for between in BETWEEN
)
#: Ways to say one word and nothing else.
ALONE = (
    "{}", " {}", "\n\n{}", "**{}**", '"{}"', "«{}»", "`{}`", "_{}_", "{}.", "{}, it is", "{} - it is", "{}\nBecause",
    "({})", "- {}", "> {}", "# {}", "{}<|im_end|>", "{}</s>", "{}!", "{} ", "\u00a0{}", "[{}]", "{}\r\n", "**{}**: so",
)  # fmt: skip
LISTED: tuple[dict[str, float], ...] = (
    {"Yes": -0.01}, {"No": -0.01}, {"Да": -0.01}, {"Нет": -0.01}, {"Yes": -0.1, "No": -2.5}, {"Yes": -2.5, "No": -0.1},
    {"Да": -0.1, "Нет": -2.5}, {"Не": -0.1, "Да": -2.5}, {"Д": -0.1, "Н": -2.5, **dict.fromkeys("abcdefghi", -20.0)},
    {"Yes": -0.7, "No": -0.7, "Да": -9.0, "Нет": -9.0}, {" Yes": -0.1, "▁No": -2.5},
    {"Yes": -0.6, "<think>": -0.9, "No": -3.0},
)  # fmt: skip


def _score(odds: Mapping[str, float], said: str) -> float | None:
    try:
        return read_answer(JUDGE, FLUENCY, Reply(text=said, odds=odds))[0].value
    except NoVerdict:
        return None


@pytest.mark.parametrize("odds", LISTED, ids=str)
def test_a_reply_that_is_not_one_of_the_two_words_is_no_answer(odds: dict[str, float]) -> None:
    assert not [said for said in NEITHER + BOTH if _score(odds, said) is not None]


@pytest.mark.parametrize("odds", LISTED, ids=str)
def test_the_word_that_was_said_is_among_the_listed_ones(odds: dict[str, float]) -> None:
    for word, form in product(("Yes", "no", "Да", "НЕТ"), ALONE):
        listed = any(word.casefold().startswith(token.strip(" ▁").casefold()) for token in odds)
        score = _score(odds, form.format(word))
        assert score is None or listed, (word, form)
        if {"Yes", "No"} == set(odds) and word in ("Yes", "no"):
            assert score == _score(odds, "Yes"), "what stands around a word makes no difference"
            assert score is not None


@pytest.mark.parametrize("never", [-14.0, -20.0, -26.0, -100.0, -9999.0, -3.4e38])
def test_a_word_that_is_never_said_was_not_said(never: float) -> None:
    for said, other in (("Yes", "No"), ("No", "Yes"), ("Да", "Нет"), ("Нет", "Да")):
        assert _score({other: -0.01, said: never}, said) is None
        assert _score({other: -0.01, said: never}, other) is not None


#: What stands in a list in order to fill it.
PADDING = [-7.5, -9.0, -12.0, -13.0, -18.0, -26.0, -60.0, -100.0, -9999.0, -1e30]


def padded() -> Iterator[tuple[float, float, str, Any]]:
    """The true probabilities, the reply, and lists that hold few of them and are filled up."""
    for yes, no, whole, replies in islice(truths(), 0, None, 5):
        for kept, level, many in product((1, 2, 3), PADDING, (1, 2, 18)):
            for said in sorted(whole, key=lambda word: -whole[word])[:kept]:
                fillers = [{"token": f"w{n}", "logprob": level - n / 100} for n in range(many)]
                for listed in (_top(whole, kept), [_entry(said, whole[said])]):
                    place = {**_entry(said, whole[said]), "top_logprobs": [*listed, *fillers]}
                    yield yes, no, replies.get(said, said), {"logprobs": {"content": [place]}}


def counted_padded(every: int = 1) -> tuple[Counter[str], list[Any]]:
    found: Counter[str] = Counter()
    wrong = []
    for yes, no, said, choice in islice(padded(), 0, None, every):
        told = how(yes, no, said, choice)
        found[told] += 1
        if told == "wrong":
            wrong.append((yes, no, said, first_odds(choice)))
    return found, wrong


def test_a_list_that_was_filled_up_gives_no_wrong_score() -> None:
    found, wrong = counted_padded(every=11)
    assert not wrong, (len(wrong), wrong[:5])
    assert found["right"] > 500


#: What is no log probability.
INVALID: tuple[object, ...] = (math.nan, None, "-0.1", math.inf, 0.5, 7.0, True, [], 10**400)


def unstated() -> Iterator[tuple[float, float, str, Any]]:
    """The true probabilities, the reply, and lists in which some words have no probability."""
    for yes, no, whole, replies in islice(truths(), 0, None, 3):
        for k, invalid, said in product((3, 5, 20), INVALID, sorted(whole, key=lambda word: -whole[word])[:2]):
            for spoilt in list(whole)[:4]:
                listed = [one | {"logprob": invalid} if one["token"] == spoilt else one for one in _top(whole, k)]
                own = _entry(said, whole[said]) | ({"logprob": invalid} if said == spoilt else {})
                place = {**own, "top_logprobs": listed}
                yield yes, no, replies.get(said, said), {"logprobs": {"content": [place]}}


def counted_unstated(every: int = 1) -> tuple[Counter[str], list[Any]]:
    found: Counter[str] = Counter()
    wrong = []
    for yes, no, said, choice in islice(unstated(), 0, None, every):
        told = how(yes, no, said, choice)
        found[told] += 1
        if told == "wrong":
            wrong.append((yes, no, said, choice))
    return found, wrong


def test_words_without_a_probability_give_no_wrong_score() -> None:
    found, wrong = counted_unstated(every=17)
    assert not wrong, (len(wrong), wrong[:3])
    assert found["right"] > 100


if __name__ == "__main__":
    shapes = counted()[0]
    for (size, manner), many in shapes.items():
        print(f"{size:20}{manner:16}", *(f"{told}: {n}" for told, n in sorted(many.items())), sep="  ")
    print("together:", dict(sum(shapes.values(), Counter())))
    print("filled up:", dict(counted_padded()[0]))
    print("without a probability:", dict(counted_unstated()[0]))
