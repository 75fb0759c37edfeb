"""What can be counted of a text's flow: whole sentences, an opening, links, the source's order, repeats, breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adjudge.models.offline.coverage import central_words
from adjudge.models.offline.cuts import Cut, cuts
from adjudge.models.offline.evidence import Check
from adjudge.models.offline.findings import Finding, Measured, quote, ramp, stretched, weights
from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Sentence, Text, fold
from adjudge.models.offline.view import View


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """What was seen in a text. Everything but `again` leaves repeats out, so that repeating a sentence never pays."""

    sentences: list[Sentence]
    again: list[Sentence]
    end: str
    broken: list[Sentence]
    breaks: int
    cut: list[Cut]
    echoes: list[Sentence]
    loose: list[Sentence]
    steps: list[tuple[Check, int]]


def coherence(view: View) -> Measured:
    """What can be counted of a text's flow: whole sentences, an opening, links, the source's order, repeats, breaks."""
    rules, seen = weights("coherence"), _look(view)
    sentences, unseen = seen.sentences, float(rules["unseen"])
    near = [1 / max(1, step) if step >= 0 else 0.0 for _, step in seen.steps]
    later = len(sentences) - 1
    parts = {
        "whole": _whole(seen),
        "distinct": _share_left(len(seen.again) + len(seen.echoes), later + len(seen.again)),
        "varied": _varied(sentences),
        "opening": _opening(view, sentences),
        "full": _full(sentences, view.out.script),
        "links": _share_left(len(seen.loose), later) if later > 0 else unseen,
        "named": float(not _unnamed(sentences[:1], view.out.lang)),
        "order": sum(near) / len(near) if near else unseen,
    }
    raw = sum(rules["mix"][name] * value for name, value in parts.items())
    if seen.end or seen.broken:
        raw *= rules["truncated"]
    quality = rules["floor"] + (rules["ceiling"] - rules["floor"]) * stretched("coherence", raw)
    said = _faults(view, seen)
    if not said:
        alone = len(sentences) + len(seen.again) < 2
        said = [view.find("single_sentence" if alone else "coherence_good", against=False)]
    return Measured(quality=quality, findings=(*said, *_copies(view, seen.cut)), parts=parts)


def _look(view: View) -> _Seen:
    out = view.out
    every = out.sentences[: weights("limits")["sentences"]]
    again = repeated(view)
    sentences = without(every, again)
    end, inner = truncated(out), without(every[:-1], again)
    broken = [s for s in inner if s.text.endswith(".") and _dangles(s.text, out.lang)]
    return _Seen(
        sentences=sentences,
        again=again,
        end=end,
        broken=broken,
        breaks=len(broken) + bool(end and without(every[-1:], again)),
        cut=[] if view.comparable or out.script == "wide" else cuts(view.case.evidence, sentences),
        echoes=_echoes(sentences),
        loose=_loose(sentences),
        steps=_steps(view, sentences),
    )


def _faults(view: View, seen: _Seen) -> list[Finding]:
    faults: list[Finding] = []
    sentences = seen.sentences
    if seen.end:
        faults.append(view.find("truncated", at=sentences[-1] if sentences else None, quote=seen.end))
    faults += [view.find("unfinished", at=sentence) for sentence in seen.broken[:1]]
    faults += [view.find("repeated", at=sentence) for sentence in different(seen.again)[:2]]
    faults += [view.find("echoed", at=sentence) for sentence in seen.echoes[:1]]
    if unnamed := _unnamed(sentences[:1], view.out.lang):
        faults.append(view.find("unnamed", at=sentences[0], word=quote(unnamed)))
    back = [check for check, step in seen.steps if step < 0]
    if len(back) > 1 and 2 * len(back) > len(seen.steps):
        faults.append(view.find("order_differs", at=back[0].sentence, near=back[0].match))
    unlinked = [sentence for sentence in seen.loose if not _points(sentence, view.out.lang)]
    if len(sentences) > 2 and 2 * len(unlinked) > len(sentences) - 1:
        faults.append(view.find("unlinked", at=unlinked[0]))
    return faults


def _copies(view: View, cut: Sequence[Cut]) -> list[Finding]:
    """A word on copies that stop early: often an honest shortening, so it is not held against the text by itself."""
    plain = [c for c in cut if c.plain and c.run >= weights("coherence")["copied"]]
    return [view.find("cut_short", at=c.sentence, near=(c.source, c.place), against=False) for c in plain[:1]]


def _steps(view: View, sentences: Sequence[Sentence]) -> list[tuple[Check, int]]:
    """Each sentence that has a place in the source, but the first, and how far after the one before it stands there."""
    if view.comparable:
        return []
    limit, asked = weights("thresholds")["place"], {id(sentence) for sentence in sentences}
    found = [check for check in view.checks if check.match.share >= limit and id(check.sentence) in asked]
    at = [view.case.evidence.place(check.match.source, check.match.sentences[0]) for check in found]
    return [(check, later - earlier) for check, (earlier, later) in zip(found[1:], pairwise(at), strict=True)]


@once
def repeated(view: View) -> list[Sentence]:
    """The sentences of a text that say again what an earlier one said, short ones too."""
    return repeats(view.out.sentences[: weights("limits")["sentences"]], short=True)


def different(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Those with a wording of their own: a person need not be told one thing twice."""
    return list({sentence.tokens: sentence for sentence in reversed(sentences)}.values())[::-1]


