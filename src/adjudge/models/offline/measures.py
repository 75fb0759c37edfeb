"""Measures of a text against its sources: coverage, support, novelty, coherence, brevity.

Each takes a View and gives a Measured. Findings come first; the number is a fixed monotone mix of what they count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from adjudge.models.offline.evidence import Check, Evidence, pairs
from adjudge.models.offline.findings import Measured, listed, quote, ramp, stretched, weights
from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.text import Sentence, Text, fold
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
    raw = rules["mix"]["keys"] * by_key + rules["mix"]["words"] * frequent(evidence, view.own)
    limit = weights("thresholds")["uncovered"]
    missed = sorted((p for p in keys if held[p] < limit), key=lambda p: (-evidence.salience[p], p))
    findings = [view.say("covered", n=len(keys) - len(missed), total=len(keys))]
    findings += [view.say("uncovered", quote=quote(evidence.at[place][1].text)) for place in missed[:3]]
    return Measured(quality=stretched("coverage", raw), findings=tuple(findings), faults=bool(missed))


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


def support(view: View) -> Measured:
    """Whether each sentence agrees with the place of the source it is about."""
    if view.comparable:
        return view.none(view.comparable)
    if not view.checks:
        return Measured(quality=0.0, findings=(view.say("no_words"),), faults=True)
    return supported(view, view.checks)


def supported(view: View, checks: Sequence[Check]) -> Measured:
    """The support that some checks found."""
    rules = weights("support")
    raw = blended([sentence_support(check) for check in checks], [check.weight for check in checks], rules["mean"])
    cited, differing = citations(view), disagreements(view, checks)
    faults = differing + cited + unsupported(view, checks)
    good = [check for check in checks if check.match.share >= weights("thresholds")["supported"]]
    if len(good) == len(checks) and not faults:
        said = view.say("support_good", n=len(checks), quote=quote(checks[0].match.text))
    else:
        said = view.say("support_some", n=len(good), total=len(checks))
    # One wrong number among well-matched words is still wrong: it counts for the text, whatever its length.
    quality = stretched("support", raw * rules["citation"] ** min(2, len(cited)))
    quality *= rules["disagreement"] ** min(3, len(differing))
    loose = unsupported(view, checks, key="loosest")[:1] if not faults and quality < 0.75 else []
    return Measured(quality=quality, findings=(*view.partly, *faults[:3], *loose, said), faults=bool(faults or loose))


def disagreements(view: View, checks: Sequence[Check]) -> list[str]:
    """Statements that have their place in the source but say something else: negation, numbers."""
    found: list[str] = []
    for check in checks:
        said = quote(check.sentence.text)
        if turn := check.turned:
            key = "negation_added" if turn.added else "negation_lost"
            found.append(view.say(key, word=quote(turn.word), quote=said, nearest=quote(turn.place.text)))
        if check.numbers and check.match.share >= weights("thresholds")["place"]:
            numbers = listed(number.text for number in check.numbers)
            near = next((place for place in check.match.sentences if place.numbers), check.match.sentences[0])
            found.append(view.say("number_differs", numbers=numbers, quote=said, nearest=quote(near.text)))
    return found


def unsupported(view: View, checks: Sequence[Check], *, key: str = "unsupported") -> list[str]:
    """Sentences that no place of the source holds, the weakest first; with "loosest", the weakest whatever it has."""
    limit = weights("thresholds")["unsupported"] if key == "unsupported" else 2.0
    weak = sorted((c for c in checks if c.match.share < limit), key=lambda check: check.match.share)
    found = []
    for check in weak:
        near = view.say("nearest", quote=quote(check.match.text)) if check.match.sentences else view.say("no_nearest")
        found.append(view.say(key, quote=quote(check.sentence.text), nearest=near))
    return found


def citations(view: View) -> list[str]:
    """Citations of sources that don't exist, or that don't hold what they are cited for."""
    found: list[str] = []
    limits = weights("thresholds")
    dangling: set[int] = set()
    for check in view.checks:
        numbers = {cited: view.source_number(cited) for cited in check.sentence.citations}
        dangling |= {cited for cited, number in numbers.items() if number is None}
        real = frozenset(number for number in numbers.values() if number)
        if not real or dangling & set(numbers):
            continue
        held = view.case.evidence.nearest(check.sentence.stems, only=real)
        ids = ", ".join(quote(view.case.sources[number - 1].id, 40) for number in sorted(real))
        told = {"n": ids, "quote": quote(check.sentence.text)}
        elsewhere = check.match.share >= limits["supported"] and check.match.source not in real
        if elsewhere and held.share < limits["place"]:
            found.append(view.say("better_citation", other=view.case.sources[check.match.source - 1].id, **told))
        elif held.share < limits["not_cited"]:
            found.append(view.say("wrong_citation", **told))
    return [view.say("dangling", n=cited) for cited in sorted(dangling)] + found


def novelty(view: View) -> Measured:
    """What the text brings that no place of the source has: names, numbers, words."""
    if view.comparable:
        return view.none(view.comparable)
    checks = view.checks
    if not checks:
        return Measured(quality=0.0, findings=(view.say("no_words"),), faults=True)
    rules, place = weights("novelty"), weights("thresholds")["place"]
    # A wrong number in a statement that has its place in the source is an inaccuracy and is counted there.
    numbers = [c for c in checks if c.numbers and c.match.share < place]
    foreign = [c for c in checks if c.unknown > 0.5 and len(c.words) > 2]
    values = [
        max(0.0, 1.0 - c.unknown - rules["name"] * len(c.names) - rules["number"] * (c in numbers)) for c in checks
    ]
    raw = blended(values, [check.weight for check in checks], rules["mean"])
    findings: list[str] = [*view.partly]
    if names := [name for check in checks for name in check.names]:
        findings.append(view.say("new_names", names=listed(names)))
    if numbers:
        findings.append(view.say("new_numbers", numbers=listed(n.text for c in numbers for n in c.numbers)))
    for check in sorted(foreign, key=lambda check: -check.unknown)[:2]:
        findings.append(view.say("new_words", words=listed(check.words), quote=quote(check.sentence.text)))
    quality = stretched("novelty", raw)
    if not findings and quality < 0.85:
        odd = max(checks, key=lambda check: check.unknown)
        findings.append(view.say("new_words", words=listed(odd.words), quote=quote(odd.sentence.text)))
    return Measured(quality=quality, findings=tuple(findings) or (view.say("novelty_good"),), faults=bool(findings))


def truncated(text: Text) -> str:
    """The last words of a text that breaks off, or ""."""
    end = text.raw.rstrip()[-200:]
    if end.endswith((",", ";", "-", "—", "–", "(", "«")) or _dangles(end, text.lang):
        return quote(" ".join(end.split()[-5:]))
    return ""


def _dangles(text: str, lang: str) -> bool:
    """Whether a text ends with a word that calls for another: a conjunction, a preposition, an article."""
    last = text.rstrip(" .").rsplit(maxsplit=1)[-1:]
    calls = lexicon(lang).joining if text.rstrip().endswith(".") else lexicon(lang).dangling
    return bool(last) and last[0].islower() and fold(last[0]) in calls


def repeats(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Sentences that say again what an earlier one of about their size said."""
    limit = weights("thresholds")["repeated"]
    found: list[Sentence] = []
    seen: dict[str, list[int]] = {}
    sets = [frozenset(sentence.stems) for sentence in sentences]
    for at, mine in enumerate(sets):
        shared = Counter(other for stem in sorted(mine) for other in seen.get(stem, ()))
        if len(mine) > 2 and any(n / len(mine | sets[other]) >= limit for other, n in shared.items()):
            found.append(sentences[at])
        for stem in mine:
            seen.setdefault(stem, []).append(at)
    return found


