"""Runs, judges and items as JSON has them, on the command line and from the web server alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adjudge.api.stored import StoredRun
from adjudge.core.judge import Judge
from adjudge.core.labels import Label
from adjudge.core.records import Call, Outcome, Reply
from adjudge.core.runs import RunState
from adjudge.data.export import line


def described_run(state: RunState) -> dict[str, Any]:
    """A run in short, as `adjudge runs --json` lists it."""
    run = state.run
    return {
        "run": run.id,
        "name": run.name,
        "status": state.status,
        "judge": run.judge,
        "lang": run.lang,
        "model": run.settings.model,
        "data": run.data,
        "items": run.items,
        "judged": state.judged,
        "failed": state.failed,
        "calls": state.calls,
        "cached": state.cached,
        "cost_usd": state.cost_usd,
        "until": run.until or None,
        "started": run.started,
        "finished": state.finished,
        "signature": run.signature,
    }


def described_judge(judge: Judge) -> dict[str, Any]:
    """A judge, as `adjudge judges --json` lists it."""
    return {
        "judge": judge.name,
        "title": judge.title,
        "about": judge.about,
        "layout": judge.layout,
        "languages": list(judge.langs),
        "fields": [
            {"name": f.name, "type": f.type, "required": f.required, "also": list(f.aliases)} for f in judge.fields
        ],
        "criteria": [
            {
                "name": c.name,
                "title": c.title,
                "kind": c.kind,
                **({"min": c.scale.min, "max": c.scale.max, "better": c.scale.better} if c.scale else {}),
                **({"labels": {str(k): v for k, v in c.scale.labels.items()}} if c.scale and c.scale.labels else {}),
                **({"checks": {one.name: one.weight for one in c.checks}} if c.checks else {}),
                **({"penalties": dict(c.penalties), "categories": dict(c.categories)} if c.penalties else {}),
            }
            for c in judge.criteria
        ],
        "derived": [{"name": d.name, "operation": d.operation, "of": list(d.of)} for d in judge.derived],
    }


def described_item(run: StoredRun, outcome: Outcome, replies: Iterable[tuple[Call, Reply]]) -> dict[str, Any]:
    """The export line of an item with its raw replies, as `adjudge show --item --json` prints it."""
    raw = [
        {
            "key": call.key,
            "stage": call.stage,
            "order": list(call.order),
            "repeat": call.repeat,
            "finish": reply.finish,
            "text": reply.text,
        }
        for call, reply in replies
    ]
    return {**line(outcome, run.state.run.signature), "replies": raw}


def described_label(label: Label) -> dict[str, Any]:
    """What one person said of one criterion of one text."""
    return {
        "item": label.item,
        "candidate": label.candidate or None,
        "criterion": label.criterion or None,
        "annotator": label.annotator,
        "value": label.value,
        "comment": label.comment,
        "added": label.added,
    }
