"""One whole prompt per judge and language, byte for byte.

After a change that is meant, `ADJUDGE_GOLDEN=write pytest tests/golden` keeps the new ones; read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adjudge.core.records import Prompt, Source
from adjudge.spec.answering import render_answer
from adjudge.spec.prompt import render, render_merge
from adjudge.spec.questionnaire import render_answers, render_questions
from adjudge.spec.stages import of_part, part_of, render_claims, render_support, without_source
from tests.unit.spec.rows import LANGS, NAMES, bundled, call, item, orders

FOLDER = Path(__file__).parent / "prompts"
RENEW = os.environ.get("ADJUDGE_GOLDEN") == "write"  # read here: tests run without the user's ADJUDGE_ variables


def check(name: str, made: str) -> None:
    path = FOLDER / name
    if RENEW:
        path.parent.mkdir(exist_ok=True)
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_as_kept(name, lang):
    judge = bundled(name, lang)
    items = [item(judge)]
    if judge.layout == "batch":
        items.append(item(judge, id="no 2", ref=None, src_lang=None, trg_lang=None))
    prompt = render(judge, call(order=orders(judge)), items)
    schema = json.dumps(prompt.schema, ensure_ascii=False, indent=1)
    check(f"{name}.{lang}.txt", f"{prompt.system}\n\n===== item\n\n{prompt.user}\n\n===== schema\n\n{schema}\n")


@pytest.mark.parametrize("lang", LANGS)
def test_a_merge_is_as_kept(lang):
    judge = bundled("translation", lang)
    prompt = render_merge(judge, "0" * 64, [{"adequacy": "Names are lost."}, {"adequacy": "Mostly exact."}])
    check(f"translation-merge.{lang}.txt", f"{prompt.system}\n\n===== summaries\n\n{prompt.user}\n")


def stages(lang: str) -> dict[str, Prompt]:
    """Every prompt that is sent for a part of a judgement, or for an answer."""
    searched, summary, asked = (bundled(name, lang) for name in ("search-summary", "summary", "rag-answers"))
    hallucination, quality = searched.criterion("hallucination"), searched.criterion("quality")
    row, story, key = item(searched), item(summary), "0" * 64
    sources = list(enumerate(row.sources("search_results"), start=1))
    query, part = {"user_query": row.text("user_query")}, [(1, Source(id="content", text="A fox met a crow."))]
    known, text = ["What does tea hold?"], sources[0][1].text
    return {
        "claims": render_claims(searched, hallucination, key, row.text("summary")),
        "support": render_support(
            searched, hallucination, key, row, sources, {1: "Tea delays sleep.", 2: "Tea is old."}
        ),
        "questions": render_questions(searched, quality, key, text=text, query=query),
        "more questions": render_questions(searched, quality, key, text=text, query=query, known=known),
        "answers": render_answers(
            searched, quality, key, outputs={"summary": row.text("summary")}, asked={1: (known[0], "caffeine")}
        ),
        "rest": render(part_of(searched, ("relevancy", "relevant_sources")), call(), [row]),
        "a part": render(of_part(summary, ("coverage",), 2, 3), call(), [story]),
        "without the source": render(without_source(summary, ("coherence", "conclusion")), call(), [story]),
        "claims in general": render_claims(summary, summary.criterion("accuracy"), key, story.text("text")),
        "support by a part": render_support(
            summary, summary.criterion("accuracy"), key, story, part, {1: "A fox meets a crow."}, (2, 3)
        ),
        "an answer": render_answer(lang, call(), item(asked)),
    }


@pytest.mark.parametrize("lang", LANGS)
def test_the_prompts_of_stages_are_as_kept(lang):
    made = (f"########## {name}\n\n{one.system}\n\n===== item\n\n{one.user}\n" for name, one in stages(lang).items())
    check(f"stages.{lang}.txt", "\n".join(made))
