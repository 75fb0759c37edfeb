"""`replay:FILE`: answers from recorded replies, so that a run can be done again with no call."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from adjudge.core import limits
from adjudge.core.errors import BadRequest, DataError
from adjudge.core.records import Reply, Request
from adjudge.models.base import finish_of, well_formed
from adjudge.models.odds import places_wanted

_AMBIGUOUS = -1


class Replay:
    """Replies from a JSONL file, found by a call's key or, recorded with another model, by its content.

    Only the places of the lines are kept in memory. A later line replaces an earlier one of the same key.
    """

    embedded = False
    rest_s = 0.0

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._by_key: dict[str, int] = {}
        self._by_content: dict[str, int] = {}
        try:
            self._file = self._path.open("rb")
        except (OSError, ValueError) as error:
            raise DataError(
                f"the replies cannot be read: {getattr(error, 'strerror', None) or error}",
                where=str(path),
                hint="`adjudge export RUN --format replies -o FILE` writes such a file",
            ) from None
        try:
            self._index()
        except BaseException:
            self._file.close()
            raise

    async def answer(self, request: Request) -> Reply:
        place = self._by_key.get(request.call.key)
        if place is None:
            place = self._by_content.get(request.call.content)
        if place is None:
            raise BadRequest(
                f"no recorded reply for this call in {self._path.name}; was it recorded with the same data, judge, "
                "language, seed, orders, repeats and batch size?"
            )
        if place == _AMBIGUOUS:
            raise BadRequest(f"{self._path.name} holds replies of several models to this call; record one run per file")
        self._file.seek(place)
        return _reply(_record(self._file.readline(), str(self._path)), places_wanted(request))

    async def close(self) -> None:
        self._file.close()

    def _index(self) -> None:
        owner: dict[str, str] = {}
        place, number = 0, 0
        while line := self._file.readline(limits.ROW_BYTES + 1):
            number += 1
            where = f"{self._path}:{number}"
            if len(line) > limits.ROW_BYTES:
                raise DataError(f"a line of more than {limits.ROW_BYTES} bytes", where=where)
            if line.strip():
                record = _record(line, where)
                key, content = record.get("key") or "", record.get("content") or ""
                if key:
                    self._by_key[key] = place
                if content:
                    same = owner.setdefault(content, key) == key
                    self._by_content[content] = place if same else _AMBIGUOUS
            place += len(line)


def _record(line: bytes, where: str) -> dict[str, Any]:
    hint = 'a line holds {"key": "...", "text": "..."}; `adjudge export RUN --format replies` writes such a file'
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise DataError("this line is not a JSON object in UTF-8", where=where, hint=hint) from None
    if not isinstance(record, dict):
        raise DataError("this line is not a JSON object", where=where, hint=hint)
    if not isinstance(record.get("text"), str):
        raise DataError("`text` is missing or not a string", where=where, hint=hint)
    for name in ("key", "content", "finish", "mode"):
        if not isinstance(record.get(name, ""), str):
            raise DataError(f"`{name}` is not a string", where=where, hint=hint)
    if not (record.get("key") or record.get("content")):
        raise DataError("neither `key` nor `content` says which call this answers", where=where, hint=hint)
    for name in ("tokens_in", "tokens_out"):
        value = record.get(name)
        if value is not None and (type(value) is not int or value < 0):
            raise DataError(f"`{name}` is not a whole number of tokens", where=where, hint=hint)
    odds = record.get("odds", {})
    if not isinstance(odds, dict) or not all(type(p) in (int, float) and -math.inf < p <= 0 for p in odds.values()):
        raise DataError("`odds` is not an object of words and log probabilities", where=where, hint=hint)
    if not _are_places(record.get("places")):
        raise DataError("`places` is not a list of [offset, token, {token: log probability}]", where=where, hint=hint)
    return record


def _are_places(places: Any) -> bool:
    if places is None:
        return True
    return isinstance(places, list) and all(
        isinstance(place, list)
        and list(map(type, place)) == [int, str, dict]
        and all(type(p) in (int, float) and -math.inf < p <= 0 for p in place[2].values())
        for place in places
    )


def _reply(record: dict[str, Any], with_places: bool) -> Reply:
    return Reply(
        text=well_formed(record["text"]),
        finish=finish_of(record.get("finish")),
        tokens_in=record.get("tokens_in"),
        tokens_out=record.get("tokens_out"),
        cost_usd=0.0,
        mode=record.get("mode") or "text",
        odds=record.get("odds") or {},
        places=tuple(map(tuple, record.get("places") or ())) if with_places else None,
    )
