"""How much of what matters in the source a text takes up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.findings import Measured, stretched, weights
from adjudge.models.offline.view import View


def coverage(view: View) -> Measured:
    """How much of the source's key sentences and frequent words the text takes up."""
    if view.comparable:
        return view.none(view.comparable)
    evidence, rules = view.case.evidence, weights("coverage")
    keys = evidence.keys(rules["key_share"], rules["key_least"], rules["key_most"])
    held = {place: recall(evidence, evidence.at[place][1].stems, view.own) for place in keys}
    mass = sum(evidence.salience[place] for place in keys)
    by_key = sum(evidence.salience[place] * held[place] for place in keys) / mass if mass else 0.0
    by_word = frequent(evidence, view.own)
    raw = rules["mix"]["keys"] * by_key + rules["mix"]["words"] * by_word
    limit = weights("thresholds")["uncovered"]
    missed = sorted((p for p in keys if held[p] < limit), key=lambda p: (-evidence.salience[p], p))
    findings = [view.find("covered", n=len(keys) - len(missed), total=len(keys), against=False)]
    findings += [view.find("uncovered", near=evidence.at[place]) for place in missed[:3]]
    parts = {"keys": by_key, "words": by_word}
    return Measured(quality=stretched("coverage", raw), findings=tuple(findings), parts=parts)


def recall(weigher: Evidence, stems: Sequence[str], holder: Evidence) -> float:
    """The share of the weight of some words that another text has."""
    every = sorted(set(stems))
    whole = weigher.total(every)
    return sum(weigher.weight(stem) for stem in every if holder.has(stem)) / whole if whole else 0.0


def frequent(evidence: Evidence, holder: Evidence) -> float:
    """The share of the source's repeated words that the text has, each counted as often as the source has it."""
    counts = Counter(stem for text in evidence.texts for stem in text.stems)
    chosen = {stem: count for stem, count in counts.items() if count > 1} or counts
    whole = sum(chosen.values())
    return sum(count for stem, count in chosen.items() if holder.has(stem)) / whole if whole else 0.0
