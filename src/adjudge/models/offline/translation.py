"""Measures of a translation against its source and, where there is one, a reference."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from adjudge.models.offline.findings import Finding, Measured, listed, quote, ramp, stretched, weights
from adjudge.models.offline.flow import repeats, truncated
from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.text import Text, fold, script, tokens
from adjudge.models.offline.view import View

_GARBAGE = re.compile(r"\ufffd+|&(?:[a-z]{2,8}|#\d{1,6});|</?[a-z][a-z0-9]{0,10}>|▁|@@", re.IGNORECASE)
_NAME = re.compile(r"https?://\S{1,200}|[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,10}|\b[A-Z][A-Za-z]*[A-Z0-9][A-Za-z0-9]*\b")
_DOUBLED = re.compile(r"\b([^\W\d_]{2,40})\s\1\b", re.IGNORECASE)
_ORDER, _BETA = 6, 2.0
#: A translation longer than this is compared with its reference by its beginning.
_CHRF_CHARS = 20_000
_SENTENCES = 100


def chrf(hypothesis: str, reference: str) -> float:
    """chrF: the F-score (beta 2) of character n-grams up to 6, averaged over n, spaces left out.

    >>> chrf("кот", "кот")
    1.0
    """
    got, want = ("".join(text.split())[:_CHRF_CHARS] for text in (hypothesis, reference))
    scores: list[float] = []
    for order in range(1, _ORDER + 1):
        ours = Counter(got[at : at + order] for at in range(len(got) - order + 1))
        theirs = Counter(want[at : at + order] for at in range(len(want) - order + 1))
        if not ours or not theirs:
            continue
        shared = sum((ours & theirs).values())
        precision, recall = shared / sum(ours.values()), shared / sum(theirs.values())
        whole = _BETA**2 * precision + recall
        scores.append((1 + _BETA**2) * precision * recall / whole if whole else 0.0)
    return sum(scores) / len(scores) if scores else 0.0


def unmatched(text: Text, *others: Text) -> list[str]:
    """Numbers written in digits in one text that no other has in any reading or in words."""
    known = frozenset[str]().union(*(other.numbers for other in others))
    every = (number for sentence in text.sentences for number in sentence.numbers)
    return [number.text for number in every if not number.spelled and not number.within(known)]


def denied(text: Text) -> bool:
    """Whether a text has a negation at all."""
    words = lexicon(text.lang).negation
    return any(token in words or token.endswith("n't") for token in text.tokens)


def untranslated(view: View) -> str:
    """The longest run of three or more source words, or of plain words in a foreign script, left in the translation."""
    source, out = view.case.evidence.texts[0] if view.case.evidence.texts else None, view.out
    if source is None or source.empty or out.empty:
        return ""
    reference = set(view.case.reference.tokens)
    known = set(source.tokens) - reference
    own = lexicon(out.lang).stop
    run: list[str] = []
    best: list[str] = []
    for word in tokens(fold(view.raw)):
        foreign = script(word) not in ("", out.script) or source.script == out.script
        left = (
            word.lower() in known
            and word.isalpha()
            and foreign
            and (word.lower() not in own or source.lang == out.lang)
        )
        run = [*run, word] if left else []
        best = max(best, run, key=len)
    plain = [word for word in best if word.islower()]
    if source.script != out.script:
        return " ".join(best) if plain else ""
    least = 3 if view.case.reference.empty else 2
    return " ".join(best) if len(plain) >= least or (len(best) > 2 and len(best) == len(out.tokens)) else ""


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


def adequacy(view: View) -> Measured:
    """Meaning kept: character match with the reference; without one, only what is countably lost."""
    case, rules = view.case, weights("adequacy")
    ratio, base = lengths(view)
    faults: list[Finding] = []
    cost = 0.0
    source = case.evidence.texts[0] if case.evidence.texts else None
    if source is not None and (lost := unmatched(source, view.out)):
        faults.append(view.find("numbers_missing", numbers=listed(lost)))
        cost += rules["number"] * min(2, len(lost))
    if left := untranslated(view):
        faults.append(view.find("untranslated", at=view.where(left), quote=quote(left)))
        cost += rules["untranslated"] * ramp(len(left) / max(1, len(view.raw)), 0.0, 0.5)
    if ratio < rules["length"]["short"] and len(view.raw) + 10 < len(view.raw) / max(ratio, 0.01):
        faults.append(view.find("shorter", percent=round(100 * ratio), base=view.say(f"base_{base}")))
    if case.reference.empty:
        return _unjudged(view, "adequacy", faults)
    match = chrf(view.raw, case.reference.raw)
    if denied(view.out) != denied(case.reference) and view.out.lang == case.reference.lang:
        faults.append(view.find("turned", quote=quote(view.raw), nearest=quote(case.reference.raw)))
        cost += rules["negation"]
    if ratio < 0.9 and (omitted := runs(case.reference, view.out, 2 if ratio < 0.8 else 3)):
        faults.append(view.find("omitted", quote=quote(max(omitted, key=len))))
        cost += rules["omitted"]
    said = view.find("chrf", against=False, percent=round(100 * match))
    quality = stretched("adequacy", match) * max(0.0, 1 - cost)
    return Measured(quality=quality, findings=(*faults, said), parts={"match": match, "whole": max(0.0, 1 - cost)})


def additions(view: View) -> Measured:
    """What the translation has and neither the source nor the reference: numbers, names, runs of words, length."""
    case, rules = view.case, weights("additions")
    ratio, base = lengths(view)
    source = case.evidence.texts[0] if case.evidence.texts else None
    faults: list[Finding] = []
    cost = 0.0
    if source is not None:
        if extra := unmatched(view.out, source, case.reference):
            faults.append(view.find("numbers_added", numbers=listed(extra)))
            cost += rules["number"] * min(3, len(extra))
        seen = f"{source.raw} {case.reference.raw}".lower()
        if names := [name for name in _NAME.findall(view.raw) if name.lower() not in seen]:
            faults.append(view.find("added_names", names=listed(names)))
            cost += rules["name"]
    if not case.reference.empty and ratio > 1.1:
        for run in runs(view.out, case.reference, rules["run_words"])[:2]:
            faults.append(view.find("added", at=view.where(run), quote=quote(run)))
            cost += rules["run"]
    if ratio > rules["length"]["long"] and len(view.raw) > 20 + len(view.raw) / ratio:
        faults.append(view.find("longer", percent=round(100 * ratio), base=view.say(f"base_{base}")))
        cost += ramp(ratio, rules["length"]["long"], rules["length"]["longest"])
    if again := repeated(view):
        faults.append(view.find("repeated", at=view.where(again), quote=quote(again)))
        cost += rules["repeated"]
    if case.reference.empty:
        return _unjudged(view, "additions", faults)
    good = () if faults else (view.find("additions_good", against=False),)
    return Measured(quality=max(0.0, 1 - cost), findings=(*faults, *good), parts={"own": max(0.0, 1 - cost)})


def _unjudged(view: View, measure: str, faults: list[Finding]) -> Measured:
    """Findings without a number: a mean over the texts in which a fault was found would be a mean of the worst."""
    if not faults:
        return view.none(f"{measure}_blind")
    return Measured(quality=None, findings=(view.find(f"{measure}_found", against=False), *faults))


def repeated(view: View) -> str:
    """A sentence said again where neither the source nor the reference does that."""
    others = [*view.case.evidence.texts, view.case.reference]
    if any(repeats(text.sentences[:_SENTENCES]) for text in others):
        return ""
    return next((sentence.text for sentence in repeats(view.out.sentences[:_SENTENCES])), "")


def doubled(text: str) -> str:
    """A word that stands twice in a row, where the language does not do that on purpose."""
    every = (found[0] for found in _DOUBLED.finditer(text) if found[1].lower() not in ("that", "had", "very", "очень"))
    return next(every, "")


def loop(words: Sequence[str]) -> str:
    """Four words that come back three times or more."""
    counts = Counter(tuple(words[at : at + 4]) for at in range(len(words) - 3))
    top = max(counts.items(), key=lambda found: (found[1], found[0]), default=((), 0))
    return " ".join(top[0]) if top[1] >= 3 else ""


def mixed(text: str) -> str:
    """A word with letters of two alphabets."""
    for word in re.findall(r"[^\W\d_]+", text):
        if len(word) > 2 and re.search(r"[a-z]", word, re.IGNORECASE) and re.search(r"[а-яё]", word, re.IGNORECASE):
            return str(word)
    return ""


def fluency(view: View) -> Measured:
    """What can be pointed at: repetition, breaks, foreign script, broken characters. Never a number."""
    reference = view.case.reference
    source = " ".join(source.text for source in view.case.sources).lower()
    twice, broken = doubled(view.raw).lower(), _GARBAGE.search(view.raw)
    plain = sum(word.isalpha() and not word.isupper() for word in tokens(view.raw))
    checks = {
        "doubled": "" if twice in source or twice in reference.raw.lower() else twice,
        "loop": loop(view.out.tokens),
        "repeated": repeated(view),
        "wrong_script": view.raw if plain > 1 and reference.script not in ("", view.out.script) else "",
        "mixed_script": mixed(view.raw),
        "garbage": broken[0] if broken and broken[0].lower() not in source else "",
        "truncated": "" if source.rstrip().endswith((",", ";", "-", "—", ":")) else truncated(view.out),
    }
    found = {key: text for key, text in checks.items() if text}
    findings = [view.find(key, at=view.where(text), quote=quote(text)) for key, text in found.items()]
    return _unjudged(view, "fluency", findings)
