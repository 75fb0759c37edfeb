"""Punctuation of a translation, mark by mark: against the reference or the source, and by the language's own rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice

from adjudge.models.offline.findings import Finding, Measured, weights
from adjudge.models.offline.lexicon import load
from adjudge.models.offline.text import Sentence
from adjudge.models.offline.view import View

_CLOSING = "\"'»”“’)]"
_PAIRED = re.compile(r"[()\[\]{}«»“”„\"]")
_PAIRS = {"(": ")", "[": "]", "{": "}", "«": "»", "“": "”", "„": "“"}
#: Marks of one meaning in different scripts and keyboards, one for one, so that places stay.
_SAME = str.maketrans("。！？：；，（）", ".!?:;,()")
_QUOTES = re.compile(r"[«»“”„\"]")
_COUNTED = {"?": r"\?", "!": r"!", ":": r":(?!\d)", ";": r";", "()": r"[()\[\]]"}
#: Not of a range, nor of a compound.
_DASH = re.compile(r"(?<!\d)[—–](?!\d)|(?<!\S)--?(?!\S)")
#: What a mark may look like.
_LOOKED = {"()": "()[]", "—": "—–"}
#: Languages differ in these by one and mean nothing by it.
_LOOSE = ":;"
_NUMBERED = re.compile(r"(?:^|\s)\w{1,2}\)")
#: A no-break space before a mark is put there on purpose.
_SPACED = re.compile(r"(?<=\w)[^\S\u00a0\u202f]([,.;!?])(?=\s|$)")
#: Of a unit after a number; elsewhere a stroke with a space on both sides is a matter of style.
_UNIT = re.compile(r"\d\s?\w{1,4}[^\S\u00a0\u202f](/)(?=\s\w)")
#: French sets a space before these.
_FRENCH = ";!?"
_DOUBLED = re.compile(r"([,;:])\1")
#: Speech that dashes set off and not quotes.
_DIALOGUE = re.compile(r"(?m)^\s{0,20}[—–-]\s|[,.!?…]\s[—–]\s")
#: Code is the same in every language, its marks are no punctuation.
_CODE = re.compile(
    r"`[^`\n]{1,200}`|\b\w{1,20}://[!-~]{1,500}(?<![.,;:!?)\]\"'])"
    r"|(?<!\w)\w++(?:(?:::|->)\w++)+(?:\(\))?|(?<!\w)\w++\(\)"
)
#: No code is without one of these, which are found much faster than it.
_CODE_SIGNS = ("`", "://", "::", "->", "()")
#: As many findings of one kind are told and counted.
_MOST = 3
#: More marks without a pair make nothing worse.
_UNPAIRED = 10

_Costs = Iterator[tuple[float, Finding]]


def end_mark(text: str) -> str:
    """The mark a text ends with, closing quotes and brackets aside; "" when it is a letter or a digit."""
    end = text.rstrip().rstrip(_CLOSING).rstrip()
    if end.endswith("..."):
        return "…"
    return end[-1] if end and not end[-1].isalnum() and end[-1] in ".!?…:;," else ""


def uncoded(text: str) -> str:
    """The text with its code and addresses blotted out, place for place."""
    if not any(sign in text for sign in _CODE_SIGNS):
        return text
    return _CODE.sub(lambda found: "_" * len(found[0]), text)


def unpaired(text: str) -> list[tuple[str, int]]:
    """Brackets and quotes without their other half, each with its place."""
    if not _PAIRED.search(text):
        return []
    # “ closes „ in German and Russian and opens in English.
    pairs = {opening: closing for opening, closing in _PAIRS.items() if opening != ("“" if "„" in text else "„")}
    closes = {closing: opening for opening, closing in pairs.items()}
    numbered = {found.end() - 1 for found in _NUMBERED.finditer(text)}
    stacks: dict[str, list[int]] = {opening: [] for opening in pairs}
    found: list[tuple[str, int]] = []
    for mark in re.finditer(r"[()\[\]{}«»“”„]", text):
        if mark[0] in pairs:
            stacks[mark[0]].append(mark.start())
        elif mark[0] in closes and stacks[closes[mark[0]]]:
            stacks[closes[mark[0]]].pop()
        elif mark[0] in closes and mark.start() not in numbered:
            found.append((mark[0], mark.start()))
    found += [(opening, at) for opening, places in stacks.items() for at in places]
    if text.count('"') % 2:
        found.append(('"', text.rindex('"')))
    return sorted(found, key=lambda pair: pair[1])


def written_in(view: View, lang: str) -> bool:
    """Whether the translation is, or was to be, in a language; of the languages that are named the last is its own."""
    case = view.case
    named = [case.item.text(f.name).lower() for f in case.judge.fields if f.type == "name" and f.role == "other"]
    names = load("marks.yaml")["languages"][lang]
    asked = any(name in names or name.startswith(f"{lang}-") for name in named[-1:])
    return asked or view.out.lang == lang


def spanish(view: View) -> bool:
    """Whether the translation ought to open its questions and exclamations."""
    reference = view.case.reference
    if not reference.empty:
        return bool(set("¿¡") & set(reference.raw)) or reference.lang == "es"
    return bool(set("¿¡") & set(view.raw)) or written_in(view, "es")


def punctuation(view: View) -> Measured:
    """Each mark that is missing, added, unpaired, badly spaced or against the language's rules costs its weight."""
    case = view.case
    source = case.sources[0].text if case.sources else ""
    base, expected = ("reference", case.reference.raw) if case.reference.raw else ("source", source)
    if not expected.strip():
        return view.none("no_source")
    plain = uncoded(view.raw)
    text, want = plain.translate(_SAME), uncoded(expected).translate(_SAME)
    kinds = {
        "end": list(_ends(view, text, want)),
        "pairs": list(_pairs(view, text, want)),
        "counts": list(_counts(view, text, want, base)),
        "spacing": list(_spacing(view, text, want)),
        "typography": list(_typography(view, plain)),
    }
    costs = {kind: sum(weight for weight, _ in found) for kind, found in kinds.items()}
    told = tuple(said for found in kinds.values() for _, said in found)
    quality = max(0.0, 1 - sum(costs.values()))
    parts = {kind: max(0.0, 1 - cost) for kind, cost in costs.items()}
    return Measured(
        quality=quality,
        findings=told or (view.find("punctuation_good", against=False),),
        parts={**parts, "marks": quality},
    )


