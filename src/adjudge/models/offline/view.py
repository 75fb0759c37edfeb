"""One item as the measures see it: its fields by role, taken apart once."""

from __future__ import annotations

from functools import cached_property

from adjudge.core.judge import Judge
from adjudge.core.records import Item, Source
from adjudge.models.offline.evidence import Check, Evidence
from adjudge.models.offline.findings import Words, weights, words
from adjudge.models.offline.text import Text, analyse


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
        # A title is part of what a search result tells its reader.
        return Evidence([analyse(f"{s.title}\n\n{s.text}" if s.title else s.text) for s in self.sources])

    @cached_property
    def query(self) -> Text:
        return analyse(self._joined("query"))

    @cached_property
    def reference(self) -> Text:
        return analyse(self._joined("reference"))

    @cached_property
    def golden(self) -> Evidence:
        return Evidence([self.reference])

    def view(self, candidate: str) -> View:
        return View(self, (self.outputs or {}).get(candidate, ""))


class View:
    """One judged text of a case."""

    def __init__(self, case: Case, raw: str) -> None:
        self.case, self.raw = case, raw
        self.say, self.none = case.words.say, case.words.none

    @cached_property
    def out(self) -> Text:
        return analyse(self.raw)

    @cached_property
    def own(self) -> Evidence:
        return Evidence([self.out])

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """Each sentence against the sources; the first few hundred stand for a longer text."""
        chosen = self.out.sentences[: weights("limits")["sentences"]]
        return tuple(check for check in map(self.case.evidence.check, chosen) if check.weight)

    @cached_property
    def golden_checks(self) -> tuple[Check, ...]:
        chosen = self.out.sentences[: weights("limits")["sentences"]]
        return tuple(check for check in map(self.case.golden.check, chosen) if check.weight)

    @cached_property
    def comparable(self) -> str:
        """Why the text can't be compared with its sources, as a phrase's name; "" when it can."""
        evidence = self.case.evidence
        if evidence.empty:
            return "no_source"
        scripts = {text.script for text in evidence.texts if text.script}
        return "other_script" if scripts and self.out.script and self.out.script not in scripts else ""

    def source_number(self, cited: int) -> int | None:
        """The place of a cited source: by its id, or by counting when ids are not numbers."""
        ids = [source.id for source in self.case.sources]
        if str(cited) in ids:
            return ids.index(str(cited)) + 1
        return cited if not any(name.isdigit() for name in ids) and 1 <= cited <= len(ids) else None
