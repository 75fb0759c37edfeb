"""What a text brings that no place of the source has: names, numbers, words."""

from __future__ import annotations

from adjudge.models.offline.findings import Finding, Measured, listed, stretched, weights
from adjudge.models.offline.support import blended
from adjudge.models.offline.view import View


def novelty(view: View) -> Measured:
    """What the text brings that no place of the source has: names, numbers, words."""
    if view.comparable:
        return view.none(view.comparable)
    checks = view.checks
    if not checks:
        return Measured(quality=0.0, findings=(view.find("no_words"),))
    rules, place = weights("novelty"), weights("thresholds")["place"]
    # A wrong number in a statement that has its place in the source is an inaccuracy and is counted there.
    numbers = [c for c in checks if c.numbers and c.match.share < place]
    foreign = [c for c in checks if c.unknown > 0.5 and len(c.words) > 2]
    values = [
        max(0.0, 1.0 - c.unknown - rules["name"] * len(c.names) - rules["number"] * (c in numbers)) for c in checks
    ]
    raw = blended(values, [check.weight for check in checks], rules["mean"])
    findings: list[Finding] = [*view.partly]
    if named := [check for check in checks if check.names]:
        findings.append(view.find("new_names", at=named[0].sentence, names=listed(n for c in named for n in c.names)))
    if numbers:
        said = listed(n.text for c in numbers for n in c.numbers)
        findings.append(view.find("new_numbers", at=numbers[0].sentence, numbers=said))
    for check in sorted(foreign, key=lambda check: -check.unknown)[:2]:
        findings.append(view.find("new_words", at=check.sentence, words=listed(check.words)))
    quality = stretched("novelty", raw)
    if not findings and quality < 0.85:
        odd = max(checks, key=lambda check: check.unknown)
        findings.append(view.find("new_words", at=odd.sentence, words=listed(odd.words)))
    good = view.find("novelty_good", against=False)
    return Measured(quality=quality, findings=tuple(findings) or (good,), parts={"known": raw})
