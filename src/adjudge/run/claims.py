"""Claims in stages: those of the judged text are listed once, from it alone, and then checked against the sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adjudge.core import limits
from adjudge.core.errors import Missing, ModelError, ReplyError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Item, Opinion, Reply
from adjudge.reply.claims import Checked, Checks, Stated, read_checks, read_claims
from adjudge.reply.evidence import Located, locate
from adjudge.run import window
from adjudge.run.ask import Asker
from adjudge.run.attribution import Found, opinion
from adjudge.run.once import once
from adjudge.run.plan import judged_text, numbered_sources
from adjudge.run.reading import stepped
from adjudge.run.together import together
from adjudge.run.window import Piece
from adjudge.spec.prompt import texts
from adjudge.spec.stages import render_claims, render_support

_GRAVEST = ("significant", "minor")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a criterion of an item is judged: whose calls these are, and which repeat."""

    item: Item
    position: int
    repeat: int

    @property
    def span(self) -> tuple[int, int]:
        return self.position, self.position


async def judged(asker: Asker, criterion: Criterion, item: Item, place: int, repeat: int) -> tuple[Opinion, list[str]]:
    """What one criterion of kind claims comes to for an item, and the keys of the calls it took."""
    judge, where = asker.planner.judge, Place(item=item, position=place, repeat=repeat)
    sources = numbered_sources(judge, item)
    beside = limits.CLAIMS_CHARS_PER_CALL + support_characters(judge, criterion, item)
    whole = sum(len(source.text) for source in sources)
    size = asker.part_size(beside, whole)  # before anything is paid for: there may be no room for any part
    stated, keys = await listed(asker, criterion, where)

    async def work(size: int | None) -> tuple[dict[int, Found], list[str], int]:
        groups = window.grouped(sources, size)
        found, more = await checked(asker, criterion, where, stated, groups)
        return found, more, len(groups)

    try:
        found, more, parts = await window.fitting(size, whole, work)
    except (ModelError, ReplyError) as error:
        error.calls = (*keys, *error.calls)
        raise
    flags = (f"in_parts:{parts}",) if parts > 1 else ()
    return opinion(judge, criterion, item, stated, found, flags), [*keys, *more]


async def listed(asker: Asker, criterion: Criterion, where: Place) -> tuple[tuple[Stated, ...], list[str]]:
    """The claims of the judged text, listed once for all repeats and for every item that has the same text."""
    planner, text = asker.planner, judged_text(asker.planner.judge, where.item)
    if not text or not text.strip():
        return (), []
    call = planner.call("claims", (), about=(where.item,), after=text, criterion=criterion.name)
    prompt = render_claims(planner.judge, criterion, call.key, text)
    return await once(
        asker, call, where.span, prompt, lambda reply: stepped(reply, read_claims(reply, (text,), of=text))
    )


async def checked(
    asker: Asker, criterion: Criterion, where: Place, stated: Sequence[Stated], groups: Sequence[tuple[Piece, ...]]
) -> tuple[dict[int, Found], list[str]]:
    """What the sources say to every claim, by its number: each group of claims against each group of sources."""
    asked = [
        (claims, pieces, (n, len(groups)) if len(groups) > 1 else None)
        for claims in _in_groups(stated)
        for n, pieces in enumerate(groups, start=1)
    ]
    found, keys = await together(_check(asker, criterion, where, *one) for one in asked)
    by_claim: dict[int, list[Found]] = {}
    for (_, pieces, _), checks in zip(asked, found, strict=True):
        for number, one in checks.items():
            by_claim.setdefault(number, []).append(_located(one, pieces))
    return {number: combined(each) for number, each in sorted(by_claim.items())}, keys


def support_characters(judge: Judge, criterion: Criterion, item: Item) -> int:
    """How long the prompt that checks claims is without claims and sources."""
    prompt = render_support(judge, criterion, "", item, (), {}, (1, 1))
    return len(prompt.system) + len(prompt.user)


