"""Reading replies: recovery and speed of adjudge, of json-repair alone and of a strict parser: python -m bench.replies

Recovery is the share of replies from which exactly the right scores (or, for broken JSON, the right value) come out;
`wrong` counts values that came out and are not right. The generated replies are made here; the real ones are read from
../shared/data beside the project and left out where it is absent. Speed is a ratio to the strict parser, in one run.
"""

from __future__ import annotations

import gzip
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import json_repair
from tests.unit.reply.judges import REASONING
from tests.unit.reply.real import equal

from adjudge.core.errors import ReplyError
from adjudge.reply.extract import document
from adjudge.reply.read import read
from adjudge.spec.load import load_judge

REPLIES = Path(__file__).resolve().parents[2] / "shared" / "data" / "replies"
SUMMARY = load_judge("summary")
NAMES = [criterion.name for criterion in SUMMARY.scored]
Scores = dict[str, Any] | None


def generated(n: int = 2000) -> Iterator[tuple[str, Scores]]:
    """Valid verdicts in the wrappings that models use, seeded."""
    chance = random.Random(7)
    for _ in range(n):
        scores = {name: chance.randint(1, 5) for name in NAMES}
        reason = chance.choice(["short", 'he said "no" twice', "a {brace} and a [1]", "дым и «огонь»", "it's 4/5"])
        verdict: dict[str, Any] = {name: {"justification": reason, "score": score} for name, score in scores.items()}
        verdict["overall"] = {"conclusion": "done"}
        plain = json.dumps(verdict, ensure_ascii=False, indent=chance.choice([None, 2]))
        draft = json.dumps({name: {"score": 1, "justification": "a draft"} for name in NAMES})
        yield (
            chance.choice(
                [
                    plain,
                    f"```json\n{plain}\n```",
                    f"<think>Perhaps {draft}? No.</think>\n{plain}",
                    f"Here is my verdict:\n\n{plain}\n\nI hope this helps!",
                    plain[:-1] + ",}",
                    json.dumps({"result": verdict}, ensure_ascii=False),
                    "// my verdict\n" + plain,
                ]
            ),
            scores,
        )


def ours(judge: Any) -> Callable[[str], Scores]:
    def scores(text: str) -> Scores:
        try:
            found = read(judge, text).opinions[""].scores
        except ReplyError:
            return None
        return {name: per[""].value for name, per in found.items()}

    return scores


def picked(value: Any, names: list[str]) -> Scores:
    """What a careful script would take from a parsed object: the score under each criterion's name."""
    try:
        return {
            name: value[name].get("score", value[name].get("rank")) if isinstance(value[name], dict) else value[name][0]
            for name in names
        }
    except (TypeError, KeyError, AttributeError, IndexError):
        return None


def parsed(parse: Callable[[str], Any], names: list[str]) -> Callable[[str], Scores]:
    def scores(text: str) -> Scores:
        try:
            return picked(parse(text), names)
        except (ValueError, RecursionError):
            return None

    return scores


def rows(name: str) -> list[dict[str, Any]]:
    path = REPLIES / f"{name}.jsonl.gz"
    return [json.loads(line) for line in gzip.open(path)] if path.exists() else []


def whole(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def value(text: str) -> Any:
        try:
            return [parse(text)]
        except (ValueError, RecursionError):
            return None

    return value


def measure(cases: list[tuple[str, list[Any]]], reader: Callable[[str], Any]) -> tuple[float, int, float]:
    right = wrong = 0
    began = time.perf_counter()
    results = [reader(text) for text, _ in cases]
    seconds = time.perf_counter() - began
    for found, (_, wanted) in zip(results, cases, strict=True):
        good = any(equal(found, one) for one in wanted)
        right += good
        wrong += found is not None and not good
    return right / len(cases), wrong, seconds


def table(title: str, cases: list[tuple[str, list[Any]]], readers: dict[str, Callable[[str], Any]]) -> None:
    if not cases:
        print(f"\n{title}: not here")
        return
    measured = {name: measure(cases, reader) for name, reader in readers.items()}
    strict = measured["strict json"][2]
    print(f"\n{title}: {len(cases)} replies\n\n| reader | right | wrong values | time, strict = 1 |\n|---|--:|--:|--:|")
    for name, (share, wrong, seconds) in measured.items():
        print(f"| {name} | {share:.1%} | {wrong} | {seconds / strict:.1f} |")


def main() -> None:
    table(
        "Generated verdicts in seven wrappings",
        [(text, [scores]) for text, scores in generated()],
        {
            "adjudge": ours(SUMMARY),
            "json-repair": parsed(json_repair.loads, NAMES),
            "strict json": parsed(json.loads, NAMES),
        },
    )
    names = [criterion.name for criterion in REASONING.scored]
    table(
        "Reasoning models (reasoning_replies)",
        [(row["raw"], [row["expected"]]) for row in rows("reasoning_replies")],
        {
            "adjudge": ours(REASONING),
            "json-repair": parsed(json_repair.loads, names),
            "strict json": parsed(json.loads, names),
        },
    )
    broken = [
        (row["raw"], [[row["expected"]], *([other["expected"]] for other in row.get("alternative_expected", ()))])
        for row in rows("broken_json")
        if row.get("expected_kind") == "repair" and row.get("raw") is not None
    ]
    table(
        "Broken JSON (broken_json, marked repair)",
        broken,
        {
            "adjudge": whole(lambda text: document(text).value),
            "json-repair": whole(json_repair.loads),
            "strict json": whole(json.loads),
        },
    )


if __name__ == "__main__":
    main()
