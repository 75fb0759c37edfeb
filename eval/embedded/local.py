"""`local` measured: one yes/no question against a digit from 1 to 5 against a rating in JSON, on labelled texts.

python -m eval.embedded.local [MODEL.gguf] [--items N] [--minutes M]     (else the file in ADJUDGE_LOCAL_MODEL)

A small model on a processor needs seconds for each question, so only short texts are taken, their number is limited,
and every answer is kept in the user's cache folder: what was asked before is not asked again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import adjudge
from adjudge.core.errors import ReplyError
from adjudge.core.judge import Judge
from adjudge.core.records import Call, Item, Prompt, Request, Settings, digest
from adjudge.models.local import Local, model_file, revision
from adjudge.reply.odds import log_odds
from adjudge.spec.prompt import render
from eval.embedded import data
from eval.embedded.figures import Numbers, auc, pooled, spearman

RESULT = Path(__file__).with_suffix(".json")
DRAWS = 1000
WAYS = ("yes-no", "digits", "json")
_DIGITS = "Answer with one digit from 1 (not at all) to 5 (completely)."
_JSON = 'Rate it from 1 (not at all) to 5 (completely). Reply with one JSON object: {"score": <1-5>}'
_SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}},
    "required": ["score"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """An item with what people gave it, as a number and as good or not."""

    item: Item
    cluster: str
    human: float
    good: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One kind of judgement on one set."""

    name: str
    judge: str
    criterion: str
    items: Callable[[], list[Labelled]]
    about: str


def faithfulness() -> list[Labelled]:
    """Summaries in which one fact was changed or none."""
    return [
        Labelled(
            item=Item(id=one.id, fields={"content": one.sources[0], "text": one.text}),
            cluster=one.source,
            human=one.human["consistent"],
            good=one.human["consistent"],
        )
        for one in data.summedits()
        if len(one.sources[0]) + len(one.text) <= 1800
    ]


def adequacy() -> list[Labelled]:
    """Translations of one sentence into Russian; good where nobody marked an error."""
    return [
        Labelled(
            item=Item(id=one.id, fields={"src": one.sources[0], "trg": one.text}),
            cluster=one.source,
            human=one.human["mqm"],
            good=float(one.human["mqm"] > -1),
        )
        for one in data.wmt("en-ru")
        if 60 <= len(one.text) <= 140
    ]


def relevance() -> list[Labelled]:
    """Answers to a question: how useful to who asked; good where people gave 4 or 5 of 5."""
    return [
        Labelled(
            item=Item(id=one.id, fields={"user_query": one.query, "search_results": (), "summary": one.text}),
            cluster=one.source,
            human=one.human["utility"],
            good=float(one.human["utility"] >= 4),
        )
        for one in data.alce()
        if len(one.text) + len(one.query) <= 450
    ]


TASKS = (
    Task(
        name="faithfulness",
        judge="summary",
        criterion="accuracy",
        items=faithfulness,
        about="SummEdits, source and summary of up to 1,800 characters together; good: no fact was changed",
    ),
    Task(
        name="adequacy",
        judge="translation",
        criterion="adequacy",
        items=adequacy,
        about="WMT en-ru, translations of 60 to 140 characters, no reference shown; good: no error marked",
    ),
    Task(
        name="relevance",
        judge="search-summary",
        criterion="relevancy",
        items=relevance,
        about="ALCE, question and answer of up to 450 characters, nothing to check against; good: utility 4 or 5",
    ),
)


class Kept:
    """Answers that were paid for in minutes, by what was asked."""

    def __init__(self, model: str) -> None:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adjudge"
        base.mkdir(parents=True, exist_ok=True)
        self._path = base / f"eval-local-{model}.jsonl"
        self._found: dict[str, Any] = {}
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self._found[entry["key"]] = entry["said"]

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def get(self, key: str) -> Any:
        return self._found.get(key)

    def put(self, key: str, said: Any) -> None:
        self._found[key] = said
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "said": said}, ensure_ascii=False) + "\n")


def chosen(task: Task, n: int) -> list[Labelled]:
    """The same `n` items every time, as many good as not where there are enough, one from each source first."""
    found = sorted(task.items(), key=lambda one: one.item.id)
    random.Random(5).shuffle(found)
    seen: set[str] = set()
    first = [one for one in found if not (one.cluster in seen or seen.add(one.cluster))]  # type: ignore[func-returns-value]
    ids = {one.item.id for one in first}
    found = first + [one for one in found if one.item.id not in ids]
    good, bad = ([one for one in found if one.good == side] for side in (1.0, 0.0))
    pairs = [one for pair in zip(good, bad, strict=False) for one in pair]
    return pairs[:n]


def prompts(judge: Judge, criterion: str, item: Item) -> dict[str, Prompt]:
    """The three ways to ask about one item; all share the text before the question."""
    asked = render(judge, Call(key="", stage="judge", items=(item.id,), criterion=criterion), [item])
    head = asked.user[: asked.user.rindex("\n")]
    return {
        "yes-no": asked,
        "digits": replace(asked, user=f"{head}\n{_DIGITS}"),
        "json": replace(asked, user=f"{head}\n{_JSON}", schema=_SCHEMA, odds=False),
    }


def value(way: str, said: Any) -> float:
    """A higher number for a better text; not a number where nothing could be read."""
    try:
        if way == "yes-no":
            return log_odds(said)
        if way == "json":
            return float(json.loads(said)["score"])
    except (ReplyError, ValueError, KeyError, TypeError):
        return math.nan
    digits = [(int(word.strip()), math.exp(logprob)) for word, logprob in said.items() if word.strip() in set("12345")]
    whole = sum(p for _, p in digits)
    return sum(point * p for point, p in digits) / whole if whole else math.nan


