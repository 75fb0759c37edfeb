"""The data files beside this module, and the language lists of lexicon.yaml ready for lookup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import resources
from typing import Any

import yaml

#: The same safe loader, ten times as fast where PyYAML was built with its library.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lexicon:
    """One language's lists, ready for lookup."""

    stop: frozenset[str] = frozenset()
    negation: frozenset[str] = frozenset()
    abbreviations: frozenset[str] = frozenset()
    endings: frozenset[str] = frozenset()
    closing: frozenset[str] = frozenset()
    cases: frozenset[str] = frozenset()
    dangling: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()
    questioning: frozenset[str] = frozenset()
    referring: frozenset[str] = frozenset()
    pointing: frozenset[str] = frozenset()
    framing: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    denying: frozenset[str] = frozenset()
    adding: frozenset[str] = frozenset()
    opposites: frozenset[str] = frozenset()
    suffixes: frozenset[str] = frozenset()
    affirming: frozenset[str] = frozenset()
    refusing: frozenset[str] = frozenset()
    lacking: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    oblique: frozenset[str] = frozenset()
    ones: frozenset[str] = frozenset()
    graded: frozenset[str] = frozenset()
    halving: frozenset[str] = frozenset()
    numbers: Mapping[str, int] = field(default_factory=dict)
    ordinals: Mapping[str, int] = field(default_factory=dict)
    months: Mapping[str, int] = field(default_factory=dict)
    fractions: Mapping[str, float] = field(default_factory=dict)
    magnitudes: Mapping[str, int] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)
    keep: int = 3
    names: bool = False


@cache
def lexicons() -> Mapping[str, Lexicon]:
    """The languages of lexicon.yaml."""
    data = load("lexicon.yaml")
    whole = ("numbers", "ordinals", "months", "fractions", "magnitudes", "units", "forms", "keep", "names")
    lists = [entry.name for entry in fields(Lexicon) if entry.name not in whole]

    def listed(text: str) -> Any:
        return frozenset(text.replace("ё", "е").split())

    return {
        lang: Lexicon(
            **{name: listed(entry.get(name, "")) for name in lists},
            **{name: entry[name] for name in whole if name in entry},
        )
        for lang, entry in data.items()
    }


@cache
def load(name: str) -> Any:
    """One of the data files beside this module."""
    loader = _Loader((resources.files(__package__) / name).read_text(encoding="utf-8"))
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


_NONE = Lexicon()


def lexicon(lang: str) -> Lexicon:
    return lexicons().get(lang, _NONE)
