"""Punctuation of a translation, mark by mark: against the reference where there is one, else against the source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.models.offline.findings import Finding, Measured, weights
from adjudge.models.offline.text import analyse
from adjudge.models.offline.view import View

_CLOSING = "\"'»”’)]"
_PAIRS = {"(": ")", "[": "]", "{": "}", "«": "»", "“": "”", "„": "“"}
#: Marks of one meaning in different scripts and keyboards.
_SAME = str.maketrans(
    {"…": "…", "。": ".", "！": "!", "？": "?", "：": ":", "；": ";", "，": ",", "（": "(", "）": ")"}
)
_QUOTES = re.compile(r"[«»“”„\"]")
_COUNTED = {"?": r"\?", "!": r"!", ":": r":(?!\d)", ";": r";", "()": r"[()]", "[]": r"[\[\]]"}


def end_mark(text: str) -> str:
    """The mark a text ends with, closing quotes and brackets aside; "" when it is a letter or a digit."""
    end = text.rstrip().rstrip(_CLOSING).rstrip()
    if end.endswith("..."):
        return "…"
    return end[-1] if end and not end[-1].isalnum() and end[-1] in ".!?…:;," else ""


def unpaired(text: str) -> Iterator[str]:
    """Brackets and quotes without their other half."""
    for opening, closing in _PAIRS.items():
        # “ closes „ in German and Russian and opens in English.
        if opening == ("“" if "„" in text else "„"):
            continue
        numbered = len(re.findall(r"(?:^|\s)\w{1,2}\)", text)) if opening == "(" else 0
        opened, closed = text.count(opening), text.count(closing)
        if opened > closed or (closed > opened and closed - opened > numbered):
            yield opening if opened > closed else closing
    if text.count('"') % 2:
        yield '"'


def spanish(view: View) -> bool:
    """Whether the translation ought to open its questions and exclamations."""
    case = view.case
    if not case.reference.empty:
        return bool(set("¿¡") & set(case.reference.raw)) or case.reference.lang == "es"
    named = [case.item.text(field.name).lower() for field in case.judge.fields if field.type == "name"]
    source = case.evidence.texts[0].lang if case.evidence.texts else ""
    asked = any(name in ("es", "spa", "spanish", "español", "испанский") or name.startswith("es-") for name in named)
    return (asked and source != "es") or analyse(view.raw).lang == "es" or bool(set("¿¡") & set(view.raw))


def punctuation(view: View) -> Measured:
    """Each mark that is missing, added, unpaired or badly spaced costs its weight."""
    case, rules = view.case, weights("punctuation")
    source = case.sources[0].text if case.sources else ""
    base, expected = ("reference", case.reference.raw) if case.reference.raw else ("source", source)
    if not expected.strip():
        return view.none("no_source")
    text, want = view.raw.translate(_SAME), expected.translate(_SAME)
    found: list[tuple[float, Finding]] = []
    got_end, want_end = end_mark(text), end_mark(want)
    if got_end != want_end and {got_end, want_end} != {".", "…"}:
        none = view.say("mark_none")
        found.append((rules["end"], view.find("mark_end", got=got_end or none, want=want_end or none)))
    already = set(unpaired(want))
    found += [(rules["pair"], view.find("mark_unpaired", mark=mark)) for mark in unpaired(text) if mark not in already]
    if spanish(view):
        for opening, closing in (("¿", "?"), ("¡", "!")):
            if text.count(closing) > text.count(opening):
                found.append((rules["opening"], view.find("mark_opening", mark=opening)))
    found += _counts(view, text, want, base, got_end != want_end)
    for mark in dict.fromkeys(re.findall(r"\w\s([,.;!?])(?=\s|$)", text)):
        if not re.search(r"\w\s" + re.escape(mark), want):
            found.append((rules["spacing"], view.find("mark_spacing", mark=mark)))
    for mark in dict.fromkeys(re.findall(r"([,;:])\1", text)):
        found.append((rules["spacing"], view.find("mark_doubled", mark=mark * 2)))
    cost = sum(weight for weight, _ in found)
    findings = tuple(said for _, said in found) or (view.find("punctuation_good", against=False),)
    return Measured(quality=max(0.0, 1 - cost), findings=findings, parts={"marks": max(0.0, 1 - cost)})


def _counts(view: View, text: str, want: str, base: str, ends_differ: bool) -> list[tuple[float, Finding]]:
    rules, of = weights("punctuation"), view.say(f"base_{base}")
    found: list[tuple[float, Finding]] = []
    for mark, pattern in _COUNTED.items():
        ours, theirs = len(re.findall(pattern, text)), len(re.findall(pattern, want))
        # A difference at the very end was named already.
        if abs(ours - theirs) > (1 if ends_differ else 0):
            found.append((rules["count"], view.find("mark_count", mark=mark, got=ours, want=theirs, base=of)))
    ours, theirs = len(_QUOTES.findall(text)), len(_QUOTES.findall(want))
    if bool(ours) != bool(theirs) and max(ours, theirs) > 1:
        found.append((rules["count"], view.find("mark_count", mark="«»", got=ours, want=theirs, base=of)))
    if base == "reference":
        ours, theirs = text.count(","), want.count(",")
        # With the very words of the reference every comma is due; otherwise one more or less means nothing.
        if abs(ours - theirs) > (0 if view.out.tokens == view.case.reference.tokens else 1):
            found.append((rules["comma"], view.find("mark_count", mark=",", got=ours, want=theirs, base=of)))
    return found