async def ask_all(path: Path, items: Mapping[str, Sequence[Labelled]], kept: Kept, minutes: float) -> float:
    """Ask what is not known yet, task after task in turn, until the time is over; seconds per question."""
    model, ends, asked, began = Local(str(path)), time.monotonic() + 60 * minutes, 0, time.monotonic()
    try:
        for place in range(max(map(len, items.values()))):
            for task in TASKS:
                if place >= len(items[task.name]) or time.monotonic() > ends:
                    continue
                judge, one = adjudge.load_judge(task.judge, lang="en"), items[task.name][place]
                for way, prompt in prompts(judge, task.criterion, one.item).items():
                    key = _key(task, way, one)
                    if key in kept:
                        continue
                    call = Call(key=key, stage="judge", items=(one.item.id,), criterion=task.criterion)
                    settings = Settings(model="local")
                    request = Request(call=call, prompt=prompt, judge=judge, items=(one.item,), settings=settings)
                    reply = await model.answer(request)
                    kept.put(key, reply.text if way == "json" else dict(reply.odds))
                    asked += 1
    finally:
        await model.close()
    return (time.monotonic() - began) / max(asked, 1)


def _key(task: Task, way: str, one: Labelled) -> str:
    judge = adjudge.load_judge(task.judge, lang="en")
    prompt = prompts(judge, task.criterion, one.item)[way]
    return f"{task.name}|{way}|{digest([prompt.system, prompt.user])}"


def figures(items: Mapping[str, Sequence[Labelled]], kept: Kept) -> dict[str, Any]:
    """AUC and Spearman of each way on the items that were asked in all ways."""
    found: dict[str, Any] = {}
    for task in TASKS:
        whole = [one for one in items[task.name] if all(_key(task, way, one) in kept for way in WAYS)]
        clusters, good, human = [o.cluster for o in whole], [o.good for o in whole], [o.human for o in whole]
        ways: dict[str, Any] = {}
        for way in WAYS if whole else ():
            scores = [value(way, kept.get(_key(task, way, one))) for one in whole]
            # what could not be read counts as the middle: leaving it out would favour who answers seldom
            middle = float(np.nanmedian(scores))
            filled = [middle if math.isnan(score) else score for score in scores]
            ways[way] = {
                "auc": asdict(pooled(auc, good, filled, clusters, draws=DRAWS)),
                "spearman": asdict(pooled(spearman, human, filled, clusters, draws=DRAWS)),
                "unread": sum(map(math.isnan, scores)),
                "same": round(max(filled.count(score) for score in set(filled)) / len(filled), 3),
            }
        found[task.name] = {"about": task.about, "n": len(whole), "ways": ways}
    return found


def fitted(items: Mapping[str, Sequence[Labelled]], kept: Kept) -> dict[str, Any]:
    """The mapping's numbers, from the dev half: the curve nearest to people's ratings, every kind weighing alike.

    `spread` is the distance from the curve that 80 of 100 ratings of the dev half keep; `covers` how many of the held
    half do.
    """
    found = []
    for task in TASKS:
        for one in items[task.name]:
            odds = value("yes-no", kept.get(_key(task, "yes-no", one)) or {})
            if not math.isnan(odds):
                found.append((task.name, data.half_of(one.cluster) == "dev", odds, _place(task, one)))
    names, dev = np.array([name for name, *_ in found]), np.array([half for _, half, *_ in found], bool)
    x, y = (np.array([row[at] for row in found]) for at in (2, 3))
    w = np.array([1 / max((dev & (names == name)).sum(), 1) for name in names])
    slope, shift = curve(x[dev], y[dev], w[dev])
    far = np.abs(y - 1 / (1 + np.exp(-(slope * x + shift))))
    order = np.argsort(far[dev])
    at = int(np.searchsorted(np.cumsum(w[dev][order]) / w[dev].sum(), 0.8))
    spread = round(float(far[dev][order][min(at, len(order) - 1)]), 2)
    return {
        "slope": round(slope, 2),
        "shift": round(shift, 2),
        "spread": spread,
        "n": int(dev.sum()),
        "covers": round(float((far[~dev] <= spread).mean()), 3) if (~dev).any() else None,
        "n_held": int((~dev).sum()),
    }


def curve(x: Numbers, y: Numbers, w: Numbers) -> tuple[float, float]:
    """Slope and shift by Newton's steps on the weighted log likelihood, with a weak pull towards a slope of 1."""
    found = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-(found[0] * x + found[1])))
        v = w * p * (1 - p)
        gradient = np.array([(w * (y - p) * x).sum() - 0.01 * (found[0] - 1), (w * (y - p)).sum()])
        hessian = np.array([[(v * x * x).sum() + 0.01, (v * x).sum()], [(v * x).sum(), v.sum()]])
        found = found + np.linalg.solve(hessian, gradient)
    return float(found[0]), float(found[1])


def _place(task: Task, one: Labelled) -> float:
    """What people gave as a place between worst and best."""
    if task.name == "adequacy":
        return max(0.0, 1 + one.human / 10)
    return (one.human - 1) / 4 if task.name == "relevance" else one.human


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", nargs="?", default="")
    options.add_argument("--items", type=int, default=100)
    options.add_argument("--minutes", type=float, default=600.0)
    given = options.parse_args()
    path = model_file(given.model)
    items = {task.name: chosen(task, given.items) for task in TASKS}
    kept = Kept(revision(path))
    seconds = asyncio.run(ask_all(path, items, kept, given.minutes))
    result = {
        "model": path.name,
        "revision": revision(path),
        "date": date.today().isoformat(),
        "seconds_per_question": round(seconds, 2),
        "tasks": figures(items, kept),
        "mapping": fitted(items, kept),
    }
    RESULT.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(RESULT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
