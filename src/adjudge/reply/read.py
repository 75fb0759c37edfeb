"""From the text of a reply to opinions: the ladder. The last complete verdict after the reasoning counts, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, ReplyError, TooLarge, Truncated
from adjudge.core.judge import Judge
from adjudge.core.limits import REPLY_CHARS
from adjudge.core.records import Opinion
from adjudge.reply.batch import read_batch
from adjudge.reply.extract import Candidate, Extracted, document, extract
from adjudge.reply.table import tables
from adjudge.reply.validate import Expected, Gate

__all__ = ["Expected", "Reading", "read"]

#: Said between two verdicts, these words make the second one a correction of the first.
_CORRECTS = re.compile(
    r"\b(?:final|revised?|corrected|correction|actually|wait|updated?|instead|reconsider\w*|on reflection"
    r"|итогов\w+|окончательн\w+|исправлен\w+|исправля\w+|уточн\w+|поправ\w+|вернее|точнее|пересмотр\w+)\b|<answer>|<final",
    re.IGNORECASE,
)
_PLAIN = ("strict", "embedded_object")


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
    if len(text) > REPLY_CHARS:
        raise TooLarge(f"the reply has {len(text)} characters, more than {REPLY_CHARS}")
    extracted = extract(text)
    usable = _usable(extracted, expected)
    if judge.layout == "batch":
        opinions, failures, summary, flags, step = read_batch(judge, text, usable, expected, finish)
        return Reading(opinions=opinions, failures=failures, summary=summary, step=step, flags=flags)
    listed = usable + _tables(judge, text, expected, extracted, aliases) or _whole(text, extracted, expected)
    chosen = _choose(Gate(judge, expected), text, listed, finish)
    if extracted.reasoning and not any(candidate.final for candidate in extracted.candidates):
        chosen = replace(chosen, opinion=_flagged(chosen.opinion, "in_reasoning"))
    return Reading(opinions={"": chosen.opinion}, step=chosen.step)


def _usable(extracted: Extracted, expected: Expected) -> list[Candidate]:
    """The candidates after the reasoning, or inside it when it never ended; without those quoted from judged texts."""
    final = [candidate for candidate in extracted.candidates if candidate.final]
    usable = final or (extracted.candidates if extracted.reasoning else [])
    return _unquoted(usable, expected)


def _bare(text: str) -> str:
    """Text without spaces and backslashes: quoting may lay it out anew or escape it."""
    return re.sub(r"[\s\\]+", "", text)


def _unquoted(candidates: list[Candidate], expected: Expected) -> list[Candidate]:
    """Without the candidates that stand, word for word, in a judged text: a quotation is no verdict."""
    judged = [_bare(text) for text in expected.judged if text]
    return [c for c in candidates if not any(_bare(c.raw) in text for text in judged)] if judged else candidates


def _whole(text: str, extracted: Extracted, expected: Expected) -> list[Candidate]:
    """The last step: the whole answer as members of an object that lost its brackets."""
    try:
        return _unquoted([document(text[extracted.final_from :])], expected)
    except ValueError:
        return []


def _tables(
    judge: Judge, text: str, expected: Expected, extracted: Extracted, aliases: Mapping[str, str] | None
) -> list[Candidate]:
    if judge.layout != "compare" or "|" not in text:
        return []
    found = tables(judge, text, expected, start=extracted.final_from, aliases=aliases)
    made = [Candidate(value, text[start:end], start, end, "table") for value, start, end in found]
    return _unquoted(made, expected)


def _choose(gate: Gate, text: str, listed: list[Candidate], finish: str) -> _Valid:
    valid: list[_Valid] = []
    errors: list[tuple[int, bool, ReplyError]] = []
    covered = -1
    for candidate in listed:
        if candidate.start < covered:
            continue  # a part of a verdict already read
        try:
            found, wrapped = _opinion(gate, candidate, finish)
        except ReplyError as error:
            errors.append((candidate.start, gate.complete(candidate.value) and not candidate.unclosed, error))
            continue
        step = "wrapped" if wrapped and candidate.step in _PLAIN else candidate.step
        mended = () if step in _PLAIN else (f"repaired:{step}",)
        valid.append(_Valid(_flagged(found, *mended), step, candidate.start, candidate.end))
        covered = candidate.end
    if not valid:
        raise _why(errors, finish)
    later = [error for start, whole, error in errors if whole and start >= valid[-1].end]
    if later:
        raise later[-1]
    return _last(text, valid)


def _opinion(gate: Gate, candidate: Candidate, finish: str) -> tuple[Opinion, bool]:
    """The opinion a candidate states, and whether it was wrapped in something."""
    if candidate.unclosed and finish == "length":
        raise Truncated("the reply was cut off inside the verdict")
    results: list[Opinion] = []
    errors: list[ReplyError] = []
    for depth, value in enumerate(_layers(candidate.value)):
        try:
            found = gate.opinion(value)
        except ReplyError as error:
            errors.append(error)
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
        if any(_scores(other) != _scores(results[0]) for other in results[1:]):
            raise Ambiguous("several different verdicts stand side by side")
        return results[-1], True
    if candidate.unclosed and any(not isinstance(error, NoVerdict) for error in errors):
        raise Truncated(f"the verdict stops short: {errors[0]}")
    raise next((error for error in errors if not isinstance(error, NoVerdict)), errors[0])


def _layers(value: Any) -> Iterator[Any]:
    """The value, then what it wraps by one level."""
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from (entry for entry in inner if isinstance(entry, dict))


def _scores(found: Opinion) -> Mapping[str, Mapping[str, float | None]]:
    return {name: {who: score.value for who, score in scores.items()} for name, scores in found.scores.items()}


def _last(text: str, valid: list[_Valid]) -> _Valid:
    """The last verdict, unless an earlier one differs and nothing says that it was corrected."""
    last = valid[-1]
    differing = [earlier for earlier in valid[:-1] if _scores(earlier.opinion) != _scores(last.opinion)]
    if differing and not _CORRECTS.search(text, differing[-1].end, last.start):
        raise Ambiguous("the reply holds two different verdicts, and none is called final")
    flags = ("corrected",) if differing else ("repeated",) if len(valid) > 1 else ()
    return replace(last, opinion=_flagged(last.opinion, *flags))


def _why(errors: list[tuple[int, bool, ReplyError]], finish: str) -> ReplyError:
    """The error to report: of the last object in the shape of a verdict, else of the last with any of its keys."""
    known = [(whole, error) for _, whole, error in errors if not isinstance(error, NoVerdict)]
    whole = [error for is_whole, error in known if is_whole]
    if whole:
        return whole[-1]
    if finish == "length" or any(isinstance(error, Truncated) for _, error in known[-1:]):
        return Truncated("the reply was cut off before a complete verdict")
    partial = [error for _, error in known if isinstance(error, Missing)]
    if known:
        return partial[-1] if partial else known[-1][1]
    return NoVerdict("the reply holds no verdict")


def _flagged(found: Opinion, *flags: str) -> Opinion:
    return replace(found, flags=tuple(dict.fromkeys((*found.flags, *flags)))) if flags else found
