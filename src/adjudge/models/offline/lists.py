"""What a verdict lists: statements checked against sources, and questions that the sources raise."""

from __future__ import annotations

import re
from typing import Any

from adjudge.core.limits import QUESTIONS_PER_SOURCE_MIN
from adjudge.models.base import well_formed
from adjudge.models.offline.coverage import recall
from adjudge.models.offline.evidence import Check
from adjudge.models.offline.findings import Measured, quote, weights
from adjudge.models.offline.support import citations, disagreements, unsupported
from adjudge.models.offline.text import Sentence, analyse, bare
from adjudge.models.offline.view import View

_QUESTIONS_MOST = 10
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+|\s+[—–]\s+")
_CLAUSE_STEMS = 3


def claims(view: View) -> tuple[list[dict[str, Any]] | None, Measured]:
    """Each sentence as a statement with its nearest place in the sources, and what is to be said of them all."""
    if view.out.empty:
        said = view.find("no_words" if view.raw.strip() else "empty")
        # A text that says nothing invents nothing, but the best point for it would reward saying nothing.
        none = {"text": said.reason, "quote": "", "sources": [], "verdict": "significant"}
        return [none], Measured(quality=0.0, findings=(said,))
    if view.comparable:
        return None, view.none(view.comparable)
    found = [_claim(check) for check in view.checks]
    bad = sum(claim["verdict"] != "supported" for claim in found)
    weak = [check for check, claim in zip(view.checks, found, strict=True) if claim["verdict"] == "minor"]
    faults = [*disagreements(view, view.checks), *unsupported(view, view.checks), *citations(view)]
    faults += unsupported(view, weak, key="loosest")
    key = "claims_some" if bad else "claims_all" if found else "claims_none"
    said = view.find(key, against=bool(bad), n=bad or len(found), total=len(found))
    good = 1 - bad / len(found) if found else 1.0
    return found, Measured(quality=good, findings=(said, *view.partly, *faults))


def _claim(check: Check) -> dict[str, Any]:
    limits = weights("thresholds")
    held = check.match.share >= limits["supported"]
    wrong = bool(check.turned) or (check.numbers and check.match.share >= limits["place"])
    if check.match.share < limits["unsupported"] or wrong:
        verdict = "significant"
    else:
        verdict = "supported" if held and not check.names and not check.numbers else "minor"
    # What is not supported has nothing to quote, unless the source says otherwise: then that is the proof.
    shown = verdict == "supported" or (wrong and check.match.share >= limits["unsupported"])
    return {
        "text": well_formed(bare(check.sentence.text)),
        "quote": well_formed(check.match.text) if shown else "",
        "sources": [check.match.source] if verdict == "supported" else [],
        "verdict": verdict,
    }


def facts(view: View, number: int) -> list[Sentence]:
    """The key statements of one source, in its order; sentences are cut into clauses where there are too few."""
    evidence = view.case.evidence
    chosen = [evidence.at[i][1] for i in evidence.keys(0.4, QUESTIONS_PER_SOURCE_MIN, _QUESTIONS_MOST, only=number)]
    while len(chosen) < QUESTIONS_PER_SOURCE_MIN:
        halves = {at: _halves(sentence) for at, sentence in enumerate(chosen)}
        longest = max((at for at in halves if halves[at]), key=lambda at: (len(chosen[at].stems), -at), default=None)
        if longest is None:
            break
        chosen[longest : longest + 1] = halves[longest]
    return chosen


def _halves(sentence: Sentence) -> list[Sentence]:
    """A sentence as two, cut at the clause mark nearest its middle, when both sides say something."""
    whole = bare(sentence.text)
    middle = len(whole) / 2
    for cut in sorted(_CLAUSE.finditer(whole), key=lambda found: abs(found.start() - middle))[:4]:
        sides = [_one(part) for part in (whole[: cut.start()], whole[cut.end() :])]
        if all(len(side.stems) >= _CLAUSE_STEMS for side in sides):
            return sides
    return []


def _one(text: str) -> Sentence:
    parsed = analyse(text)
    words = tuple(word for sentence in parsed.sentences for word in sentence.words)
    return Sentence(text=text.strip(" ,;:"), stems=parsed.stems, words=words)


def questions(view: View) -> list[dict[str, Any]] | None:
    """For each source its statements as questions, and whether the text answers them; None: nothing to ask."""
    if view.comparable:
        return None
    found = []
    for number in range(1, len(view.case.sources) + 1):
        asked = [_question(view, fact) for fact in facts(view, number)]
        if asked:
            found.append({"source": number, "questions": asked})
    return found or None


def _question(view: View, fact: Sentence) -> dict[str, Any]:
    near = view.own.nearest(fact.stems)
    # Two neighbouring sentences may share an answer; a word anywhere else in the text counts half.
    share = (near.share + recall(view.case.evidence, fact.stems, view.own)) / 2
    figures = {stem for stem in fact.stems if stem.startswith("#")}
    there = {stem for sentence in near.sentences for stem in sentence.stems}
    answered = share >= weights("thresholds")["answered"] and (not figures or bool(figures & there))
    if near.sentences:
        said = view.say("answered" if answered else "unanswered_near", quote=quote(near.text))
    else:
        said = view.say("unanswered")
    return {
        "question": view.say("question", fact=quote(fact.text.rstrip(" .;,?!"), 300)),
        "answer_justification": said,
        "is_answered": answered and bool(near.sentences),
    }
