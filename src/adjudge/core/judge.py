"""A judge: what is asked about which fields, on which scales, and in what shape the verdict is written.

Prompt text, response schema, validation, report labels and sort order are all read off these types.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from adjudge.core.scale import Scale

Layout = Literal["single", "compare", "batch"]
Kind = Literal["rating", "claims", "questions", "spans", "selection", "text"]
Operation = Literal["mean", "sum", "winner", "percent"]
#: How a rating is made where the source is longer than the model's window: asked of each part of it, from claims that
#: are checked against every part, or asked once without the source.
Long = Literal["each", "claims", "once"]
#: Which claims such a rating counts: those that the source denies, or those that it does not speak of.
Counted = Literal["contradicted", "unsupported"]
FieldType = Literal["text", "name", "sources", "search_results", "answers", "json"]
#: How a reply states its verdict: one JSON object, or prose with a number, a letter, a number each, a preference.
ReplyForm = Literal["json", "number", "letter", "numbers", "preference"]
Role = Literal["source", "output", "reference", "query", "system", "peers", "other"]

#: What the embedded judge can measure; a criterion names one of these, or is not judged by it.
MEASURES = (
    "coverage",
    "support",
    "novelty",
    "coherence",
    "brevity",
    "relevance",
    "answer_support",
    "answer_coverage",
    "adequacy",
    "additions",
    "fluency",
    "punctuation",
    "claims",
    "questions",
    "selection",
)

#: The parts of a criterion that a verdict can show; `score` is made by code for claims, questions and spans.
PARTS: Mapping[Kind, tuple[str, ...]] = {
    "rating": ("score", "reason", "evidence"),
    "claims": ("score", "reason", "claims"),
    "questions": ("score", "questions"),
    "spans": ("score", "reason", "spans"),
    "selection": ("selected",),
    "text": ("text",),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """A column of the dataset: its type decides how it is checked, fenced and shown."""

    name: str
    type: FieldType = "text"
    required: bool = True
    aliases: tuple[str, ...] = ()
    role: Role = "other"
    title: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One of the yes-or-no questions that a rating is made of; yes is the better answer."""

    name: str
    weight: float
    asks: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """A named part of a verdict. `bands` turns a count of unsupported claims into a point of the scale.

    `asks` is what to look at, for people too; `answer` tells a model what its reply has to hold.
    `question` is one to be answered with yes or no, where yes is the better answer. `evidence`: a rating rests on
    quotes from the sources. `checks` are what a rating is made of by code. `penalties` are those of spans, by severity
    or severity/category; `categories` and `severities` have their titles. `stages` are the texts of `--staged`: what
    to list, and how to check it. `long` says how a rating is made of a source that exceeds the window; one that is made
    of claims `counts` some of them.
    """

    name: str
    kind: Kind
    title: str = ""
    asks: str = ""
    answer: str = ""
    scale: Scale | None = None
    bands: tuple[int, ...] = ()
    measure: str | None = None
    question: str = ""
    evidence: bool = False
    checks: tuple[Check, ...] = ()
    penalties: Mapping[str, float] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    severities: Mapping[str, str] = field(default_factory=dict)
    stages: Mapping[str, str] = field(default_factory=dict)
    long: Long | None = None
    counts: Counted | None = None

    @property
    def scored(self) -> bool:
        return self.scale is not None

    def penalty(self, severity: str, category: str) -> float:
        """What an error of a list of spans costs: by the most exact key that fits."""
        own = (f"{severity}/{name}" for name in category_names(category))
        return next((self.penalties[key] for key in own if key in self.penalties), self.penalties[severity])

    def costs(self) -> Iterator[tuple[float, str]]:
        """What errors of a list of spans cost, each with what people call it."""
        for key, cost in self.penalties.items():
            severity, _, kind = key.partition("/")
            titles = [title for category, title in self.categories.items() if kind in category_names(category)]
            yield cost, ": ".join([self.severities[severity], *([", ".join(titles) or kind] if kind else [])])


