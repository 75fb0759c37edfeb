"""Measures of an answer against a question, the sources and a golden answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adjudge.core.records import Source
from adjudge.models.offline.coverage import coverage, recall
from adjudge.models.offline.findings import Finding, Measured, listed, quote, stretched, weights
from adjudge.models.offline.overlap import in_order
from adjudge.models.offline.peers import told_beside
from adjudge.models.offline.support import support, supported, wordless
from adjudge.models.offline.text import Sentence
from adjudge.models.offline.view import View


def relevance(view: View) -> Measured:
    """Whether the text takes up the question's words, early and throughout; in a judge without questions, coverage."""
    case = view.case
    if not case.judge.with_role("query"):
        return coverage(view)
    if case.query.empty:
        return view.none("no_query")
    if view.foreign(case.query):
        return view.none("other_script")
    if not view.out.empty and not view.out.stems:
        return view.none("only_small_words")
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
    first = frozenset(view.out.sentences[0].stems) if view.out.sentences else frozenset()
    parts = {"query": len(met) / len(asked), "first": len(first & asked.keys()) / len(asked), "focus": on}
    if not view.comparable:
        parts["answer"] = answer_share(view, frozenset(asked))
    findings: list[Finding] = [view.find("query_missed", words=listed(missed))] if missed else []
    findings += [view.find("off_topic", at=sentence, against=False) for sentence in off[:2]]
    if not missed:
        findings.insert(0, view.find("query_met", against=False, words=listed(met)))
    if used := selection(view):
        named = ", ".join(link(case.number(n) or n, case.sources[n - 1]) for n in used[:5])
        findings.append(view.find("used_sources", against=False, sources=named))
    return Measured(quality=stretched("relevance", mixed("relevance", parts)), findings=tuple(findings), parts=parts)


def mixed(measure: str, parts: Mapping[str, float]) -> float:
    """The weighted mean of the parts that could be measured."""
    mix = weights(measure)["mix"]
    return float(sum(mix[name] * value for name, value in parts.items()) / sum(mix[name] for name in parts))


def link(number: int, source: Source) -> str:
    """A source as people cite it: title, address, number."""
    title = quote(source.title or source.url or "", 80).replace("[", "(").replace("]", ")")
    web = source.url and source.url.startswith(("http://", "https://")) and not set(source.url) & set(" ()<>\n")
    return f"[{title}]({source.url}) [{number}]" if title and web else f"{title} [{number}]".strip()


def focus(view: View, asked: frozenset[str]) -> tuple[float, list[Sentence]]:
    """The share of sentences about the question, and those of some length that nothing ties to it.

    A sentence is about it when it, or its place in the source, or the sentence before that place, has one of its words,
    or when it shares a word with an earlier sentence that is about it. What a source holds is never called loose.
    """
    rules, limits = weights("relevance"), weights("thresholds")
    checks = () if view.case.evidence.empty else view.checks
    places = {id(check.sentence): check.match for check in checks}
    every = [s for s in view.out.sentences[: weights("limits")["sentences"]] if s.stems]
    wanted = begun(asked)
    reach, off, loose = set(wanted), 0, []
    for sentence in every:
        mine, match = begun(sentence.stems), places.get(id(sentence))
        if reach & mine or (match and wanted & begun(held(match.sentences))):
            reach |= mine
            continue
        off += 1
        if (match is None or match.share < limits["unsupported"]) and len(mine) >= rules["loose_words"]:
            loose.append(sentence)
    return (1 - off / len(every) if every else 0.0), loose


def begun(stems: Iterable[str]) -> frozenset[str]:
    """The beginnings of words: forms that their endings keep apart meet."""
    return frozenset(stem[:5] for stem in stems)


def held(sentences: tuple[Sentence, ...]) -> frozenset[str]:
    return frozenset(stem for sentence in sentences for stem in sentence.stems)


def answer_share(view: View, asked: frozenset[str]) -> float:
    """How much of the source sentences nearest to the question the text takes up."""
    evidence = view.case.evidence
    met = ((at, asked & stems) for at, stems in enumerate(evidence.sets))
    near = sorted(((evidence.total(both), -at) for at, both in met if both), reverse=True)[:5]
    return sum(recall(evidence, evidence.at[-at][1].stems, view.own) for _, at in near) / len(near) if near else 0.0


def selection(view: View) -> list[int]:
    """The numbers of the sources that hold at least one sentence of the text and touch the question."""
    if view.case.evidence.empty:
        return []
    limit = weights("thresholds")["supported"]
    used = {check.match.source for check in view.checks if check.match.share >= limit}
    asked = frozenset(view.case.query.stems)
    if not asked:
        return sorted(used)
    texts = view.case.evidence.texts
    return sorted(number for number in used if asked & texts[number - 1].known)


