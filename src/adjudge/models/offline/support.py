"""Whether a text agrees with its sources, sentence by sentence, and whether its citations hold."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.models.offline.evidence import Check
from adjudge.models.offline.findings import Finding, Measured, listed, quote, stretched, weights
from adjudge.models.offline.text import Sentence
from adjudge.models.offline.view import View


def support(view: View) -> Measured:
    """Whether each sentence agrees with the place of the source it is about."""
    if view.comparable:
        return view.none(view.comparable)
    if not view.checks:
        return Measured(quality=0.0, findings=(view.find("no_words"),))
    return supported(view, view.checks)


def supported(view: View, checks: Sequence[Check]) -> Measured:
    """The support that some checks found."""
    rules = weights("support")
    raw = blended([sentence_support(check) for check in checks], [check.weight for check in checks], rules["mean"])
    cited, differing = citations(view), disagreements(view, checks)
    faults = differing + cited + unsupported(view, checks)
    good = [check for check in checks if check.match.share >= weights("thresholds")["supported"]]
    if len(good) == len(checks) and not faults:
        said = view.find("support_good", near=checks[0].match, against=False, n=len(checks))
    else:
        said = view.find("support_some", against=False, n=len(good), total=len(checks))
    # One wrong number among well-matched words is still wrong: it counts for the text, whatever its length.
    quality = stretched("support", raw * rules["citation"] ** min(2, len(cited)))
    quality *= rules["disagreement"] ** min(3, len(differing))
    loose = unsupported(view, checks, key="loosest")[:1] if not faults and quality < 0.75 else []
    parts = {"held": raw, "cited": 1 / (1 + len(cited)), "agrees": 1 / (1 + len(differing))}
    return Measured(quality=quality, findings=(*view.partly, *faults[:3], *loose, said), parts=parts)


def sentence_support(check: Check) -> float:
    """How well one sentence is held by its nearest place: words and word pairs, less for what differs."""
    rules, limits = weights("support"), weights("thresholds")
    value: float = rules["mix"]["window"] * check.match.share + rules["mix"]["pairs"] * check.pairs
    if check.numbers and check.match.share >= limits["place"]:
        value *= rules["number"]
    if check.names:
        value *= rules["name"]
    return value * rules["negation"] if check.turned else value


def blended(values: Sequence[float], sizes: Sequence[float], mean: float) -> float:
    """The weighted mean, pulled towards the weakest sentence."""
    average = sum(v * s for v, s in zip(values, sizes, strict=True)) / sum(sizes)
    return mean * average + (1 - mean) * min(values)


def disagreements(view: View, checks: Sequence[Check]) -> list[Finding]:
    """Statements that have their place in the source but say something else: negation, numbers."""
    found: list[Finding] = []
    for check in checks:
        if turn := check.turned:
            key = "negation_added" if turn.added else "negation_lost"
            place = (check.match.source, turn.place)
            found.append(view.find(key, at=check.sentence, near=place, word=quote(turn.word)))
        if check.numbers and check.match.share >= weights("thresholds")["place"]:
            numbers = listed(number.text for number in check.numbers)
            near = next((place for place in check.match.sentences if place.numbers), check.match.sentences[0])
            place = (check.match.source, near)
            found.append(view.find("number_differs", at=check.sentence, near=place, numbers=numbers))
    return found


def unsupported(view: View, checks: Sequence[Check], *, key: str = "unsupported") -> list[Finding]:
    """Sentences that no place of the source holds, the weakest first; with "loosest", the weakest whatever it has."""
    limit = weights("thresholds")["unsupported"] if key == "unsupported" else 2.0
    weak = sorted((c for c in checks if c.match.share < limit), key=lambda check: check.match.share)
    found = []
    for check in weak:
        near = view.say("nearest", quote=quote(check.match.text)) if check.match.sentences else view.say("no_nearest")
        found.append(view.find(key, at=check.sentence, near=check.match, nearest=near))
    return found


def citations(view: View) -> list[Finding]:
    """Citations of sources that don't exist, or that don't hold what they are cited for."""
    found: list[Finding] = []
    limits = weights("thresholds")
    dangling: dict[int, Sentence] = {}
    for check in view.checks:
        numbers = {cited: view.source_number(cited) for cited in check.sentence.citations}
        for cited, number in numbers.items():
            if number is None:
                dangling.setdefault(cited, check.sentence)
        real = frozenset(number for number in numbers.values() if number)
        if not real or dangling.keys() & set(numbers):
            continue
        held = view.case.evidence.nearest(check.sentence.stems, only=real)
        ids = ", ".join(quote(view.case.sources[number - 1].id, 40) for number in sorted(real))
        elsewhere = check.match.share >= limits["supported"] and check.match.source not in real
        if elsewhere and held.share < limits["place"]:
            other = view.case.sources[check.match.source - 1].id
            found.append(view.find("better_citation", at=check.sentence, near=check.match, n=ids, other=other))
        elif held.share < limits["not_cited"]:
            found.append(view.find("wrong_citation", at=check.sentence, n=ids))
    return [view.find("dangling", at=dangling[cited], n=cited) for cited in sorted(dangling)] + found
