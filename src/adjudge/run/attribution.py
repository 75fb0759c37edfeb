"""From checked claims to an opinion: score and reason by code, and what the text's citations say against its claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adjudge.core.judge import Criterion, Judge
from adjudge.core.numbering import numbering
from adjudge.core.records import Claim, Finding, Item, Opinion, Score, Source
from adjudge.reply.citations import Citation, citations, cited_by
from adjudge.reply.claims import Stated, Support
from adjudge.reply.evidence import Located, locate
from adjudge.reply.findings import banded
from adjudge.run.plan import numbered_sources
from adjudge.spec.wording import words

#: How many of the claims that are wrong a reason names; all of them are in the verdict's claims and findings.
_NAMED = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What the sources say to one claim: by which of them (numbers), with which quote, and where that stands."""

    support: Support
    severity: str | None = None
    sources: tuple[int, ...] = ()
    quote: str = ""
    located: Located | None = None


def opinion(
    judge: Judge,
    criterion: Criterion,
    item: Item,
    stated: Sequence[Stated],
    found: Mapping[int, Found],
    flags: Sequence[str] = (),
) -> Opinion:
    """The opinion on one criterion of kind claims."""
    traced = Traced(judge, item, stated, found)
    bad = [one for one in found.values() if one.support != "supported"]
    return Opinion(
        scores={
            criterion.name: {"": Score(value=banded(criterion, [one.severity for one in bad]), reason=traced.reason())}
        },
        claims={criterion.name: traced.claims()},
        findings={criterion.name: {"": (*traced.findings(), *traced.quotes())}},
        flags=(
            *flags,
            *(() if stated else (f"no_claims:{criterion.name}",)),
            *traced.flags(),
            *traced.lost_quotes(criterion.name),
        ),
    )