def named(view: View) -> dict[str, float]:
    """The share of the golden answer's names and numbers that the answer has, those of the question aside."""
    asked = frozenset(view.case.query.stems)
    every = {
        stem
        for sentence in view.case.reference.sentences
        for stem in (*(stem for _, stem in sentence.names), *(stem for stem in sentence.stems if stem[:1] == "#"))
    } - asked
    return {"named": sum(map(view.own.has, every)) / len(every)} if every else {}


def answer_support(view: View) -> Measured:
    """Agreement of an answer with the sources and, where there is one, with the golden answer."""
    case, beside = view.case, told_beside(view)
    if case.reference.empty:
        found = support(view) if not case.evidence.empty else view.none("no_basis")
        return Measured(quality=found.quality, findings=(*found.findings, *beside), parts=found.parts)
    if not case.reference.stems:
        said = yes_or_no(view)
        if not said.quality or view.comparable or not view.checks:
            return said
        held = supported(view, view.checks)
        parts = {**said.parts, "held": held.quality or 0.0}
        quality = stretched("answer_support", mixed("answer_support", parts))
        return Measured(quality=quality, findings=(*held.findings[:3], *said.findings, *beside), parts=parts)
    if view.foreign(case.reference):
        return view.none("other_script")
    if not view.all_checks:
        return wordless(view)
    held = supported(view, view.all_checks, among="_golden")
    shared = view.agreement
    parts = {"own": own_share(view), "said": shared["said"], "order": shared["order"]}
    if not case.evidence.empty:
        parts["held"] = held.quality or 0.0
    told = view.find("reference_agrees", against=False, percent=round(100 * shared["said"]))
    quality = stretched("answer_support", mixed("answer_support", parts))
    return Measured(quality=quality, findings=(*held.findings[:3], told, *beside), parts=parts)


def yes_or_no(view: View) -> Measured:
    """Whether the text begins with the yes or no that is all the golden answer says."""
    ours, golden = view.out, view.case.reference
    if ours.answers is None or golden.answers is None:
        return view.none("reference_small_words")
    same = ours.answers == golden.answers
    word, other = (quote(next(iter(text.sentences[0].tokens))) for text in (ours, golden))
    said = view.find("answers_alike" if same else "answers_differ", against=not same, word=word, other=other)
    return Measured(quality=float(same), findings=(said,), parts={"said": float(same)})


def own_share(view: View) -> float:
    """The share of the text's words that the golden answer has in the same order."""
    limit = weights("limits")["tokens"]
    tokens = view.out.tokens[:limit]
    return in_order(tokens, view.case.reference.tokens[:limit]) / len(tokens) if tokens else 0.0


def terse(view: View, asked: frozenset[str]) -> bool:
    """A few words that repeat nothing of the question and stand in the sources: an answer all the same."""
    few = len(view.out.stems) <= weights("answer_coverage")["terse_words"]
    held = all(check.match.share >= weights("thresholds")["supported"] for check in view.checks)
    return few and held and bool(view.checks) and not any(view.own.has(stem) for stem in asked)


def answer_coverage(view: View) -> Measured:
    """How much of the golden answer an answer says; without one, of the question and of what the sources say to it."""
    case = view.case
    asked = frozenset(case.query.stems)
    if case.reference.empty:
        if case.evidence.empty:
            return view.none("no_basis")
        if view.comparable:
            return view.none(view.comparable)
        if terse(view, asked):
            return view.none("terse")
        return relevance(view) if asked else coverage(view)
    if not case.reference.stems:
        return yes_or_no(view)
    if view.foreign(case.reference):
        return view.none("other_script")
    if not view.all_checks:
        return wordless(view)
    # A couple of words are no statement that could be missed.
    shares = [(recall(case.golden, s.stems, view.own), s) for s in case.reference.sentences if len(s.stems) > 2]
    limit = weights("thresholds")["uncovered"]
    missed = [s for share, s in sorted(shares, key=lambda found: found[0]) if share < limit]
    findings = [view.find("reference_missed", near=(0, s)) for s in missed[:2]]
    parts = {**view.agreement, **named(view)}
    findings.append(view.find("reference_agrees", against=False, percent=round(100 * parts["said"])))
    quality = stretched("answer_coverage", mixed("answer_coverage", parts))
    return Measured(quality=quality, findings=tuple(findings), parts=parts)
