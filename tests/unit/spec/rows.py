"""An item and a call for each bundled judge, with every optional field filled."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Call, Item
from adjudge.data.items import canonical_row, make_item
from adjudge.spec.load import load_judge

NAMES = ("summary", "rag-answers", "search-summary", "translation", "translation-mqm")
LANGS = ("en", "ru")

ROWS: dict[str, dict[str, Any]] = {
    "summary": {
        "id": "s1",
        "content": "A fox met a crow.",
        "text": "A fox meets a crow.",
        "others": ["A crow meets a fox."],
        "system": "model-a",
    },
    "rag-answers": {
        "id": "q1",
        "question": "Who met the crow?",
        "sources": ["A fox met a crow.", {"id": "p7", "text": "The crow had cheese."}],
        "answers": {"ModelA": "The fox.", "ModelB": "Nobody.", "ModelC": "A cat."},
        "reference": "A fox.",
        "retrieved": [{"id": "r1", "text": "A crow had cheese."}],
    },
    "search-summary": {
        "id": "m1",
        "user_query": "Is tea good for sleep?",
        "search_results": [
            {"url": "https://a.example/tea", "content": "Tea holds caffeine.", "metadata": {"title": "On tea"}},
            {"url": "https://b.example/sleep", "content": "Caffeine delays sleep."},
        ],
        "summary": "Tea may delay sleep [1].",
        "citations": [{"url": "https://a.example/tea"}],
    },
    "translation": {
        "id": "t1",
        "src": "Good morning.",
        "trg": "Доброе утро.",
        "ref": "Доброе утро!",
        "src_lang": "English",
        "trg_lang": "Russian",
        "others": ["С добрым утром.", "Доброго утра."],
        "system": "mt-1",
    },
}
ROWS["translation-mqm"] = ROWS["translation"]
OPTIONAL = {
    "summary": {"others", "system"},
    "rag-answers": {"reference", "retrieved"},
    "search-summary": {"citations"},
    "translation": {"ref", "src_lang", "trg_lang", "others", "system"},
}
OPTIONAL["translation-mqm"] = OPTIONAL["translation"]


def item(judge: Judge, **changes: Any) -> Item:
    """The judge's row as an item, with some fields changed; None takes a field out."""
    row = {**ROWS[judge.name], **changes}
    return make_item(judge, canonical_row(judge, row, "row", {}), "row")


def call(key: str = "0" * 64, order: tuple[str, ...] = ()) -> Call:
    return Call(key=key, stage="judge", items=("1",), order=order)


def orders(judge: Judge) -> tuple[str, ...]:
    return ("ModelB", "ModelC", "ModelA") if judge.layout == "compare" else ()


@cache
def bundled(name: str, lang: str = "en") -> Judge:
    return load_judge(name, lang)


def taken_apart(user: str) -> tuple[str, list[str], str]:
    """The prompt with its fenced texts taken out and the mark made constant; the texts; the mark."""
    mark = re.findall(r"<<<([0-9a-f]{6,12})\b", user)[0]
    pattern = re.compile(rf"^(<<<{mark} [^\n]*\n)(.*?)(\n{mark}>>>)$", re.DOTALL | re.MULTILINE)
    inside = [match.group(2) for match in pattern.finditer(user)]
    return pattern.sub(r"\1\3", user).replace(mark, "MARK"), inside, mark
