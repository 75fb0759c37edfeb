"""The flags of a run in one line, the important ones in plain words."""

from __future__ import annotations

import re

from adjudge.report.plain import fit
from adjudge.report.words import Words

FLAGS_SHOWN = 12
WORD_COLUMNS = 60
_STATED = re.compile(r"stated_\w+_differs")


def flag_line(flags: tuple[tuple[str, int], ...], say: Words) -> str:
    """Every flag with its count, the most frequent first; empty when there is none."""
    said = [f"{_named(word, say)} × {say.number(count, 0)}" for word, count in flags[:FLAGS_SHOWN]]
    if len(flags) > FLAGS_SHOWN:
        said.append(say("more", n=len(flags) - FLAGS_SHOWN))
    return f"{say('flags')}: {'; '.join(said)}" if said else ""


def _named(word: str, say: Words) -> str:
    meaning = say.texts.get("flag_stated" if _STATED.fullmatch(word) else f"flag_{word}")
    short = fit(word, WORD_COLUMNS)
    return f"{short} ({meaning})" if meaning else short
