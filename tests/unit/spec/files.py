"""A small judge as text files, to be broken in one place at a time."""

from __future__ import annotations

from pathlib import Path

from adjudge.core.judge import Judge
from adjudge.spec.load import load_judge

JUDGE = """\
judge: mine
version: 1
layout: single
languages: [en]
fields:
  article: {type: text, role: source, also: [doc]}
  note: {type: text, role: output}
  hint: {type: text, required: false}
criteria:
  clarity: {kind: rating, scale: {min: 1, max: 3, better: higher}}
  brevity: {kind: rating, scale: {min: 1, max: 3, better: higher}}
  remark: {kind: text}
derived:
  mean_score: {mean: [clarity, brevity]}
output:
  clarity: clarity
  brevity: brevity
  overall: {mean_score: mean_score, remark: remark.text}
"""

ENGLISH = """\
title: Mine
about: A judge for tests.
instructions: |
  Judge the note.

  {{criteria}}

  {{format}}
item: |
  Article:
  {{article}}

  Note:
  {{note}}

  Hint:
  {{hint}}
fields: {article: Article, note: Note, hint: Hint}
criteria:
  clarity:
    title: Clarity
    asks: Is it clear?
    labels:
      1: Dark
      2: Dim
      3: Clear
  brevity:
    title: Brevity
    asks: Is it short?
    labels: {1: Long, 2: Middling, 3: Short}
  remark:
    title: Remark
    asks: One sentence.
derived: {mean_score: Mean}
"""


def folder(at: Path, judge: str = JUDGE, english: str | bytes | None = ENGLISH, **others: str) -> Path:
    """A judge's folder with these files; None leaves the English one out."""
    at.mkdir(parents=True, exist_ok=True)
    (at / "judge.yaml").write_bytes(judge.encode())
    if english is not None:
        (at / "en.yaml").write_bytes(english if isinstance(english, bytes) else english.encode())
    for name, text in others.items():
        (at / f"{name}.yaml").write_text(text, encoding="utf-8")
    return at


def load(at: Path, judge: str = JUDGE, english: str | bytes | None = ENGLISH, **others: str) -> Judge:
    """The judge that these files make."""
    return load_judge(folder(at, judge, english, **others))


def changed(text: str, old: str, new: str) -> str:
    """The text with one place changed; the place must be there once, or the test tests nothing."""
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)