def repeats(sentences: Sequence[Sentence], *, short: bool = False) -> list[Sentence]:
    """Sentences that say again what an earlier one of about their size said; `short` ones only when asked for."""
    limit = weights("thresholds")["repeated"]
    found: list[Sentence] = []
    seen: dict[str, list[int]] = {}
    told: set[tuple[str, ...]] = set()
    sets = [frozenset(sentence.stems) for sentence in sentences]
    sizes = list(map(len, sets))
    for at, mine in enumerate(sets):
        size = sizes[at]
        shared = Counter([other for stem in mine for other in seen.get(stem, ())]) if size > 2 else {}
        alike = any(n / (size + sizes[other] - n) >= limit for other, n in shared.items())
        if alike or (short and sentences[at].tokens in told):
            found.append(sentences[at])
        told.add(sentences[at].tokens)
        for stem in mine:
            seen.setdefault(stem, []).append(at)
    return found


def without(sentences: Sequence[Sentence], left_out: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that are not among those left out."""
    told = {id(sentence) for sentence in left_out}
    return [sentence for sentence in sentences if id(sentence) not in told]


def fresh(sentences: Sequence[Sentence]) -> float:
    """The share of neighbouring word pairs that do not come again nearby."""
    every = [pair for sentence in sentences for pair in pairwise(sentence.stems)]
    return _distinct_share(every, weights("coherence")["windows"]["pairs"])


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


def _unnamed(first: Sequence[Sentence], lang: str) -> str:
    """The word of a first sentence that refers to something said before it, or ""."""
    start = first[0].tokens[:1] if first else ()
    return start[0] if start and start[0] in lexicon(lang).referring else ""


def _points(sentence: Sentence, lang: str) -> bool:
    """Whether a sentence takes up what was said by a pronoun or a connective at its beginning."""
    words = lexicon(lang)
    return any(token in words.referring or token in words.pointing for token in sentence.tokens[:2])


def _whole(seen: _Seen) -> float:
    """The share of sentences that are not cut: the longer the copy, the surer the cut; one at a comma counts half."""
    sure = weights("coherence")["sure"]
    lost = sum(ramp(c.run, 0, sure) * (0.5 if c.at_mark else 1.0) for c in seen.cut)
    return max(0.0, _share_left(lost + seen.breaks, len(seen.sentences)))


def _echoes(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that go over half the words of one just before them, or one that goes over half of theirs."""
    rules = weights("coherence")
    sets = [frozenset(sentence.stems) for sentence in sentences]
    found = []
    for at in range(1, len(sets)):
        before = sets[max(0, at - rules["back"]) : at]
        sizes = ((len(sets[at] & other), min(len(sets[at]), len(other))) for other in before)
        if any(size > 3 and n >= rules["overlap"] * size for n, size in sizes):
            found.append(sentences[at])
    return found


def _loose(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The later sentences that take up no word said before."""
    said: set[str] = set()
    found = []
    for sentence in sentences:
        if said.isdisjoint(sentence.stems):
            found.append(sentence)
        said.update(sentence.stems)
    return found[1:]


def _share_left(lost: float, whole: int) -> float:
    return 1 - lost / whole if whole > 0 else 1.0


def _varied(sentences: Sequence[Sentence]) -> float:
    """How few words and word triples come again nearby; long texts repeat words by nature, so windows are compared."""
    rules = weights("coherence")["windows"]
    words = [token for sentence in sentences for token in sentence.tokens]
    stems = [stem for sentence in sentences for stem in sentence.stems]
    triples = list(zip(words, words[1:], words[2:], strict=False))
    return (_distinct_share(triples, rules["triples"]) + _distinct_share(stems, rules["stems"])) / 2


def _distinct_share(sequence: Sequence[Hashable], window: int) -> float:
    if len(sequence) <= window:
        return len(set(sequence)) / len(sequence) if sequence else 1.0
    starts = range(0, len(sequence) - window + 1, window // 2)
    return sum(len(set(sequence[at : at + window])) for at in starts) / window / len(starts)


def _opening(view: View, sentences: Sequence[Sentence]) -> float:
    if view.comparable:
        return float(weights("coherence")["unseen"])
    return central_words(view.case.evidence).opening(sentences)


def _full(sentences: Sequence[Sentence], script: str) -> float:
    """How far sentences are from scraps, by their length in characters."""
    size = weights("coherence")["sentence"]["wide" if script == "wide" else "chars"]
    return sum(ramp(len(s.text), 0, size) for s in sentences) / len(sentences) if sentences else 0.0
