"""Measures of a translation against its source, a reference where there is one, and other translations."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from adjudge.models.offline import leftover, numerals
from adjudge.models.offline.chrf import chrf
from adjudge.models.offline.findings import Finding, Measured, listed, quote, ramp, stretched, weights
from adjudge.models.offline.form import FORM, counts, form, kept
from adjudge.models.offline.peers import consensus, voices
from adjudge.models.offline.slips import repeated, slips
from adjudge.models.offline.text import Sentence, Text
from adjudge.models.offline.tokens import ADDRESS
from adjudge.models.offline.turned import turned
from adjudge.models.offline.view import View

_SENTENCES = 100
#: As many labels of a source are looked for.
_LABELS = 50
#: What stands for something else and is the same in every language: labels, mentions, placeholders, tags.
_LABEL = re.compile(
    r"\[[A-Z][A-Z_]{0,30}\d{1,5}\]|\([A-Z]{2,30}\d{1,5}\)|(?<!\w)@\w{2,50}|\{\w{1,30}\}|</?[a-z]\w{0,20} ?/?>"
)


def adequacy(view: View) -> Measured:
    """Meaning kept: match with the reference, agreement with other translations, and what is countably lost.

    The two are evidence of different kinds, each with a mix of its own; with neither there are findings and no number.
    """
    faults, losses = _losses(view)
    heard = _heard(view)
    if not heard:
        return _unjudged(view, "adequacy", faults, losses)
    first, parts = next(iter(heard.items()))
    quality = _mixed(first, parts)
    if len(heard) > 1:
        share, agreed = weights("adequacy_peers")["share"], _mixed("adequacy_peers", heard["adequacy_peers"])
        quality = (1 - share) * quality + share * agreed
        parts = {**parts, "others": agreed}
    quality *= math.prod(losses.values())
    return Measured(quality=quality, findings=(*faults, *_told(view, heard)), parts={**parts, **losses})


def _heard(view: View) -> dict[str, dict[str, float]]:
    """The parts of each kind of evidence there is, under the name of its mix; the reference comes first."""
    found: dict[str, dict[str, float]] = {}
    reference, others = view.case.reference, consensus(view)
    left = {"rendered": leftover.rendered(view)}
    if not reference.empty:
        lang = view.out.lang
        alike = kept(form(view.raw, lang), form(reference.raw, lang))
        found["adequacy"] = {"match": chrf(view.raw, reference.raw), **alike, **left}
    if others:
        found["adequacy_peers"] = {**others, **left}
    return found


def _mixed(kind: str, parts: Mapping[str, float]) -> float:
    return stretched(kind, sum(weight * parts[part] for part, weight in weights(kind)["mix"].items()))


def _told(view: View, heard: Mapping[str, Mapping[str, float]]) -> list[Finding]:
    """What each kind of evidence says, and which part of the form costs most."""
    said: list[Finding] = []
    if "adequacy" in heard:
        said.append(view.find("chrf", against=False, percent=round(100 * heard["adequacy"]["match"])))
    others = heard.get("adequacy_peers")
    if others and len(heard) > 1:
        share, percent = (round(100 * value) for value in (weights("adequacy_peers")["share"], others["peers"]))
        said.append(view.find("peers_beside", against=False, n=len(view.peers), percent=percent, share=share))
    elif others:
        said.append(view.find("peers_only", against=False, n=len(view.peers)))
    kind, parts = next(iter(heard.items()))
    mix = weights(kind)["mix"]
    lost = {part: mix[part] * (1 - parts[part]) for part in (*FORM, "rendered") if part in mix}
    if any(lost.values()):
        worst = max(lost, key=lambda part: lost[part])
        base = view.say("base_reference" if kind == "adequacy" else "base_others")
        texts = [view.case.reference.raw] if kind == "adequacy" else view.peers[: weights("limits")["peers"]]
        mine, *theirs = (form(text, view.out.lang) for text in (view.raw, *texts))
        got, want = counts(worst, mine, theirs)
        percent = round(100 * parts[worst])
        said.append(view.find(f"form_{worst}", against=False, base=base, percent=percent, got=got, want=want))
    return said


def _losses(view: View) -> tuple[list[Finding], dict[str, float]]:
    """What the source or the reference has and the translation has not, with a part for each kind."""
    case, rules = view.case, weights("adequacy")
    faults: list[Finding] = []
    source = case.evidence.texts[0] if case.evidence.texts else None
    lost = numerals.lost(view)
    for sentence, numbers in numerals.by_sentence(lost):
        faults.append(view.find("numbers_missing", near=(1, sentence), numbers=listed(numbers)))
    gone = _gone(view, source) if source is not None else []
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
        denied, omitted = turned(view), _omitted(view, ratio)
        faults += [*denied, *omitted]
        parts |= {"negation": 1 - rules["negation"] * bool(denied), "whole": 1 - rules["omitted"] * bool(omitted)}
    return faults, parts


def _gone(view: View, source: Text) -> list[str]:
    """Addresses of the source that the translation lacks, and labels that most others keep."""
    addresses, labels = _fixed(source.raw)
    said = voices(view) if labels else []
    due = [label for label in labels if 2 * sum(label in text for text in said) >= len(said)]
    return [name for name in (*addresses, *due) if name not in view.raw]


@lru_cache(maxsize=64)
def _fixed(raw: str) -> tuple[list[str], list[str]]:
    """The addresses and the labels of a source, which comes again for each of its translations."""
    return ADDRESS.findall(raw), list(dict.fromkeys(_LABEL.findall(raw)))[:_LABELS]


def _omitted(view: View, ratio: float) -> list[Finding]:
    """The longest run of content words that a much shorter translation has not; else a whole sentence."""
    rules = weights("adequacy")
    omitted = runs(view.case.reference, view.out, rules["run_words"]) if ratio < rules["length"]["short"] else []
    if omitted:
        return [view.find("omitted", quote=quote(max(omitted, key=len)))]
    if len(view.out.sentences) >= _sentences(view, len(view.case.reference.sentences)):
        return []
    return [view.find("omitted", near=(0, sentence)) for sentence in _alone(view.case.reference, view.out)[:1]]


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
    if not case.reference.empty:
        added = _added(view, ratio)
        faults += added
        parts["runs"] -= rules["run"] * len(added)
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


def _added(view: View, ratio: float) -> list[Finding]:
    """Runs of content words that the reference has not, where the translation is much longer; else whole sentences."""
    rules, reference = weights("additions"), view.case.reference
    added = runs(view.out, reference, rules["run_words"]) if ratio > rules["length"]["more"] else []
    if added:
        return [view.find("added", at=view.where(run), quote=quote(run)) for run in added[:2]]
    if len(view.out.sentences) <= _sentences(view, len(reference.sentences)):
        return []
    return [view.find("added", at=sentence) for sentence in _alone(view.out, reference)[:2]]


def _alone(text: Text, other: Text) -> list[Sentence]:
    """Sentences of the text with more of them, hardly a content word of which the other has."""
    rules = weights("whole")
    if text.lang != other.lang or not 0 < len(other.sentences) < len(text.sentences):
        return []
    held, said = ({stem[:5] for stem in stems} for stems in (other.known, text.known))
    # What the other says in words of its own may be that sentence, told in other words.
    own = len({stem[:5] for stem in other.stems} - said)
    found: list[Sentence] = []
    for sentence in text.sentences[:_SENTENCES]:
        stems = {stem[:5] for stem in sentence.stems}
        if len(stems - held) >= max(rules["words"], rules["share"] * len(stems)) and own <= rules["own"] * len(stems):
            found.append(sentence)
    return found


def _sentences(view: View, default: int) -> int:
    """How many sentences the source has; a reference may be cut otherwise than the source is."""
    texts = view.case.evidence.texts
    return len(texts[0].sentences) if texts and not texts[0].empty else default


def fluency(view: View) -> Measured:
    """What can be pointed at: repetition, breaks, foreign script, broken characters. Never a number."""
    return _unjudged(view, "fluency", slips(view), {})


def _strange(view: View, source: Text) -> list[re.Match[str]]:
    """Addresses that neither the source nor anyone else has."""
    seen = " ".join((source.raw, *voices(view))).lower()
    return [found for found in ADDRESS.finditer(view.raw) if found[0].lower() not in seen]


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
