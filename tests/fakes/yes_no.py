"""A judge that answers one question with yes (1) or no (0)."""

from __future__ import annotations

from pathlib import Path

from adjudge.core.judge import Judge
from adjudge.spec.load import load_judge

_JUDGE = """
judge: yes-no
layout: single
languages: [en]
fields:
  source: {type: text, role: source}
  claim: {type: text, role: output}
criteria:
  answered: {kind: rating, scale: {min: 0, max: 1, better: higher}}
output:
  answered: answered
"""
_WORDS = """
title: Yes or no
about: Whether a source supports a claim.
instructions: |
  Does the source support the claim?
  {{criteria}}
  {{format}}
item: |
  {{source}}
  {{claim}}
fields: {source: Source, claim: Claim}
criteria:
  answered:
    title: Supported
    asks: Whether the source supports the claim.
    labels:
      0: it does not
      1: it does
"""


def yes_no_folder(below: Path) -> str:
    """The judge's folder, made below another."""
    folder = below / "yes-no"
    folder.mkdir(exist_ok=True)
    (folder / "judge.yaml").write_text(_JUDGE, encoding="utf-8")
    (folder / "en.yaml").write_text(_WORDS, encoding="utf-8")
    return str(folder)


def yes_no_judge(below: Path) -> Judge:
    return load_judge(yes_no_folder(below))
