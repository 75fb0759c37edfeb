"""Puts a question to the embedded judge the way the engine does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Call, Item, Prompt, Reply, Request, Settings, Source
from adjudge.models.offline.judge import Offline


def reply(judge: Judge, items: list[Item], order: tuple[str, ...] = (), labels: dict[str, str] | None = None) -> Reply:
    request = Request(
        call=Call(key="k", stage="judge", items=tuple(item.id for item in items), order=order),
        prompt=Prompt(system="", user="", schema={}, labels=labels or {}),
        judge=judge,
        items=tuple(items),
        settings=Settings(model="offline"),
    )
    return asyncio.run(Offline().answer(request))


def ask(judge: Judge, *items: Item, order: tuple[str, ...] = (), labels: dict[str, str] | None = None) -> Any:
    return json.loads(reply(judge, list(items), order, labels).text)


def summary(content: str, text: str) -> Item:
    return Item(id="1", fields={"content": content, "text": text})


def segment(src: str, trg: str, ref: str | None = None, name: str = "1", others: Sequence[str] = ()) -> Item:
    fields: dict[str, Any] = {"src": src, "trg": trg} | ({"ref": ref} if ref is not None else {})
    return Item(id=name, fields=fields | ({"others": numbered([*others])} if others else {}))


def rag(answers: dict[str, str], sources: list[str], reference: str | None = None, question: str = "Why?") -> Item:
    fields: dict[str, Any] = {"question": question, "sources": numbered(sources), "answers": answers}
    return Item(id="1", fields=fields | ({"reference": reference} if reference else {}))


def search(text: str, results: list[str], query: str) -> Item:
    return Item(id="1", fields={"user_query": query, "search_results": numbered(results), "summary": text})


def numbered(texts: list[str]) -> tuple[Source, ...]:
    return tuple(
        Source(id=str(n), text=text, url=f"https://example.org/{n}", title=f"Page {n}")
        for n, text in enumerate(texts, 1)
    )
