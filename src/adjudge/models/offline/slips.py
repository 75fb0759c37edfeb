"""Slips of a translation's surface: doubled words, loops, two alphabets in a word, remains of markup, breaks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjudge.models.offline.findings import Finding, quote
from adjudge.models.offline.flow import repeats, truncated
from adjudge.models.offline.lexicon import load
from adjudge.models.offline.punctuation import uncoded, written_in
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Sentence, Text, script, tokens
from adjudge.models.offline.view import View

_GARBAGE = re.compile(r"\ufffd+|&(?:[a-z]{2,8}|#\d{1,6});|</?[a-z][a-z0-9]{0,10}>|▁|@@", re.IGNORECASE)
_DOUBLED = re.compile(r"\b([^\W\d_]{2,40})\s(\1)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LATIN, _CYRILLIC = re.compile(r"[a-z]", re.IGNORECASE), re.compile(r"[а-яё]", re.IGNORECASE)
_LOOP_WORDS, _LOOP_TIMES = 4, 3
_CLAUSE_WORDS = 6
_SENTENCES = 100
#: So many words without a capital make a sentence.
_SMALL = 3


def slips(view: View) -> list[Finding]:
    """Everything of the kind that neither the source nor the reference has."""
    others = [source.text.lower() for source in view.case.sources] + [view.case.reference.raw.lower()]
    found = [
        view.find(kind, at=at, quote=quote(view.raw[slice(*at)]))
        for kind, at in (*_doubled(view.raw, others), *_mixed(view.raw, others), *_garbage(view.raw, others))
    ]
    if words := _looped(view):
        found.append(view.find("loop", at=view.where(words), quote=quote(words)))
    found += [view.find("repeated", at=sentence) for sentence in repeated(view)[:1]]
    found += _foreign(view)
    source = view.case.sources[0].text.rstrip() if view.case.sources else ""
    if not source.endswith((",", ";", "-", "—", "–", ":")) and (end := truncated(view.out)):
        found.append(view.find("truncated", at=view.out.sentences[-1] if view.out.sentences else None, quote=end))
    return found


def _foreign(view: View) -> Iterator[Finding]:
    """A translation in other letters than it was to be in; addresses and code are the same in all."""
    reference, text = view.case.reference, uncoded(view.raw)
    own = view.out.script if text == view.out.raw else script(text)
    due = _script(reference)
    # Nearly all are in the letters that are due, and there is nothing to ask of their words.
    if due in ("", own) and not (reference.empty and own == "latin"):
        return
    words = tokens(text)
    plain = sum(word.isalpha() and not word.isupper() for word in words)
    if plain > 1 and due not in ("", own) and not _ordinary(words, due):
        yield view.find("wrong_script", at=(0, len(view.raw)))
    # A name or two may stay as they are in any language; a sentence may not.
    small = sum(word.islower() for word in words)
    latin = own == "latin" and small >= _SMALL and not _ordinary(words, "cyrillic")
    if reference.empty and latin and written_in(view, "ru"):
        yield view.find("other_letters", at=(0, len(view.raw)))


@once
def _script(text: Text) -> str:
    return script(uncoded(text.raw))


def _ordinary(words: Sequence[str], due: str) -> bool:
    """Whether a word is of the script that is due; one in Latin letters with a capital is a name in any script."""
    return any(len(word) > 1 and script(word) == due and (due != "latin" or word.islower()) for word in words)


def repeated(view: View) -> list[Sentence]:
    """Sentences said again, or with a clause said twice, where neither the source nor the reference does that."""
    mine = _again(view.out)
    others = (*view.case.evidence.texts, view.case.reference)
    return mine if mine and not any(map(_again, others)) else []


@once
def _again(text: Text) -> list[Sentence]:
    sentences = text.sentences[:_SENTENCES]
    said = repeats(sentences) if len(sentences) > 1 else []
    return said or [sentence for sentence in sentences if _twice(sentence.tokens)]


def _twice(words: Sequence[str]) -> bool:
    """Whether a clause of six words or more comes twice in a row; a sentence is too short for that to take long."""
    if len(words) - len(set(words)) < _CLAUSE_WORDS:
        return False
    for size in range(_CLAUSE_WORDS, len(words) // 2 + 1):
        same = 0
        for one, other in zip(words, words[size:], strict=False):
            same = same + 1 if one == other else 0
            if same == size:
                return True
    return False


def _looped(view: View) -> str:
    """Words said again and again, and more often than the source says any word of its own."""
    if not loop(view.out.tokens):
        return ""
    texts = (*view.case.evidence.texts, view.case.reference)
    return loop(view.out.tokens, max(_LOOP_TIMES, 1 + max(_most(text.tokens) for text in texts)))


def _most(words: Sequence[str]) -> int:
    """How often a text says its most frequent longer word."""
    return max(Counter(word for word in words if len(word) > 3 or not word.isascii()).values(), default=0)


def loop(words: Sequence[str], times: int = _LOOP_TIMES) -> str:
    """Four words that come back three times or more."""
    every = list(zip(*(words[at:] for at in range(_LOOP_WORDS)), strict=False))
    # What comes so often leaves fewer that differ, which is seen sooner than counted.
    counts: Mapping[tuple[str, ...], int] = Counter(every) if len(every) - len(set(every)) >= times - 1 else {}
    top = max(counts.items(), key=lambda found: (found[1], found[0]), default=((), 0))
    return " ".join(top[0]) if top[1] >= times else ""


_Slips = Iterator[tuple[str, tuple[int, int]]]


def _doubled(raw: str, others: Sequence[str]) -> _Slips:
    twice = load("marks.yaml")["twice"]
    for found in _DOUBLED.finditer(raw):
        # Two capitals are a name (Duran Duran); a capital after a small letter may begin a clause.
        same = found[1].islower() == found[2].islower() and not found[2][0].isupper()
        if same and found[1].lower() not in twice and not any(found[0].lower() in other for other in others):
            yield "doubled", found.span()


def _mixed(raw: str, others: Sequence[str]) -> _Slips:
    if not _LATIN.search(raw) or not _CYRILLIC.search(raw):
        return
    for found in _WORD.finditer(raw):
        word = found[0]
        both = not word.isascii() and _LATIN.search(word) and _CYRILLIC.search(word)
        if both and not any(word.lower() in other for other in others):
            yield "mixed_script", found.span()


def _garbage(raw: str, others: Sequence[str]) -> _Slips:
    for found in _GARBAGE.finditer(raw):
        if not any(found[0].lower() in other for other in others):
            yield "garbage", found.span()
