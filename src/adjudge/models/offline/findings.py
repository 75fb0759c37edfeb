"""What a measure says: a place between worst and best, and findings worded in the run's language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from adjudge.core.records import Finding as Finding
from adjudge.models.base import well_formed
from adjudge.models.offline.lexicon import load
from adjudge.models.offline.text import bare

QUOTE_CHARS = 110
LISTED = 5
FINDINGS = 4
#: A quote of a longer text is made anew each time.
_KEPT_CHARS = 2000
_SLOT = re.compile(r"\$([_a-z][_a-z0-9]*)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """`quality` is between 0 (worst) and 1 (best), or None for not judged; `parts` is what it is mixed of.

    `spread` is half the width of the 80 % interval around the quality.
    """

    quality: float | None
    findings: tuple[Finding, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)
    spread: float | None = None

    @property
    def faults(self) -> bool:
        return any(finding.against for finding in self.findings)

    @property
    def objection(self) -> str:
        """The first finding against the text; without one, the first."""
        first = [finding.reason for finding in sorted(self.findings, key=lambda finding: not finding.against)]
        return first[0] if first else ""

    @property
    def reason(self) -> str:
        return " ".join(finding.reason for finding in self.findings[:FINDINGS])


class Words:
    """The phrases of one language."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._phrases = phrases
        self._parsed: dict[str, tuple[str, tuple[str, ...]]] = {}

    def say(self, key: str, **values: object) -> str:
        """One phrase, its slots filled once: what is filled in is never read as a slot."""
        if key not in self._parsed:
            self._parsed[key] = _parsed(self._phrases[key])
        form, slots = self._parsed[key]
        return form % tuple([str(values[slot]) for slot in slots])

    def none(self, key: str, **values: object) -> Measured:
        """Not judged, and why."""
        return Measured(quality=None, findings=(Finding(kind=key, reason=self.say(key, **values), against=False),))


def _parsed(phrase: str) -> tuple[str, tuple[str, ...]]:
    """A phrase with its slots as places, and their names in order."""
    slots: list[str] = []

    def place(found: re.Match[str]) -> str:
        slots.append(found[1])
        return "%s"

    return _SLOT.sub(place, phrase.replace("%", "%%")), tuple(slots)


@cache
def words(lang: str) -> Words:
    """The phrases for a run's language; English where there are none."""
    return Words(load(f"words.{lang}.yaml" if lang in ("ru", "en") else "words.en.yaml"))


def weights(name: str) -> Any:
    """One section of weights.yaml."""
    return load("weights.yaml")[name]


def spread(name: str) -> float | None:
    """Half the width of a measure's 80 % interval, where one is known."""
    value = load("weights.yaml").get(name, {}).get("spread")
    return None if value is None else float(value)


def quote(text: str, limit: int = QUOTE_CHARS) -> str:
    """A short, single-line piece of a text; what is left out is marked."""
    return _known_quote(text, limit) if len(text) <= _KEPT_CHARS else _quote(text, limit)


def _quote(text: str, limit: int) -> str:
    line = " ".join(well_formed(bare(text)).split())
    if len(line) <= limit:
        return line
    cut = line[:limit]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:—–-") + "…"


#: Several findings quote one sentence.
_known_quote = lru_cache(maxsize=256)(_quote)


def listed(words_: Iterable[str]) -> str:
    """A few words, with a mark when there are more."""
    every = list(dict.fromkeys(quote(word, 40) for word in words_))
    return ", ".join(every[:LISTED]) + (", …" if len(every) > LISTED else "")


def ramp(value: float, worst: float, best: float) -> float:
    """Where a value lies between two ends, kept within 0 and 1; the ends may stand either way round."""
    return min(1.0, max(0.0, (value - worst) / (best - worst)))


def stretched(name: str, value: float) -> float:
    """A raw composite on its measure's own ends; a `bend` below 1 spreads the low part, where paraphrase lives."""
    ends = weights(name)
    return float(ramp(value, ends["worst"], ends["best"]) ** ends.get("bend", 1.0))
