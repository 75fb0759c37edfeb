"""Length against the source or the reference answer, repetition, padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.models.offline.evidence import Check
from adjudge.models.offline.findings import Finding, Measured, ramp, weights
from adjudge.models.offline.flow import different, fresh, repeated, without
from adjudge.models.offline.text import Sentence
from adjudge.models.offline.view import View


def brevity(view: View) -> Measured:
    """Length against the source or the reference answer, repetition, padding."""
    rules, case = weights("brevity"), view.case
    base = "reference" if case.sized else "source"
    if view.comparable == "other_script" if base == "source" else view.foreign(case.reference):
        return view.none("other_script")
    whole = case.evidence.words if base == "source" else len(case.reference.tokens)
    if not whole:
        return view.none("no_basis" if case.reference.empty else "short_reference")
    # An answer is as long as its question asks for, however much the sources have to say.
    answer = base == "source" and not case.query.empty
    if answer and not view.out.stems:
        return view.none("only_small_words")
    sentences = view.out.sentences[: weights("limits")["sentences"]]
    again = repeated(view)
    size = len(view.out.tokens)
    # Saying the same again makes a text no less short of content, only longer.
    new = size - sum(len(sentence.tokens) for sentence in again)
    short, long = _lengths(rules, base, new, max(0, size - rules["answer_words"]) if answer else size, whole)
    short = 1.0 if answer else short
    once = fresh(without(sentences, again)) * (1 - len(again) / max(1, len(sentences)))
    idle, full = _padding(view, again)
    parts = {"short": short, "long": long, "fresh": once, "full": full}
    quality = min(short, long) * max(0.0, 1 - (1 - once) / rules["repetition"]) * full
    percent = round(100 * size / whole)
    said: list[Finding] = [view.find(f"length_{base}", against=False, words=size, percent=percent)]
    if long < rules["named"]:
        said.append(view.find("copy" if base == "source" and size > 0.8 * whole else "too_long"))
    elif short < rules["brief"]:
        said.append(view.find("too_short"))
    said += [view.find("repeated", at=sentence) for sentence in different(again)[:2]]
    if idle:
        said.append(view.find("padding", at=max(idle, key=lambda c: c.unknown).sentence))
    return Measured(quality=quality, findings=tuple(said), parts=parts)


def _lengths(rules: Mapping[str, Any], base: str, new: int, size: int, whole: int) -> tuple[float, float]:
    """How far a text is from too short, by what it says once, and from too long, by all of it."""
    ends = rules[base]
    short = ramp(new / whole, ends["nothing"], ends["short"])
    if base == "source":
        short = min(short, ramp(new, 0, rules["few_words"]))
    return short, ramp(size / whole, ends["too_long"], ends["long"])


def _padding(view: View, again: Sequence[Sentence]) -> tuple[list[Check], float]:
    """Sentences that tell nothing of the source, when there are several, and what is left of the quality for them."""
    if view.comparable:
        return [], 1.0
    told = {id(sentence) for sentence in again}
    every = view.checks if view.case.reference.empty else view.all_checks
    checks = [check for check in every if id(check.sentence) not in told]
    limits = weights("brevity")["idle"]
    idle = [check for check in checks if check.match.share < limits["held"] and check.unknown > limits["unknown"]]
    # A single stray sentence may be an invention, which is counted elsewhere; several are padding.
    if len(idle) < 2 or len(checks) < 4:
        return [], 1.0
    return idle, 1 - weights("brevity")["padding"] * len(idle) / len(checks)
