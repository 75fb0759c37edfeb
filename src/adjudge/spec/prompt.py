"""Judge + items → the exact text that is sent.

The stable part (instructions, criteria, format) comes first, so that providers' prefix caches work; the item comes
last. Every text of the item stands between fences with a mark that is drawn per call and occurs in none of the texts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any

from adjudge.core import limits
from adjudge.core.judge import Criterion, Field, Judge
from adjudge.core.records import Call, Item, Prompt, Source, digest
from adjudge.spec import contract
from adjudge.spec.languages import is_language
from adjudge.spec.template import fill, split, without
from adjudge.spec.wording import words

_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
#: Words of ids that tell a model nothing to do, and what is left of an id without them that tells nothing either.
_COUNTS = re.compile(
    r"(?<![A-Z])(?:item|id|no|doc|document|row|line|seg|segment|sent|sentence|text|example|translation|summary|question)"
    r"(?![A-Z])",
    re.I,
)
_SPEECHLESS_ID = re.compile(r"[0-9a-f_.:-]*|(?:[\d_.:-]*[A-Z]{1,3}(?![A-Z])){0,2}[\d_.:-]*", re.I)
#: What a model may call items by that it counts.
_COUNTED_ID = re.compile(
    r"(?P<word>(?:(?:item|id|no|example|segment|sentence|text|translation|row)[_.:-]?)?)(?P<number>\d{1,4}|[A-Z])", re.I
)
_LABELS = "XYZQWVKJ"
#: Cyrillic letters that look like those of labels.
_LOOKALIKES = str.maketrans("ХУК", "XYK")
_SHORT_MARK = 6
#: One object for all: models tell schemas apart by identity.
NO_SCHEMA: Mapping[str, Any] = {}


def render(judge: Judge, call: Call, items: Sequence[Item]) -> Prompt:
    """The prompt of a call. The mark comes from the call's key, which no author of a text can foresee."""
    if call.criterion:
        return _choice(judge, call, items)
    content = _content(judge, items)
    labels = item_labels(items) if judge.layout == "batch" else candidate_labels(call.order, content)
    mark = free_mark(call.key, content)
    fixed = _fixed(judge)
    if judge.layout == "batch":
        told = words(judge.lang)
        parts = [
            f"## {told.say('item', id=label)}\n\n{_item(judge, item, mark, {})}"
            for label, item in zip(labels, items, strict=True)
        ]
    else:
        parts = [_item(judge, item, mark, labels) for item in items]
    user = "\n\n".join((fixed.fence.replace("{mark}", mark), *parts, fixed.now))
    return Prompt(system=fixed.system, user=user, schema=contract.schema(judge, tuple(labels)), labels=labels)


def _choice(judge: Judge, call: Call, items: Sequence[Item]) -> Prompt:
    """A yes-or-no question: the item first and the question last, so that a model reads the item once for all of them.

    For the same reason the mark is the same for all questions on an item. It comes from a hash of the item's own texts,
    which its author can't foresee. It is short, and so is all around the texts: small models lose the thread in it.
    """
    question = judge.criterion(call.criterion).question
    return replace(_last(judge, call, items, words(judge.lang).say("choice", question=question)), odds=True)


def render_reason(judge: Judge, call: Call, items: Sequence[Item], answer: str) -> Prompt:
    """Why the question was answered as it was: the same beginning as the question's own prompt."""
    question = judge.criterion(call.criterion).question
    asked = words(judge.lang).say("choice_reason", question=question, answer=answer)
    return replace(_last(judge, call, items, asked), room=limits.REASON_TOKENS)


def _last(judge: Judge, call: Call, items: Sequence[Item], asked: str) -> Prompt:
    told, content = words(judge.lang), _content(judge, items)
    labels = candidate_labels(call.order, content)
    key = digest([judge.digest, [(item.id, item.fields) for item in items]])
    mark = free_mark(key, content, letters=_SHORT_MARK)
    parts = [_item(judge, item, mark, labels) for item in items]
    user = "\n\n".join((told.say("choice_fence", mark=mark), *parts, asked))
    return Prompt(system=told.say("choice_head"), user=user, schema=NO_SCHEMA, labels=labels)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Fixed:
    """What is the same in every prompt of a judge; in `fence` the place of the mark is still open."""

    system: str
    fence: str
    now: str
    as_json: tuple[str, ...]


@lru_cache(maxsize=64)
def _fixed(judge: Judge) -> _Fixed:
    told = words(judge.lang)
    return _Fixed(
        system=instructions(judge),
        fence=told.say("fence"),
        now=told.say("now" if judge.reply == "json" else "now_prose", language=told.language),
        as_json=tuple(field.name for field in judge.fields if field.type == "json"),
    )


