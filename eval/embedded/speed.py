"""How fast the embedded judge is on one core, and how soon its first verdict is there, in processor time."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.core.records import Call, Item, Prompt, Request, Settings
from adjudge.models.offline.judge import Offline
from eval.embedded import data
from eval.embedded.baselines import words
from eval.embedded.data import ROOT, Sample
from eval.embedded.measured import as_item, judge_of, source_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Speed:
    """Texts judged in a second of one core, with the words of the text and of its source."""

    what: str
    per_second: float
    texts: int
    words: float
    source_words: float


def speeds(fast: bool) -> list[Speed]:
    """Whole verdicts with reasons, the best of three rounds."""
    most = 100 if fast else 400
    chosen: Sequence[tuple[str, str, list[Sample]]] = (
        ("news summaries (SummEval), `summary`", "summary", data.summeval()),
        ("pairs of answers (RAGChecker), `rag-answers`", "rag-answers", data.ragchecker()),
        ("translations en-ru with reference (WMT), `translation`", "translation", _referenced()),
    )
    return [_speed(what, judge, data.taken(samples, fast=most)) for what, judge, samples in chosen]


def _referenced() -> list[Sample]:
    return [s for s in data.wmt("en-ru") if s.reference]


def _speed(what: str, judge: str, samples: Sequence[Sample]) -> Speed:
    requests = _requests(judge, samples)
    model = Offline()
    rounds = []

    async def ask() -> None:
        for request in requests:
            await model.answer(request)

    for _ in range(3):
        started = time.process_time()
        asyncio.run(ask())
        rounds.append(time.process_time() - started)
    return Speed(
        what=what,
        per_second=len(samples) / min(rounds),
        texts=len(samples),
        words=sum(len(words(s.text)) for s in samples) / len(samples),
        source_words=sum(len(words(source_text(s))) for s in samples) / len(samples),
    )


def _requests(judge: str, samples: Sequence[Sample]) -> list[Request]:
    """As a run makes them: pairs of answers in one call, ten translations in one, else one text each."""
    loaded = judge_of(judge, samples[0].lang)
    items = [as_item(judge, sample) for sample in samples]
    if loaded.layout == "compare":
        paired: dict[str, dict[str, str]] = {}
        first: dict[str, Item] = {}
        for sample, item in zip(samples, items, strict=True):
            paired.setdefault(sample.document, {})[sample.id] = sample.text
            first.setdefault(sample.document, item)
        items = [Item(id=name, fields={**first[name].fields, "answers": paired[name]}) for name in first]
    size = 10 if loaded.layout == "batch" else 1
    found = []
    for at in range(0, len(items), size):
        batch = tuple(items[at : at + size])
        order = tuple(batch[0].answers("answers")) if loaded.layout == "compare" else ()
        call = Call(key=str(at), stage="judge", items=tuple(item.id for item in batch), order=order)
        prompt = Prompt(system="", user="", schema={})
        found.append(Request(call=call, prompt=prompt, judge=loaded, items=batch, settings=Settings(model="offline")))
    return found


def start_s() -> float:
    """Processor time of `adjudge run summary` on one bundled row, from imports to the report; the best of five."""
    sample = ROOT / "src" / "adjudge" / "samples" / "summary.en.jsonl"
    row = json.loads(sample.read_text(encoding="utf-8").splitlines()[0])
    times = []
    with tempfile.TemporaryDirectory() as compiled:
        # An installed package is compiled already; here the first round compiles it.
        env = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(6):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "one.jsonl"
                file.write_text(json.dumps(row), encoding="utf-8")
                command = [sys.executable, "-m", "adjudge", "run", "summary", str(file), "--json"]
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


if __name__ == "__main__":
    for speed in speeds("--fast" in sys.argv):
        sys.stdout.write(f"{speed}\n")
    sys.stdout.write(f"start {start_s():.2f} s\n")
