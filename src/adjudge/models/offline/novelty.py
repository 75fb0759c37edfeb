"""What a text brings that no place of the source has: names, numbers, words."""

from __future__ import annotations

from adjudge.models.offline.evidence import Check
from adjudge.models.offline.findings import Finding, Measured, listed, stretched, weights
from adjudge.models.offline.support import blended, counted, loosest, wordless
from adjudge.models.offline.view import View


def novelty(view: View) -> Measured:
    """What the text brings that no place of the source has: names, numbers, words."""
    if view.comparable:
        return view.none(view.comparable)
    checks = view.checks
    if not checks:
        return wordless(view)
    place = weights("thresholds")["place"]
    # A wrong number in a statement that has its place in the source is an inaccuracy and is named there.
    numbers = [c for c in checks if c.numbers and c.match.share < place]
    foreign = [c for c in checks if c.unknown > 0.5 and len(c.words) > 2 and not c.silent]
    values, sizes = list(map(sentence_novelty, checks)), list(map(counted, checks))
    raw = blended(values, sizes, weights("novelty")["mean"])
    findings: list[Finding] = [*view.partly]
    if named := [check for check in checks if check.names]:
        findings.append(view.find("new_names", at=named[0].sentence, names=listed(n for c in named for n in c.names)))
    if numbers:
        said = listed(n.shown or n.text for c in numbers for n in c.numbers)
        findings.append(view.find("new_numbers", at=numbers[0].sentence, numbers=said))
    for check in sorted(foreign, key=lambda check: -check.unknown)[:2]:
        findings.append(view.find("new_words", at=check.sentence, words=listed(check.words)))
    quality = stretched("novelty", raw)
    if not findings and quality < 0.85:
        odd = max(checks, key=lambda check: 0.0 if check.silent else check.unknown)
        if odd.words and not odd.silent:
            findings.append(view.find("new_words", at=odd.sentence, words=listed(odd.words)))
        else:
            findings += loosest(view, checks)
    good = view.find("novelty_good", against=False)
    parts = {
        "known": blended([1 - c.unknown for c in checks], sizes, 1.0),
        "together": blended([c.together for c in checks], sizes, 1.0),
        "names": 1 / (1 + sum(len(c.names) for c in checks)),
        "numbers": 1 / (1 + sum(len(c.numbers) for c in checks)),
        "weakest": min(values),
    }
    return Measured(quality=quality, findings=tuple(findings) or (good,), parts=parts)


def sentence_novelty(check: Check) -> float:
    """How much of a sentence the sources know, less for each new name and number, and for a denial of its own."""
    rules = weights("novelty")
    mix, most = rules["mix"], rules["counted"]
    known = mix["known"] * (1 - check.unknown) + mix["together"] * check.together
    value: float = known ** rules["sentence_bend"]
    value *= rules["name"] ** min(most, len(check.names)) * rules["number"] ** min(most, len(check.numbers))
    if check.doubted:
        value *= rules["doubted"]
    return max(value, float(rules["silent"])) if check.silent else value
