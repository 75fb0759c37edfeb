"""One item as the measures see it: its fields by role, taken apart once."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from functools import cached_property

from adjudge.core.judge import Judge
from adjudge.core.numbering import numbering
from adjudge.core.records import Item, Source
from adjudge.models.offline.evidence import Check, Evidence, Match
from adjudge.models.offline.findings import Finding, Words, quote, weights, words
from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.overlap import agreement
from adjudge.models.offline.recent import Made, Recent
from adjudge.models.offline.text import Sentence, Text, analyse

#: The sources of an item are those of the next one, where several systems are judged.
_RECENT = Recent[Evidence](most=8, chars=200_000)
_LABEL = re.compile(r"\s*\[(\d{1,5})\]\s")


def _evidence(texts: tuple[str, ...], beside: tuple[str, ...] = ()) -> Evidence:
    size = sum(map(len, (*texts, *beside)))
    return _RECENT.get((texts, beside), size, lambda: Evidence(list(map(analyse, texts)), list(map(analyse, beside))))


class Case:
    """An item of a judge: sources, query and reference, shared by all its candidates."""

    def __init__(self, judge: Judge, item: Item) -> None:
        self.judge, self.item = judge, item
        self.words: Words = words(judge.lang)
        self.sources: tuple[Source, ...] = tuple(self._sources())

    def _sources(self) -> list[Source]:
        found: list[Source] = []
        for field in self.judge.with_role("source"):
            if field.type in ("sources", "search_results"):
                found.extend(self.item.sources(field.name))
            elif field.name in self.item.fields:
                found.append(Source(id=str(len(found) + 1), text=self.item.text(field.name)))
        return found

    def _joined(self, role: str) -> str:
        texts = (self.item.text(field.name) for field in self.judge.fields if field.role == role)
        return "\n\n".join(text for text in texts if text)

    @cached_property
    def outputs(self) -> dict[str, str] | None:
        """The judged texts by candidate ("" when there is one), or None when no field is marked as output."""
        fields = self.judge.with_role("output")
        if not fields:
            return None
        if fields[0].type == "answers":
            return {name: str(text) for name, text in self.item.answers(fields[0].name).items()}
        return {"": self._joined("output")}

    @cached_property
    def evidence(self) -> Evidence:
        return _evidence(self._texts, self._titles)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(source.text for source in self.sources)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """What numbers sources are cited by, and their places: as the row lists them, or as their texts begin, `[5] …`,
        where all do, no two alike, and none has an id. None where they are cited by their ids or places."""
        if given := self.item.fields.get("citations"):
            return numbering(self.sources, given)
        if any(source.id != str(number) for number, source in enumerate(self.sources, 1)):
            return {}
        found = {int(label[1]): place for place, text in enumerate(self._texts, 1) if (label := _LABEL.match(text))}
        return found if len(found) == len(self._texts) else {}

    def number(self, place: int) -> int | None:
        """The number that a source is cited by, if it is cited by one of its own."""
        return next((number for number, other in self.numbers.items() if other == place), None)

    @cached_property
    def _titles(self) -> tuple[str, ...]:
        return tuple(f"{source.id} {source.title or ''}" for source in self.sources)

    @cached_property
    def query(self) -> Text:
        return analyse(self._joined("query"))

    @cached_property
    def reference(self) -> Text:
        return analyse(self._joined("reference"))

    @cached_property
    def sized(self) -> bool:
        """Whether the golden answer is long enough to tell how long an answer ought to be."""
        return len(self.reference.stems) > int(weights("brevity")["golden_words"])

    @cached_property
    def golden(self) -> Evidence:
        """The golden answer by itself."""
        return _evidence((self.reference.raw,))

    @cached_property
    def all_evidence(self) -> Evidence:
        """The sources and the golden answer together: an answer may lean on either."""
        return _evidence((*self._texts, self.reference.raw), self._titles)

    def view(self, candidate: str) -> View:
        outputs = self.outputs or {}
        rivals = [text for name, text in outputs.items() if name != candidate]
        others = [other.text for field in self.judge.with_role("peers") for other in self.item.sources(field.name)]
        return View(self, outputs.get(candidate, ""), (*rivals, *others))


class View:
    """One judged text of a case; `peers` are the other candidates and other systems' texts, if there are any."""

    def __init__(self, case: Case, raw: str, peers: tuple[str, ...] = ()) -> None:
        self.case, self.raw, self.peers = case, raw, tuple(text for text in peers if text.strip())
        self.say, self.none = case.words.say, case.words.none
        self.made: Made = {}

    @cached_property
    def out(self) -> Text:
        return analyse(self._renamed[0])

    @cached_property
    def _renamed(self) -> tuple[str, list[tuple[int, int]]]:
        """The text with citations by name, `[ch20]`, as citations by number, `[3]`, and the shifts this made."""
        case = self.case
        numbers = {s.id: case.number(at) if case.numbers else at for at, s in enumerate(case.sources, 1)}
        names = {name: f"[{number}]" for name, number in numbers.items() if number and not name.isdigit()}
        pieces: list[str] = []
        shifts = [(0, 0)]
        done = size = 0
        for found in re.finditer(r"\[([^\[\]\n]{1,200})\]", self.raw):
            if found[1] in names:
                pieces += [self.raw[done : found.start()], names[found[1]]]
                size += found.start() - done + len(names[found[1]])
                done = found.end()
                shifts.append((size, done - size))
        return "".join([*pieces, self.raw[done:]]), shifts

    def place(self, sentence: Sentence) -> tuple[int, int]:
        """Where a sentence of the judged text stands in it as it was given."""
        shifts = self._renamed[1]

        def given(at: int) -> int:
            return at + shifts[bisect_right(shifts, (at, len(self.raw))) - 1][1]

        return given(sentence.start), given(sentence.start + len(sentence.text))

    def where(self, piece: str) -> tuple[int, int] | None:
        """Where a piece stands in the judged text word for word, if it does."""
        at = self.raw.find(piece) if piece else -1
        return (at, at + len(piece)) if at >= 0 else None

    def find(
        self,
        kind: str,
        *,
        at: Sentence | tuple[int, int] | None = None,
        near: Match | tuple[int, Sentence] | None = None,
        against: bool = True,
        **values: object,
    ) -> Finding:
        """A finding worded in the run's language, with its places: `at` in the judged text, `near` in a source.

        A source is meant by its number, the reference by 0 or by the number after the last. The phrase's `quote` is the
        judged sentence, else the source's; its `nearest` is the source's.
        """
        number, there = (
            (near.source, near.sentences[0] if near.sentences else None)
            if isinstance(near, Match)
            else (near or (0, None))
        )
        texts = [sentence.text for sentence in (at, there) if isinstance(sentence, Sentence)]
        shown = {"quote": quote(texts[0])} if texts else {}
        if there is not None:
            shown["nearest"] = quote(there.text)
        sources = self.case.sources
        name = "" if there is None else sources[number - 1].id if 1 <= number <= len(sources) else "reference"
        return Finding(
            kind=kind,
            reason=self.say(kind, **{**shown, **values}),
            at=self.place(at) if isinstance(at, Sentence) else at,
            source=name,
            source_at=(there.start, there.start + len(there.text)) if there is not None else None,
            against=against,
        )

    @cached_property
    def own(self) -> Evidence:
        return Evidence([self.out])

    @cached_property
    def agreement(self) -> dict[str, float]:
        """What the text has in common with the golden answer, by kind."""
        return agreement(self.out, self.case.reference, self.own)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """Each sentence against the sources; the first few hundred stand for a longer text."""
        chosen = self.out.sentences[: weights("limits")["sentences"]]
        return tuple(check for check in map(self.case.evidence.check, chosen) if check.weight)

    @cached_property
    def told(self) -> tuple[Check, ...]:
        """The checks of what the text states: a name or a number alone states something only with its question."""
        if not (asked := self._asked_for):
            return self.checks
        sentences = analyse(f"{asked.text.rstrip(' ?')}: {self.out.raw}").sentences
        if len(sentences) > 1:
            return self.checks
        (own,), whole = self.checks, self.case.evidence.check(sentences[0])
        # The question may take away what stands elsewhere, and gives nothing. Its names and numbers are its own.
        less = {name: min(getattr(own, name), getattr(whole, name)) for name in ("pairs", "together")}
        return (replace(own, unknown=max(own.unknown, whole.unknown), **less),)

    @property
    def _asked_for(self) -> Sentence | None:
        """The question that the text answers with nothing but a name or a number, if it does."""
        query, limit = self.case.query, weights("answer_coverage")["terse_words"]
        if query.empty or len(self.out.tokens) > limit or not len(self.out.sentences) == len(self.checks) == 1:
            return None
        if not all(word[0].isupper() or word[0].isdigit() for word in self.checks[0].sentence.words):
            return None
        words = lexicon(query.lang).questioning
        return next((asked for asked in reversed(query.sentences) if not words.isdisjoint(asked.tokens)), None)

    @cached_property
    def all_checks(self) -> tuple[Check, ...]:
        chosen = self.out.sentences[: weights("limits")["sentences"]]
        return tuple(check for check in map(self.case.all_evidence.check, chosen) if check.weight)

    @cached_property
    def partly(self) -> tuple[Finding, ...]:
        """A word on what was left unread, when something was."""
        limit = weights("limits")["sentences"]
        return (self.find("only_first", against=False, n=limit),) if len(self.out.sentences) > limit else ()

    @cached_property
    def comparable(self) -> str:
        """Why the text can't be compared with its sources, as a phrase's name; "" when it can."""
        evidence = self.case.evidence
        if evidence.empty:
            return "no_source"
        scripts = {text.script for text in evidence.texts if text.script}
        return "other_script" if scripts and self.out.script and self.out.script not in scripts else ""

    def foreign(self, other: Text) -> bool:
        """Whether both have letters, and of different scripts; a number is the same in all of them."""
        return bool(self.out.script and other.script) and self.out.script != other.script

    def source_number(self, cited: int) -> int | None:
        """The place of a cited source: by a number of its own, by its id, or by counting without either."""
        if self.case.numbers:
            return self.case.numbers.get(cited)
        ids = [source.id for source in self.case.sources]
        if str(cited) in ids:
            return ids.index(str(cited)) + 1
        return cited if not any(name.isdigit() for name in ids) and 1 <= cited <= len(ids) else None

    def cited_as(self, number: int) -> str:
        """What a source is cited by."""
        return str(self.case.number(number) or quote(self.case.sources[number - 1].id, 40))
