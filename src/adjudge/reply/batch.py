"""Replies on many items at once: joined by id, never by place; what is valid is kept, the rest fails by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, ReplyError, Truncated
from adjudge.core.judge import Judge
from adjudge.core.records import Opinion
from adjudge.reply.cursor import Clash, same
from adjudge.reply.denial import is_denied, is_withdrawn
from adjudge.reply.extract import Candidate
from adjudge.reply.findings import plain_text
from adjudge.reply.keys import ABSENT, ALIASES, KEYS, look_up, normal, wraps
from adjudge.reply.quotes import Quoted, Quotes, only_quoted
from adjudge.reply.validate import Gate, check_own

_IDS = {normal(name) for name in ALIASES["id"]}
#: What a model may call items by that it counts: 3, #3, C, Item 3.
_COUNTED = re.compile(r"\W*(?:[^\W\d_]+[\W_]*)??(?P<number>\d{1,4}|[^\W\d_])\W*")


def read_batch(
    gate: Gate, usable: list[Candidate], text: str, finish: str
) -> tuple[dict[str, Opinion], dict[str, ReplyError], dict[str, str], tuple[str, ...], str]:
    """Opinions, failures, the summary, the reply's flags and the ladder's step."""
    batch = _Batch(gate, usable)
    batch.collect()
    if not batch.entries:
        if finish != "stop":
            raise Truncated("the reply was cut off before any verdict")
        raise only_quoted() if batch.quoted else NoVerdict("the reply holds no verdict with an id")
    if batch.is_counted():
        raise Ambiguous("the reply numbers the items by itself instead of using the ids that were shown")
    batch.judge_all()
    batch.check_prose(text)
    cut = finish != "stop" or any(candidate.unclosed for candidate in usable)
    for item in dict.fromkeys(gate.expected.labels.values()):
        if item not in batch.opinions and item not in batch.failures:
            absent = (Truncated if cut else Missing)(f"no verdict for the item {item}")
            batch.failures[item] = only_quoted() if item in batch.quoted else absent
    return batch.opinions, batch.failures, batch.summary, tuple(batch.flags), batch.step


def planted(gate: Gate, candidates: list[Candidate]) -> Iterator[tuple[str, Any]]:
    """The entries of known items that a judged text holds: as those of a reply are found."""
    batch = _Batch(gate, candidates)
    batch.collect()
    yield from ((item, value) for item, entries in batch.entries.items() for value, _ in entries)


def summary_of(judge: Judge, value: Any, quotes: Quotes | None) -> dict[str, str]:
    """The texts of the batch's summary by criterion, as far as the value states them and does not quote them."""
    if not isinstance(value, dict) or isinstance(value, Clash):
        return {}
    given = look_up(value, ALIASES["summary"], "summary")[0]
    if not isinstance(given, dict) or isinstance(given, Clash) or (quotes and quotes.says(given)):
        return {}
    names = [(criterion.name, criterion.title or criterion.name) for criterion in judge.criteria]
    found = {name: plain_text(look_up(given, (name, title), "summary")[0]) for name, title in names}
    return {name: text for name, text in found.items() if text}