class Traced:
    """Claims with what the sources say to them, with their places in the judged text and what they cite there."""

    def __init__(self, judge: Judge, item: Item, stated: Sequence[Stated], found: Mapping[int, Found]) -> None:
        self._say, self._stated, self._found = words(judge.lang).say, stated, found
        (output,) = judge.with_role("output")
        self._text = item.text(output.name)
        self._sources = numbered_sources(judge, item)
        # the only source of a text needs no number: brackets in a summary of it are no citations
        cites = any(field.type != "text" for field in judge.with_role("source"))
        self._citations = citations(self._text) if cites else []
        self._places = numbering(self._sources, item.fields.get("citations"))
        self._at = [_place(one.words, self._text) for one in stated]

    def claims(self) -> tuple[Claim, ...]:
        """The claims in the native shape."""
        return tuple(self._claim(number, one) for number, one in enumerate(self._stated, start=1))

    def _claim(self, number: int, stated: Stated) -> Claim:
        one = self._found[number]
        supported = one.support == "supported"
        return Claim(
            text=stated.claim,
            supported=supported,
            severity=one.severity,
            sources=tuple(self._sources[n - 1].id for n in one.sources) if supported else (),
            quote=one.quote,
            quote_found=one.located.found if one.located else None,
        )

    def findings(self) -> Iterator[Finding]:
        """What can be checked, and where: the state of every claim, claims without a citation, citations of nothing."""
        for number, stated in enumerate(self._stated, start=1):
            kind, told = self._state(number, stated)
            located, at = self._found[number].located, self._at[number - 1]
            yield Finding(
                kind=kind,
                reason=told,
                at=at,
                source=located.source if located else "",
                source_at=located.at if located else None,
                against=kind in ("claim_elsewhere", "claim_unsupported", "claim_contradicted"),
            )
            if self._uncited(number):
                yield Finding(kind="claim_uncited", reason=self._say("found_uncited", claim=stated.claim), at=at)
        for citation, numbers in self._dangling():
            told = self._say("found_dangling", cited=_bracketed(numbers), of=len(self._sources))
            yield Finding(kind="citation_dangling", reason=told, at=citation.at)

    def quotes(self) -> Iterator[Finding]:
        """What came of every quote, as of those that a reply in one call gives."""
        for one in self._found.values():
            if place := one.located:
                kind = f"quote_{place.state}"
                at, against = place.at, not place.found
                yield Finding(kind=kind, reason=one.quote, source=place.source, source_at=at, against=against)

    def lost_quotes(self, name: str) -> Iterator[str]:
        """The flags of quotes that do not stand where they are said to."""
        states = {one.located.state for one in self._found.values() if one.located}
        if "not_found" in states:
            yield f"quote_not_found:{name}"
        if "misattributed" in states:
            yield f"quote_misattributed:{name}"

    def _state(self, number: int, stated: Stated) -> tuple[str, str]:
        one, cited = self._found[number], self._cited(number)
        if one.support == "supported":
            if cited and not {self._places.get(number) for number in cited} & set(one.sources):
                found = [number for number, place in self._places.items() if place in one.sources]
                told = self._say(
                    "found_elsewhere", cited=_bracketed(cited), found=_bracketed(found), claim=stated.claim
                )
                return "claim_elsewhere", told
            if _unverified(one):
                return "claim_unverified", self._say("found_unverified", claim=stated.claim)
            return "claim_supported", self._say("found_supported", claim=stated.claim)
        severity = self._say(f"severity_{one.severity}")
        kind = f"found_{one.support}"
        return f"claim_{one.support}", self._say(kind, claim=stated.claim, severity=severity)

    def flags(self) -> Iterator[str]:
        """How often something is wrong that no score counts."""
        kinds = [self._state(number, one)[0] for number, one in enumerate(self._stated, start=1)]
        if count := sum(_unverified(one) for one in self._found.values()):
            yield f"claims_unverified:{count}"
        if count := kinds.count("claim_elsewhere"):
            yield f"claims_elsewhere:{count}"
        if count := sum(self._uncited(number) for number in range(1, len(self._stated) + 1)):
            yield f"claims_uncited:{count}"
        if count := sum(1 for _ in self._dangling()):
            yield f"citations_dangling:{count}"
        if count := self._at.count(None):
            yield f"claims_not_in_text:{count}"

    def reason(self) -> str:
        """Why the score is what it is: every claim that is not supported, up to a number."""
        if not self._stated:
            return self._say("claims_none")
        bad = [number for number, one in self._found.items() if one.support != "supported"]
        if not bad:
            return self._say("claims_all", n=len(self._stated))
        return self._say("claims_some", n=len(bad), of=len(self._stated), claims=self.told(bad))

    def told(self, numbers: Sequence[int]) -> str:
        """Claims with what is wrong with them, in prose."""
        parts = [self._told(number) for number in numbers[:_NAMED]]
        return "; ".join([*parts, "…"] if len(numbers) > _NAMED else parts)

    def _told(self, number: int) -> str:
        one, claim = self._found[number], self._stated[number - 1].claim
        severity = self._say(f"severity_{one.severity}")
        if one.support == "unsupported":
            return self._say("claim_unsupported", claim=claim, severity=severity)
        source = self._number(one)
        if source is None:
            return self._say("claim_contradicted_bare", claim=claim, severity=severity)
        return self._say("claim_contradicted", claim=claim, severity=severity, n=source, quote=one.quote)

    def _number(self, one: Found) -> int | None:
        """The number of the source that the quote stands in."""
        located = one.located.source if one.located and one.located.at else None
        return next((n for n, source in enumerate(self._sources, start=1) if source.id == located), None)

    def _cited(self, number: int) -> tuple[int, ...]:
        at = self._at[number - 1]
        return cited_by(self._text, self._citations, at) if at else ()

    def _uncited(self, number: int) -> bool:
        return bool(self._citations) and self._at[number - 1] is not None and not self._cited(number)

    def _dangling(self) -> Iterator[tuple[Citation, tuple[int, ...]]]:
        for one in self._citations:
            if beyond := tuple(number for number in one.numbers if number not in self._places):
                yield one, beyond


def _unverified(one: Found) -> bool:
    """Whether a claim is called supported without a quote that stands in a source."""
    return one.support == "supported" and (one.located is None or one.located.at is None)


def _place(said: str, text: str) -> tuple[int, int] | None:
    located = locate(said, [Source(id="", text=text)])
    return located.at if located else None


def _bracketed(numbers: Sequence[int]) -> str:
    return ", ".join(f"[{number}]" for number in numbers) or "—"
