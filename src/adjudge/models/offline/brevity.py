"""Length against the source or the reference answer, and repetition."""

from __future__ import annotations

from adjudge.models.offline.findings import Finding, Measured, ramp, weights
from adjudge.models.offline.flow import fresh, repeats
from adjudge.models.offline.view import View


def brevity(view: View) -> Measured:
    """Length against the source or the reference answer, and repetition."""
    rules, case = weights("brevity"), view.case
    base = "source" if case.reference.empty else "reference"
    whole = case.evidence.words if base == "source" else len(case.reference.tokens)
    if not whole:
        return view.none("no_basis")
    size, ends = len(view.out.tokens), rules[base]
    ratio = size / whole
    said: list[Finding] = [view.find(f"length_{base}", against=False, words=size, percent=round(100 * ratio))]
    short = min(
        ramp(ratio, ends["nothing"], ends["short"]), ramp(size, 0, rules["few_words"]) if base == "source" else 1
    )
    long = ramp(ratio, ends["too_long"], ends["long"])
    length = min(short, long)
    if long < rules["named"]:
        said.append(view.find("copy" if base == "source" and ratio > 0.8 else "too_long"))
    elif short < 0.6:
        said.append(view.find("too_short"))
    again = repeats(view.out.sentences[: weights("limits")["sentences"]])
    said += [view.find("repeated", at=sentence) for sentence in again[:2]]
    loose = 1 - fresh(view.out) * (1 - len(again) / max(1, len(view.out.sentences)))
    full = 1.0
    quality = length * max(0.0, 1 - loose / rules["repetition"])
    checks = () if view.comparable else view.checks if case.reference.empty else view.all_checks
    idle = [check for check in checks if check.match.share < weights("thresholds")["unsupported"]]
    # A single stray sentence may be an invention, which is counted elsewhere; several are padding.
    if len(idle) > 1 and len(checks) > 3:
        said.append(view.find("padding", at=max(idle, key=lambda c: c.unknown).sentence))
        full = 1 - rules["padding"] * len(idle) / len(checks)
    parts = {"short": short, "long": long, "fresh": 1 - loose, "full": full}
    return Measured(quality=quality * full, findings=tuple(said), parts=parts)
