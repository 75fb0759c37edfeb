from __future__ import annotations

import re

import pytest
import yaml

from adjudge.demo import COLUMNS, SAMPLES, main, table
from adjudge.models.offline.lexicon import load
from adjudge.report.plain import width

KINDS = yaml.safe_load((SAMPLES / "kinds.yaml").read_text(encoding="utf-8"))["kinds"]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_demo_shows_every_kind_of_finding(tmp_path, capsys, lang):
    assert main("demo", lang) == 0
    shown, told = capsys.readouterr()
    printed = re.findall(r": adjudge (?:show|serve).*", told)
    assert len(printed) == 8 and all(line.endswith(" --store sqlite:///demo/demo.db") for line in printed)
    assert sorted(page.name for page in (tmp_path / "demo").glob("*.html")) == [
        "rag-answers.html",
        "search-summary.html",
        "summary.html",
        "translation.html",
    ]
    assert "model:offline" in shown
    rows = {kind[lang]: re.search(rf"^{re.escape(kind[lang])}  +(\d+)  (\S.*)$", shown, re.MULTILINE) for kind in KINDS}
    assert [name for name, row in rows.items() if row is None or int(row[1]) == 0] == []
    assert all(width(row[0]) <= COLUMNS for row in rows.values() if row)


def test_the_kinds_of_the_table_are_kinds_of_findings():
    known = set(load("words.en.yaml"))
    named = [name for kind in KINDS for name in kind["of"]]
    assert set(named) <= known
    assert len(named) == len(set(named))


def test_a_kind_without_a_finding_is_shown_as_none_and_a_hostile_reason_on_one_line():
    found = [{"kind": "repeated", "reason": "a\x1b[2J\nb" + "й" * 200}]
    lines = table(found, "en").splitlines()
    (row,) = [line for line in lines if line.startswith("repetition")]
    assert "\x1b" not in row and row.endswith("…") and width(row) <= COLUMNS
    assert any(re.fullmatch(r"dangling citation +0  —", line) for line in lines)
