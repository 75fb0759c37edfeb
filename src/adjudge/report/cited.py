"""The sources that a verdict selects, as a reader looks for them: title, address and citation number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from adjudge.core.judge import Judge
from adjudge.core.numbering import numbering
from adjudge.core.records import Item, Verdict
from adjudge.report.plain import block
from adjudge.report.verdicts import parts

CITED_SHOWN = 40
_URL_CHARS = 2_000
#: Only an address of this form becomes a link: any other may run something, or is none.
_WEB = re.compile(r"https?://[^\s/?#@\\<>\"'`]+(?:[/?#][^\s\\<>\"'`]*)?", re.IGNORECASE)
_SAFE = "-._~:/?#@!+,;=%&"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cited:
    """A source that was selected; `url` is an address that may be linked, `number` the one it is cited by."""

    title: str
    url: str | None = None
    number: int | None = None

    @property
    def told(self) -> str:
        """On one line, for a terminal."""
        number = "" if self.number is None else f"[{self.number}]"
        address = self.url if self.url != self.title else None
        return " ".join(part for part in (self.title, number, address) if part)


def web_address(text: str | None) -> str | None:
    """The address, where it is one of the web and nothing else."""
    if not text or len(text) > _URL_CHARS or not _WEB.fullmatch(text) or block(text) != text:
        return None
    return quote(text, safe=_SAFE)


def cited(judge: Judge, verdict: Verdict, item: Item | None) -> Iterator[tuple[str, list[Cited]]]:
    """The title of each criterion that selects sources, and what it selected, in its order."""
    known = _sources(judge, item)
    for name, value in parts(judge, verdict, "selected"):
        listed = [str(one) for one in value if isinstance(one, str | int)] if isinstance(value, list | tuple) else []
        yield judge.criterion(name).title or name, [known.get(one) or _unknown(one) for one in listed[:CITED_SHOWN]]


def _unknown(name: str) -> Cited:
    return Cited(title=name, url=web_address(name))


def _sources(judge: Judge, item: Item | None) -> dict[str, Cited]:
    """The item's sources by their addresses and ids, as native verdicts name them."""
    fields = judge.with_role("source") if item else ()
    sources = [source for field in fields if item for source in item.sources(field.name)]
    given = numbering(sources, item.fields.get("citations") if item else None)
    numbers = {place: number for number, place in reversed(given.items())}
    found: dict[str, Cited] = {}
    for place, source in enumerate(sources, start=1):
        title = source.title or source.url or source.id
        one = Cited(title=title, url=web_address(source.url), number=numbers.get(place))
        for name in (source.url, source.id):
            if name:
                found.setdefault(name, one)
    return found
