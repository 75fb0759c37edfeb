"""The summaries of all batches made into one: in a tree of calls, each with as many as fit into the model's window."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.core import limits
from adjudge.core.errors import ContextTooLong
from adjudge.core.records import Call, Prompt
from adjudge.reply.summary import cited, read_summary, uncited
from adjudge.run.ask import Asker
from adjudge.run.plan import Planner, estimate_tokens
from adjudge.run.window import room
from adjudge.spec.prompt import render_merge
from adjudge.store.writes import CallFailed


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A summary per criterion, and the numbers of the batches that it speaks of, in order."""

    batches: tuple[int, ...]
    texts: Mapping[str, str]


def batch_number(position: int, size: int) -> int:
    """The number of the batch that holds a position of the dataset, from 1."""
    return position // size + 1


def first_level(summaries: Iterable[tuple[int, Sequence[Mapping[str, str]]]], size: int) -> list[Part]:
    """One part for each batch that has a summary; what was said when items were asked again stands in the same part."""
    parts = []
    for position, several in summaries:
        texts: dict[str, str] = {}
        for one in several:
            for name, text in one.items():
                texts[name] = f"{texts[name]} {text}" if name in texts else text
        if texts:
            parts.append(Part(batches=(batch_number(position, size),), texts=uncited(texts)))
    return parts


def prompt_room(planner: Planner) -> int:
    """Tokens that the prompt of one call may have."""
    window = planner.options.window
    return window - room(window, planner.settings) if window else limits.MERGE_PROMPT_TOKENS


class Merger:
    """Merges for one run; the same parts give the same calls."""

    def __init__(self, asker: Asker, total: int) -> None:
        self._asker, self._judge = asker, asker.planner.judge
        self._end = (total, total)
        self._base = self._tokens(())

    async def merge(self, parts: Sequence[Part]) -> Part:
        """One part of all. A ModelError or ReplyError where a merge failed: what speaks of some would pass for all."""
        level = list(parts)
        while len(level) > 1:
            found = await asyncio.gather(*map(self._merged, await self._groups(level)), return_exceptions=True)
            for one in found:
                if isinstance(one, BaseException):
                    raise one
            level = [part for one in found if not isinstance(one, BaseException) for part in one]
        return level[0] if level else Part(batches=(), texts={})

    async def _groups(self, level: Sequence[Part]) -> list[list[Part]]:
        """The parts in order, as many together as fit into one call; a stated failure where two never do."""
        groups: list[list[Part]] = []
        used = 0
        for part in level:
            size = self._tokens([part]) - self._base
            if self._base + size > self._room:
                raise await self._too_long([part])
            if groups and used + size <= self._room:
                groups[-1].append(part)
                used += size
            else:
                groups.append([part])
                used = self._base + size
        if len(groups) == len(level):
            raise await self._too_long(level[:2])
        return groups

    @property
    def _room(self) -> int:
        return prompt_room(self._asker.planner)

    async def _too_long(self, parts: Sequence[Part]) -> ContextTooLong:
        """The error, noted in the store where the report finds it: nothing was asked."""
        numbers = " and ".join(_named(part) for part in parts)
        error = ContextTooLong(
            f"the summary of {numbers} makes a prompt of about {self._tokens(parts):,} tokens, and {self._room:,} is "
            "what one call may have; --window says how many tokens the model takes, and smaller batches say less"
        )
        failed = CallFailed(
            run=self._asker.run,
            call=self._call(parts),
            span=self._end,
            kind=error.kind,
            message=str(error),
            attempts=0,
        )
        await self._asker.ledger.put(failed)
        return error

    async def _merged(self, group: Sequence[Part]) -> list[Part]:
        if len(group) == 1:
            return [*group]
        call = self._call(group)
        prompt = self._prompt(call.key, group)
        try:
            texts, _ = await self._asker.consult(
                call, self._end, prompt, (), lambda reply: read_summary(self._judge, reply)
            )
        except ContextTooLong:
            # the window was not known, or its tokens are shorter than those of the estimate
            if len(group) == 2:
                raise
            half = len(group) // 2
            return [*await self._merged(group[:half]), *await self._merged(group[half:])]
        known = sorted(number for part in group for number in part.batches)
        return [Part(batches=tuple(known), texts={name: cited(text, known, _listed) for name, text in texts.items()})]

    def _call(self, parts: Sequence[Part]) -> Call:
        return self._asker.planner.call("merge", (), after=[[_span(part), dict(part.texts)] for part in parts])

    def _prompt(self, key: str, parts: Sequence[Part]) -> Prompt:
        return render_merge(self._judge, key, [part.texts for part in parts], list(map(_span, parts)))

    def _tokens(self, parts: Sequence[Part]) -> int:
        return estimate_tokens(self._prompt("", parts))


def _span(part: Part) -> tuple[int, int]:
    return part.batches[0], part.batches[-1]


def _named(part: Part) -> str:
    first, last = _span(part)
    return f"batch {first}" if first == last else f"batches {first} to {last}"


def _listed(numbers: Sequence[int]) -> str:
    return f"[{', '.join(map(str, numbers))}]"
