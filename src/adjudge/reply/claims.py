"""Replies of judging claims in stages: the claims of a text, and what the sources say to each of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, ReplyError, TooLarge, Truncated
from adjudge.core.limits import CLAIM_CHARS, CLAIMS, REPLY_CHARS
from adjudge.core.records import Reply
from adjudge.reply.extract import Candidate, extract
from adjudge.reply.findings import plain_text
from adjudge.reply.keys import ABSENT, ALIASES, look_up
from adjudge.reply.quotes import Quotes, only_quoted

Support = Literal["supported", "unsupported", "contradicted"]
_SUPPORT: Mapping[str, Support] = {
    "supported": "supported",
    "unsupported": "unsupported",
    "not supported": "unsupported",
    "not_supported": "unsupported",
    "contradicted": "contradicted",
    "refuted": "contradicted",
}
_SEVERITIES = ("minor", "significant")
_LISTS = {"claims": ("claims", *ALIASES["claims"]), "checks": ("checks", "claims", "results", "verdicts", "проверки")}
_WORDS = ("words", "span", "quote", "слова", "цитата")
_NUMBER = ("claim", "number", "n", "id", "claim_number", "номер", "утверждение")
_DIGITS = re.compile(r"\D{0,20}(\d{1,6})\D{0,5}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Stated:
    """A claim of the judged text, and the words that state it."""

    claim: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What one reply says of one claim; `sources` are numbers, as given."""

    support: Support
    severity: str | None = None
    quote: str = ""
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Checks:
    """What a reply says of the claims it was asked about, by their numbers, and why some have nothing said of them."""

    found: Mapping[int, Checked] = field(default_factory=dict)
    missing: Mapping[int, str] = field(default_factory=dict)


def read_claims(reply: Reply, shown: Sequence[str]) -> tuple[tuple[Stated, ...], str]:
    """The claims that a reply lists, and the step of the ladder; every entry must be a claim."""
    entries, step = _entries(reply, "claims", shown)
    found: dict[str, Stated] = {}
    for n, entry in enumerate(entries):
        where = f"claims[{n}]"
        if isinstance(entry, str):
            entry = {"claim": entry}
        if not isinstance(entry, dict):
            raise Malformed(f"{where}: an object was due")
        # on one line: it becomes a line of the list that is checked
        claim = " ".join(plain_text(look_up(entry, ("claim", *ALIASES["claim"]), where)[0]).split())
        if not claim:
            raise Missing(f"{where}: no claim")
        if len(claim) > CLAIM_CHARS:
            raise Malformed(f"{where}: a claim of {len(claim)} characters, more than {CLAIM_CHARS}")
        found.setdefault(claim, Stated(claim=claim, words=plain_text(look_up(entry, _WORDS, where)[0])))
    if len(found) > CLAIMS:
        raise TooLarge(f"the reply lists {len(found)} claims, more than {CLAIMS}")
    return tuple(found.values()), step


def read_checks(reply: Reply, numbers: Collection[int], shown: Sequence[str]) -> tuple[Checks, str]:
    """What a reply says of claims, by number, never by place; a ReplyError where it says nothing of any of them."""
    entries, step = _entries(reply, "checks", shown)
    found: dict[int, Checked] = {}
    missing: dict[int, str] = {}
    for n, entry in enumerate(entries):
        if (number := _number(entry, f"checks[{n}]")) is None or number not in numbers:
            continue
        try:
            checked = _checked(entry, f"claim {number}")
        except ReplyError as error:
            missing[number] = str(error)
            continue
        if found.get(number, checked).support != checked.support:
            missing[number] = f"claim {number}: two verdicts that differ"
        found.setdefault(number, checked)
    for number in missing:
        found.pop(number, None)
    missing |= {number: f"claim {number}: nothing is said of it" for number in numbers if number not in found | missing}
    if not found:
        raise Missing(next(iter(missing.values())))
    return Checks(found=found, missing=missing), step


def _number(entry: Any, where: str) -> int | None:
    if not isinstance(entry, dict):
        raise Malformed(f"{where}: an object was due")
    for name in _NUMBER:
        for number in _numbers([look_up(entry, (name,), where)[0]]):
            return number
    return None


def _checked(entry: dict[str, Any], where: str) -> Checked:
    verdict = look_up(entry, ALIASES["verdict"], where)[0]
    word = verdict.strip().casefold() if isinstance(verdict, str) else ""
    if word not in _SUPPORT:
        raise Malformed(f"{where}: the verdict is none of supported, unsupported, contradicted")
    severity = look_up(entry, ("severity", "тяжесть"), where)[0]
    grave = severity.strip().casefold() if isinstance(severity, str) else ""
    if _SUPPORT[word] != "supported" and grave not in _SEVERITIES:
        raise Missing(f"{where}: not supported, and neither minor nor significant")
    given = look_up(entry, ALIASES["sources"], where)[0]
    return Checked(
        support=_SUPPORT[word],
        severity=None if _SUPPORT[word] == "supported" else grave,
        quote=plain_text(look_up(entry, ("quote", "цитата"), where)[0]),
        sources=tuple(dict.fromkeys(_numbers(given if isinstance(given, list) else [given]))),
    )


def _numbers(given: list[Any]) -> Iterator[int]:
    for one in given:
        if isinstance(one, int) and not isinstance(one, bool):
            yield one
        elif isinstance(one, str) and (digits := _DIGITS.fullmatch(one)):
            yield int(digits.group(1))


def _entries(reply: Reply, name: str, shown: Sequence[str]) -> tuple[list[Any], str]:
    """The last list of this name in a reply that is not quoted from a text that was shown, and the ladder's step."""
    if len(reply.text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(reply.text)} characters, more than {REPLY_CHARS}")
    quoted = False
    final = [candidate for candidate in extract(reply.text).candidates if candidate.final]
    for candidate in reversed(final):
        entries = _listed(candidate, name)
        if entries is None:
            continue
        if Quotes(shown).says(candidate.value):
            quoted = True
            continue
        if candidate.unclosed:
            raise Truncated(f"the reply was cut off inside the list of {name}")
        if candidate.guessed:
            raise Malformed("quotes inside a text are not escaped, and where the text ends is unclear")
        return entries, candidate.step
    if reply.finish == "length":
        raise Truncated(f"the reply was cut off before the list of {name}")
    raise only_quoted() if quoted else NoVerdict(f"the reply holds no list of {name}")


def _listed(candidate: Candidate, name: str) -> list[Any] | None:
    """The list that a value holds under a name, or one level below; or the bare list."""
    value = candidate.value
    if isinstance(value, list):
        return value if value and all(isinstance(entry, dict) for entry in value) else None
    if not isinstance(value, dict):
        return None
    for layer in (value, *(inner for inner in value.values() if isinstance(inner, dict))):
        try:
            entries = look_up(layer, _LISTS[name], name)[0]
        except Ambiguous:
            continue
        if entries is not ABSENT and isinstance(entries, list):
            return entries
    return None