class _Batch:
    def __init__(self, gate: Gate, usable: list[Candidate]) -> None:
        self.gate, self.usable, self.expected = gate, usable, gate.expected
        self.entries: dict[str, list[tuple[Any, Candidate]]] = {}
        self.opinions: dict[str, Opinion] = {}
        self.failures: dict[str, ReplyError] = {}
        self.summary: dict[str, str] = {}
        self.flags: dict[str, None] = {}
        self.clashing: set[str] = set()
        self.quoted: set[str | None] = set()
        self.unknown: set[str] = set()
        self.step = "strict"
        self.own = {id(candidate.value): candidate for candidate in usable}
        self.items = gate.expected.labels

    def collect(self) -> None:
        """Find the entries of every outermost value that has any; the values inside it belong to it."""
        covered = -1
        for candidate in self.usable:
            if candidate.start < covered:
                continue
            found = list(self._entries(candidate.value, wrapped=False))
            for shown, value in found:
                self._enter(shown, value, candidate)
            if found:
                covered = candidate.end
                self.step = (
                    candidate.step if candidate.step != "embedded_object" or self.step == "strict" else self.step
                )
            self.summary |= summary_of(self.gate.judge, candidate.value, self.gate.quotes)
        if not self.entries:
            self._only()

    def _entries(self, value: Any, *, wrapped: bool) -> Iterator[tuple[str, Any]]:
        if isinstance(value, list):
            for element in value:
                shown = self._id(element)
                if shown is not None:
                    yield shown, element
            return
        if not isinstance(value, dict):
            return
        shown = self._id(value)
        if shown is not None:
            yield shown, value
            return
        container = ABSENT if isinstance(value, Clash) else look_up(value, ALIASES["scores"], "scores")[0]
        if container is not ABSENT:
            check_own(value, [*ALIASES["scores"], *ALIASES["summary"], *self.items], "")
        if isinstance(container, list):
            yield from self._entries(container, wrapped=True)
        elif isinstance(container, dict):
            yield from self._keyed(container)
        # entries may also stand beside the container, or without any
        yield from self._keyed(value if container is ABSENT else {k: v for k, v in value.items() if k in self.items})
        if container is ABSENT and not wrapped:
            for key, inner in value.items():
                if isinstance(inner, list | dict) and wraps(key):
                    yield from self._entries(inner, wrapped=True)

    def _keyed(self, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Clash):
            self.clashing |= {self.items.get(key.strip(), key.strip()) for key in value.keys_twice}
        for key, entry in value.items():
            if isinstance(entry, dict | list) and (key.strip() in self.items or self.gate.recognises(entry)):
                yield key.strip(), entry

    def _id(self, value: Any) -> str | None:
        if not isinstance(value, dict) or not self.gate.recognises(value) or len(value) > KEYS:
            return None
        for key, entry in value.items():
            if normal(key) in _IDS and isinstance(entry, str | int) and not isinstance(entry, bool):
                return str(entry).strip()
        return None

    def _enter(self, shown: str, value: Any, candidate: Candidate) -> None:
        item = self.items.get(shown) if self.expected.labels else shown
        if self._quotes(value, item or ""):
            self.quoted.add(item)
        elif item is None:
            self.flags[f"unknown_id:{shown[:80]}"] = None
            if not (shown in self.items.values() and self.gate.quotes and self.gate.quotes.have(shown)):
                self.unknown.add(shown)  # an id that the model never saw, unless it is quoted from a text
        else:
            self.entries.setdefault(item, []).append((value, candidate))

    def _quotes(self, value: Any, item: str) -> bool:
        if self.gate.quotes is not None:
            try:
                self.gate.opinion(value, item)
            except Quoted:
                return True
            except ReplyError:
                pass
        return False

    def _only(self) -> None:
        """One item asked, one object answered: then no id is needed to know which is meant."""
        asked = list(dict.fromkeys(self.expected.labels.values()))
        lone: list[tuple[Any, Candidate]] = []
        covered = -1
        for candidate in self.usable:
            found = [] if candidate.start < covered else [(value, candidate) for value in self._bare(candidate.value)]
            covered = candidate.end if found else covered
            own = [entry for entry in found if not self._quotes(entry[0], "".join(asked[:1]))]
            self.quoted |= {None} if len(own) < len(found) else set()
            lone += own
        if len(asked) == 1 and len(lone) == 1 and not self.flags:
            self.flags["no_id"] = None
            self.entries[asked[0]] = lone
            self.step = lone[0][1].step

    def _bare(self, value: Any) -> list[Any]:
        """Verdicts without an id: the value itself, or what its list or container holds."""
        if self.gate.recognises(value):
            return [value]
        if isinstance(value, dict) and not isinstance(value, Clash):
            value = look_up(value, ALIASES["scores"], "scores")[0]
            if self.gate.recognises(value):
                return [value]
        return [entry for entry in value if self.gate.recognises(entry)] if isinstance(value, list) else []

    def check_prose(self, text: str) -> None:
        """Refuse a reply that denies or takes back what it lists, or begins another list that differs."""
        for item, entries in self.entries.items():
            if any(one.start != entries[0][1].start and not same(value, entries[0][0]) for value, one in entries[1:]):
                raise Ambiguous(f"the reply holds two lists that differ for {item}")
        taken = {candidate.start: candidate for entries in self.entries.values() for _, candidate in entries}
        behind = 0
        for start, candidate in sorted(taken.items()):
            if is_denied(text, start, behind):
                raise Ambiguous("the reply denies a verdict that it holds")
            behind = candidate.end
        if is_withdrawn(text, behind, listed=self.gate.counts):
            raise Ambiguous("the reply takes back the verdicts that it holds")

    def is_counted(self) -> bool:
        """Whether ids were counted, not copied: then even one that was shown may be meant for another item."""
        if len(self.items) < 2 or not all(map(_COUNTED.fullmatch, self.items)):
            return False
        first = next(iter(self.items))
        if self.items[first] not in {*self.entries, *self.quoted} and _place(first) == 0:
            return True  # ids from 0, and perhaps a count from 1
        return any((place := _place(one)) is not None and place <= len(self.items) for one in self.unknown)

    def judge_all(self) -> None:
        for item, entries in self.entries.items():
            try:
                self.opinions[item] = self._one(item, entries)
            except ReplyError as error:
                self.failures[item] = error

    def _one(self, item: str, entries: list[tuple[Any, Candidate]]) -> Opinion:
        if item in self.clashing or any(not same(other, entries[0][0]) for other, _ in entries[1:]):
            raise Ambiguous(f"{item}: two different verdicts for one id")
        value, candidate = entries[-1]
        own = self.own.get(id(value), candidate)
        try:
            found = self.gate.opinion(value, item)
        except ReplyError as error:
            raise Truncated(f"the reply was cut off: {error}") if own.unclosed else error from None
        if self.gate.counts and (own.unclosed or own.elided):
            raise Truncated(f"{item}: the lists of the verdict are cut off, or leave entries out")
        if own.guessed:
            raise (Truncated if own.unclosed else Malformed)(f"{item}: where a text ends is unclear")
        flags = list(found.flags)
        if candidate.step not in ("strict", "embedded_object"):
            flags.append(f"repaired:{candidate.step}")
        if len(entries) > 1:
            flags.append("duplicate_id")
        return replace(found, flags=tuple(dict.fromkeys(flags)))


def _place(shown: str) -> int | None:
    """The number of an item that an id may be a count of."""
    found = _COUNTED.fullmatch(shown)
    if not found:
        return None
    number = found["number"]
    return int(number) if number.isdecimal() else max(ord(number.upper()) - ord("A") + 1, 1)
