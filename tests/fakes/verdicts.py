"""Finished runs with the scores that a test wants: no model, but real verdicts in a real store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

import adjudge
from adjudge.api.prepare import load
from adjudge.api.stored import StoredRun, stored_item
from adjudge.core.judge import Judge
from adjudge.core.records import Failure, Opinion, Outcome, Score, Settings, digest
from adjudge.core.runs import Run
from adjudge.reply.combine import combine
from adjudge.store.store import open_store
from adjudge.store.writes import OutcomeDone

#: What one item is given: criterion → score, score by candidate, or a list with one of these for each repeat (None: not
#: judged); None in the place of the whole: the item failed.
Given = Mapping[str, Any] | None


def a_row(judge: Judge, number: int, candidates: Sequence[str] = ("A", "B")) -> dict[str, Any]:
    """A short row that the judge accepts; its id is `i<number>`, and every row has a source of its own."""
    row: dict[str, Any] = {"id": f"i{number}"}
    for field in judge.fields:
        if not field.required:
            continue
        text = f"{field.name} of item {number}: the ferry leaves at {number}."
        row[field.name] = {
            "answers": {name: f"{name} says: {text}" for name in candidates},
            "sources": [text],
            "search_results": [{"url": f"https://example.org/{number}", "content": text}],
        }.get(field.type, text)
    return row


def a_run(
    url: str,
    judge: str,
    given: Iterable[Given],
    *,
    rows: Sequence[Mapping[str, Any]] | None = None,
    lang: str = "en",
    model: str = "fake",
    name: str = "",
    seed: int = 0,
) -> StoredRun:
    """A complete run of a judge (a name or a folder) in the store at `url`, whose items have the given scores."""
    files, loaded = load(judge, lang)
    scores = list(given)
    names = _candidates(scores)
    bodies = list(rows) if rows is not None else [a_row(loaded, number, names) for number in range(len(scores))]
    repeats = max((len(v) for one in scores if one for v in one.values() if isinstance(v, list)), default=1)
    run = Run(
        id=f"{loaded.name}-{digest([model, name, scores])[:8]}",
        judge=loaded.name,
        judge_digest=loaded.digest,
        lang=loaded.lang,
        data="data.jsonl",
        data_digest=digest(bodies),
        items=len(bodies),
        settings=Settings(model=model),
        repeat=repeats,
        seed=seed,
        name=name,
        version=adjudge.__version__,
        started="2026-01-01T00:00:00+00:00",
    )
    with open_store(url) as store:
        store.save_judge(loaded.digest, files)
        texts = [json.dumps(one) for one in bodies]
        store.add_dataset(run.data_digest, [(str(one["id"]), text) for one, text in zip(bodies, texts, strict=True)])
        store.create_run(run, spec="{}")
        done = (
            OutcomeDone(run=run.id, position=place, outcome=_outcome(loaded, text, one, repeats))
            for place, (text, one) in enumerate(zip(texts, scores, strict=True))
        )
        while part := list(islice(done, 5_000)):
            store.commit(part)
        status: Literal["complete", "partial"] = "partial" if None in scores else "complete"
        store.claim(run.id)
        store.finish(run.id, status, summary=None, seconds=1.0)
    return StoredRun(url, run.id)


def _candidates(scores: Sequence[Given]) -> list[str]:
    found = {who: None for one in scores if one for v in one.values() if isinstance(v, Mapping) for who in v}
    return list(found) or ["A", "B"]


def _outcome(judge: Judge, text: str, given: Given, repeats: int) -> Outcome:
    item = stored_item(judge, text)
    if given is None:
        return Failure(item=item.id, kind="timed_out", stage="judge", message="no answer in time")
    who = [name for field in judge.fields if field.type == "answers" for name in item.answers(field.name)] or [""]
    opinions = [_opinion(given, who, repeat, repeats) for repeat in range(repeats)]
    sources = [source for field in judge.fields for source in item.sources(field.name)]
    return combine(judge, item.id, opinions, sources=sources, candidates=who)


def _opinion(given: Mapping[str, Any], who: Sequence[str], repeat: int, repeats: int) -> Opinion:
    scores: dict[str, dict[str, Score]] = {}
    for name, value in given.items():
        one = value[repeat] if isinstance(value, list) else value
        each = one if isinstance(one, Mapping) else dict.fromkeys(who, one)
        scores[name] = {own: Score(value=score, reason=f"gave {score}") for own, score in each.items()}
    return Opinion(scores=scores, repeat=repeat, order=tuple(who) if len(who) > 1 else ())
