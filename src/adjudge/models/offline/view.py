"""One item as the measures see it: its fields by role, taken apart once."""

from __future__ import annotations

import re
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
        return Evidence(self._texts, self._titles)

    @cached_property
    def _texts(self) -> list[Text]:
        return [analyse(source.text) for source in self.sources]

    @cached_property
    def _titles(self) -> list[Text]:
        return [analyse(f"{source.id} {source.title or ''}") for source in self.sources]

    @cached_property
    def query(self) -> Text:
        return analyse(self._joined("query"))

    @cached_property
    def reference(self) -> Text:
        return analyse(self._joined("reference"))

    @cached_property
    def golden(self) -> Evidence:
        """The golden answer by itself."""
        return Evidence([self.reference])

    @cached_property
    def all_evidence(self) -> Evidence:
        """The sources and the golden answer together: an answer may lean on either."""
        return Evidence([*self._texts, self.reference], self._titles)

    def view(self, candidate: str) -> View:
        return View(self, (self.outputs or {}).get(candidate, ""))


class View:
    """One judged text of a case."""

    def __init__(self, case: Case, raw: str) -> None:
        self.case, self.raw = case, raw
        self.say, self.none = case.words.say, case.words.none

    @cached_property
    def out(self) -> Text:
        return analyse(self.numbered)

    @cached_property
    def numbered(self) -> str:
        """The text with citations by name, `[ch20]`, turned into citations by number, `[3]`."""
        names = {s.id: number for number, s in enumerate(self.case.sources, 1) if not s.id.isdigit()}
        return re.sub(r"\[([^\[\]\n]{1,200})\]", lambda m: f"[{names[m[1]]}]" if m[1] in names else m[0], self.raw)

    @cached_property
    def own(self) -> Evidence:
        return Evidence([self.out])

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """Each sentence against the sources; the first few hundred stand for a longer text."""
        chosen = self.out.sentences[: weights("limits")["sentences"]]
        return tuple(check for check in map(self.case.evidence.check, chosen) if check.weight)

    @cached_property
    def all_checks(self) -> tuple[Check, ...]:
        chosen = self.out.sentences[: weights("limits")["sentences"]]
        return tuple(check for check in map(self.case.all_evidence.check, chosen) if check.weight)

    @cached_property
    def partly(self) -> tuple[str, ...]:
        """A word on what was left unread, when something was."""
        limit = weights("limits")["sentences"]
        return (self.say("only_first", n=limit),) if len(self.out.sentences) > limit else ()

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
        """The place of a cited source: by its id, or by counting when ids are not numbers."""
        ids = [source.id for source in self.case.sources]
        if str(cited) in ids:
            return ids.index(str(cited)) + 1
        return cited if not any(name.isdigit() for name in ids) and 1 <= cited <= len(ids) else None