def fresh(text: Text) -> float:
    """The share of neighbouring word pairs that are not repeats of earlier ones."""
    every = pairs(text.stems)
    return len(set(every)) / len(every) if every else 1.0


def coherence(view: View) -> Measured:
    """What can be counted of a text's flow: links between neighbours, the source's order, repeats, breaks."""
    rules = weights("coherence")
    sentences = view.out.sentences[: weights("limits")["sentences"]]
    faults: list[str] = []
    if end := truncated(view.out):
        faults.append(view.say("truncated", quote=end))
    cut = [s.text for s in sentences[:-1] if _dangles(s.text, view.out.lang)]
    faults += [view.say("unfinished", quote=quote(text)) for text in cut[:1]]
    again = repeats(sentences)
    faults += [view.say("repeated", quote=quote(sentence.text)) for sentence in again[:2]]
    sets = [frozenset(sentence.stems) for sentence in sentences]
    broken = [at for at in range(1, len(sets)) if not sets[at] & sets[at - 1]]
    links = 1 - len(broken) / (len(sets) - 1) if len(sets) > 1 else 0.5
    ordered = in_order(view)
    new = fresh(view.out) * (1 - len(again) / max(1, len(sentences)))
    raw = rules["mix"]["links"] * links + rules["mix"]["order"] * ordered + rules["mix"]["fresh"] * new
    if end or cut:
        raw *= rules["truncated"]
    if ordered < 0.5 and len(sets) > 2:
        faults.append(view.say("order_differs"))
    if broken and links < 0.5 and len(sets) > 2:
        first, second = sentences[broken[0] - 1], sentences[broken[0]]
        faults.append(view.say("unlinked", first=quote(first.text, 60), second=quote(second.text, 60)))
    good = view.say("single_sentence" if len(sets) < 2 else "coherence_good")
    quality = rules["floor"] + (rules["ceiling"] - rules["floor"]) * stretched("coherence", raw)
    return Measured(quality=quality, findings=tuple(faults) or (good,), faults=bool(faults))


