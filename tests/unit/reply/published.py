"""Reads published replies of judges and compares with the published values: `python -m tests.unit.reply.published`."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adjudge.core.errors import ReplyError
from adjudge.core.judge import Judge
from adjudge.core.scale import Scale
from adjudge.reply.forms import read_form
from adjudge.reply.validate import Expected
from adjudge.spec.load import load_judge
from tests.unit.reply.disagreements import WHY

HERE = Path(__file__).parent
REPLIES = HERE.parents[2].parent / "shared" / "data" / "replies"
ORDER = {"A>B": 1, "A=B": 0, "B>A": -1}
LETTERS = {"a": 1, "b": -1}
SWAPPED = {"1": "b", "2": "a"}
DIRECT = {"1": "a", "2": "b"}
DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A reply with the value that was published for it: a number, numbers, or the sign of a preference."""

    id: str
    raw: str
    published: Any
    judge: Judge
    labels: tuple[str, ...] = ()

    def read(self) -> Any:
        """What the reader makes of it, in the terms of the published value, or the name of the failure."""
        try:
            opinion, _ = read_form(self.judge, self.raw, Expected(labels={label: label for label in self.labels}))
        except ReplyError as error:
            return error.kind
        (scores,) = opinion.scores.values()
        values = [score.value for score in scores.values() if score.value is not None]
        if self.judge.reply == "preference":
            first, second = values
            return (first > second) - (first < second)
        return values if self.judge.reply == "numbers" else values[0]


def scaled(judge: Judge, low: int, high: int, name: str = "") -> Judge:
    """The judge with another scale, and its criterion under another name."""
    (criterion,) = judge.criteria
    assert criterion.scale is not None
    scale = Scale(min=low, max=high, whole=criterion.scale.whole)
    changed = replace(criterion, scale=scale, name=name or criterion.name, title=name.title())
    return replace(judge, criteria=(changed,))


def rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(REPLIES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def judge(name: str) -> Judge:
    return load_judge(str(HERE / "judges_data" / name))


def mixed(kind: str) -> Iterator[Case]:
    """The replies of one kind of the mixed set."""
    pair, two, rating, options = judge("pair"), judge("two-scores"), judge("rating"), judge("options")
    for row in rows("judge_replies_mixed"):
        value = row.get("value")
        if row["kind"] != kind or value is None or value == [-1, -1]:  # -1, -1 is the set's word for "unreadable"
            continue
        common = {"id": row["id"], "raw": row["raw"]}
        if kind == "scalar_1_5":
            asked = options if "mcq" in row["origin"] else rating
            own = scaled(asked, 1, 5, row["origin"].split()[-1])
            yield Case(**common, published=float(value), judge=own)
        elif kind == "two_scores_first_line":
            yield Case(**common, published=[float(v) for v in value], judge=two, labels=("1", "2"))
        elif kind == "pair_a_b":
            yield Case(**common, published=LETTERS[value], judge=pair, labels=("a", "b"))
        elif kind == "arena_hard_verdict":
            yield Case(**common, published=ORDER[value], judge=pair, labels=("A", "B"))


def llmbar() -> Iterator[Case]:
    """Pairs in both orders. The published winner is the text, which the swapped order shows under the other letter."""
    pair = judge("pair")
    for row in rows("llmbar_judge_raw"):
        for place, step in enumerate(row["steps"]):
            for order, shown in (("direct", DIRECT), ("swapped", SWAPPED)):
                found = step.get(order) or {}
                if found.get("raw") is None or found.get("winner") is None:
                    continue
                yield Case(
                    id=f"{row['judge']}/{row['method']}/{row['pair_id']}/{place}/{order}",
                    raw=found["raw"],
                    published=LETTERS[shown[str(found["winner"])]],
                    judge=pair,
                    labels=("a", "b"),
                )


def llmbar_ratings() -> Iterator[tuple[str, tuple[str, str], str]]:
    """Texts rated one by one from 0 to 9: the two replies, and the published winner, which has the higher number."""
    for row in rows("llmbar_judge_raw"):
        for place, step in enumerate(row["steps"]):
            if "score_1" in step:
                replies = (step["score_1"][0], step["score_2"][0])
                yield f"{row['judge']}/{row['method']}/{row['pair_id']}/{place}", replies, str(step["direct"]["winner"])


def judgebench() -> Iterator[Case]:
    pair = judge("pair")
    for row in rows("judgebench_raw"):
        for judgment in row["judgments"]:
            if judgment["decision_as_shown"] is not None:
                yield Case(
                    id=f"{row['judge']}/{row['pair_id']}/{judgment['order']}",
                    raw=judgment["raw"],
                    published=ORDER[judgment["decision_as_shown"]],
                    judge=pair,
                    labels=("A", "B"),
                )


SETS = {
    "judge_replies_mixed, a rating in prose": lambda: mixed("scalar_1_5"),
    "judge_replies_mixed, Output (a)": lambda: mixed("pair_a_b"),
    "judge_replies_mixed, two numbers": lambda: mixed("two_scores_first_line"),
    "judge_replies_mixed, [[A>B]]": lambda: mixed("arena_hard_verdict"),
    "llmbar_judge_raw, Output (a)": llmbar,
    "judgebench_raw, [[A>B]]": judgebench,
}


def unpublished() -> Iterator[Case]:
    """Replies for which no value was published, or the word for "unreadable"."""
    pair = judge("pair")
    for row in rows("llmbar_judge_raw"):
        for place, step in enumerate(row["steps"]):
            for order in ("direct", "swapped"):
                found = step.get(order) or {}
                if found.get("raw") is not None and found.get("winner") is None:
                    name = f"{row['judge']}/{row['method']}/{row['pair_id']}/{place}/{order}"
                    yield Case(id=name, raw=found["raw"], published=None, judge=pair, labels=("a", "b"))


def summeval() -> Iterator[Case]:
    """Ratings from 1 to 5 in prose or stars, without a published value; the multiple-choice methods answer letters."""
    judges = {name: scaled(judge("rating"), 1, 5, name) for name in DIMENSIONS}
    for row in rows("summeval_judge_raw"):
        if not row["method"].endswith("mcq"):
            yield Case(id=row["id"], raw=row["raw"], published=None, judge=judges[row["dimension"]])


def topicalchat() -> Iterator[Case]:
    """Samples of ratings from 1 to 3, for groundedness from 0 to 1, without a published value."""
    rating = judge("rating")
    names = ("naturalness", "coherence", "engagingness", "groundedness")
    judges = {name: scaled(rating, *((0, 1) if name == "groundedness" else (1, 3)), name) for name in names}
    for row in rows("topicalchat_geval_raw"):
        for raw in row["raw"]:
            yield Case(id=row["id"], raw=raw, published=None, judge=judges[row["dimension"]])


def head_to_head() -> Iterator[Case]:
    """Letters of options, A, B or C, some with their wording: a set that the rules were not made with."""
    pair = judge("pair")
    for place, row in enumerate(rows("summeval_h2h_raw")):
        yield Case(id=str(place), raw=row["raw"], published=None, judge=pair, labels=("A", "B"))


COVERED = {
    "summeval_judge_raw, ratings": summeval,
    "topicalchat_geval_raw": topicalchat,
    "llmbar_judge_raw, none published": unpublished,
    "summeval_h2h_raw": head_to_head,
}


def _line(name: str, found: Counter[str]) -> str:
    others = ", ".join(f"{why} {n}" for why, n in found.most_common() if why != "equal")
    return f"| {name} | {found.total()} | {found['equal']} | {found['equal'] / found.total():.2%} | {others} |"


def main() -> None:
    """Print the tables of docs/reading-replies.md."""
    whys = {name: why for why, names in WHY.items() for name in names}
    total: Counter[str] = Counter()
    print("| set | published | read equal | share | read otherwise, or not |\n|---|--:|--:|--:|---|")
    for name, make in SETS.items():
        found = Counter("equal" if case.read() == case.published else whys.get(case.id, "?") for case in make())
        total += found
        print(_line(name, found))
    print(_line("all", total))
    print("\n| set | replies | read | failures |\n|---|--:|--:|---|")
    for name, make in COVERED.items():
        kinds = Counter(got if isinstance(got := case.read(), str) else "read" for case in make())
        failures = ", ".join(f"{kind} {n}" for kind, n in kinds.most_common() if kind != "read")
        print(f"| {name} | {kinds.total()} | {kinds['read']} | {failures} |")


if __name__ == "__main__":
    main()
