"""Candidates of a comparison: who they are, and the answers that stand in columns and files already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.core import limits
from adjudge.core.counted import counted
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.judge import Judge
from adjudge.data.items import Row, columns_of
from adjudge.data.rows import read_rows
from adjudge.data.strict_json import type_name

_FORM = "NAME=WHERE, as in mine=column:my_answer, mine=file:answers.jsonl, gpt=openai:NAME or rag=cmd:./my_rag"
#: Where a row says what each candidate retrieved.
RETRIEVED_BY = "retrieved_by"


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A candidate as `--candidate NAME=WHERE` names it."""

    name: str
    where: str

    @property
    def kind(self) -> str:
        """What stands before the colon: column, file, cmd, http, https, or the kind of a model."""
        return self.where.partition(":")[0]

    @property
    def path(self) -> str:
        """What stands behind it."""
        return self.where.partition(":")[2]

    @property
    def given(self) -> bool:
        """Whether its answers are there already; all others are asked."""
        return self.kind in ("column", "file")


def parse_candidates(options: Sequence[str]) -> tuple[Candidate, ...]:
    """`--candidate` options, each with a usable name and a place of its own."""
    found: list[Candidate] = []
    for option in options:
        name, equals, where = (part.strip() for part in option.partition("="))
        shown = option[: limits.NAME_CHARS]
        if not (equals and name and where) or not option.isprintable() or len(name) > limits.NAME_CHARS:
            raise ConfigError(f"--candidate {shown!r} can't be read", hint=_FORM)
        one = Candidate(name=name, where=where)
        if not one.path:
            raise ConfigError(f"--candidate {shown}: `{where[: limits.NAME_CHARS]}` is no place", hint=_FORM)
        for other in found:
            if other.name == name:
                raise ConfigError(f"--candidate {shown}: there are two of this name", hint="give each its own")
            if other.where == where:
                raise ConfigError(
                    f"--candidate {shown}: the same as {other.name}", hint="a candidate is not compared with itself"
                )
        found.append(one)
    if len(found) > limits.CANDIDATES_MAX:
        raise ConfigError(f"{len(found)} candidates; {limits.CANDIDATES_MAX} at most can be compared")
    return tuple(found)


class Answers:
    """Fills the rows of a dataset with the answers that are given, and checks that the others can still come."""

    def __init__(self, judge: Judge, candidates: Sequence[Candidate]) -> None:
        self._field = next(field for field in judge.fields if field.type == "answers").name
        query = next((field for field in judge.fields if field.role == "query"), None)
        self._questions = (query.name, *query.aliases) if query else ()
        self._columns = {one.name: one.path for one in candidates if one.kind == "column"}
        self._files = {one.name: self._file(one) for one in candidates if one.kind == "file"}
        self._asked = tuple(one.name for one in candidates if not one.given)
        if self._asked and not (query and judge.with_role("source")):
            raise ConfigError(
                f"--candidate {self._asked[0]}: `{judge.name}` has no field with the role `query`, or none with the "
                "role `source`, so nobody can be asked",
                hint="give the answers as column:NAME or file:PATH",
            )

    @property
    def fewest(self) -> int:
        """How many answers a row must have when all that is given is in it."""
        return max(limits.CANDIDATES_MIN - len(self._asked), 0)

    def filled(self, known: dict[str, Any], raw: Row, where: str) -> dict[str, Any]:
        """The canonical row with the answers from its own columns and from files."""
        had = known.get(self._field)
        if not isinstance(had, (dict, type(None))):
            return known  # what is wrong with it is said when the item is made
        answers: dict[str, Any] = dict(had or {})
        retrieved: dict[str, Any] = {}
        for name in (*self._columns, *self._files, *self._asked):
            if name in answers:
                raise DataError(
                    f"the row has an answer of `{name}` already",
                    where=where,
                    hint="give the candidate of --candidate another name",
                )
        for name, column in self._columns.items():
            if column not in raw:
                raise DataError(
                    f"there is no column `{column}` (--candidate {name})", where=where, hint=columns_of(raw)
                )
            answers[name] = _text(raw.get(column), f"the column `{column}` (--candidate {name})", where)
        for name, file in self._files.items():
            found = self._joined(file, known, name, where)
            answers[name] = found["answer"]
            if found.get("retrieved") is not None:
                retrieved[name] = found["retrieved"]
        low, high = limits.CANDIDATES_MIN, limits.CANDIDATES_MAX
        if not low <= len(answers) + len(self._asked) <= high:
            raise DataError(
                f"{counted(len(answers) + len(self._asked), 'candidate')}; {low} to {high} can be compared",
                where=where,
                hint="name more with --candidate NAME=WHERE" if len(answers) < low else "compare fewer at a time",
            )
        filled = {**known, self._field: answers} if answers else known
        if retrieved:
            own = known.get(RETRIEVED_BY)
            filled = {**filled, RETRIEVED_BY: {**(own if isinstance(own, dict) else {}), **retrieved}}
        return filled

    def _joined(self, file: Mapping[tuple[str, str], Row], known: Row, name: str, where: str) -> Row:
        keys = [("id", str(known.get("id", "")))]
        keys += [("question", str(known.get(name, "")).strip()) for name in self._questions[:1]]
        found = next((file[key] for key in keys if key in file), None)
        if found is None:
            raise DataError(
                f"the file of --candidate {name} has no answer for this row",
                where=where,
                hint=f"its rows need `answer`, and the {self._key} of the row that they answer",
            )
        return found

    @property
    def _key(self) -> str:
        return " or ".join(f"`{name}`" for name in ("id", *self._questions[:1]))

    def _file(self, one: Candidate) -> dict[tuple[str, str], Row]:
        """The rows of a file of answers, by id and by question."""
        found: dict[tuple[str, str], Row] = {}
        for where, row in read_rows(one.path, check="check the path behind file:"):
            question = next((row[name] for name in self._questions if row.get(name)), None)
            keys = [("id", str(row["id"]))] if row.get("id") not in (None, "") else []
            # a question that is asked twice has its two answers under their ids
            keys += [("question", str(question).strip())] if question and not keys else []
            if not keys:
                raise DataError(
                    f"there is no {self._key}", where=where, hint="it says which row of the dataset this answers"
                )
            if keys[0] in found:
                raise DataError(f"a second answer under the same {keys[0][0]}", where=where, hint="keep one of them")
            _text(row.get("answer"), "`answer`", where)
            found[keys[0]] = row
        if not found:
            raise DataError(
                "the file of answers holds no rows",
                where=f"--candidate {one.name}={one.where}",
                hint=f"its rows need `answer`, and the {self._key} of the row that they answer",
            )
        return found


def _text(value: object, what: str, where: str) -> str:
    if isinstance(value, str):
        return value  # an empty one too: it is judged
    told = "missing" if value is None else f"not a text but {type_name(value)}"
    raise DataError(f"{what} is {told}", where=where, hint="every row needs an answer of every candidate that is given")
