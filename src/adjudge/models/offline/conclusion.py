"""What is said in the end of one text: where it is strong, and what was found against it."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.models.offline.findings import Measured, Words, quote

#: A criterion without a finding against the text counts as weak below this.
_EVEN = 0.7
Found = Mapping[str, Measured]


def of_one(words: Words, found: Found) -> str:
    """The strong criteria and the weakest; that none is weak is said only where nothing was found against any."""
    known = _qualities(found)
    if not known:
        return ""
    lowest = min(known, key=lambda name: known[name])
    faulty = [name for name, measured in found.items() if measured.faults]
    if not faulty and known[lowest] >= _EVEN:
        return words.say("conclusion_even")
    # A finding says more than a low score without one; of what has no score there may be findings, too.
    named = min(faulty, key=lambda name: known.get(name, 1.0)) if faulty else lowest
    kind = "conclusion_bad" if known.get(named) == known[lowest] else "conclusion_found"
    bad = words.say(kind, name=named, finding=found[named].objection)
    top = max(known.values())
    strong = [name for name, quality in known.items() if quality >= max(0.5, top - 0.05) and name != named]
    if not strong:
        return bad
    return words.say("conclusion", good=words.say("conclusion_good", names=", ".join(strong)), bad=bad)


def of_candidate(words: Words, candidate: str, found: Found) -> str:
    """The strongest and the weakest criterion of one of several texts."""
    known, shown = _qualities(found), quote(candidate, 60)
    if not known or max(known.values()) == min(known.values()):
        return words.say("conclusion_alike", candidate=shown)
    best, worst = max(known, key=lambda name: known[name]), min(known, key=lambda name: known[name])
    finding = found[worst].objection if found[worst].faults else ""
    return words.say("conclusion_candidate", candidate=shown, best=best, worst=worst, finding=finding).strip()


def _qualities(found: Found) -> dict[str, float]:
    return {name: measured.quality for name, measured in found.items() if measured.quality is not None}
