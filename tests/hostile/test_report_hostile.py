"""Hostile text in every field of a run, through every report: it stays text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from html.parser import HTMLParser

import pytest

from adjudge.core.judge import Judge
from adjudge.core.records import Failure, Item, Outcome, Source
from adjudge.core.runs import RunState
from adjudge.report.build import build
from adjudge.report.html import html
from adjudge.report.markdown import markdown
from adjudge.report.plain import width
from adjudge.report.text import text
from tests.unit.report import sample

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "</title></style></textarea><script>alert(1)</script>",
    "</details></main><h1>forged</h1>",
    "<!--", "-->", "]]>", "<![CDATA[", "<?php ?>", "&lt;script&gt;", "&#60;b&#62;",
    "javascript:alert(1)",
    "[click](javascript:alert(1))",
    "![track](https://example.invalid/x.png)",
    "[ref]: https://example.invalid 'x'",
    "<https://example.invalid>",
    "https://example.invalid/a_b_c",
    "www.example.invalid",
    "a | b | c\n--- | --- | ---\nx | y | z",
    "\\| \\\\| \\",
    "`` ` `` ```\ncode\n```",
    "# heading\n\n> quote\n\n- list\n\n***\n\n1. one",
    "\r\n## forged item\r\n",
    "$$\\require{x}$$ ~~gone~~ **bold** __bold__",
    "\x1b[2J\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "\x9b31mred\x9c", "\x00\x01\x08\x7f", "\u202egnp.exe\u202c", "\u2066\u2067\u2068\u2069\u200f\u061c",
    "a\u2028b\u2029c\x85d\x0be\x0cf",
    "\ud800\udfff lone", "\ufeff\u200b\u2060\u00ad", "\U000e0041\U000e0042 tags", "\ufffe\uffff",
    "e" + "\u0301" * 500,
    "漢" * 300, "👩‍👩‍👧" * 50, "x" * 5000, " " * 3000 + "end",
    "{0.__class__} {} %s %(x)s ${HOME} $title {{7*7}}",
    "=cmd|' /C calc'!A0",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Case:
    judge: Judge
    state: RunState
    outcomes: list[Outcome]
    items: dict[str, Item]


def single_case(hostile: str) -> Case:
    """The text in every field that data, replies or a model's name can reach."""
    judge = sample.single()
    state = sample.state(judge, 3, steps={hostile: 2}, asked_again=1)
    settings = replace(state.run.settings, model=hostile, base_url=hostile)
    state = replace(state, run=replace(state.run, settings=settings, data=hostile, name=hostile, started=hostile))
    state = replace(state, summary={"coverage": hostile, hostile: hostile})
    scores = {"coverage": 2.0, "accuracy": 3.0, "hallucination": 1}
    judged = sample.verdict(
        hostile,
        scores,
        reasons={"coverage": hostile, "accuracy": hostile},
        conclusion=hostile,
        claims=[{"text": hostile, "supported": False, "quote": hostile}],
        flags=(hostile.replace(":", ""),),
    )
    unjudged = sample.verdict("z", {"coverage": 3.0}, reasons={"accuracy": hostile, "hallucination": hostile})
    failed = Failure(item=hostile, kind=hostile, stage=hostile, message=hostile)
    item = Item(id=hostile, fields={"content": hostile, "text": hostile})
    return Case(judge=judge, state=state, outcomes=[judged, unjudged, failed], items={hostile: item})


def compare_case(hostile: str) -> Case:
    """The text as a candidate's name too."""
    judge = sample.compare()
    scores = {name: {f"{hostile}1": 3.0, f"{hostile}2": 2.0} for name in ("correctness", "completeness", "depth")}
    reasons = {name: dict.fromkeys(values, hostile) for name, values in scores.items()}
    tie = {"correctness": {f"{hostile}1": 1.0, f"{hostile}2": 1.0}}
    answers = {f"{hostile}1": hostile, f"{hostile}2": hostile}
    source = Source(id=hostile, text=hostile, url=hostile, title=hostile)
    items = {hostile: Item(id=hostile, fields={"question": hostile, "sources": (source,), "answers": answers})}
    outcomes: list[Outcome] = [
        sample.comparison(hostile, scores, reasons=reasons, conclusion=hostile),
        sample.comparison("z", tie),
    ]
    return Case(judge=judge, state=sample.state(judge, 2), outcomes=outcomes, items=items)


#: Whatever begins as markup; our own pages leave no sign of it in a text or a value, so each tag ends at the first ">".
_MARKUP = re.compile(r"<[^<>]*>?|>")


class _Tag(HTMLParser):
    """A tag: its name with the names of its attributes, and classes."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[object] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append((tag, [name for name, _ in attrs], dict(attrs).get("class")))


@lru_cache(maxsize=50_000)
def _read(markup: str) -> str:
    if not re.match("<[A-Za-z].*>", markup, re.DOTALL):
        return markup  # the end of an element, a comment, a declaration, or a sign that stands alone
    parser = _Tag()
    parser.feed(markup)
    parser.close()
    return str(parser.parts)


def skeleton(page: str) -> list[str]:
    """The elements of a page with the names of their attributes, and classes; and any sign of markup that is none.

    Tags come again and again: each is parsed once, which takes a tenth of the time.
    """
    return [_read(found) for found in _MARKUP.findall(page)]


def harmless(page: str) -> None:
    page.encode("utf-8")
    bad = {char for char in page if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp", "Co")}
    bad |= {char for char in page if unicodedata.category(char) == "Cf" and char not in "\u200c\u200d"}
    assert not bad


every_case = pytest.mark.parametrize("case", [single_case, compare_case])
every_payload = pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))


@every_case
@every_payload
def test_html_gains_no_element(case: Callable[[str], Case], payload: str):
    pages = []
    for words in ("plain", payload):
        made = case(words)
        report = build(made.judge, made.state, made.outcomes)
        pages.append("".join(html(report, made.outcomes, made.items, made.judge)))
    harmless(pages[1])
    assert skeleton(pages[1]) == skeleton(pages[0])


@every_case
@every_payload
def test_text_stays_within_its_columns(case: Callable[[str], Case], payload: str):
    made = case(payload)
    page = text(build(made.judge, made.state, made.outcomes))
    harmless(page)
    assert max(map(width, page.splitlines())) <= 80
    assert len(page) < 40_000


@every_case
@every_payload
def test_markdown_gains_no_line_cell_or_markup(case: Callable[[str], Case], payload: str):
    pages = []
    for words in ("plain", payload):
        made = case(words)
        report = build(made.judge, made.state, made.outcomes)
        pages.append(markdown(report, made.outcomes, made.judge, items=made.items))
    benign, page = (one.splitlines() for one in pages)
    harmless(pages[1])
    assert len(page) == len(benign)
    for line, model in zip(page, benign, strict=True):
        if line.startswith("Signature: `"):
            assert line.count("`") == 2
            continue
        assert line.count("|") == model.count("|")
        assert "<" not in line
        assert ">" not in line
        assert not re.search(r"(?<!\\)(?:\\\\)*[`\[\]]", line)
        assert not re.search(r"(?i)https?://|\bwww\.|javascript:/", line)
        assert re.match(r"#*", line).group() == re.match(r"#*", model).group()  # type: ignore[union-attr]