def _ends(view: View, text: str, want: str) -> _Costs:
    got, due = end_mark(text), end_mark(want)
    if got != due and {got, due} != {".", "…"}:
        bare = text.rstrip().rstrip(_CLOSING).rstrip() if got else text.rstrip()
        place = (len(bare) - (3 if bare.endswith("...") else 1), len(bare)) if bare else None
        kind = "mark_end" if got and due else "mark_end_extra" if got else "mark_end_none"
        yield weights("punctuation")["end"], view.find(kind, at=place, got=got, want=due)


def _pairs(view: View, text: str, want: str) -> _Costs:
    rules = weights("punctuation")
    # A quotation that goes on from the segment before is open or closed in whatever quotes the language has.
    already = Counter(_QUOTES.sub('"', mark) for mark, _ in unpaired(want))
    told = 0
    for mark, at in unpaired(text):
        already[_QUOTES.sub('"', mark)] -= 1
        if already[_QUOTES.sub('"', mark)] < 0 and told < _UNPAIRED:
            told += 1
            yield rules["pair"], view.find("mark_unpaired", at=(at, at + 1), mark=mark)
    if re.search(r"[?!]", text) and spanish(view):
        for opening, closing in (("¿", "?"), ("¡", "!")):
            if text.count(closing) > text.count(opening):
                at = text.index(closing)
                yield rules["opening"], view.find("mark_opening", at=(at, at + 1), mark=opening)


