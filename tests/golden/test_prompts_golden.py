"""One whole prompt per judge and language, byte for byte.

After a change that is meant, `ADJUDGE_GOLDEN=write pytest tests/golden` keeps the new ones; read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adjudge.spec.prompt import render, render_merge
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
