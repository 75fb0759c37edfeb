"""How the reply to a prompt of a judge is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from adjudge.core.judge import Judge
from adjudge.core.records import EMBEDDED, Item, Opinion, Prompt, Reply, Source
from adjudge.reply.expected import with_expected
from adjudge.reply.read import Expected, Reading, read
from adjudge.run.ask import Reader
from adjudge.run.plan import judged_text, numbered_sources
from adjudge.spec.prompt import texts

T = TypeVar("T")


def reader_of(judge: Judge, prompt: Prompt, items: Sequence[Item]) -> Reader[Reading]:
    """The reader of a verdict on the items, all of them shown in the prompt."""
    batch = judge.layout == "batch"

    def reader(reply: Reply) -> tuple[Reading, str]:
        sources: dict[str, tuple[Source, ...]] = {}
        outputs: dict[str, str | None] = {}
        judged: list[str] = []
        for item in items:
            name = item.id if batch else ""
            sources[name], outputs[name] = numbered_sources(judge, item), judged_text(judge, item)
            judged += texts(item.fields)
        expected = Expected(
            labels=prompt.labels,
            sources=sources,
            outputs=outputs,
            judged=tuple(judged),
            embedded=reply.mode == EMBEDDED,
        )
        reading = read(judge, reply.text, expected, finish=reply.finish)
        if reply.places is not None:
            reading = with_expected(judge, reply, reading, expected)
        if "temperature" in reply.refused:
            reading = replace(reading, flags=(*reading.flags, "temperature_refused"))
        return stepped(reply, (reading, reading.step))

    return reader


def stepped(reply: Reply, found: tuple[T, str]) -> tuple[T, str]:
    """What was read, and how: what the server itself held to the schema is told apart from what happened to be JSON."""
    structured = reply.mode == "schema" and found[1] == "strict"
    return found[0], "structured" if structured else found[1]


def flagged(opinion: Opinion, flags: tuple[str, ...]) -> Opinion:
    """An opinion with what holds of its whole reply."""
    return replace(opinion, flags=(*opinion.flags, *flags)) if flags else opinion