@lru_cache(maxsize=64)
def instructions(judge: Judge) -> str:
    """The part of the prompt that is the same for every call of a judge."""
    values = {"criteria": _criteria(judge), "format": contract.reply_format(judge)}
    return fill(judge.instructions, values.__getitem__)


def render_merge(
    judge: Judge, key: str, batches: Sequence[Mapping[str, str]], spans: Sequence[tuple[int, int]] | None = None
) -> Prompt:
    """A last call of a batch run: summaries to be merged into one, of the batches from the first to the last of each
    span; numbered from 1 where no spans are given."""
    told = words(judge.lang)
    numbers = spans or [(number, number) for number in range(1, len(batches) + 1)]
    texts = ["\n".join(f"{name}: {text}" for name, text in batch.items()) for batch in batches]
    mark = free_mark(key, "".join(texts))
    heads = [
        told.say("batch", n=first) if first == last else told.say("batches", first=first, last=last)
        for first, last in numbers
    ]
    parts = [fence(mark, head, text) for head, text in zip(heads, texts, strict=True)]
    user = "\n\n".join([told.say("merge_fence", mark=mark), *parts, told.say("merge_now", language=told.language)])
    system = fill(judge.merge, {"format": contract.merge_format(judge)}.__getitem__)
    return Prompt(system=system, user=user, schema=contract.merged(judge))


def repair_question(judge: Judge, reason: str, *, cut: bool, choice: bool = False) -> str:
    """What is said to a model whose reply could not be used; `choice`: it was asked for yes or no."""
    if choice:
        return words(judge.lang).say("choice_repair", reason=reason)
    form = "" if judge.reply == "json" else "_prose"
    return words(judge.lang).say(f"repair_cut{form}" if cut else f"repair{form}", reason=reason)


def item_labels(items: Sequence[Item]) -> dict[str, str]:
    """Batch: label → item id. An id that is short and plain is its own label; any other is given a safe name.

    A model that numbers the items instead of copying ids must not hit another one: where the ids are numbers in another
    order, an id such as 7 is shown as 7-3f2a.
    """
    labels: dict[str, str] = {}
    numbered = [found for item in items if (found := _COUNTED_ID.fullmatch(item.id))]
    miscounted = len(items) > 1 and _is_miscounted(numbered, whole=len(numbered) == len(items))
    for item in items:
        if not (_PLAIN_ID.fullmatch(item.id) and _SPEECHLESS_ID.fullmatch(_COUNTS.sub("", item.id))):
            label = f"item-{digest(item.id)[:12]}"
        else:
            label = f"{item.id}-{digest(item.id)[:4]}" if miscounted and _COUNTED_ID.fullmatch(item.id) else item.id
        while label in labels:
            label += "x"
        labels[label] = item.id
    return labels


def _is_miscounted(numbered: Sequence[re.Match[str]], *, whole: bool) -> bool:
    """Whether counting from 0, 1 or A begins with one of these ids and does not go through them in their order.

    A count that begins with none of them is seen by its first name, which nobody was shown.
    """
    places = [int(one["number"]) if one["number"].isdecimal() else ord(one["number"].upper()) - 64 for one in numbered]
    if not {0, 1} & set(places):
        return False
    spellings = {(one["word"], one["number"].isdecimal(), one["number"].isupper()) for one in numbered}
    return not (whole and len(spellings) == 1 and places == list(range(places[0], places[0] + len(places))))


def candidate_labels(order: Sequence[str], content: str = "") -> dict[str, str]:
    """Compare: neutral label → candidate, in the order shown.

    X1, X2, … are no words of any language, so that they can be told from prose when reasons are given names again.
    Labels that a name looks like are never taken, and those that occur in the texts only where all others do too.
    """
    if not order:
        return {}
    names = "\n".join(order).upper().translate(_LOOKALIKES)
    prefixes = ("".join(letters) for size in (1, 2, 3) for letters in product(_LABELS, repeat=size))
    unlike = (prefix for prefix in prefixes if not re.search(rf"(?<![^\W_]){prefix}[\W_]*\d", names))
    sets = ([f"{prefix}{number}" for number in range(1, len(order) + 1)] for prefix in unlike)
    free = islice(sets, len(_LABELS))
    first = next(free)
    labels = next((labels for labels in chain([first], free) if not _occur(labels, content)), first)
    return dict(zip(labels, order, strict=True))


