"""Outcomes → lines and tables that other tools can open safely."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import Call, Failure, Outcome, Reply, Verdict

#: What sums that ought to be nothing leave behind; no score is so small.
_DUST = 1e-12


def line(outcome: Outcome, signature: str) -> dict[str, Any]:
    """The export line of one item."""
    failed = isinstance(outcome, Failure)
    failure = None
    if isinstance(outcome, Failure):
        failure = {name: getattr(outcome, name) for name in ("kind", "stage", "message", "attempts")}
    return {
        "id": outcome.item,
        "status": "failed" if failed else "judged",
        "scores": outcome.scores if isinstance(outcome, Verdict) else {},
        "derived": outcome.derived if isinstance(outcome, Verdict) else {},
        "verdict": outcome.native if isinstance(outcome, Verdict) else None,
        "failure": failure,
        "flags": list(outcome.flags),
        "calls": list(outcome.calls),
        "signature": signature,
        "intervals": outcome.intervals if isinstance(outcome, Verdict) else {},
        "findings": list(outcome.findings) if isinstance(outcome, Verdict) else [],
        **_where_any(outcome),
    }


def _where_any(outcome: Outcome) -> dict[str, Any]:
    """What only some verdicts have."""
    if isinstance(outcome, Failure):
        return {}
    found = {"trials": list(outcome.trials), "spreads": outcome.spreads, "probe": outcome.probe, "place": outcome.place}
    return {name: value for name, value in found.items() if value}


def native(judge: Judge, outcomes: Iterable[Outcome], summary: Mapping[str, str]) -> Iterator[str]:
    """The verdicts in the judge's own shape: for batches the seed's two keys, for other layouts a line per item."""
    if judge.layout != "batch":
        for outcome in outcomes:
            yield dumps({"id": outcome.item, **_own(outcome)}) + "\n"
        return
    yield '{"scores": ['
    for number, outcome in enumerate(outcomes):
        yield ("," if number else "") + "\n  " + dumps({"id": outcome.item, **_own(outcome)})
    yield '\n], "summary": ' + dumps(dict(summary)) + "}\n"


def _own(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Failure):
        return {"failure": {"kind": outcome.kind, "message": outcome.message}}
    return dict(outcome.native)


def replies(calls: Iterable[tuple[Call, Reply]]) -> Iterator[str]:
    """Recorded replies, one per line: what `--model replay:FILE` answers from."""
    for call, reply in calls:
        record = {
            "key": call.key,
            "content": call.content,
            "stage": call.stage,
            "items": list(call.items),
            "order": list(call.order),
            "repeat": call.repeat,
            "text": reply.text,
            "finish": reply.finish,
            "mode": reply.mode,
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
            **({"criterion": call.criterion, "odds": dict(reply.odds)} if call.criterion else {}),
            **({} if reply.places is None else {"places": reply.places}),
        }
        yield dumps(record) + "\n"


def rows(judge: Judge, outcomes: Iterable[Outcome]) -> Iterator[dict[str, Any]]:
    """One row per item, candidate and criterion: what data frames and statistics want."""
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            continue
        flags = ";".join(outcome.flags)
        for name, value in outcome.scores.items():
            reasons = outcome.reasons.get(name, "")
            per = value if isinstance(value, Mapping) else {"": value}
            for candidate, score in per.items():
                reason = reasons.get(candidate, "") if isinstance(reasons, Mapping) else reasons
                yield {
                    "item": outcome.item,
                    "candidate": candidate or None,
                    "criterion": name,
                    "score": score,
                    "reason": reason,
                    "flags": flags,
                }


def table(judge: Judge, outcomes: Iterable[Outcome]) -> Iterator[dict[str, Any]]:
    """One row per item, or per item and candidate: scores, derived values, reasons, flags, failure."""
    compare = judge.layout == "compare"
    names = [criterion.name for criterion in judge.scored]
    for outcome in outcomes:
        head: dict[str, Any] = {"id": outcome.item, "status": "failed" if isinstance(outcome, Failure) else "judged"}
        tail = {"flags": ";".join(outcome.flags), "failure": getattr(outcome, "kind", "")}
        if isinstance(outcome, Failure):
            blank = {"candidate": ""} if compare else {}
            yield {**head, **blank, **_cells(judge, names, {}, {}, {}), **tail, "message": outcome.message}
            continue
        candidates = dict.fromkeys(
            name for value in outcome.reasons.values() if isinstance(value, Mapping) for name in value
        )
        for candidate in candidates if compare else [""]:
            scores = {name: _pick(value, candidate) for name, value in outcome.scores.items()}
            reasons = {name: _pick(value, candidate) for name, value in outcome.reasons.items()}
            derived = {name: _derived(value, candidate) for name, value in outcome.derived.items()}
            own = {"candidate": candidate} if compare else {}
            yield {**head, **own, **_cells(judge, names, scores, derived, reasons), **tail, "message": ""}


def _pick(value: Any, candidate: str) -> Any:
    return value.get(candidate) if isinstance(value, Mapping) else value


def _derived(value: Any, candidate: str) -> Any:
    """A winner becomes 1, 0, or 0.5 for a tie, so that it can be averaged."""
    if isinstance(value, Mapping) and "winner" in value:
        if value["winner"] is None and not value["tied"]:
            return None
        return 0.5 if candidate in value["tied"] else int(value["winner"] == candidate)
    return _pick(value, candidate)


def _cells(
    judge: Judge, names: list[str], scores: Mapping[str, Any], derived: Mapping[str, Any], reasons: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        **{name: scores.get(name) for name in names},
        **{value.name: derived.get(value.name) for value in judge.derived},
        **{f"{name}_reason": reasons.get(name, "") for name in names},
    }


def rounded(records: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same without the dust of sums in binary, in as many digits as spreadsheets keep: not 4.5200000000000005."""
    for record in records:
        yield {name: _clean(value) if isinstance(value, float) else value for name, value in record.items()}


