"""Measures of an answer against a question, the sources and a golden answer."""

from __future__ import annotations

from adjudge.core.records import Source
from adjudge.models.offline.coverage import coverage, recall
from adjudge.models.offline.findings import Finding, Measured, listed, quote, stretched, weights
from adjudge.models.offline.support import support, supported
from adjudge.models.offline.text import Sentence
from adjudge.models.offline.view import View


def relevance(view: View) -> Measured:
    """Whether the text takes up the question's words and stays with them; without one, coverage."""
    case = view.case
    if case.query.empty:
        return coverage(view) if not view.comparable else view.none("no_query")
    if view.foreign(case.query):
        return view.none("other_script")
    asked = {
        stem: word
        for sentence in case.query.sentences
        for stem, word in zip(sentence.stems, sentence.words, strict=True)
    }
    if not asked:
        return view.none("no_query")
    missed = [word for stem, word in asked.items() if not view.own.has(stem)]
    met = [word for stem, word in asked.items() if view.own.has(stem)]
    on, off = focus(view, frozenset(asked))
    answered = answer_share(view, frozenset(asked))
    mix = weights("relevance")["mix"]
    value = mix["query"] * len(met) / len(asked) + mix["focus"] * on + mix["answer"] * answered
    findings: list[Finding] = [view.find("query_missed", words=listed(missed))] if missed else []
    findings += [view.find("off_topic", at=sentence) for sentence in off[:2]]
    if not missed:
        findings.insert(0, view.find("query_met", against=False, words=listed(met)))
    if used := selection(view):
        named = ", ".join(link(n, case.sources[n - 1]) for n in used[:5])
        findings.append(view.find("used_sources", against=False, sources=named))
    parts = {"query": len(met) / len(asked), "focus": on, "answer": answered}
    return Measured(quality=stretched("relevance", value), findings=tuple(findings), parts=parts)


def link(number: int, source: Source) -> str:
    """A source as people cite it: title, address, number."""
    title = quote(source.title or source.url or "", 80).replace("[", "(").replace("]", ")")
    web = source.url and source.url.startswith(("http://", "https://")) and not set(source.url) & set(" ()<>\n")
    return f"[{title}]({source.url}) [{number}]" if title and web else f"{title} [{number}]".strip()


def focus(view: View, asked: frozenset[str]) -> tuple[float, list[Sentence]]:
    """The share of sentences about the question, and those that are not.

    A sentence is about it when it, or its place in the source, or the sentence before that place, has one of its words.
    """
    off = [c.sentence for c in view.checks if not asked & set(c.sentence.stems) and not asked & held(c.match.sentences)]
    return (1 - len(off) / len(view.checks) if view.checks else 0.0), off


def held(sentences: tuple[Sentence, ...]) -> frozenset[str]:
    return frozenset(stem for sentence in sentences for stem in sentence.stems)


def answer_share(view: View, asked: frozenset[str]) -> float:
    """How much of the source sentences nearest to the question the text takes up."""
    evidence = view.case.evidence
    near = sorted(
        (
            (evidence.total(asked & set(s.stems)), -at, s)
            for at, (_, s) in enumerate(evidence.at)
            if asked & set(s.stems)
        ),
        key=lambda found: found[:2],
        reverse=True,
    )[:5]
    return sum(recall(evidence, s.stems, view.own) for _, _, s in near) / len(near) if near else 0.0


def selection(view: View) -> list[int]:
    """The numbers of the sources that hold at least one sentence of the text and touch the question."""
    limit = weights("thresholds")["supported"]
    used = {check.match.source for check in view.checks if check.match.share >= limit}
    asked = frozenset(view.case.query.stems)
    if not asked:
        return sorted(used)
    texts = view.case.evidence.texts
    return sorted(number for number in used if asked & texts[number - 1].known)


def answer_support(view: View) -> Measured:
    """Agreement of an answer with the sources and, where there is one, with the golden answer."""
    case, mix = view.case, weights("answer_support")["mix"]
    if case.reference.empty:
        return support(view)
    if view.foreign(case.reference):
        return view.none("other_script")
    if not view.all_checks:
        return Measured(quality=0.0, findings=(view.find("no_words"),))
    held = supported(view, view.all_checks)
    shared = recall(case.golden, case.reference.stems, view.own)
    quality = mix["held"] * (held.quality or 0.0) + mix["shared"] * stretched("answer_support", shared)
    said = view.find("reference_agrees", against=False, percent=round(100 * shared))
    return Measured(quality=quality, findings=(*held.findings[:3], said), parts={**held.parts, "shared": shared})


def terse(view: View, asked: frozenset[str]) -> bool:
    """A few words that repeat nothing of the question and stand in the sources: an answer all the same."""
    few = len(view.out.stems) <= weights("answer_coverage")["terse_words"]
    held = all(check.match.share >= weights("thresholds")["supported"] for check in view.checks)
    return few and held and bool(view.checks) and not any(view.own.has(stem) for stem in asked)


def answer_coverage(view: View) -> Measured:
    """How much of the golden answer an answer says; without one, of the question and of what the sources say to it."""
    case, rules = view.case, weights("answer_coverage")
    asked = frozenset(case.query.stems)
    touched = recall(case.golden, sorted(asked), view.own) if asked else 1.0
    if case.reference.empty:
        if terse(view, asked):
            return view.none("terse")
        return relevance(view) if asked else coverage(view)
    if view.foreign(case.reference):
        return view.none("other_script")
    shares = [(recall(case.golden, s.stems, view.own), s) for s in case.reference.sentences if s.stems]
    shared = recall(case.golden, case.reference.stems, view.own)
    raw = rules["mix"]["reference"] * shared + rules["mix"]["query"] * touched
    limit = weights("thresholds")["uncovered"] + 0.1
    missed = [s for share, s in sorted(shares, key=lambda found: found[0]) if share < limit]
    findings = [view.find("reference_missed", near=(0, s)) for s in missed[:2]]
    findings.append(view.find("reference_agrees", against=False, percent=round(100 * shared)))
    parts = {"reference": shared, "query": touched}
    return Measured(quality=stretched("answer_coverage", raw), findings=tuple(findings), parts=parts)
