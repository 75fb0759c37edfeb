"""The texts that people read when they labelled, and whether they are those of an item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from adjudge.core.judge import Judge
from adjudge.core.records import digest
from adjudge.data.sampled import CODE, RUN

#: What a label is of. A reference, a name or a list of sources beside it may be written in several ways.
_ROLES = ("source", "query", "output")

#: The texts of a row or an item, by the field of the judge: a hash of each, white space and apostrophes aside.
Texts = dict[str, frozenset[str]]


class Shown(NamedTuple):
    """The texts that a label row carries, and the run that it was sampled from, "" where it does not say."""

    item: str
    run: str
    texts: Texts


def shown_by(judge: Judge, item: str, row: Mapping[str, Any], columns: Mapping[str, str]) -> Shown | None:
    """What a label row says of the text that was labelled; None where it says nothing."""
    run, code = (str(row.get(name) or "").strip() for name in (RUN, CODE))
    texts = texts_of(judge, row, columns)
    sampled = run if code else ""
    return Shown(item, sampled, texts) if texts or sampled else None


def texts_of(judge: Judge, row: Mapping[str, Any], columns: Mapping[str, str] | None = None) -> Texts:
    """The texts of a row or of a stored item; fields that are empty or no text are left out."""
    found: Texts = {}
    for field in judge.fields:
        if field.role not in _ROLES or field.type not in ("text", "answers"):
            continue
        # a column `source` may as well name where a row is from
        names = (field.name, *(field.aliases if field.role != "source" else ()))
        if columns and field.name in columns:
            names = (columns[field.name],)
        value = next((row[name] for name in names if row.get(name) not in (None, "")), None)
        if field.type == "answers" and isinstance(value, str) and value.lstrip().startswith("{"):
            continue  # all answers of an item, as a table holds them
        texts = value.values() if isinstance(value, Mapping) else [value]
        if folded := frozenset(_folded(one) for one in texts if isinstance(one, str) and one.strip()):
            found[field.name] = folded
    return found


def other_field(shown: Texts, judged: Texts) -> str:
    """The first field whose text in a row is none of the item's; "" where there is no such field."""
    return next((name for name, texts in shown.items() if name in judged and not texts <= judged[name]), "")


def _folded(text: str) -> str:
    # a table that is safe to open has apostrophes that the item has not
    return digest(" ".join(text.replace("'", "").split()))
