"""Without a run: check a judge, see a prompt, read a reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from adjudge.api.prepare import load
from adjudge.core.errors import Ambiguous, DataError
from adjudge.core.judge import Judge
from adjudge.core.records import Prompt, Settings, Verdict
from adjudge.data.items import canonical_row, make_item, parse_map
from adjudge.data.rows import read_rows
from adjudge.reply.combine import combine
from adjudge.reply.read import read
from adjudge.run.plan import Options, Planner
from adjudge.spec.load import judge_from_files
from adjudge.spec.prompt import render


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A valid judge, and the prompt for a row where one was asked for."""

    judge: Judge
    prompt: Prompt | None = None

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "judge": self.judge.name,
            "valid": True,
            "languages": list(self.judge.langs),
            "digest": self.judge.digest,
        }
        if self.prompt is not None:
            found["prompt"] = {"system": self.prompt.system, "user": self.prompt.user, "schema": self.prompt.schema}
        return found


def check(
    judge: str, *, data: str | None = None, row: int = 1, lang: str | None = None, columns: Sequence[str] = ()
) -> Checked:
    """Validate a judge in every language it has, and render the prompt for one row of a dataset."""
    files, loaded = load(judge, lang)
    for other in loaded.langs:
        judge_from_files(files, other)
    if data is None:
        return Checked(judge=loaded)
    found = next(islice(read_rows(data), max(row, 1) - 1, None), None)
    if found is None:
        raise DataError(f"there is no row {row}", where=data)
    where, raw = found
    item = make_item(loaded, canonical_row(loaded, raw, where, parse_map(loaded, tuple(columns))), where)
    planner = Planner(judge=loaded, settings=Settings(model="none"), options=Options())
    unit = next(planner.units([(0, item)]))
    return Checked(judge=loaded, prompt=render(loaded, unit.calls[0], unit.items))


def read_reply(judge: Judge | str, text: str) -> Verdict:
    """Read a judge's reply, however it is wrapped; `.scores` is {criterion: number}. Raises ReplyError.

    >>> read_reply("summary", "no verdict here")
    Traceback (most recent call last):
    adjudge.core.errors.NoVerdict: ...
    """
    loaded = load(judge, None)[1]
    reading = read(loaded, text)
    if len(reading.opinions) != 1:
        found = ", ".join(reading.opinions) or "none"
        raise Ambiguous(f"the reply judges {len(reading.opinions)} items ({found}), and one was expected")
    ((item, opinion),) = reading.opinions.items()
    names = tuple(next(iter(opinion.scores.values()), {"": None}))
    return combine(loaded, item, [opinion], sources=(), candidates=names)