def _clean(value: float) -> float:
    return float(f"{value:.15g}") if abs(value) > _DUST else 0.0


def to_csv(
    records: Iterable[Mapping[str, Any]], *, names: Sequence[str] | None = None, raw: bool = False
) -> Iterator[str]:
    """CSV text; unless `raw`, no cell can start a formula in a spreadsheet.

    With `names` there is a heading also where there are no records; else it is that of the first.
    """
    guard: Callable[[Any], Any] = (lambda cell: cell) if raw else guarded
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    if names is not None:
        writer.writerow(map(guard, names))
    for number, record in enumerate(records):
        if not number and names is None:
            writer.writerow(map(guard, record))
        writer.writerow(map(guard, record.values()))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


#: A spreadsheet may split at semicolons, tabs or bars, depending on country and user. Then no quote around a cell
#: holds it together, not even over line breaks: each of these parts may become a cell.
_PART = re.compile(r"^'*[\t\r\n]|[^;|\t\r\n]+")
_STARTS = frozenset("=+-@\t\r\n")


def guarded(cell: Any) -> Any:
    """Text that a spreadsheet would run as a formula is given an apostrophe; numbers stay numbers.

    So is text that looks as if it had one already, so that `unguarded` gives back what it was.
    """
    if cell is None or isinstance(cell, int | float):
        return cell
    return _PART.sub(lambda part: f"'{part[0]}" if _risky(part[0]) else part[0], str(cell))


def unguarded(text: str) -> str:
    """The text as it was before `guarded`: what people fill in and give back is read as it was written."""
    return _PART.sub(lambda part: part[0][1:] if part[0][0] == "'" and _risky(part[0]) else part[0], text)


def _risky(part: str) -> bool:
    """Also behind blanks, quotes and invisible signs, which a spreadsheet may strip, and in the wide forms."""
    for sign in part.lstrip("'"):
        if sign in "\t\r\n" or (sign != '"' and not sign.isspace() and unicodedata.category(sign) not in ("Cc", "Cf")):
            return unicodedata.normalize("NFKC", sign) in _STARTS
    return False


def to_parquet(records: Iterable[Mapping[str, Any]]) -> bytes:
    """The same table as Parquet."""
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise ConfigError("writing Parquet needs one more package", hint='pip install "adjudge[parquet]"') from None
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([dict(record) for record in records]), buffer)
    return buffer.getvalue()


def dumps(value: Any) -> str:
    """JSON for people and tools: readable letters, and escapes only where a file could not hold the character."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text
