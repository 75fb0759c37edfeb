"""What fits into a model: known windows, and sources cut into parts that fit. Nothing is left out of them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeVar

import yaml

from adjudge.core import limits
from adjudge.core.errors import ContextTooLong
from adjudge.core.judge import Judge
from adjudge.core.records import Item, Prompt, Settings, Source
from adjudge.run.plan import CHARACTERS_PER_TOKEN

T = TypeVar("T")
#: Where a part may end, the best place first: between paragraphs, lines, sentences, words.
_ENDS = tuple(map(re.compile, (r"\n[ \t\r]*\n\s*", r"\n\s*", r"[.!?…]+[\"'»”’)\]]*\s+", r"\s+")))
#: A part that ends at a better place may be this much shorter.
_SHORTEST = 0.25


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A source, or what fits of it; `number` is what it is cited by, `start` where its text begins in the whole."""

    number: int
    source: Source
    start: int = 0


def known_window(settings: Settings) -> int | None:
    """How many tokens a provider's own model takes, prompt and answer; None where it is not known."""
    if settings.base_url:
        return None  # a server of one's own may have any window
    fitting = [name for name in _windows() if settings.model.startswith(name)]
    return _windows()[max(fitting, key=len)] if fitting else None


@cache
def _windows() -> dict[str, int]:
    data = yaml.safe_load(Path(__file__).with_name("windows.yaml").read_text(encoding="utf-8"))
    return {str(name): int(entry["tokens"]) for name, entry in data["windows"].items()}


def room(window: int, settings: Settings) -> int:
    """How many tokens of a window are kept for the answer."""
    return settings.max_tokens or min(limits.ROOM_FIRST_TOKENS, window // 4)


def too_long(characters: int, window: int | None, settings: Settings) -> bool:
    """Whether a prompt of so many characters would not fit."""
    return window is not None and characters / CHARACTERS_PER_TOKEN > window - room(window, settings)


def size_for(window: int | None, settings: Settings, beside: int, whole: int) -> int | None:
    """How long a part of the sources may be, with so many characters beside it; None where the whole fits, or may."""
    return part_characters(window, settings, beside) if window and too_long(beside + whole, window, settings) else None


def part_characters(window: int, settings: Settings, beside: int) -> int:
    """How long a part of a source may be, with so many characters beside it in the prompt."""
    left = int((window - room(window, settings)) * CHARACTERS_PER_TOKEN) - beside
    if left < limits.PART_CHARS_MIN:
        raise ContextTooLong(
            f"a window of {window:,} tokens has no room for a part of the source beside the instructions, the judged "
            f"text and the answer (about {round(beside / CHARACTERS_PER_TOKEN) + room(window, settings):,} tokens)"
        )
    return left


def check(prompt: Prompt, window: int | None, settings: Settings) -> None:
    """Refuse a prompt that is longer than the window that was given: better here than cut somewhere on the way."""
    characters = len(prompt.system) + len(prompt.user)
    if window is not None and too_long(characters, window, settings):
        raise ContextTooLong(
            f"the prompt has about {round(characters / CHARACTERS_PER_TOKEN):,} tokens and the answer needs "
            f"{room(window, settings):,}, together more than the {window:,} of --window"
        )


#: What to do where all of a source is needed in one prompt; said of failures.
HINT = "; shorten the sources or choose a model that takes more: this judge needs them all at once"


@lru_cache(maxsize=64)
def splittable(judge: Judge) -> bool:
    """Whether the judge's file says how each of its ratings is made where the source is too long."""
    sources = judge.with_role("source")
    return len(sources) == 1 and sources[0].type == "text" and all(one.long for one in judge.scored)


def worth_splitting(judge: Judge, item: Item) -> bool:
    """Whether there are parts to be had of a source that a server calls too long, without being told what would fit."""
    return splittable(judge) and len(item.text(judge.with_role("source")[0].name)) >= 2 * limits.PART_CHARS_MIN


def spans(text: str, size: int) -> list[tuple[int, int]]:
    """Where to cut a text so that no part is longer than `size`: between paragraphs, else sentences, else words.

    >>> spans("One.\\n\\nTwo. Three.", 12)
    [(0, 6), (6, 17)]
    """
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size:
        end = _end(text, start, start + size)
        found.append((start, end))
        start = end
    return [*found, (start, len(text))]


def _end(text: str, start: int, limit: int) -> int:
    earliest = start + max(int((limit - start) * _SHORTEST), 1)
    for pattern in _ENDS:
        if found := deque(pattern.finditer(text, earliest, limit), maxlen=1):
            return found[0].end()
    return limit


def grouped(sources: Sequence[Source], size: int | None) -> list[tuple[Piece, ...]]:
    """The sources in groups of at most `size` characters, cut where one is longer; all in one where there is none."""
    groups: list[list[Piece]] = [[]]
    filled = 0
    for number, source in enumerate(sources, start=1):
        for start, end in spans(source.text, size) if size else [(0, len(source.text))]:
            if size and filled and filled + end - start > size:
                groups.append([])
                filled = 0
            if start and groups[-1]:  # it goes on where the last one ended
                start = groups[-1].pop().start
            cut = source if end - start == len(source.text) else replace(source, text=source.text[start:end])
            groups[-1].append(Piece(number=number, source=cut, start=start))
            filled = sum(len(piece.source.text) for piece in groups[-1])
    return [tuple(group) for group in groups]


async def fitting(size: int | None, whole: int, work: Callable[[int | None], Awaitable[T]]) -> T:
    """Work with parts of at most `size` characters, or with the whole; with half of that where it is still too long.

    Only the server knows how many tokens its model makes of a text.
    """
    while True:
        try:
            return await work(size)
        except ContextTooLong:
            size = min(size or whole, whole) // 2
            if size < limits.PART_CHARS_MIN:
                raise
