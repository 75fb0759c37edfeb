from __future__ import annotations

import json
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.judge import Judge
from adjudge.core.records import Item, Source
from adjudge.demo import SAMPLES
from adjudge.models.offline.judge import measure_many
from adjudge.models.offline.text import analyse
from adjudge.spec.load import load_judge
from tests.unit.models.offline.places import misplaced


@cache
def _loaded(name: str, lang: str) -> Judge:
    return load_judge(name, lang)


def _sentences() -> list[str]:
    """Sentences of the samples, with their flaws, and some that are hard to place."""
    found: list[str] = []
    for path in sorted(SAMPLES.rglob("summary.*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found += [sentence.text for sentence in analyse(row["content"] + "\n\n" + row["text"]).sentences]
    odd = [
        "- 1) [1] [2, 9].",
        "Ёлка е\u0301сть\u00ad 12,5 %!",
        "2.",
        "No",
        "¿Qué?",
        "«(",
        "a\u0000b 7",
        "第三十。第三十。",
    ]
    return [*dict.fromkeys(found), *odd]


_TEXTS = st.lists(st.one_of(st.sampled_from(_sentences()), st.text(max_size=30)), max_size=6).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(
    lang=st.sampled_from(["en", "ru"]),
    sources=st.lists(_TEXTS, min_size=1, max_size=3),
    outputs=st.lists(_TEXTS, min_size=2, max_size=3),
    query=_TEXTS,
    reference=_TEXTS,
)
def test_places_are_inside_the_texts_and_shares_between_nought_and_one(lang, sources, outputs, query, reference):
    every = tuple(Source(id=str(n), text=text) for n, text in enumerate(sources, 1))
    answers = {f"m{n}": text for n, text in enumerate(outputs)}
    shapes = {
        "summary": [{"content": sources[0], "text": text} for text in outputs],
        "rag-answers": [{"question": query, "sources": every, "answers": answers, "reference": reference}],
        "search-summary": [{"user_query": query, "search_results": every, "summary": text} for text in outputs],
        "translation": [{"src": sources[0], "trg": text, "ref": reference} for text in outputs],
    }
    for name, rows in shapes.items():
        judge = _loaded(name, lang)
        items = [Item(id=str(n), fields=fields) for n, fields in enumerate(rows)]
        for item, found in zip(items, measure_many(judge, items), strict=True):
            for candidate, measured in found.items():
                for each in measured.values():
                    assert each.quality is None or 0 <= each.quality <= 1
                    assert all(0 <= part <= 1 for part in each.parts.values())
                    assert each.findings
                    for finding in each.findings:
                        why = misplaced(judge, item, candidate, finding)
                        assert "is no place in" not in why, (name, finding, why)