def _counts(view: View, text: str, want: str, base: str) -> _Costs:
    rules, of = weights("punctuation"), view.say(f"base_{base}")
    # A difference at the very end is named by itself.
    ends = {end_mark(text), end_mark(want)} if end_mark(text) != end_mark(want) else set()
    for mark, pattern in _COUNTED.items():
        got, due = (len(re.findall(pattern, each)) for each in (text, want))
        if mark == "()" and got == due > 0:
            # A bracket without its other half makes up for none that is missing.
            got, due = got - _open(text), due - _open(want)
        if abs(got - due) > (1 if mark in ends or mark in _LOOSE else 0):
            yield rules["count"], _count(view, text, mark, got, due, of)
    ours, theirs = _QUOTES.findall(text), _QUOTES.findall(want)
    # Other languages quote names that the source leaves bare; single quotes may be apostrophes and are not counted.
    gone = len(theirs) > 1 and not ours and not set("‘‚'") & set(text) and not _DIALOGUE.search(text)
    bare = len(ours) > 1 and not theirs and not re.search(r"\B['‘’]\w", want) and not _DIALOGUE.search(want)
    if gone or (base == "reference" and bare):
        quotes = "".join(dict.fromkeys(ours or theirs))
        yield rules["count"], _count(view, text, quotes, len(ours), len(theirs), of, kind="quote_count")
    if base == "reference":
        # With the very words of the reference every comma is due; otherwise one more or less means nothing.
        same = view.out.tokens == view.case.reference.tokens
        if abs(text.count(",") - want.count(",")) > (0 if same else 1):
            yield rules["comma"], _count(view, text, ",", text.count(","), want.count(","), of)
        # Other words may do with a comma or a verb for a dash; a hyphen in its place is a slip of its own.
        got, due = (len(_DASH.findall(each)) for each in (text, want))
        if same and got != due:
            yield rules["comma"], _count(view, text, "—", got, due, of)


def _open(text: str) -> int:
    return sum(mark in "()[]" for mark, _ in unpaired(text))


def _count(view: View, text: str, mark: str, got: int, want: int, of: str, *, kind: str = "mark_count") -> Finding:
    """A mark too many stands in the translation; one too few, in what it is compared with."""
    looked = _LOOKED.get(mark, mark)
    at = max(text.rfind(char) for char in looked) if got > want else -1
    reference = view.case.reference
    texts = [reference] if not reference.empty else view.case.evidence.texts[:1]
    there: list[Sentence] = [s for t in texts for s in t.sentences if got < want and set(looked) & set(s.text)]
    return view.find(
        kind,
        at=(at, at + 1) if at >= 0 else None,
        near=(1 if reference.empty else 0, there[-1]) if there else None,
        mark=mark,
        got=got,
        want=want,
        base=of,
    )


def _spacing(view: View, text: str, want: str) -> _Costs:
    rules = weights("punctuation")
    source = view.case.sources[0].text if view.case.sources else ""
    for found in islice(chain(_SPACED.finditer(text), _UNIT.finditer(text)), _MOST):
        own = found[1] in _FRENCH and written_in(view, "fr")
        if not own and not re.search(r"\w\s" + re.escape(found[1]), want):
            yield rules["spacing"], view.find("mark_spacing", at=(found.start(1) - 1, found.end(1)), mark=found[1])
    for found in islice(_DOUBLED.finditer(text), _MOST):
        if found[0] not in want and found[0] not in source:
            yield rules["spacing"], view.find("mark_doubled", at=found.span(), mark=found[0])


@cache
def _rules(lang: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """The rules of a language and those of all; where one is without a language, those of all."""
    rules = load("marks.yaml")
    return [(r["kind"], r["cost"], re.compile(r["find"])) for r in (*rules["any"], *rules.get(lang, ()))]


def _typography(view: View, plain: str) -> _Costs:
    """What the rules of the translation's own language settle."""
    rules, custom = weights("punctuation"), uncoded(view.case.reference.raw)
    for kind, cost, pattern in _rules(view.out.lang):
        found = list(islice(pattern.finditer(plain), _MOST))
        if found and not (custom and pattern.search(custom)):
            for each in found:
                at = each.span(each.lastindex or 0)
                yield rules[cost], view.find(kind, at=at, quote=view.raw[slice(*each.span())].strip())
