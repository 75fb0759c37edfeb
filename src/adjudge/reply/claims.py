"""Replies of judging claims in stages: the claims of a text, and what the sources say to each of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, ReplyError, TooLarge
from adjudge.core.limits import CLAIM_CHARS, CLAIMS
from adjudge.core.records import Reply
from adjudge.reply.extract import Candidate
from adjudge.reply.findings import plain_text, states_something, whole_claim, whole_list
from adjudge.reply.keys import ABSENT, ALIASES, look_up
from adjudge.reply.lists import number_of, read_lists, sound

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


def read_claims(reply: Reply, shown: Sequence[str], *, of: str | None = None) -> tuple[tuple[Stated, ...], str]:
    """The claims that a reply lists, and the step of the ladder; every entry must be a claim.

    None at all is an answer only where the text that they are claims `of` may state nothing.
    """
    lists, step = read_lists(reply, shown, "claims", _claims)
    last = {one.claim for one in lists[0]}
    if any(one.claim not in last for other in lists[1:] for one in other):
        raise Ambiguous("several lists of claims, and the last one leaves out claims of the others")
    if not lists[0] and states_something(of):
        raise Missing("claims: no claim is listed, though the text makes some")
    return lists[0], step


def _claims(candidate: Candidate) -> tuple[Stated, ...]:
    found: dict[str, Stated] = {}
    for n, entry in enumerate(_entries(candidate, "claims")):
        where = f"claims[{n}]"
        if isinstance(entry, str):
            entry = {"claim": entry}
        if not isinstance(entry, dict):
            raise Malformed(f"{where}: an object was due")
        # on one line: it becomes a line of the list that is checked
        claim = " ".join(plain_text(look_up(entry, ("claim", *ALIASES["claim"]), where)[0]).split())
        if not claim:
            raise Missing(f"{where}: no claim")
        whole_claim(claim, where)
        if len(claim) > CLAIM_CHARS:
            raise Malformed(f"{where}: a claim of {len(claim)} characters, more than {CLAIM_CHARS}")
        found.setdefault(claim, Stated(claim=claim, words=plain_text(look_up(entry, _WORDS, where)[0])))
    if len(found) > CLAIMS:
        raise TooLarge(f"the reply lists {len(found)} claims, more than {CLAIMS}")
    return tuple(found.values())


def read_checks(reply: Reply, numbers: Collection[int], shown: Sequence[str]) -> tuple[Checks, str]:
    """What a reply says of claims, by number, never by place; a ReplyError where it says nothing of any of them."""
    lists, step = read_lists(reply, shown, "checks", lambda candidate: _checks(candidate, numbers))
    last = lists[0]
    for other in lists[1:]:
        for number, checked in other.found.items():
            if number in last.found and _differ(last.found[number], checked):
                raise Ambiguous(f"several lists check claim {number}, and differently")
    return last, step


def _checks(candidate: Candidate, numbers: Collection[int]) -> Checks:
    found: dict[int, Checked] = {}
    missing: dict[int, str] = {}
    for n, entry in enumerate(_entries(candidate, "checks")):
        if (number := _number(entry, f"checks[{n}]")) is None or number not in numbers:
            continue
        try:
            checked = _checked(entry, f"claim {number}")
        except ReplyError as error:
            missing[number] = str(error)
            continue
        if _differ(found.setdefault(number, checked), checked):
            missing[number] = f"claim {number}: two verdicts that differ"
    for number in missing:
        found.pop(number, None)
    missing |= {number: f"claim {number}: nothing is said of it" for number in numbers if number not in found | missing}
    if not found:
        raise Missing(next(iter(missing.values())))
    return Checks(found=found, missing=missing)


def _differ(one: Checked, other: Checked) -> bool:
    return (one.support, one.severity) != (other.support, other.severity)


def _number(entry: Any, where: str) -> int | None:
    if not isinstance(entry, dict):
        raise Malformed(f"{where}: an object was due")
    for name in _NUMBER:
        if (number := number_of(look_up(entry, (name,), where)[0])) is not None:
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
    named = given if isinstance(given, list) else [given]
    return Checked(
        support=_SUPPORT[word],
        severity=None if _SUPPORT[word] == "supported" else grave,
        quote=plain_text(look_up(entry, ("quote", "цитата"), where)[0]),
        sources=tuple(dict.fromkeys(number for number in map(number_of, named) if number is not None)),
    )


def _entries(candidate: Candidate, name: str) -> list[Any]:
    """The list that a value holds under a name; or the bare list."""
    entries: Any = candidate.value
    if isinstance(entries, dict):
        entries = look_up(entries, _LISTS[name], name)[0]
    elif not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        entries = ABSENT
    if not isinstance(entries, list):
        raise NoVerdict(f"no list of {name}")
    sound(candidate, name)
    return whole_list(entries, name)
