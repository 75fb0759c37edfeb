"""Measures of a translation against its source, a reference where there is one, and other translations."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import zip_longest

from adjudge.models.offline import leftover, numerals
from adjudge.models.offline.chrf import chrf
from adjudge.models.offline.findings import Finding, Measured, listed, quote, ramp, stretched, weights
from adjudge.models.offline.form import FORM, form, kept
from adjudge.models.offline.lexicon import lexicon, load
from adjudge.models.offline.peers import consensus, voices
from adjudge.models.offline.slips import repeated, slips
from adjudge.models.offline.text import Sentence, Text
from adjudge.models.offline.view import View

_SENTENCES = 100
_ADDRESS = re.compile(r"https?://[^\s<>\"')\]]{1,200}(?<![.,;:!?])|[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,10}")


def adequacy(view: View) -> Measured:
    """Meaning kept: match with the reference, else agreement with other translations; and what is countably lost.

    Beside a reference the others are told and not counted; with neither there are findings and no number.
    """
    faults, parts = _losses(view)
    others, reference = consensus(view), view.case.reference
    said: list[Finding] = []
    if not reference.empty:
        kind, base, match = "adequacy", "reference", chrf(view.raw, reference.raw)
        heard = {"match": match, **kept(form(view.raw, view.out.lang), form(reference.raw, view.out.lang))}
        said.append(view.find("chrf", against=False, percent=round(100 * match)))
        if others:
            percent = round(100 * others["peers"])
            said.append(view.find("peers_beside", against=False, n=len(view.peers), percent=percent))
    elif others:
        kind, base, heard = "adequacy_peers", "others", dict(others)
        said.append(view.find("peers_only", against=False, n=len(view.peers)))
    else:
        return _unjudged(view, "adequacy", faults, parts)
    mix = weights(kind)["mix"]
    lost = {part: weight * (1 - heard[part]) for part, weight in mix.items() if part in FORM}
    if any(lost.values()):
        worst = max(lost, key=lambda part: lost[part])
        percent = round(100 * heard[worst])
        said.append(view.find(f"form_{worst}", against=False, base=view.say(f"base_{base}"), percent=percent))
    mixed = sum(weight * heard[part] for part, weight in mix.items())
    quality = stretched(kind, mixed) * math.prod(parts.values())
    return Measured(quality=quality, findings=(*faults, *said), parts={**heard, **parts})


def _losses(view: View) -> tuple[list[Finding], dict[str, float]]:
    """What the source or the reference has and the translation has not, with a part for each kind."""
    case, rules = view.case, weights("adequacy")
    faults: list[Finding] = []
    source = case.evidence.texts[0] if case.evidence.texts else None
    lost = numerals.lost(view)
    for sentence, numbers in numerals.by_sentence(lost):
        faults.append(view.find("numbers_missing", near=(1, sentence), numbers=listed(numbers)))
    gone = [found for found in _ADDRESS.findall(source.raw) if found not in view.raw] if source is not None else []
    if gone:
        faults.append(view.find("names_missing", names=listed(gone)))
    runs = leftover.left(view)
    faults += leftover.told(view, runs)
    parts = {
        "numbers": 1 - rules["number"] * min(2, len(lost)),
        "names": 1 - rules["name"] * bool(gone),
        "translated": leftover.translated(view, runs),
    }
    ratio, base = lengths(view)
    if ratio < rules["length"]["short"] and len(view.raw) + rules["length"]["chars"] < len(view.raw) / max(ratio, 0.01):
        faults.append(view.find("shorter", percent=round(100 * ratio), base=view.say(f"base_{base}")))
    if not case.reference.empty:
        turned, omitted = _turned(view), _omitted(view, ratio)
        faults += [*turned, *omitted]
        parts |= {"negation": 1 - rules["negation"] * bool(turned), "whole": 1 - rules["omitted"] * bool(omitted)}
    return faults, parts


def _turned(view: View) -> list[Finding]:
    """A sentence that denies what the reference asserts, or the other way round, the two being alike for the rest."""
    reference, rules = view.case.reference, weights("adequacy")
    if view.out.lang != reference.lang:
        return []
    lang = view.out.lang
    theirs = [(frozenset(s.stems), _denies(s, lang), s) for s in reference.sentences[:_SENTENCES]]
    for mine in view.out.sentences[:_SENTENCES]:
        ours, denies = frozenset(mine.stems), _denies(mine, lang)
        for stems, denied, other in theirs:
            alike = denies != denied and len(ours & stems) >= rules["alike"] * max(1, len(ours | stems))
            if alike and ((mine.negated & stems) if denies else (other.negated & ours)):
                return [view.find("turned", at=mine, near=(0, other))]
    return []


def _denies(sentence: Sentence, lang: str) -> bool:
    """Whether a sentence has a negation or a word that denies without one."""
    words, stems, only = lexicon(lang).negation, tuple(load("marks.yaml")["denying"]), load("marks.yaml")["not_only"]
    return any(
        ((token in words or token.endswith("n't")) and following not in only) or token.startswith(stems)
        for token, following in zip_longest(sentence.tokens, sentence.tokens[1:], fillvalue="")
    )


def _omitted(view: View, ratio: float) -> list[Finding]:
    """The longest run of content words of the reference that a much shorter translation has not."""
    rules = weights("adequacy")
    omitted = runs(view.case.reference, view.out, rules["run_words"]) if ratio < rules["length"]["short"] else []
    return [view.find("omitted", quote=quote(max(omitted, key=len)))] if omitted else []


def additions(view: View) -> Measured:
    """What the translation has and neither the source nor the reference: numbers, names, runs of words, length."""
    case, rules = view.case, weights("additions")
    ratio, base = lengths(view)
    source = case.evidence.texts[0] if case.evidence.texts else None
    faults: list[Finding] = []
    parts = dict.fromkeys(("numbers", "names", "runs", "length", "fresh"), 1.0)
    if source is not None:
        extra = numerals.added(view)
        for sentence, numbers in numerals.by_sentence(extra):
            faults.append(view.find("numbers_added", at=sentence, numbers=listed(numbers)))
        parts["numbers"] -= rules["number"] * min(3, len(extra))
        if names := _strange(view, source):
            faults.append(view.find("added_names", at=names[0].span(), names=listed(found[0] for found in names)))
            parts["names"] -= rules["name"]
    if not case.reference.empty and ratio > rules["length"]["more"]:
        for run in runs(view.out, case.reference, rules["run_words"])[:2]:
            faults.append(view.find("added", at=view.where(run), quote=quote(run)))
            parts["runs"] -= rules["run"]
    if ratio > rules["length"]["long"] and len(view.raw) > rules["length"]["chars"] + len(view.raw) / ratio:
        faults.append(view.find("longer", percent=round(100 * ratio), base=view.say(f"base_{base}")))
        parts["length"] -= ramp(ratio, rules["length"]["long"], rules["length"]["longest"])
    if again := repeated(view):
        faults.append(view.find("repeated", at=again[0]))
        parts["fresh"] -= rules["repeated"]
    if case.reference.empty:
        return _unjudged(view, "additions", faults, parts)
    good = () if faults else (view.find("additions_good", against=False),)
    quality = max(0.0, 1 - sum(1 - part for part in parts.values()))
    return Measured(quality=quality, findings=(*faults, *good), parts=parts)


def fluency(view: View) -> Measured:
    """What can be pointed at: repetition, breaks, foreign script, broken characters. Never a number."""
    return _unjudged(view, "fluency", slips(view), {})


def _strange(view: View, source: Text) -> list[re.Match[str]]:
    """Addresses that neither the source nor anyone else has."""
    seen = " ".join((source.raw, *voices(view))).lower()
    return [found for found in _ADDRESS.finditer(view.raw) if found[0].lower() not in seen]


def runs(text: Text, other: Text, least: int) -> list[str]:
    """Runs of content words that the other text does not have."""
    held = {stem[:5] for stem in other.known}
    found: list[str] = []
    for sentence in text.sentences:
        run: list[str] = []
        for stem, word in zip((*sentence.stems, ""), (*sentence.words, ""), strict=True):
            if stem and stem[:5] not in held:
                run.append(word)
            else:
                if len(run) >= least:
                    found.append(" ".join(run))
                run = []
    return found


def lengths(view: View) -> tuple[float, str]:
    """Length as a ratio to the reference, else to the source, and which of the two it was."""
    base = view.case.reference.raw or (view.case.sources[0].text if view.case.sources else "")
    size = len("".join(base.split()))
    return (len("".join(view.raw.split())) / size if size else 1.0), (
        "reference" if view.case.reference.raw else "source"
    )


def _unjudged(view: View, measure: str, faults: list[Finding], parts: Mapping[str, float]) -> Measured:
    """Findings without a number: a mean over the texts in which a fault was found would be a mean of the worst."""
    kind = f"{measure}_found" if any(fault.against for fault in faults) else f"{measure}_blind"
    return Measured(quality=None, findings=(view.find(kind, against=False), *faults), parts=parts)
