"""From the text of a reply to opinions: the ladder. The last complete verdict after the reasoning counts, or none."""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, ReplyError, TooLarge, Truncated
from adjudge.core.judge import Judge
from adjudge.core.limits import REPLY_CHARS
from adjudge.core.records import Opinion, Source
from adjudge.reply.batch import planted, read_batch, summary_of
from adjudge.reply.denial import is_denied, is_withdrawn
from adjudge.reply.extract import (
    Candidate,
    Extracted,
    bracketless,
    document,
    extract,
    is_draft,
    objectless,
    strict,
    usable,
)
from adjudge.reply.forms import read_form
from adjudge.reply.keys import wraps
from adjudge.reply.quotes import Quoted, Quotes, everything, only_quoted
from adjudge.reply.strict import entries
from adjudge.reply.table import tables
from adjudge.reply.validate import AMENDS, Expected, Gate

__all__ = ["Expected", "Reading", "ladder", "read"]

#: Said between two verdicts, these words make the second one a correction of the first.
_CORRECTS = re.compile(
    r"\b(?:final|revised?|corrected|correction|actually|wait|updated?|instead|reconsider\w*|on reflection"
    r"|итогов\w+|окончательн\w+|исправлен\w+|исправля\w+|уточн\w+|поправ\w+|вернее|точнее|пересмотр\w+)\b|<answer>"
    r"|<final",
    re.IGNORECASE,
)
#: Behind a whole verdict, brackets that close nothing.
_PATCHED = re.compile(r"[\s,]*[\]})]")
_FENCE = re.compile(r"```[\w-]*")
_OPENS = re.compile(r"[{\[]|```\w")
#: A key that a judge may have added on its own.
_KEY = re.compile(r"[\w -]{1,60}")
#: What follows an object up to the next quotation mark, which ends a string or begins one.
_REST = re.compile(r"[^\"”]*+[\"”](?P<ends>\s*+[,}\]])?")
_PLAIN = ("strict", "embedded_object")
_ASIDE = re.compile(
    r"refus|reject|error|fail|cancel|pending|draft|example|sample|template|placeholder|fiction|invalid"
    r"|retract|withdr|void|fake|test|user|opponent|human|отказ|ошибк|чернов|пример|шаблон|отмен",
    re.IGNORECASE,
)
#: What may stand beside a wrapped verdict: who says it, and of what.
_BESIDE = re.compile(
    r"(?:\w*_)?(?:id|name|type|role|kind|status|model|lang(?:uage)?|index|task|tool|function|version|title)",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\w*(?:reason(?:ing)?s?|thoughts?|thinking|analysis|explanations?|rationale|justifications?|comments?|notes?"
    r"|remarks?|комментари[йи]|примечани[ея]|рассуждени[ея]|анализ|обосновани[ея])",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a reply says: opinions by item id ("" for the only one), failures beside them, the ladder's step."""

    opinions: Mapping[str, Opinion]
    failures: Mapping[str, ReplyError] = field(default_factory=dict)
    summary: Mapping[str, str] = field(default_factory=dict)
    step: str = "strict"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Valid:
    opinion: Opinion
    step: str
    start: int
    end: int


def read(
    judge: Judge,
    text: str,
    expected: Expected = Expected(),  # noqa: B008 (frozen)
    *,
    finish: str = "stop",
    aliases: Mapping[str, str] | None = None,
) -> Reading:
    """Read a reply; ReplyError when it holds no usable verdict. `aliases` are other names of criteria in tables."""
    if judge.reply != "json":
        found, form = read_form(judge, text, expected, finish=finish)
        return Reading(opinions={"": found}, step=form)
    if len(text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(text)} characters, more than {REPLY_CHARS}")
    return _as_asked(judge, text, expected, aliases) or ladder(judge, text, expected, finish=finish, aliases=aliases)


def _as_asked(judge: Judge, text: str, expected: Expected, aliases: Mapping[str, str] | None) -> Reading | None:
    """The reading of a reply that is strict JSON of exactly the shape asked for, and no quotation."""
    try:
        value = strict(text)
    except ValueError:
        return None
    found = entries(judge, value, expected)
    if found is None:
        return None
    batch = judge.layout == "batch"
    quotes = None if _silent(judge, expected) else _quotes_of(judge, expected, aliases)
    if quotes is not None and (
        quotes.repeated(text) or any(quotes.hold(entry.value, entry.opinion, entry.item, whole=True) for entry in found)
    ):
        return None
    return Reading(
        opinions={entry.item: entry.opinion for entry in found},
        failures={},
        summary=summary_of(judge, value, quotes) if batch else {},
    )


def ladder(
    judge: Judge, text: str, expected: Expected, *, finish: str = "stop", aliases: Mapping[str, str] | None = None
) -> Reading:
    """Read a reply in whatever form it states its verdict as JSON or as a table."""
    extracted = extract(text)
    whole = _is_whole(text[extracted.final_from :], extracted)
    gate = Gate(judge, expected, _quotes_of(judge, expected, aliases), whole=whole)
    listed = _mended_from_texts(gate, text, usable(extracted, finish))
    draft = is_draft(extracted, text)
    if judge.layout == "batch":
        if draft:
            raise _only_drafts()
        opinions, failures, summary, flags, step = read_batch(gate, listed, text, finish)
        return Reading(opinions=opinions, failures=failures, summary=summary, step=step, flags=flags)
    chosen = _chosen(gate, text, extracted, listed + _tables(gate, text, extracted.final_from, aliases), finish)
    if draft and "repeated" not in chosen.opinion.flags:
        raise _only_drafts()
    if extracted.reasoning and not any(candidate.final for candidate in extracted.candidates):
        chosen = replace(chosen, opinion=_flagged(chosen.opinion, "in_reasoning"))
    return Reading(opinions={"": chosen.opinion}, step=chosen.step)


def _is_whole(text: str, extracted: Extracted) -> bool:
    """Whether an answer is one value and nothing else, but for a fence around it."""
    final = [candidate for candidate in extracted.candidates if candidate.final]
    return bool(final) and not _FENCE.sub("", text.replace(final[0].raw, "", 1)).strip()


def _only_drafts() -> NoVerdict:
    """The failure of a reply that is all reasoning; a draft that the reasoning comes back to unchanged is settled."""
    return NoVerdict("the reply holds only a draft inside reasoning that never ended")


def _mended_from_texts(gate: Gate, text: str, listed: list[Candidate]) -> list[Candidate]:
    """The candidates, those as guessed that may be written by a judged text in part.

    A judge that copies such a text into a reason, and does not escape its quotation marks, lets it write members. What
    it then writes has to be mended, or to be closed under a key that nobody asked for, or the reply goes on behind it.
    """
    places = gate.quotes.repeated(text) if gate.quotes else []
    if not gate.quotes or not places:
        return listed
    copied = gate.quotes.copied(text)
    begun = (one.value for one in listed if gate.begins(one.value) and not gate.complete(one.value))
    if any(not gate.quotes.says(value) for value in begun):
        return [replace(one, guessed=True) for one in listed]  # the next one may begin inside it
    return [replace(one, guessed=True) if _is_copied(gate, one, places, copied, text) else one for one in listed]


def _is_copied(gate: Gate, candidate: Candidate, places: list[int], copied: list[int], text: str) -> bool:
    assert gate.quotes is not None
    if not _any_within(places, candidate):
        return False
    if candidate.step == "repair" or _any_within(copied, candidate) or _goes_on(gate, text, candidate.end):
        return True
    return any(not _KEY.fullmatch(key) or gate.quotes.have(key) for key in gate.unasked(candidate.value))


def _any_within(places: list[int], candidate: Candidate) -> bool:
    return bisect_left(places, candidate.start) < bisect_left(places, candidate.end)


def _goes_on(gate: Gate, text: str, end: int) -> bool:
    """Whether a string that began inside an object ends behind it, or a judged text has what stands there."""
    rest = _REST.match(text, end)
    return bool(rest and (rest["ends"] or (gate.quotes and gate.quotes.have(text[end - 1 : rest.end()]))))


def _silent(judge: Judge, expected: Expected) -> bool:
    """Whether no judged text holds an object or a table: then there is no object to quote from them.

    A quotation repeats the bracket of an object that a judged text holds, or states the scores of one found in it.
    """
    if expected.embedded:
        return True
    text = "\n".join(expected.judged)
    if "{" in text:
        return False
    if ("[" not in text or ":" not in text) and '"' not in text and "|" not in text:
        return True
    return all(_says_nothing(judge, one) for one in expected.judged)


def _says_nothing(judge: Judge, text: str) -> bool:
    """Whether no verdict can be read from a judged text."""
    return objectless(text) and not (judge.layout == "compare" and "|" in text)


def _quotes_of(judge: Judge, expected: Expected, aliases: Mapping[str, str] | None) -> Quotes | None:
    """What the judged texts say; the judge without a language model quotes nothing."""
    if expected.embedded or not any(expected.judged):
        return None
    # which sources there are decides what counts; what they say would only be searched for quotations
    sources = tuple(replace(source, text="") for source in expected.sources.get("", ()))
    return _planted(judge, expected.judged, tuple(expected.labels.items()), tuple((aliases or {}).items()), sources)


@lru_cache(maxsize=16)
def _planted(
    judge: Judge,
    judged: tuple[str, ...],
    labels: tuple[tuple[str, str], ...],
    aliases: tuple[tuple[str, str], ...],
    sources: tuple[Source, ...],
) -> Quotes:
    """Every verdict that a judged text holds, read as a reply is; a text may name candidates as no prompt does."""
    quotes = Quotes(judged)
    gate = Gate(judge, Expected(labels={name: name for _, name in labels} | dict(labels), sources={"": sources}))
    for text in judged:
        if _says_nothing(judge, text):
            continue
        candidates = [*extract(text).candidates, *_bracketless(text)]
        entries = {id(value): item for item, value in planted(gate, candidates)} if judge.layout == "batch" else {}
        values = list(everything(candidate.value for candidate in candidates))
        for value in (*values, *(table.value for table in _tables(gate, text, 0, dict(aliases)))):
            with contextlib.suppress(ReplyError):
                quotes.plant(value, gate.opinion(value), entries.get(id(value)))
    return quotes


def _bracketless(answer: str) -> list[Candidate]:
    """The whole answer as members of an object that lost its brackets."""
    if bracketless(answer):
        with contextlib.suppress(ValueError):
            return [document(answer)]
    return []


def _chosen(gate: Gate, text: str, extracted: Extracted, listed: list[Candidate], finish: str) -> _Valid:
    whole = _bracketless(text[extracted.final_from :])
    try:
        return _choose(gate, text, whole or listed, finish, extracted.final_from)
    except NoVerdict:
        if whole:
            with contextlib.suppress(ReplyError):
                return _choose(gate, text, listed, finish, extracted.final_from)
        raise


def _tables(gate: Gate, text: str, start: int, aliases: Mapping[str, str] | None) -> list[Candidate]:
    if gate.judge.layout != "compare" or "|" not in text:
        return []
    found = tables(gate.judge, text, gate.expected, start=start, aliases=aliases)
    return [Candidate(value, text[start:end], start, end, "table") for value, start, end in found]


@dataclass(slots=True)
class _Seen:
    """What the candidates gave so far; only the last of each kind is kept, so a hostile reply costs no memory."""

    last: _Valid | None = None
    differing: _Valid | None = None
    repeated: bool = False
    whole: ReplyError | None = None
    partial: ReplyError | None = None
    other: ReplyError | None = None
    quoted: bool = False
    #: Why a verdict that begins after the last one that counts can't be used, and whether the prose denies one.
    later: ReplyError | None = None
    denied: bool = False
    #: Whether the beginning of the same verdict follows it.
    again: bool = False

    def accept(self, gate: Gate, valid: _Valid) -> None:
        if self.last is not None:
            self.repeated = True
            if _differ(gate, self.last.opinion, valid.opinion):
                self.differing = self.last
        self.last, self.whole, self.later, self.again = valid, None, None, False

    def refuse(self, error: ReplyError, *, whole: bool, begun: bool) -> None:
        error.__traceback__ = None
        if begun:
            self.later = error
        if whole:
            self.whole = error
        elif isinstance(error, Missing | Truncated):
            self.partial = error
        elif not isinstance(error, NoVerdict):
            self.other = error


def _choose(gate: Gate, text: str, listed: list[Candidate], finish: str, since: int) -> _Valid:
    """The last complete verdict, unless a later one fails, or an earlier one differs and was not corrected."""
    seen = _Seen()
    covered, behind, quotation = -1, since, range(0)
    for candidate in listed:
        if candidate.start < covered or candidate.start in quotation:
            continue  # a part of a verdict already read, or of a quotation
        try:
            found, wrapped = _opinion(gate, candidate, finish)
        except Quoted:
            seen.quoted = True
            if gate.recognises(candidate.value) and not candidate.unclosed:
                quotation = range(candidate.start, candidate.end)
            continue
        except ReplyError as error:
            begun = any(gate.begins(value) for value, _ in _layers(candidate.value))
            agrees = (
                gate.begins(candidate.value)
                and seen.last is not None
                and gate.agrees(candidate.value, seen.last.opinion)
            )
            seen.refuse(
                error, whole=gate.complete(candidate.value) and not candidate.unclosed, begun=begun and not agrees
            )
            seen.again = seen.again or agrees
            if begun:
                covered = candidate.end  # what it holds is its own: an example, a verdict of before
            continue
        step = "wrapped" if wrapped and candidate.step in _PLAIN else candidate.step
        mended = () if step in _PLAIN else (f"repaired:{step}",)
        seen.accept(gate, _Valid(_flagged(found, *mended), step, candidate.start, candidate.end))
        seen.denied = seen.denied or is_denied(text, candidate.start, behind)
        covered = behind = candidate.end
    if seen.whole is not None:
        raise seen.whole
    if seen.last is None:
        raise _why(seen, finish)
    # of two lists that differ, the later one may be the rest of the first
    corrects = not gate.counts and seen.differing and _CORRECTS.search(text, seen.differing.end, seen.last.start)
    if seen.differing and not corrects:
        raise Ambiguous("the reply holds two different verdicts, and none is called final")
    if gate.counts and _PATCHED.match(text, seen.last.end):
        raise Truncated("brackets follow the verdict: what they close is missing")
    said = {"repeated": seen.again or seen.repeated, "listed": gate.counts, "part": seen.last.step == "table"}
    if seen.denied or seen.later or is_withdrawn(text, seen.last.end, **said):
        raise Ambiguous("the reply denies or takes back a verdict that it holds")
    if finish != "stop" and _OPENS.search(text, seen.last.end):
        raise Truncated("the reply was cut off in something that follows its verdict")
    flags = ("corrected",) if seen.differing else ("repeated",) if seen.repeated else ()
    return replace(seen.last, opinion=_flagged(seen.last.opinion, *flags))


def _why(seen: _Seen, finish: str) -> ReplyError:
    """The error to report when nothing is complete: what is absent says more than what is wrong."""
    if isinstance(seen.partial, Truncated) or finish != "stop":
        return Truncated("the reply was cut off before a complete verdict")
    return seen.partial or seen.other or (only_quoted() if seen.quoted else NoVerdict("the reply holds no verdict"))


def _opinion(gate: Gate, candidate: Candidate, finish: str) -> tuple[Opinion, bool]:
    """The opinion a candidate states, and whether it was wrapped in something."""
    if candidate.unclosed and (finish != "stop" or gate.counts):
        raise Truncated("the reply was cut off inside the verdict")
    if gate.counts and (candidate.elided or (finish != "stop" and candidate.step not in _PLAIN)):
        raise Truncated("the lists of the verdict may be cut off, or leave entries out")
    if candidate.step == "table" and gate.quotes and gate.quotes.says(candidate.raw):
        raise Quoted
    results: list[Opinion] = []
    errors: list[ReplyError] = []
    quoted: list[int] = []
    for depth, (value, aside) in enumerate(_layers(candidate.value)):
        try:
            found = gate.opinion(value)
        except Quoted:
            quoted.append(depth)
            continue
        except ReplyError as error:
            if gate.begins(value) and (depth == 0 or (gate.counts and not aside)):
                raise Truncated(f"the verdict stops short: {error}") if candidate.unclosed else error from None
            errors.append(error)
            continue
        if aside:
            errors.append(NoVerdict("a verdict that is shown, not given"))
            continue
        if candidate.guessed:
            raise (
                Truncated("the verdict stops short")
                if candidate.unclosed
                else Malformed("quotes inside a text are not escaped, and where the text ends is unclear")
            )
        if depth == 0:
            return found, False
        results.append(found)
    if results:
        if any(_differ(gate, other, results[0]) for other in results[1:]):
            raise Ambiguous("several different verdicts stand side by side")
        return results[-1], True
    if 0 in quoted:
        raise Quoted
    if candidate.unclosed and any(not isinstance(error, NoVerdict) for error in errors):
        raise Truncated(f"the verdict stops short: {errors[0]}")
    if quoted and all(isinstance(error, NoVerdict) for error in errors):
        raise Quoted
    raise next((error for error in errors if not isinstance(error, NoVerdict)), errors[0])


def _layers(value: Any) -> Iterator[tuple[Any, bool]]:
    """The value, then what it wraps by one level, and whether what stands around it says that it is only shown."""
    yield value, False
    if isinstance(value, dict):
        doubted = any(
            AMENDS.search(key) if isinstance(entry, dict) else _doubts(key, entry) for key, entry in value.items()
        )
        yield from ((one, doubted or not wraps(key)) for key, one in value.items() if isinstance(one, dict))
    elif isinstance(value, list):
        doubted = any(not isinstance(entry, dict) for entry in value)
        yield from ((entry, doubted) for entry in value if isinstance(entry, dict))


def _doubts(key: str, entry: Any) -> bool:
    """Whether what stands beside a wrapped verdict may take it back."""
    if not isinstance(entry, str):
        return not (isinstance(entry, int) and _BESIDE.fullmatch(key)) or isinstance(entry, bool)
    if _BESIDE.fullmatch(key):
        return bool(_ASIDE.search(entry))
    return not _EXPLAINS.fullmatch(key) or is_withdrawn(entry, 0)


def _differ(gate: Gate, one: Opinion, other: Opinion) -> bool:
    """Whether two verdicts differ: in their scores, or in a list that scores are counted from, which may be a part."""
    if _scores(one) != _scores(other):
        return True
    return gate.counts and (one.claims, one.questions, one.spans) != (other.claims, other.questions, other.spans)


def _scores(found: Opinion) -> Mapping[str, Mapping[str, float | None]]:
    return {name: {who: score.value for who, score in scores.items()} for name, scores in found.scores.items()}


def _flagged(found: Opinion, *flags: str) -> Opinion:
    return replace(found, flags=tuple(dict.fromkeys((*found.flags, *flags)))) if flags else found
