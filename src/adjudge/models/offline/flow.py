"""What can be counted of a text's flow: links between neighbours, the source's order, repeats, breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from adjudge.models.offline.evidence import pairs
from adjudge.models.offline.findings import Finding, Measured, quote, stretched, weights
from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.text import Sentence, Text, fold
from adjudge.models.offline.view import View


def coherence(view: View) -> Measured:
    """What can be counted of a text's flow: links between neighbours, the source's order, repeats, breaks."""
    rules = weights("coherence")
    sentences = view.out.sentences[: weights("limits")["sentences"]]
    faults: list[Finding] = []
    if end := truncated(view.out):
        faults.append(view.find("truncated", at=sentences[-1] if sentences else None, quote=end))
    cut = [s for s in sentences[:-1] if _dangles(s.text, view.out.lang)]
    faults += [view.find("unfinished", at=sentence) for sentence in cut[:1]]
    again = repeats(sentences)
    faults += [view.find("repeated", at=sentence) for sentence in again[:2]]
    sets = [frozenset(sentence.stems) for sentence in sentences]
    broken = [at for at in range(1, len(sets)) if not sets[at] & sets[at - 1]]
    links = 1 - len(broken) / (len(sets) - 1) if len(sets) > 1 else 0.5
    ordered = in_order(view)
    new = fresh(view.out) * (1 - len(again) / max(1, len(sentences)))
    raw = rules["mix"]["links"] * links + rules["mix"]["order"] * ordered + rules["mix"]["fresh"] * new
    if end or cut:
        raw *= rules["truncated"]
    if ordered < 0.5 and len(sets) > 2:
        faults.append(view.find("order_differs"))
    if broken and links < 0.5 and len(sets) > 2:
        first, second = sentences[broken[0] - 1], sentences[broken[0]]
        faults.append(view.find("unlinked", at=second, first=quote(first.text, 60), second=quote(second.text, 60)))
    good = view.find("single_sentence" if len(sets) < 2 else "coherence_good", against=False)
    quality = rules["floor"] + (rules["ceiling"] - rules["floor"]) * stretched("coherence", raw)
    parts = {"links": links, "order": ordered, "fresh": new, "whole": 0.0 if end or cut else 1.0}
    return Measured(quality=quality, findings=tuple(faults) or (good,), parts=parts)


def in_order(view: View) -> float:
    """The share of neighbouring sentences whose places in the source follow each other; 0.75 where it can't be seen."""
    if view.comparable:
        return 0.75
    place = {id(sentence): at for at, (_, sentence) in enumerate(view.case.evidence.at)}
    limit = weights("thresholds")["place"]
    at = [place[id(c.match.sentences[0])] for c in view.checks if c.match.share >= limit]
    steps = [later >= earlier for earlier, later in pairwise(at)]
    return sum(steps) / len(steps) if steps else 0.75


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
