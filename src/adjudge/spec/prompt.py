"""Judge + items → the exact text that is sent.

The stable part (instructions, criteria, format) comes first, so that providers' prefix caches work; the item comes
last. Every text of the item stands between fences with a mark that is drawn per call and occurs in none of the texts.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count, islice, pairwise, product
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
_LETTERS = re.compile(r"[A-Za-z]+")
_HEX = re.compile(r"[a-fA-F]{1,3}")
_CODE = re.compile(r"[A-Za-z]{0,2}|[IVXivx]{1,4}")
_HASH_DIGITS = 4
#: What a model may count items by that was shown nothing like it, from 0 or 1.
_ANY_COUNT = re.compile(r"(?:(?:item|id|no|example|segment|sentence|text|translation|row)[_.:-]?)?#", re.I)
#: The parts of an id, of which any may be what is counted.
_PART = re.compile(r"\d+|[A-Za-z]+")
_ROMAN = re.compile(r"(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
#: Ids of which a reader of replies sees whether a model has counted them, if all are such.
_SEEN_ID = re.compile(r"(?:[A-Za-z]+[_.:-]*)?\d{1,4}|(?:[A-Za-z]+[_.:-]+)?[A-Za-z]")
#: How many letters of a word are taken for a count, at most.
_GLUED = 5
#: Letters meet digits, as in a hash.
_HASH = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_LABELS = "XYZQWVKJ"
#: Cyrillic and Greek letters that look like those of labels.
_LOOKALIKES = str.maketrans("ХУҮКԚԜѴЈΧΥΖΚ", "XYYKQWVJXYZK")
#: The letters of labels where a number follows.
_NUMBERED = re.compile(rf"(?<![{_LABELS}])([{_LABELS}]++)[\W_]*+\d")
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

    A model that counts the items instead of copying ids must not hit another one: where the ids count in another
    order, an id such as 7 or q7 is shown as 7-3f2a or q7-90c1.
    """
    labels: dict[str, str] = {}
    miscounted = _miscounted([item.id for item in items])
    for item in items:
        if not _is_shown(item.id):
            label = f"item-{digest(item.id)[:12]}"
        else:
            label = f"{item.id}-{digest(item.id)[:4]}" if item.id in miscounted else item.id
        while label in labels:
            label += "x"
        labels[label] = item.id
    return labels


def _is_shown(one: str) -> bool:
    return bool(_PLAIN_ID.fullmatch(one)) and _is_speechless(_COUNTS.sub("", one))


def _is_speechless(left: str) -> bool:
    """Whether letters tell a model nothing to do: a code of two, a Roman number, or those of a hash."""
    letters = _LETTERS.findall(left)
    if len(letters) <= 1:
        return _CODE.fullmatch("".join(letters)) is not None
    digits = sum(map(str.isdigit, left))
    return digits >= max(_HASH_DIGITS, sum(map(len, letters))) and all(_HEX.fullmatch(run) for run in letters)


#: How a part counts: as a number, a letter or a Roman numeral, in which case.
_Counts = dict[str, int]
#: The ids that share all but one part, by their places, and what this part is in each.
_Series = dict[int, _Counts]


def _miscounted(ids: Sequence[str]) -> set[str]:
    """The ids that a model could make by counting the items, for another item."""
    if len(ids) < 2:
        return set()
    found = _series(ids)
    seen = all(_SEEN_ID.fullmatch(one) and _is_shown(one) for one in ids)
    if any(_is_count(series, len(ids), seen=seen) for series in found.values()):
        return set()
    miscounted = _within(found, ids, seen=seen)
    # an id with a suffix hides from the reader that others are counted
    return _within(found, ids, seen=False) if seen and miscounted else miscounted


def _series(ids: Sequence[str]) -> dict[tuple[str, str], _Series]:
    found: dict[tuple[str, str], _Series] = {}
    for place, one in enumerate(ids):
        for start, end in _parts(one) if _PLAIN_ID.fullmatch(one) else ():
            if counts := _counts(one[start:end]):
                found.setdefault((one[:start], one[end:]), {})[place] = counts
    return found


