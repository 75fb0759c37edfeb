"""Whether a text agrees with its sources, sentence by sentence, and whether its citations hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from adjudge.models.offline.evidence import Check
from adjudge.models.offline.findings import Finding, Measured, listed, quote, stretched, weights
from adjudge.models.offline.text import Sentence, bare
from adjudge.models.offline.view import View

#: Sources are hardly ever counted so far: a larger number in brackets is a citation only where there is such a source.
_YEARS = 1000


def support(view: View) -> Measured:
    """Whether each sentence agrees with the place of the source it is about."""
    if view.comparable:
        return view.none(view.comparable)
    if not view.checks:
        return wordless(view)
    return supported(view, view.told)


def wordless(view: View) -> Measured:
    """What is to be said of a text without content: "Yes." may be right or wrong, a row of dots is nothing."""
    if view.out.empty:
        return Measured(quality=0.0, findings=(view.find("no_words"),))
    return view.none("only_small_words")


def supported(view: View, checks: Sequence[Check], *, among: str = "") -> Measured:
    """The support that some checks found, in the sources or `among` more than these."""
    rules = weights("support")
    values = [sentence_support(check) for check in checks]
    sizes = list(map(counted, checks))
    raw = blended(values, sizes, rules["mean"])
    cited, differing = citations(view), disagreements(view, checks)
    faults = differing + cited + unsupported(view, checks)
    good = [check for check in checks if check.match.share >= weights("thresholds")["supported"]]
    if len(good) == len(checks) and not faults:
        said = view.find(f"support_good{among}", near=checks[0].match, against=False, n=len(checks))
    else:
        said = view.find(f"support_some{among}", against=False, n=len(good), total=len(checks))
    quality = stretched("support", raw) * rules["citation"] ** min(2, len(cited))
    loose = loosest(view, checks) if not faults and quality < 0.75 else []
    against = list(map(doubts, checks))
    parts = {
        **{name: blended(list(map(part, checks)), sizes, 1.0) for name, part in PARTS.items()},
        **{name: blended([found.get(name, 1.0) for found in against], sizes, 1.0) for name in DOUBTS},
        "window": blended([min(1.0, check.match.share) for check in checks], sizes, 1.0),
        "weakest": min(values),
        "cited": 1 / (1 + len(cited)),
    }
    # A reason tells the first few findings: the count of what is held stands among them, further faults after it.
    return Measured(quality=quality, findings=(*view.partly, *faults[:3], *loose, said, *faults[3:]), parts=parts)


#: What of a sentence a source holds: the parts of the mix.
PARTS: Mapping[str, Callable[[Check], float]] = {
    "together": lambda check: check.together,
    "pairs": lambda check: check.pairs,
    "known": lambda check: 1.0 - check.unknown,
}
#: What may speak against a sentence, however well a source holds its words.
DOUBTS = ("number", "moved", "name", "negation", "opposite", "field")


def sentence_support(check: Check) -> float:
    """How well a sentence is held, less for what differs; the bend keeps paraphrase from outweighing a wrong fact."""
    rules = weights("support")
    mix = rules["mix"]
    held = sum(mix[name] * part(check) for name, part in PARTS.items()) ** rules["sentence_bend"]
    value: float = held * math.prod(doubts(check).values())
    return max(value, rules["silent"]) if check.silent else value


def counted(check: Check) -> float:
    """What a sentence weighs among the others: its words, and less where it says that the sources are silent."""
    return check.weight * (weights("support")["silent_weight"] if check.silent else 1.0)


def doubts(check: Check) -> dict[str, float]:
    """What is left of a sentence's support for each thing that speaks against it."""
    rules = weights("support")
    found: dict[str, float] = {}
    if check.numbers:
        found["number"] = rules["number"] ** min(rules["counted"], len(check.numbers))
    elif check.moved:
        found["moved"] = rules["moved"]
    if check.names:
        found["name"] = rules["name"] ** min(rules["counted"], len(check.names))
    if check.turned or check.doubted:
        found["negation"] = rules["negation"] if check.turned else rules["doubted"]
    if check.opposed:
        found["opposite"] = rules["opposite"]
    if check.denied:
        found["field"] = rules["field"]
    return found


