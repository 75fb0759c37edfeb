"""Judges, runs and outcomes made by hand, for the tests of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.core.judge import Criterion, Derived, Field, Judge, Leaf
from adjudge.core.records import Failure, Item, Outcome, Settings, Source, Verdict
from adjudge.core.runs import Run, RunState
from adjudge.core.scale import Scale

TITLES = {
    "ru": {
        "summary": "Пересказ против источника",
        "coverage": "Полнота охвата",
        "accuracy": "Точность",
        "hallucination": "Выдумки",
        "conclusion": "Вывод",
        "average": "Средний балл",
        "rag": "Ответы на вопрос по источникам",
        "correctness": "Корректность",
        "completeness": "Полнота",
        "depth": "Философская глубина",
        "total": "Сумма",
        "question": "Вопрос",
        "sources": "Источники",
        "answers": "Ответы",
        "content": "Исходный текст",
        "text": "Пересказ",
    },
    "en": {
        "summary": "Summary against its source",
        "coverage": "Coverage",
        "accuracy": "Accuracy",
        "hallucination": "Hallucination",
        "conclusion": "Conclusion",
        "average": "Average score",
        "rag": "Answers to a question, given sources",
        "correctness": "Correctness",
        "completeness": "Completeness",
        "depth": "Philosophical depth",
        "total": "Total",
        "question": "Question",
        "sources": "Sources",
        "answers": "Answers",
        "content": "Source text",
        "text": "Summary",
    },
}


def single(lang: str = "en") -> Judge:
    """Two criteria where more is better, one where less is, a text and a mean."""
    titles, five = TITLES[lang], Scale(min=1, max=5)
    return Judge(
        name="summary",
        lang=lang,
        langs=("ru", "en"),
        layout="single",
        title=titles["summary"],
        fields=(
            Field(name="content", role="source", title=titles["content"]),
            Field(name="text", role="output", title=titles["text"]),
        ),
        criteria=(
            Criterion(name="coverage", kind="rating", title=titles["coverage"], scale=five),
            Criterion(name="accuracy", kind="rating", title=titles["accuracy"], scale=five),
            Criterion(
                name="hallucination",
                kind="claims",
                title=titles["hallucination"],
                scale=Scale(min=0, max=3, better="lower"),
            ),
            Criterion(name="conclusion", kind="text", title=titles["conclusion"]),
        ),
        derived=(
            Derived(name="average_score", operation="mean", of=("coverage", "accuracy"), title=titles["average"]),
        ),
        output={
            "coverage": {"score": Leaf("coverage", "score"), "justification": Leaf("coverage", "reason")},
            "hallucination": {"score": Leaf("hallucination", "score"), "claims": Leaf("hallucination", "claims")},
            "overall": {"average_score": Leaf("average_score"), "conclusion": Leaf("conclusion", "text")},
        },
        instructions="",
        item="",
    )


def compare(lang: str = "en") -> Judge:
    """Three criteria of 0 to 5, totals and a winner."""
    titles, scale = TITLES[lang], Scale(min=0, max=5)
    names = ("correctness", "completeness", "depth")
    return Judge(
        name="rag-answers",
        lang=lang,
        langs=("ru", "en"),
        layout="compare",
        title=titles["rag"],
        fields=(
            Field(name="question", role="query", title=titles["question"]),
            Field(name="sources", type="sources", role="source", title=titles["sources"]),
            Field(name="answers", type="answers", role="output", title=titles["answers"]),
        ),
        criteria=(
            *(Criterion(name=name, kind="rating", title=titles[name], scale=scale) for name in names),
            Criterion(name="conclusion", kind="text", title=titles["conclusion"]),
        ),
        derived=(
            Derived(name="total", operation="sum", of=names, title=titles["total"]),
            Derived(name="winner", operation="winner", of=("total",)),
        ),
        output={
            "scores": {name: {"score": Leaf(name, "score"), "justification": Leaf(name, "reason")} for name in names},
            "totals": Leaf("total"),
            "winner": Leaf("winner", "winner"),
            "tied": Leaf("winner", "tied"),
            "conclusion": Leaf("conclusion", "text"),
        },
        instructions="",
        item="",
    )


def state(judge: Judge, items: int, *, model: str = "offline", **changes: Any) -> RunState:
    """A finished run of so many items."""
    run = Run(
        id="20260102-summary-7f3a",
        judge=judge.name,
        judge_digest="ab" * 32,
        lang=judge.lang,
        data="data.jsonl",
        data_digest="cd" * 32,
        items=items,
        settings=Settings(model=model),
        version="0.1.0",
        started="2026-01-02T03:04:05Z",
    )
    given: dict[str, Any] = {"status": "complete", "calls": items, "cost_usd": 0.0, "seconds": 3.4}
    return RunState(run=run, **given | changes)


def verdict(
    item: str,
    scores: Mapping[str, float],
    *,
    reasons: Mapping[str, str] | None = None,
    conclusion: str = "",
    claims: Sequence[Mapping[str, Any]] = (),
    flags: tuple[str, ...] = (),
) -> Verdict:
    """A verdict of the single judge."""
    mean = [scores[name] for name in ("coverage", "accuracy") if name in scores]
    return Verdict(
        item=item,
        scores=scores,
        reasons=reasons or {},
        derived={"average_score": sum(mean) / len(mean)} if mean else {},
        native={"hallucination": {"claims": list(claims)}, "overall": {"conclusion": conclusion}},
        flags=flags,
    )


def comparison(
    item: str,
    scores: Mapping[str, Mapping[str, float]],
    *,
    reasons: Mapping[str, Mapping[str, str]] | None = None,
    conclusion: str = "",
) -> Verdict:
    """A verdict of the compare judge, its totals and winner counted here."""
    names = list(dict.fromkeys(name for values in scores.values() for name in values))
    totals = {name: sum(values[name] for values in scores.values() if name in values) for name in names}
    best = [name for name in names if totals[name] == max(totals.values())]
    winner = {"winner": best[0] if len(best) == 1 else None, "tied": best if len(best) > 1 else []}
    return Verdict(
        item=item,
        scores=scores,
        reasons=reasons or {},
        derived={"total": totals, "winner": winner},
        native={"scores": {}, "totals": totals, **winner, "conclusion": conclusion},
    )


def failure(item: str, kind: str = "no_verdict", message: str = "no object in the reply") -> Failure:
    return Failure(item=item, kind=kind, stage="repair", message=message, attempts=2)


SEED_REASONS = {
    "ru": {
        "correctness": {
            "ModelA": "мелкая ошибка в дате",
            "ModelB": "полностью точен",
            "ModelC": "упустил важную деталь",
        },
        "completeness": {"ModelA": "охватил всё", "ModelB": "упустил финал", "ModelC": "частично рассмотрел"},
        "depth": {"ModelA": "сделал обобщение", "ModelB": "глубокий анализ", "ModelC": "поверхностно"},
    },
    "en": {
        "correctness": {
            "ModelA": "a small error in a date",
            "ModelB": "fully exact",
            "ModelC": "misses a detail that matters",
        },
        "completeness": {"ModelA": "covers everything", "ModelB": "leaves out the end", "ModelC": "partial"},
        "depth": {"ModelA": "generalises", "ModelB": "a deep analysis", "ModelC": "on the surface"},
    },
}
SEED_SCORES = {
    "correctness": {"ModelA": 4.0, "ModelB": 5.0, "ModelC": 3.0},
    "completeness": {"ModelA": 5.0, "ModelB": 4.0, "ModelC": 4.0},
    "depth": {"ModelA": 4.0, "ModelB": 5.0, "ModelC": 3.0},
}
CONCLUSIONS = {
    "ru": "ответ B точнее и глубже; A чуть слабее, C заметно уступает.",
    "en": "answer B is more exact and deeper; A is a little weaker, C clearly so.",
}
QUESTIONS = {"ru": "Зачем Раскольников пришёл к Соне?", "en": "Why did Raskolnikov come to Sonya?"}


def seed_comparisons(lang: str) -> list[Outcome]:
    """One decided item and one tie, as the first document of `rag-answers` shows them."""
    tie = {name: {"ModelA": 4.0, "ModelB": 4.5, "ModelC": 2.0} for name in ("correctness", "completeness")}
    tie["depth"] = {"ModelA": 4.0, "ModelB": 3.0, "ModelC": 2.0}
    return [
        comparison("q-1", SEED_SCORES, reasons=SEED_REASONS[lang], conclusion=CONCLUSIONS[lang]),
        comparison("q-2", tie, reasons={}),
    ]


def seed_items(lang: str) -> dict[str, Item]:
    answers = {"ModelA": "A…", "ModelB": "B…", "ModelC": "C…"}
    source = Source(id="1", text="Соня читает о Лазаре." if lang == "ru" else "Sonya reads of Lazarus.")
    return {
        name: Item(id=name, fields={"question": QUESTIONS[lang], "sources": (source,), "answers": answers})
        for name in ("q-1", "q-2")
    }


def summaries(lang: str) -> list[Outcome]:
    """Eleven judged summaries and a failure, with one item that is clearly the worst."""
    reason = {
        "ru": {"coverage": "Пропущен финал: герой не возвращается домой.", "accuracy": "Имя сестры перепутано."},
        "en": {
            "coverage": "The ending is missing: the hero never comes home.",
            "accuracy": "The sister's name is wrong.",
        },
    }[lang]
    good = [
        verdict(f"s-{place:02}", {"coverage": 3.0 + place % 3, "accuracy": 4.0 + place % 2, "hallucination": place % 2})
        for place in range(1, 11)
    ]
    bad = verdict("s-11", {"coverage": 1.0, "accuracy": 2.0, "hallucination": 3}, reasons=reason)
    return [*good, bad, failure("s-12")]
