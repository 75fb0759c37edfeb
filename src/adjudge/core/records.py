"""What travels along the flow: Item → Call → Prompt → Reply → Opinion → Verdict or Failure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from adjudge.core.compact import compact
from adjudge.core.judge import Judge

#: A criterion's value: one number, or one per candidate in the compare layout.
Value: TypeAlias = "float | Mapping[str, float]"
#: What a call is for. `claims` and `questions` are listed once, then checked (`support`, `answers`); `rest` asks for
#: the other criteria of a staged judge; `part` is about one part of a long source; `answer` asks a candidate; `probe`
#: judges an item of a batch by itself.
Stage = Literal[
    "answer",
    "judge",
    "repair",
    "again",
    "reason",
    "claims",
    "support",
    "questions",
    "answers",
    "rest",
    "part",
    "probe",
    "merge",
]
#: The `Reply.mode` of the embedded judge: its scores may be fractional or absent, as measured.
EMBEDDED = "offline"
#: The key under which the embedded judge states intervals and findings beside its verdict; no judge's output has it.
EVIDENCE = "@embedded"
#: How a model is asked: for one structured reply, or one question per criterion, read from token probabilities.
Ask = Literal["rating", "yes-no"]
#: How many orders of the candidates are shown; `balanced`: each candidate once at each place.
Orders: TypeAlias = int | Literal["all", "balanced"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A text to check against; `id` is what the judge cites it by."""

    id: str
    text: str
    url: str | None = None
    title: str | None = None


def _as_list(value: object) -> list[str | None]:
    if isinstance(value, Source):
        return [value.id, value.text, value.url, value.title]
    raise TypeError(f"{type(value).__name__} is no JSON value")


_canonical = compact(_as_list, sort_keys=True)


def canonical(value: Any) -> str:
    """JSON with one spelling for one value, sources included: what digests and stored bytes are made of."""
    return _canonical(value)


def digest(value: Any) -> str:
    """A hash of any JSON value; lone surrogates, which hostile text may hold, are kept apart, not refused."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One row to judge. `fields` holds what the judge knows, `extra` what is carried along unread."""

    id: str
    fields: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)

    def text(self, name: str) -> str:
        value = self.fields.get(name, "")
        return value if isinstance(value, str) else ""

    def sources(self, name: str) -> tuple[Source, ...]:
        value = self.fields.get(name, ())
        return value if isinstance(value, tuple) else ()

    def answers(self, name: str) -> Mapping[str, str]:
        value = self.fields.get(name, {})
        return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What of the model's settings decides its answer, and so belongs to a call's key."""

    model: str
    base_url: str | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = None
    revision: str | None = None
    #: Whether the probabilities of the scores' tokens are asked for.
    probabilities: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One planned request. `order` is the candidates as shown; `content` is the key without the model's settings.

    `criterion` is what a yes-or-no question is about; "" where the whole verdict is asked for.
    """

    key: str
    content: str = ""
    stage: Stage
    items: tuple[str, ...]
    order: tuple[str, ...] = ()
    repeat: int = 0
    criterion: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """What is sent: the stable part first, the item last. `labels` maps what the model sees to what it means.

    `odds`: one word is wanted, and the probabilities of the words that could have stood in its place. `room` is how
    many tokens a short answer may have.
    """

    system: str
    user: str
    schema: Mapping[str, Any]
    labels: Mapping[str, str] = field(default_factory=dict)
    odds: bool = False
    room: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """All a model needs to answer: the text for language models, the judge and items for the embedded one."""

    call: Call
    prompt: Prompt
    judge: Judge
    items: tuple[Item, ...]
    settings: Settings
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What came back, word for word. `finish` is stop, length, refusal or unknown, and other in old stores."""

    text: str
    finish: str = "stop"
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    attempts: int = 1
    mode: str = "text"
    #: What was wanted and the server refused to be told, such as the temperature.
    refused: tuple[str, ...] = ()
    #: The likeliest words in the place of the answer's first, with their log probabilities, where they were wanted.
    odds: Mapping[str, float] = field(default_factory=dict)
    #: Where each token with a digit begins in the text, the token, and what of digits could have stood there with its
    #: log probability; None where probabilities were not wanted.
    places: tuple[tuple[int, str, Mapping[str, float]], ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """A number with its reason; no value means not judged, and the reason says why.

    `interval` holds what people would have given in 80 of 100 cases, where the judge states one.
    """

    value: float | None
    reason: str = ""
    interval: tuple[float, float] | None = None
    #: The standard deviation of an expected score, where the probabilities of its token are known.
    spread: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A fact that can be checked: its kind, its wording, and its places in the judged text and in a source.

    `source` is the source's id, "reference" for the reference, "" for none; `against`: it speaks against the text.
    """

    kind: str
    reason: str
    at: tuple[int, int] | None = None
    source: str = ""
    source_at: tuple[int, int] | None = None
    against: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A statement of the judged text. `severity` is minor or significant when it is not supported."""

    text: str
    supported: bool
    severity: str | None = None
    sources: tuple[str, ...] = ()
    quote: str = ""
    quote_found: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question raised by a source, and whether the judged text answers it, if only in part."""

    source: str
    text: str
    answered: bool
    reason: str = ""
    #: Answered, though not in full; known only where questions are asked in stages.
    partly: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ErrorSpan:
    """An error that a reply lists: the words, and their place in the judged text or else in a source."""

    text: str
    category: str
    severity: str
    explanation: str = ""
    at: tuple[int, int] | None = None
    source: str = ""
    source_at: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """What one reply says of one item. Scores: criterion → candidate ("" when there is one text) → Score."""

    scores: Mapping[str, Mapping[str, Score]]
    claims: Mapping[str, tuple[Claim, ...]] = field(default_factory=dict)
    questions: Mapping[str, tuple[Question, ...]] = field(default_factory=dict)
    selected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spans: Mapping[str, tuple[ErrorSpan, ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    #: Criterion → candidate → what was found, by the embedded judge or by code that checks a model's evidence.
    findings: Mapping[str, Mapping[str, tuple[Finding, ...]]] = field(default_factory=dict)
    #: The candidates as the reply saw them, and which repeat it was.
    order: tuple[str, ...] = ()
    repeat: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The outcome for one item: scores as measured, derived values by code, and the native shape.

    `intervals` has [low, high] where `scores` has a number; `findings` are plain objects, as exports show them.
    `trials` are the scores of each opinion where there were several, with the order of the candidates and the repeat;
    `spreads` has the standard deviation of an expected score: over repeats, or from probabilities of its token.
    `probe` has the scores that an item of a batch was given when it was judged by itself, `place` is its place in the
    batch, from 1, where a model saw it among others. `quotes` has how many quotations of each kind all opinions
    have together, by criterion, where there were several: `findings` are those of one.
    """

    item: str
    scores: Mapping[str, Value]
    reasons: Mapping[str, Any]
    derived: Mapping[str, Any]
    native: Any
    flags: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    intervals: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Mapping[str, Any], ...] = ()
    trials: tuple[Mapping[str, Any], ...] = ()
    spreads: Mapping[str, Any] = field(default_factory=dict)
    probe: Mapping[str, Value] = field(default_factory=dict)
    place: int | None = None
    quotes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The outcome when there is no verdict: what went wrong, where, after how many attempts. Never a number."""

    item: str
    kind: str
    stage: str
    message: str
    attempts: int = 1
    flags: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


Outcome: TypeAlias = Verdict | Failure