def in_order(view: View) -> float:
    """The share of neighbouring sentences whose places in the source follow each other; 0.75 where it can't be seen."""
    if view.comparable:
        return 0.75
    place = {id(sentence): at for at, (_, sentence) in enumerate(view.case.evidence.at)}
    limit = weights("thresholds")["place"]
    at = [place[id(c.match.sentences[0])] for c in view.checks if c.match.share >= limit]
    steps = [later >= earlier for earlier, later in pairwise(at)]
    return sum(steps) / len(steps) if steps else 0.75


def brevity(view: View) -> Measured:
    """Length against the source or the reference answer, and repetition."""
    rules, case = weights("brevity"), view.case
    base = "source" if case.reference.empty else "reference"
    whole = case.evidence.words if base == "source" else len(case.reference.tokens)
    if not whole:
        return view.none("no_basis")
    size, ends = len(view.out.tokens), rules[base]
    ratio = size / whole
    said = [view.say(f"length_{base}", words=size, percent=round(100 * ratio))]
    short = min(
        ramp(ratio, ends["nothing"], ends["short"]), ramp(size, 0, rules["few_words"]) if base == "source" else 1
    )
    long = ramp(ratio, ends["too_long"], ends["long"])
    length = min(short, long)
    if long < rules["named"]:
        said.append(view.say("copy" if base == "source" and ratio > 0.8 else "too_long"))
    elif short < 0.6:
        said.append(view.say("too_short"))
    again = repeats(view.out.sentences[: weights("limits")["sentences"]])
    said += [view.say("repeated", quote=quote(sentence.text)) for sentence in again[:2]]
    loose = 1 - fresh(view.out) * (1 - len(again) / max(1, len(view.out.sentences)))
    quality = length * max(0.0, 1 - loose / rules["repetition"])
    checks = () if view.comparable else view.checks if case.reference.empty else view.all_checks
    idle = [check for check in checks if check.match.share < weights("thresholds")["unsupported"]]
    # A single stray sentence may be an invention, which is counted elsewhere; several are padding.
    if len(idle) > 1 and len(checks) > 3:
        said.append(view.say("padding", quote=quote(max(idle, key=lambda c: c.unknown).sentence.text)))
        quality *= 1 - rules["padding"] * len(idle) / len(checks)
    return Measured(quality=quality, findings=tuple(said), faults=len(said) > 1)
