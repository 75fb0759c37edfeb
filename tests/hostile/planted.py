"""Runs in a real store in which a text stands in every place that data, models or people can reach."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from adjudge.api.prepare import load
from adjudge.api.stored import StoredRun, stored_item
from adjudge.core.judge import Judge
from adjudge.core.labels import Label
from adjudge.core.records import (
    Call,
    Claim,
    ErrorSpan,
    Failure,
    Finding,
    Item,
    Opinion,
    Outcome,
    Question,
    Reply,
    Score,
    Settings,
    digest,
)
from adjudge.core.runs import Run
from adjudge.reply.combine import combine
from adjudge.report.cited import web_address
from adjudge.store.store import open_store
from adjudge.store.writes import OutcomeDone, ReplyDone, Write
from tests.hostile.payloads import PAYLOADS

JUDGES = ("summary", "rag-answers", "search-summary", "translation", "translation-mqm")
ANNOTATOR = "Ann"
#: How many people are called by a text: each is compared with each.
PEOPLE = 8
#: How many characters of an id or a name are kept: longer ones are refused by those who read them.
_NAME_CHARS = 190
#: Options of the command line are kept in one piece on pages; anything else that is no blank is a letter.
_LETTERS = re.compile(r"(--[a-z][a-z-]{1,30})|\S")


def harmless(number: int) -> str:
    """A text of the same shape as a payload: blanks stay blanks, options options, and an address may be linked."""
    if web_address(PAYLOADS[number]):
        return f"https://plain.example/{number}"
    text = _LETTERS.sub(lambda found: found[1] or "p", PAYLOADS[number])
    return re.sub("ppp", f"{number:03}", text, count=1)


def _groups() -> list[list[int]]:
    """The places of payloads that have room together in the name of a run."""
    groups: list[list[int]] = []
    room = 0
    for place, text in enumerate(PAYLOADS):
        if not groups or room < len(text) + 1:
            groups.append([])
            room = _NAME_CHARS - len(str(place)) * 8
        groups[-1].append(place)
        room -= len(text) + 1
    return groups


_GROUPS = _groups()
#: How many runs are called by payloads.
NAMED = len(_GROUPS)
_load = cache(load)


def plant(url: str, texts: Sequence[str]) -> None:
    """A store with a run of every judge over all texts, two of `summary`, and runs that are called by them."""
    for judge in JUDGES:
        label(planted(url, judge, texts), texts)
    planted(url, "summary", texts, key="1")
    for number, group in enumerate(_GROUPS):
        planted(url, "summary", ["plain"], key=f"named{number}", about=" ".join(texts[place] for place in group))


def label(run: StoredRun, texts: Sequence[str]) -> None:
    """Labels of one person who answered all, with a comment on each, and a label each by people called by the texts."""
    scales = {one.name: one.scale for one in run.judge.scored if one.scale is not None}
    answers = [field.name for field in run.judge.fields if field.type == "answers"]
    given = []
    with open_store(run.store) as store:
        for place, ((outcome, row), text) in enumerate(zip(store.outcomes_with_rows(run.id), texts, strict=True)):
            item = stored_item(run.judge, row or "")
            who = [name for field in answers for name in item.answers(field)] or [""]
            asked = [(ANNOTATOR, name) for name in scales]
            if place < PEOPLE:
                asked.append((text[:_NAME_CHARS], next(iter(scales))))
            given += [
                Label(
                    item=outcome.item,
                    candidate=name,
                    criterion=criterion,
                    annotator=annotator,
                    value=scales[criterion].min + place % 2,
                    comment=text,
                )
                for annotator, criterion in asked
                for name in who
            ]
        store.add_labels(run.id, given)


def planted(
    url: str,
    judge: str,
    texts: Sequence[str],
    *,
    key: str = "0",
    about: str = "plain",
    lang: str = "en",
) -> StoredRun:
    """A run with one item for each text, which stands in all its fields; `about` in those of the run itself.

    Every tenth item failed. The id of the run is of its judge and `key`.
    """
    files, loaded = _load(judge, lang)
    bodies = [_row(loaded, text) for text in texts]
    run = Run(
        id=f"{loaded.name}-{key}",
        judge=loaded.name,
        judge_digest=loaded.digest,
        lang=lang,
        data=about,
        data_digest=digest(bodies),
        items=len(bodies),
        settings=Settings(model=about, base_url=about),
        name=about[:_NAME_CHARS],
        started="2026-01-01T00:00:00+00:00",
    )
    with open_store(url) as store:
        store.save_judge(loaded.digest, files)
        rows = [(str(body["id"]), json.dumps(body)) for body in bodies]
        store.add_dataset(run.data_digest, rows)
        store.create_run(run, spec="{}")
        store.claim(run.id)
        pairs = enumerate(zip(rows, texts, strict=True))
        store.commit(
            [
                one
                for place, ((_, row), text) in pairs
                for one in _writes(run, loaded, stored_item(loaded, row), place, text)
            ]
        )
        store.finish(run.id, "partial", summary=dict.fromkeys((one.name for one in loaded.scored), about), seconds=1.0)
    return StoredRun(url, run.id)


def _row(judge: Judge, text: str) -> dict[str, Any]:
    names = (f"{text[:_NAME_CHARS]} A", f"{text[:_NAME_CHARS]} B")
    result = {"url": text, "content": text, "metadata": {"title": text}}
    shapes: dict[str, Any] = {
        "answers": dict.fromkeys(names, text),
        "sources": [{"id": text[:_NAME_CHARS], "text": text, "url": text, "title": text}],
        "search_results": [result],
        "json": [1],
        "name": "plain",  # nothing but a short name is let in
    }
    given = {field.name: shapes.get(field.type, text) for field in judge.fields}
    return {"id": text[:_NAME_CHARS], **given}


def _writes(run: Run, judge: Judge, item: Item, place: int, text: str) -> list[Write]:
    who = [name for field in judge.fields if field.type == "answers" for name in item.answers(field.name)] or [""]
    call = Call(key=digest([run.id, place]), stage="judge", items=(item.id,), order=tuple(who) if who != [""] else ())
    reply = ReplyDone(run=run.id, call=call, span=(place, place), reply=Reply(text=text), step="strict")
    return [reply, OutcomeDone(run=run.id, position=place, outcome=_outcome(judge, item, call, who, place, text))]


def _outcome(judge: Judge, item: Item, call: Call, who: Sequence[str], place: int, text: str) -> Outcome:
    flag = f"{place} {text}".replace(":", "")  # flags are counted by how they begin, up to a colon
    if place % 10 == 9:
        return Failure(item=item.id, kind="timed_out", stage="judge", message=text, flags=(flag,), calls=(call.key,))
    sources = [source for field in judge.fields for source in item.sources(field.name)]
    of = {
        kind: [one for one in judge.criteria if one.kind == kind] for kind in ("claims", "questions", "spans", "text")
    }
    named = sources[0].id if sources else ""
    claim = Claim(text=text, supported=False, severity="minor", sources=(named,), quote=text, quote_found=False)
    found = Finding(kind="quote_not_found", reason=text, at=(0, 1), source=named, source_at=(0, 1))
    opinion = Opinion(
        scores={
            one.name: {name: Score(value=one.scale.min + place % 2, reason=text) for name in who}
            for one in judge.criteria
            if one.scale is not None
        },
        claims={one.name: (claim,) for one in of["claims"]},
        questions={
            one.name: (Question(source=named, text=text, answered=False, reason=text),) for one in of["questions"]
        },
        selected={one.name: (named, text) for one in judge.criteria if one.kind == "selection"},
        spans={
            one.name: (
                ErrorSpan(
                    text=text,
                    category=next(iter(one.categories), ""),
                    severity=next(iter(one.severities)),
                    explanation=text,
                ),
            )
            for one in of["spans"]
        },
        texts={one.name: text for one in of["text"]},
        flags=(flag,),
        findings={one.name: dict.fromkeys(who, (found,)) for one in judge.scored},
        order=call.order,
    )
    return combine(judge, item.id, [opinion], sources=sources, candidates=who, calls=[call.key])