def blended(values: Sequence[float], sizes: Sequence[float], mean: float) -> float:
    """The weighted mean, pulled towards the weakest sentence."""
    average = sum(v * s for v, s in zip(values, sizes, strict=True)) / sum(sizes)
    return mean * average + (1 - mean) * min(values)


def disagreements(view: View, checks: Sequence[Check]) -> list[Finding]:
    """Statements that say something else than their place in the source: denials, opposites, fields, numbers, names."""
    found: list[Finding] = []
    for check in checks:
        source = check.match.source
        if turn := check.turned:
            key = "negation_added" if turn.added else "negation_lost"
            found.append(view.find(key, at=check.sentence, near=(source, turn.place), word=quote(turn.word)))
        if other := check.opposed:
            place = (source, other.place)
            one, two = quote(other.word), quote(other.other)
            found.append(view.find("opposite", at=check.sentence, near=place, word=one, other=two))
        if check.denied:
            number, field = check.denied
            found.append(view.find("field_denied", at=check.sentence, near=(number, field.shown)))
        if check.numbers and check.match.share >= weights("thresholds")["place"]:
            numbers = listed(number.shown or number.text for number in check.numbers)
            near = next((place for place in check.match.sentences if place.numbers), check.match.sentences[0])
            found.append(view.find("number_differs", at=check.sentence, near=(source, near), numbers=numbers))
        if check.names:
            found.append(view.find("new_names", at=check.sentence, names=listed(check.names)))
    return found


def unsupported(view: View, checks: Sequence[Check], *, key: str = "unsupported") -> list[Finding]:
    """Statements that no place of the source has words for, the weakest first; with "loosest", whatever it has."""
    limit = weights("thresholds")["unsaid"] if key == "unsupported" else 2.0
    weak = sorted((c for c in checks if c.match.share < limit and _states(c)), key=lambda check: check.match.share)
    found = []
    for check in weak:
        near = view.say("nearest", quote=quote(check.match.text)) if check.match.sentences else view.say("no_nearest")
        found.append(view.find(key, at=check.sentence, near=check.match, nearest=near))
    return found


def loosest(view: View, checks: Sequence[Check]) -> list[Finding]:
    """The statement least like the source, where nothing is wrong with it but that."""
    return [replace(finding, against=False) for finding in unsupported(view, checks, key="loosest")[:1]]


def _states(check: Check) -> bool:
    """Whether a sentence states something: "Sure!" is too short to, and one that ends with a colon only announces."""
    few = len(check.sentence.stems) < weights("thresholds")["statement"]
    idle = few and not check.names and not check.sentence.numbers
    return not (idle or check.silent or bare(check.sentence.text).endswith(":"))


def citations(view: View) -> list[Finding]:
    """Citations of sources that don't exist, or that don't hold what they are cited for."""
    if not any(sentence.citations for sentence in view.out.sentences):
        return []
    found: list[Finding] = []
    limits = weights("thresholds")
    dangling: dict[int, Sentence] = {}
    for check in view.checks:
        numbers = {cited: view.source_number(cited) for cited in check.sentence.citations}
        for cited, number in numbers.items():
            # A year in brackets is no citation.
            if number is None and cited < _YEARS:
                dangling.setdefault(cited, check.sentence)
        real = frozenset(number for number in numbers.values() if number)
        if not real or dangling.keys() & set(numbers):
            continue
        held = view.case.evidence.nearest(check.sentence.stems, only=real)
        ids = ", ".join(map(view.cited_as, sorted(real)))
        elsewhere = check.match.share >= limits["supported"] and check.match.source not in real
        if elsewhere and held.share < limits["place"]:
            other = view.cited_as(check.match.source)
            found.append(view.find("better_citation", at=check.sentence, near=check.match, n=ids, other=other))
        elif held.share < limits["not_cited"]:
            found.append(view.find("wrong_citation", at=check.sentence, n=ids))
    return [view.find("dangling", at=dangling[cited], n=cited) for cited in sorted(dangling)] + found
