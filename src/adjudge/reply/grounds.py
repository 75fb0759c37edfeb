"""The quotations that a reply gives as its grounds: each is looked up in the sources and becomes a finding."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

from adjudge.core.errors import ReplyError
from adjudge.core.limits import QUOTES_LOOKED_UP
from adjudge.core.records import Finding, Source
from adjudge.reply.evidence import Located, locate
from adjudge.reply.keys import ABSENT, ALIASES, look_up

#: Criterion → candidate → what was found.
Found: TypeAlias = "dict[str, dict[str, tuple[Finding, ...]]]"


class Grounds:
    """Looks up the quotations of one verdict and puts what came of each among the findings and flags."""

    def __init__(self, sources: tuple[Source, ...], flags: dict[str, None], found: Found) -> None:
        self._sources, self._flags, self._found, self._left = sources, flags, found, QUOTES_LOOKED_UP

    def look_up(self, criterion: str, who: str, quote: str, named: Collection[str]) -> Located | None:
        """Where the quotation stands; None where there is none, or nothing to look in."""
        if not quote:
            return None
        if not self._left:
            self._flags["quotes_not_looked_up"] = None
            return None
        self._left -= 1
        place = locate(quote, self._sources, named)
        if place is None:
            return None
        if not place.found:
            lost = place.state == "not_found"
            self._flags[f"quote_not_found:{criterion}" if lost else f"quote_misattributed:{criterion}"] = None
        finding = Finding(
            kind=f"quote_{place.state}",
            reason=quote,
            source=place.source,
            source_at=place.at,
            against=not place.found,
        )
        own = self._found.setdefault(criterion, {})
        own[who] = (*own.get(who, ()), finding)
        return place


def quotations(value: Any, where: str) -> Iterator[tuple[str, list[Any]]]:
    """The quotations of an `evidence`, each with what it names as its sources; what is none is passed over.

    A verdict stands without its evidence, so nothing here is an error.
    """
    for entry in value if isinstance(value, list) else [value]:
        if type(entry) is dict and "quote" in entry and "source" in entry:  # as it was asked for
            quote, source = entry["quote"], entry["source"]
            if type(quote) is str:
                yield quote.strip(), source if isinstance(source, list) else [source]
        elif isinstance(entry, str):
            yield entry.strip(), []
        elif isinstance(entry, dict):
            with contextlib.suppress(ReplyError):
                quote = look_up(entry, ALIASES["quote"], where)[0]
                source = look_up(entry, ALIASES["source"], where)[0]
                named = source if isinstance(source, list) else [] if source is ABSENT else [source]
                if isinstance(quote, str):
                    yield quote.strip(), named
