"""The flags of a run in one line, the important ones in plain words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.report.plain import fit
from adjudge.report.words import Words

FLAGS_SHOWN = 12
WORD_COLUMNS = 60
ABOUT_COLUMNS = 240
_STATED = re.compile(r"stated_\w+_differs")


def flag_line(flags: tuple[tuple[str, int], ...], say: Words) -> str:
    """Every flag with its count, the most frequent first; empty when there is none."""
    said = [f"{_named(word, say)} × {say.number(count, 0)}" for word, count in flags[:FLAGS_SHOWN]]
    if len(flags) > FLAGS_SHOWN:
        said.append(say("more", n=len(flags) - FLAGS_SHOWN))
    return f"{say('flags')}: {'; '.join(said)}" if said else ""


def flag_names(flags: Sequence[str]) -> list[str]:
    """The words of an item's flags, each once and without what it is about."""
    return list(dict.fromkeys(fit(flag.partition(":")[0], WORD_COLUMNS).replace("|", " ") for flag in flags))


def flag_told(flag: str, say: Words) -> str:
    """One flag of an item in plain words, with what it is about; the flag itself where no words are known."""
    word, _, about = flag.partition(":")
    meaning = _meaning(word, say)
    shown = (
        [meaning, fit(about, WORD_COLUMNS), f"[{fit(word, WORD_COLUMNS)}]"] if meaning else [fit(flag, ABOUT_COLUMNS)]
    )
    return " · ".join(part for part in shown if part)


def _meaning(word: str, say: Words) -> str | None:
    return say.texts.get("flag_stated" if _STATED.fullmatch(word) else f"flag_{word}")


def _named(word: str, say: Words) -> str:
    meaning = _meaning(word, say)
    short = fit(word, WORD_COLUMNS)
    return f"{short} ({meaning})" if meaning else short