def _in_groups(stated: Sequence[Stated]) -> Iterator[dict[int, str]]:
    group: dict[int, str] = {}
    for number, one in enumerate(stated, start=1):
        filled = sum(map(len, group.values())) + len(one.claim)
        if group and (len(group) == limits.CLAIMS_PER_CALL or filled > limits.CLAIMS_CHARS_PER_CALL):
            yield group
            group = {}
        group[number] = one.claim
    if group:
        yield group


async def _check(
    asker: Asker,
    criterion: Criterion,
    where: Place,
    claims: Mapping[int, str],
    pieces: Sequence[Piece],
    part: tuple[int, int] | None,
) -> tuple[Mapping[int, Checked], list[str]]:
    """One group of claims against one group of sources; those that nothing is said of are asked about once more."""
    found, keys = await _ask(asker, criterion, where, claims, pieces, part)
    if not found.missing:
        return found.found, keys
    left = {number: claims[number] for number in sorted(found.missing)}
    try:
        again, more = await _ask(asker, criterion, where, left, pieces, part, more=0)
        if again.missing:
            raise Missing("; ".join(again.missing.values()))
    except (ModelError, ReplyError) as error:
        error.calls = tuple(dict.fromkeys((*keys, *error.calls)))
        raise
    return {**found.found, **again.found}, [*keys, *more]


async def _ask(
    asker: Asker,
    criterion: Criterion,
    where: Place,
    claims: Mapping[int, str],
    pieces: Sequence[Piece],
    part: tuple[int, int] | None,
    *,
    more: int = limits.ASKED_AGAIN,
) -> tuple[Checks, list[str]]:
    planner, sources = asker.planner, [(piece.number, piece.source) for piece in pieces]
    query = [where.item.text(field.name) for field in planner.judge.with_role("query")]
    after = [list(claims.items()), sources, query, part]
    about = (where.item,)
    call = planner.call("support", (), about=about, repeat=where.repeat, after=after, criterion=criterion.name)
    prompt = render_support(planner.judge, criterion, call.key, where.item, sources, claims, part)

    def reader(reply: Reply) -> tuple[Checks, str]:
        return stepped(reply, read_checks(reply, claims, (*texts([source for _, source in sources]), *claims.values())))

    return await asker.consult(call, where.span, prompt, (), reader, more=more)


def _located(one: Checked, pieces: Sequence[Piece]) -> Found:
    """A check with its quote looked up in the sources that were shown, those that it names first."""
    ids = {piece.number: piece.source.id for piece in pieces}
    numbers = tuple(number for number in one.sources if number in ids)
    located = locate(one.quote, [piece.source for piece in pieces], [ids[number] for number in numbers])
    if located and located.at:
        # what is a piece here begins further on in its source
        start = next(piece.start for piece in pieces if piece.source.id == located.source)
        located = Located(state=located.state, source=located.source, at=(located.at[0] + start, located.at[1] + start))
        if one.support == "supported":
            numbers = tuple(dict.fromkeys((*numbers, *(n for n, name in ids.items() if name == located.source))))
    return Found(support=one.support, severity=one.severity, sources=numbers, quote=one.quote, located=located)


def combined(each: Sequence[Found]) -> Found:
    """One finding from those of all parts of the sources: one that supports a claim is enough, else one that denies it.

    How grave a contradiction is, the gravest says; how grave it is that nothing supports a claim, most of them do.
    """
    for support in ("supported", "contradicted"):
        if own := [one for one in each if one.support == support]:
            best = min(own, key=lambda one: (one.located is None or one.located.at is None, one.severity or ""))
            grave = next((name for name in _GRAVEST if any(one.severity == name for one in own)), None)
            numbers = tuple(dict.fromkeys(number for one in own for number in one.sources))
            return Found(support=best.support, severity=grave, sources=numbers, quote=best.quote, located=best.located)
    counted = Counter(one.severity for one in each)
    return Found(support="unsupported", severity=max(_GRAVEST, key=lambda name: counted[name]))