def category_names(category: str) -> tuple[str, ...]:
    """What a category goes by in the key of a penalty, the most exact first: itself, its own name, its group.

    >>> category_names("fluency/punctuation")
    ('fluency/punctuation', 'punctuation', 'fluency')
    """
    group, _, name = category.partition("/")
    return tuple(dict.fromkeys((category, name or group, group)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Derived:
    """A value that code makes of other values: the model is never asked for it."""

    name: str
    operation: Operation
    of: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place of the native verdict: a part of a criterion, or a derived value (then `part` is empty)."""

    name: str
    part: str = ""


#: The shape of the native verdict. A tuple is written as a JSON array and asked for as an object of its parts.
Output: TypeAlias = "Mapping[str, Output] | tuple[Leaf, ...] | Leaf"


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """A judge in one language, as loaded from its folder."""

    name: str
    lang: str
    langs: tuple[str, ...]
    layout: Layout
    title: str
    fields: tuple[Field, ...]
    criteria: tuple[Criterion, ...]
    derived: tuple[Derived, ...]
    output: Mapping[str, Output]
    instructions: str
    item: str
    merge: str = ""
    version: int = 1
    reply: ReplyForm = "json"
    staged: bool = False
    digest: str = ""
    about: str = ""
    files: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    _indexed: _Indexed = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_indexed", _index(self))

    def __hash__(self) -> int:
        """By its files: judges are keys of caches, and the mappings in them could not be hashed."""
        return hash(self.digest)

    def criterion(self, name: str) -> Criterion:
        return self._indexed.criteria[name]

    def derived_value(self, name: str) -> Derived | None:
        return self._indexed.derived.get(name)

    @property
    def scored(self) -> tuple[Criterion, ...]:
        """The criteria that give a number, in the order of the judge's file."""
        return self._indexed.scored

    def with_role(self, role: Role) -> tuple[Field, ...]:
        return self._indexed.roles.get(role, ())


class _Indexed(NamedTuple):
    """The parts of a judge as they are asked for."""

    criteria: Mapping[str, Criterion]
    derived: Mapping[str, Derived]
    scored: tuple[Criterion, ...]
    roles: Mapping[Role, tuple[Field, ...]]


def _index(judge: Judge) -> _Indexed:
    return _Indexed(
        criteria={each.name: each for each in judge.criteria},
        derived={each.name: each for each in judge.derived},
        scored=tuple(criterion for criterion in judge.criteria if criterion.scored),
        roles={field.role: tuple(one for one in judge.fields if one.role == field.role) for field in judge.fields},
    )


def leaves(output: Output) -> Iterator[Leaf]:
    """Every leaf of an output shape, in order."""
    if isinstance(output, Leaf):
        yield output
    else:
        for child in output.values() if isinstance(output, Mapping) else output:
            yield from leaves(child)


def only(judge: Judge, names: Collection[str]) -> Judge:
    """The judge of some of its criteria: nothing else is asked for or expected, and nothing is derived."""
    told = ",".join(criterion.name for criterion in judge.criteria if criterion.name in names)
    return replace(
        judge,
        criteria=tuple(criterion for criterion in judge.criteria if criterion.name in names),
        derived=(),
        output={key: kept for key, child in judge.output.items() if (kept := _pruned(child, names)) is not None},
        digest=hashlib.sha256(f"{judge.digest}/{told}".encode()).hexdigest(),
    )


def _pruned(output: Output, names: Collection[str]) -> Output | None:
    """The shape without the leaves of other criteria; None where nothing is left of it."""
    if isinstance(output, Leaf):
        return output if output.name in names else None
    if isinstance(output, tuple):
        return output if all(leaf.name in names for leaf in output) else None
    kept = {key: found for key, child in output.items() if (found := _pruned(child, names)) is not None}
    return kept or None
