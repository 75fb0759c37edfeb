"""The columns of a label file: their names, other names for them, and names that are nearly right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice

from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Criterion, Judge
from adjudge.data.human import LABELS

ITEM, CANDIDATE, CRITERION, ANNOTATOR, VALUE, COMMENT = (
    "item",
    "candidate",
    "criterion",
    "annotator",
    "value",
    "comment",
)
#: The columns that a label file may have beside those of the judge.
OWN = (CANDIDATE, CRITERION, ANNOTATOR, VALUE, COMMENT, LABELS)
#: Between a criterion and a person in the name of a column: `coverage@anna`.
BY = "@"
#: How alike a column and a criterion must be to be taken for a misspelling: of chance names few are.
_ALIKE = 0.75


def parse_label_map(judge: Judge, pairs: Sequence[str], *, overall: Sequence[Criterion] = ()) -> dict[str, str]:
    """`--map name=column` options: fields of the judge, its criteria, and the columns that label files have."""
    found: dict[str, str] = {}
    scored = [criterion.name for criterion in (*judge.scored, *overall)]
    known = dict.fromkeys(["id", *(field.name for field in judge.fields), *scored, *OWN])
    for pair in pairs:
        name, equals, column = pair.partition("=")
        name = "id" if name == ITEM and ITEM not in known else name
        if not equals or not column:
            raise ConfigError(f"--map {pair}: not of the form name=column", hint=f"--map {scored[0]}=my_column")
        if name not in known:
            raise ConfigError(f"--map {pair}: labels have no `{name}`", hint=f"they have: {', '.join(known)}")
        if name in found:
            raise ConfigError(f"--map {pair}: `{name}` is mapped twice", hint="give every name one column")
        found[name] = column
    return found


def misspelled(columns: Iterable[str], wanted: Sequence[str]) -> dict[str, str]:
    """The columns whose names are close to one that is wanted, each with that one."""
    found: dict[str, str] = {}
    for column in islice(columns, limits.COLUMNS_LOOKED_AT):
        name = "_".join(column.casefold().replace("-", " ").split())
        if BY not in column and (close := get_close_matches(name, wanted, n=1, cutoff=_ALIKE)):
            found[column] = close[0]
    return found