def _parts(one: str) -> Iterator[tuple[int, int]]:
    """Where numbers and words stand, and what may be glued to a word: the B of qB, the ii of qii, the a of av."""
    for part in _PART.finditer(one):
        start, end = part.span()
        yield start, end
        if part[0].isalpha() and not _counts(part[0]):
            for size in range(1, min(end - start, _GLUED)):
                yield end - size, end
                yield start, start + size


def _counts(part: str) -> _Counts:
    if part.isdecimal():
        return {"number": int(part)}
    case = "upper" if part.isupper() else "lower"
    found = {f"letter, {case}": ord(part.upper()) - ord("A") + 1} if len(part) == 1 else {}
    return found | {f"Roman, {case}": _number(part.upper())} if _ROMAN.fullmatch(part.upper()) else found


def _number(roman: str) -> int:
    digits = [_ROMAN_DIGITS[letter] for letter in roman]
    return sum(-one if one < after else one for one, after in pairwise([*digits, 0]))


def _is_chance(before: str, after: str, counts: _Counts) -> bool:
    """Whether what no other id shares is hardly a count: the end of a hash, or of a word."""
    upper = any(style.endswith("upper") for style in counts)
    # the B of qB is seen to be a part, as is the b of Qb
    glued = after[:1].isalpha() or (before[-1:].isalpha() and before[-1].isupper() == upper)
    return (glued and "number" not in counts) or any(map(_HASH.search, (before, after)))


def _starts(series: _Series) -> _Counts:
    """Of the styles in which the series goes up with the items, one by one: what the first item is in it."""
    styles = next(iter(series.values()))
    starts = {style: {one.get(style, -1) - place for place, one in series.items()} for style in styles}
    return {style: start.pop() for style, start in starts.items() if len(start) == 1}


def _is_count(series: _Series, many: int, *, seen: bool) -> bool:
    """Whether the series goes through all items, so that who counts them in its style is right.

    From 1 or beyond the number of items that is sure. Else who counts from 1 is wrong, which a reader may see.
    """
    return len(series) == many and any(
        start == 1 or start > many or (seen and not style.startswith("Roman"))
        for style, start in _starts(series).items()
    )


def _within(found: Mapping[tuple[str, str], _Series], ids: Sequence[str], *, seen: bool) -> set[str]:
    """The ids of all series that a count may hit; one that is seen is harmless unless it begins with a shown id."""
    hit: set[str] = set()
    for around, series in found.items():
        if len(series) == 1 and _is_chance(*around, next(iter(series.values()))):
            continue
        if 1 in _starts(series).values() and not _ANY_COUNT.fullmatch("#".join(around)):
            continue  # each has its own place, and nobody who is shown t1 counts from t0
        counts = [(style, number) for one in series.values() for style, number in one.items()]
        if any(number <= (1 if seen and not style.startswith("Roman") else len(ids)) for style, number in counts):
            hit |= {ids[place] for place in series}
    return hit


def candidate_labels(order: Sequence[str], content: str = "") -> dict[str, str]:
    """Compare: neutral label → candidate, in the order shown.

    X1, X2, … are no words of any language, so that they can be told from prose when reasons are given names again.
    Labels that a name looks like are never taken, and those that occur in the texts only where all others do too.
    """
    if not order:
        return {}
    names = "\n".join(order)
    names = f"{names}\n{unicodedata.normalize('NFKC', names)}".upper().translate(_LOOKALIKES)
    # "Model" may be left out of "ModelX1", so that a label must not even be the end of a name's word
    taken = set(_NUMBERED.findall(names))
    prefixes = ("".join(letters) for size in count(1) for letters in product(_LABELS, repeat=size))
    unlike = (prefix for prefix in prefixes if not any(word.endswith(prefix) for word in taken))
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
