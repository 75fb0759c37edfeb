"""Finding a key under the spelling a model chose: another case, a known synonym, a title, a candidate's label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from adjudge.core.errors import Ambiguous
from adjudge.core.judge import Judge, Leaf, Output
from adjudge.reply.cursor import Clash, same
from adjudge.reply.mention import NOUN

ABSENT: Any = object()
#: Objects with more keys than any verdict are not searched for other spellings.
KEYS = 500

#: Spellings of one key, by the part of a criterion or the field of a claim or question that it names.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "score": ("score", "rating", "rank", "value", "points", "grade", "mark", "оценка", "балл", "баллы", "рейтинг"),
    "reason": (
        "justification", "reason", "reasoning", "why", "explanation", "rationale", "comment", "comments", "feedback",
        "обоснование", "причина", "пояснение", "объяснение", "комментарий", "почему",
    ),
    "claims": ("claims", "statements", "facts", "утверждения"),
    "questions": ("questions", "questions_and_answers", "вопросы"),
    "selected": ("selected", "sources", "relevant_search_result_urls", "urls"),
    "text": ("text", "conclusion", "вывод", "заключение"),
    "claim": ("text", "claim", "statement", "утверждение"),
    "source": ("source", "text_url", "url", "source_id", "id", "источник"),
    "quote": ("quote", "quotation", "цитата"),
    "evidence": ("evidence", "quotes", "quotations", "свидетельства", "цитаты"),
    "sources": ("sources", "source_urls", "source", "urls", "источники"),
    "question": ("question", "text", "вопрос"),
    "answered": ("is_answered", "answered", "отвечен"),
    "answer_reason": ("answer_justification", "justification", "reason", "why", "обоснование"),
    "verdict": ("verdict", "label", "status", "вердикт"),
    "spans": ("spans", "errors", "issues", "error_spans", "ошибки"),
    "span": ("span", "text", "quote", "fragment", "words", "error_span", "фрагмент", "слова"),
    "category": ("category", "type", "error_type", "error_category", "категория", "тип"),
    "severity": ("severity", "level", "тяжесть", "серьезность", "степень"),
    "explanation": ("explanation", "reason", "why", "justification", "comment", "пояснение", "объяснение"),
    "checks": ("checks", "проверки"),
    "met": ("met", "is_met", "passed", "answer", "выполнено"),
    "why": ("why", "reason", "justification", "explanation", "почему", "обоснование"),
    "scores": ("scores", "results", "items", "examples", "evaluations", "ratings", "оценки"),
    "summary": ("summary", "summaries", "final_summary", "итог", "итоги"),
    "id": ("id", "item_id", "item", "example_id"),
}  # fmt: skip
#: Keys that may wrap a verdict are made of such words alone: under any other it may be shown, not given.
_WRAPS = frozenset(
    """
    result results verdict verdicts evaluation evaluations eval answer output outputs response scores score
    scoring rating ratings json data judgment judgement judgments assessment assessments review report grade
    grades grading arguments parameters final return content message object root body payload criteria metrics
    conclusion item items summary summaries translation translations quality analysis overall complete full
    detailed structured valid native the my of for and llm judge model text format formatted properties value
    values assistant tool call function feedback оценка оценки оценок вердикт вердикты результат результаты
    ответ ответы вывод выводы итог итоги итоговая итоговый итоговые окончательная окончательный общая общий моя
    мой анализ отчет отчёт критерии данные
    """.split()  # noqa: SIM905
)
_KEY_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
_LOOKALIKES = str.maketrans("АВЕКМНОРСТХ", "ABEKMHOPCTX")
_LABEL_WORDS = re.compile(rf"^{NOUN}\s*[_#№:-]?\s*", re.I)


def wraps(key: str) -> bool:
    """Whether what stands under a key may be the verdict, and is not only shown."""
    return {word.casefold() for word in _KEY_WORD.findall(key)} <= _WRAPS


def normal(key: str) -> str:
    """A key without case, camel humps, spaces, hyphens and emphasis."""
    # the same few keys come in every reply; a long one is none of them, and is not worth the memory
    return _cached_normal(key) if len(key) <= 64 else _normal(key)


def _normal(key: str) -> str:
    spaced = re.sub(r"(?<=[a-zа-яё0-9])(?=[A-ZА-ЯЁ])", "_", key.strip(" *_`\"'\t\n:."))
    return re.sub(r"[\s\-_]+", "_", spaced).casefold().replace("ё", "е")


_cached_normal = lru_cache(maxsize=4096)(_normal)


def look_up(value: Mapping[str, Any], names: tuple[str, ...], where: str, *, agree: bool = False) -> tuple[Any, bool]:
    """The entry under the first name, else under another spelling; and whether it took another spelling.

    With `agree`, several other names must not say different things; without, the first of them counts.
    """
    if isinstance(value, Clash):
        raise Ambiguous(f"{where}: a key comes twice with different values")
    if names[0] in value:
        return value[names[0]], False
    if len(value) > KEYS:
        return ABSENT, False
    by_normal: dict[str, list[Any]] = {}
    for key, entry in value.items():
        by_normal.setdefault(normal(key), []).append(entry)
    for group in ((names[0],), names[1:]) if agree else ((name,) for name in names):
        hits = [entry for name in dict.fromkeys(map(normal, group)) for entry in by_normal.get(name, ())]
        if any(not same(hits[0], other) for other in hits[1:]):
            raise Ambiguous(f"{where}: several keys mean {names[0]} and disagree")
        if hits:
            return hits[0], True
    return ABSENT, False


def label(text: str, labels: Mapping[str, str]) -> str | None:
    """What a label stands for: the one way from a label to its candidate, for scores, totals, winners and prose.

    Only a spelling of a label that was shown counts: a model that writes "A" or "Answer 1" counts the texts, and a
    candidate that is really called so may be another one. Without labels, the text itself.
    """
    text = text.strip(" *_`\"':[]()").strip()
    if not labels:
        return text or None
    spellings = [
        guess.casefold()
        for spelling in (text, _LABEL_WORDS.sub("", text))
        for guess in (spelling, spelling.translate(_LOOKALIKES))
    ]
    shown: dict[str, str] = {key.casefold(): name for key, name in labels.items()}
    return next((shown[guess] for guess in spellings if guess in shown), None)


def names_of(judge: Judge, key: str, child: Output, *, alone: bool = False) -> tuple[str, ...]:
    """The key itself, and the other names it may go by."""
    return (key,) if isinstance(child, Mapping) else _leaf_names(judge, key, child, alone)


def is_alone(shape: Mapping[str, Output], child: Output) -> bool:
    """Whether the child is the only one of its mapping that shows this part: then any word for the part will do."""
    if not isinstance(child, Leaf) or not child.part:
        return False
    return sum(isinstance(other, Leaf) and other.part == child.part for other in shape.values()) == 1


@lru_cache(maxsize=1024)
def _leaf_names(judge: Judge, key: str, child: Leaf | tuple[Leaf, ...], alone: bool) -> tuple[str, ...]:
    leaf = child if isinstance(child, Leaf) else child[0]
    derived = judge.derived_value(leaf.name)
    if derived is not None and leaf.part:
        return (key,)
    if derived is not None:
        return (key, derived.name, derived.title) if derived.title else (key, derived.name)
    criterion = judge.criterion(leaf.name)
    if isinstance(child, Leaf) and leaf.part and not (criterion.kind == "text" and not alone):
        return (key, *(ALIASES[leaf.part] if alone else ()))
    return tuple(name for name in (key, criterion.name, criterion.title) if name)
