"""The words of reports, a file per language and one more per topic; a language without files is shown in English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from adjudge.spec.wording import data

FALLBACK = "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """The texts of one language and its way to write numbers."""

    lang: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key; content put into it is never scanned again."""
        return Template(self.texts[key]).substitute(values) if values else self.texts[key]

    def number(self, value: float | None, digits: int = 2) -> str:
        """A figure with so many decimals, as this language writes it; a dash when there is none."""
        if value is None:
            return "—"
        # without the dust of sums: one mean, summed in two ways, is not 4.86 here and 4.85 there
        text = f"{round(value, 9):,.{digits}f}"
        if float(text.replace(",", "")) == 0:
            text = text.lstrip("-")
        whole, _, part = text.partition(".")
        whole = whole.replace(",", self.texts["thousands"])
        return f"{whole}{self.texts['decimal']}{part}" if part else whole

    def signed(self, value: float | None, digits: int = 2) -> str:
        """A difference: above zero it has its sign too."""
        text = self.number(value, digits)
        return f"+{text}" if value is not None and value > 0 and any(digit in text for digit in "123456789") else text

    def chance(self, value: float | None) -> str:
        """A probability in percent; what was drawn at random never says all or nothing."""
        if value is None:
            return "—"
        return "> 99 %" if value > 0.995 else "< 1 %" if value < 0.005 else f"{self.number(100 * value, 0)} %"

    def score(self, value: float | None) -> str:
        """A score: whole points without decimals, measured ones with as many as they need, two at most."""
        if value is None:
            return "—"
        text = self.number(value, 2)
        return text.rstrip("0").rstrip(self.texts["decimal"]) if self.texts["decimal"] in text else text

    def judged(self, value: float | None, ends: tuple[float, float] | None) -> str:
        """A score with the interval around it, if it has one, or that there is none."""
        if value is None or ends is None:
            return self("not_judged") if value is None else self.score(value)
        low, high = (self.score(round(end, 1)) for end in ends)
        return f"{self.score(value)} ({low}–{high})"

    def interval(self, ci95: tuple[float, float] | None, digits: int = 2) -> str:
        """An interval in brackets; a dash when it is unknown."""
        if ci95 is None:
            return "[—]"
        return f"[{self.number(ci95[0], digits)}{self.texts['range']}{self.number(ci95[1], digits)}]"

    def duration(self, seconds: float) -> str:
        """A time span in its two largest units."""
        whole = round(seconds)
        if whole < 60:
            return self("seconds", n=self.number(seconds, 1 if seconds < 10 else 0))
        if whole < 3600:
            return self("minutes", m=whole // 60, s=whole % 60)
        return self("hours", h=whole // 3600, m=whole % 3600 // 60)

    def cost(self, usd: float | None) -> str:
        """An amount of money; small ones keep the digits that matter."""
        if usd is None:
            return self("unknown")
        if usd == 0:
            return self("free")
        return f"${self.number(usd, 2 if usd >= 1 else 4)}"

    def n_of(self, n: int, of: int) -> str:
        return self("n_of", n=self.number(n, 0), of=self.number(of, 0))


@cache
def languages() -> frozenset[str]:
    """The languages that have a file."""
    return frozenset(name.removesuffix(".yaml") for name in _names() if name.count(".") == 1)


def words(lang: str) -> Words:
    """The words of a language, or the English ones."""
    return _load(lang if lang in languages() else FALLBACK)


def _names() -> list[str]:
    return sorted(entry.name for entry in files(__package__).iterdir() if entry.name.endswith(".yaml"))


@cache
def _load(lang: str) -> Words:
    texts: dict[str, str] = {}
    for name in _names():
        if name == f"{lang}.yaml" or name.endswith(f".{lang}.yaml"):
            texts |= data(files(__package__).joinpath(name).read_text(encoding="utf-8")) or {}
    return Words(lang=lang, texts=texts)
