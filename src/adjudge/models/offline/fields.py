"""Named values in a source that is data, not prose: which names it has, and which of them it says no to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.text import Sentence, Text, stem

_NO = r"""(?:[Ff]alse|[Nn]one|null|["'](?:[Ff]alse|[Nn]one|[Nn]o)["'])(?=\s{0,8}(?:[,}\]\n]|$))"""
_FIELD = re.compile(rf"""["']([^\W\d][\w ]{{0,60}})["']\s{{0,8}}:(?:\s{{0,8}}({_NO}))?""")
_PART = re.compile(r"[^\W\d_a-z]?[^\W\d_A-Z]+|[^\W\d_a-z]+(?![^\W\d_A-Z])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """A name with its value: its stem as a `whole` and by its words, whether the value says no, and where it stands.

    `place` is the sentence it stands in, `shown` the name with its value by themselves.
    """

    name: str
    whole: str
    stems: tuple[str, ...]
    denied: bool
    place: Sentence
    shown: Sentence

    def said_in(self, sentence: Sentence) -> bool:
        """Whether a sentence names the field, in one word or in several."""
        return self.whole in sentence.stems or set(self.stems) <= set(sentence.stems)


def fields(text: Text) -> Iterator[Field]:
    """The fields of a text that looks like JSON or a printed dictionary."""
    if not ("':" in text.raw or '":' in text.raw):
        return
    stop, at = lexicon("en").stop, 0
    for found in _FIELD.finditer(text.raw):
        while at + 1 < len(text.sentences) and text.sentences[at + 1].start <= found.start():
            at += 1
        parts = tuple(stem(part.lower(), "en") for part in _PART.findall(found[1]) if part.lower() not in stop)
        if parts and text.sentences:
            whole = stem(found[1].lower(), "en")
            shown = Sentence(text=found[0], start=found.start())
            place = text.sentences[at]
            yield Field(name=found[1], whole=whole, stems=parts, denied=bool(found[2]), place=place, shown=shown)