def _occur(labels: Sequence[str], text: str) -> bool:
    lower = text.lower()
    # most texts hold no label at all, and a plain search is many times faster than the pattern
    if not any(label.lower() in lower for label in labels):
        return False
    return re.search(rf"(?<!\w)({'|'.join(labels)})(?!\w)", text, re.IGNORECASE) is not None


def _criteria(judge: Judge) -> str:
    told = words(judge.lang)

    def one(number: int, criterion: Criterion) -> Iterator[str]:
        scale = criterion.scale
        head = f"{number}. {criterion.title} (`{criterion.name}`)"
        if scale:
            phrases = {"rating": "best", "claims": "claims", "questions": "share", "spans": "spans"}
            phrase = "checks" if criterion.checks else phrases[criterion.kind]
            head += f": {told.say(phrase, min=scale.min, max=scale.max, best=scale.best)}"
        yield head
        yield from (f"   {line}".rstrip() for line in (*criterion.asks.splitlines(), *criterion.answer.splitlines()))
        if scale:
            yield from (
                f"   {point} = {scale.labels[point]}"
                for point in sorted(scale.labels, reverse=scale.better == "higher")
            )
        yield from (f"   {check.name}: {check.asks}" for check in criterion.checks)
        if criterion.categories:
            yield f"   {told.say('categories')}"
            yield from (f"   {name} = {title}" for name, title in criterion.categories.items())
            yield f"   {told.say('severities', names=', '.join(criterion.severities))}"

    return "\n\n".join("\n".join(one(number, criterion)) for number, criterion in enumerate(judge.criteria, 1))


def _item(judge: Judge, item: Item, mark: str, labels: Mapping[str, str]) -> str:
    parts, places = _template(judge, tuple(item.fields))
    filled = [*parts]
    for place, field in places:
        filled[place] = _value(field, item, mark, labels)
    return "".join(filled)


@lru_cache(maxsize=256)
def _template(judge: Judge, present: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[tuple[int, Field], ...]]:
    """The item's text without its paragraphs on absent fields, in parts, and which of the parts are for which field."""
    fields = {field.name: field for field in judge.fields}
    parts = split(without(judge.item, fields.keys() - set(present)))
    return tuple(parts), tuple((place, fields[parts[place]]) for place in range(1, len(parts), 2))


def _value(field: Field, item: Item, mark: str, labels: Mapping[str, str]) -> str:
    if field.type == "text":
        return fence(mark, field.name, item.text(field.name))
    if field.type == "name":
        name = item.text(field.name)
        return name if is_language(name) else "\n" + fence(mark, field.name, name)
    if field.type == "json":
        return fence(mark, field.name, _json(item.fields[field.name]))
    if field.type == "answers":
        answers = item.answers(field.name)
        return "\n".join(fence(mark, label, answers[name]) for label, name in labels.items())
    return "\n".join(fenced_source(mark, number, source) for number, source in enumerate(item.sources(field.name), 1))


def fenced_source(mark: str, number: int, source: Source) -> str:
    """A source as it stands in a prompt, with its number."""
    head = {"id": source.id if source.id != str(number) else None, "title": source.title, "url": source.url}
    lines = [f"{name}: {value}" for name, value in head.items() if value]
    return fence(mark, f"[{number}]", "\n".join([*lines, source.text]))


def fence(mark: str, name: str, text: str) -> str:
    """A text of an item as it stands in a prompt."""
    return f"<<<{mark} {name}\n{text}\n{mark}>>>"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _content(judge: Judge, items: Sequence[Item]) -> str:
    """Every text as it will stand in the prompt: writing as JSON can make strings that the value does not hold."""
    as_json = _fixed(judge).as_json
    found: list[str] = []
    for item in items:
        found += texts(item.fields)
        found += [_json(item.fields[name]) for name in as_json if name in item.fields]
    return "\n".join(found)


def free_mark(key: str, content: str, *, letters: int = 12) -> str:
    """The mark of a call's fences: made of its key, and found nowhere in what stands between them."""
    for attempt in range(1 << 16):
        mark = hashlib.sha256(f"{key}/{attempt}".encode()).hexdigest()[:letters]
        if mark not in content:
            return mark
    raise AssertionError("unreachable: a text that holds 65,536 hashes of its own call")


def texts(value: Any) -> list[str]:
    """Every string inside an item's value."""
    found: list[str] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[str]) -> None:
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, Source):
        found += [part for part in (value.id, value.title, value.url, value.text) if part]
    elif isinstance(value, (dict, Mapping)):  # looked at in this order, since the second is many times slower
        for name, child in value.items():
            found.append(str(name))
            _collect(child, found)
    elif isinstance(value, (list, tuple)):
        for child in value:
            _collect(child, found)
