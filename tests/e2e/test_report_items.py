"""The items of a report, made from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from adjudge.cli import run_command

SAMPLES = Path(__file__).parents[2] / "src" / "adjudge" / "samples"


def shown(*more: str) -> str:
    assert run_command(["show", "latest", "--format", "html", "-o", "report.html", *more]) == 0
    return Path("report.html").read_text("utf-8")


def ids(page: str) -> list[str]:
    return re.findall('<span class="name">([^<]+)', page)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("judge", "marked"),
    [("summary", ""), ("rag-answers", ""), ("search-summary", ' class="quoted"'), ("translation", "")],
)
def test_every_judge_shows_its_items_with_marks_and_raw_replies(judge, marked, capsys):
    rows = [json.loads(line) for line in (SAMPLES / f"{judge}.en.jsonl").read_text("utf-8").splitlines()]
    assert run_command(["run", judge, str(SAMPLES / f"{judge}.en.jsonl"), "--model", "offline"]) == 0
    page = shown()
    assert sorted(ids(page)) == sorted(str(row["id"]) for row in rows)
    assert re.search(rf'<mark title="[^"]+"{marked}>', page)
    # a reply that items of a batch share is in the file once
    assert page.count("<pre") >= 1
    keys = re.findall("<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert len(keys) == len(set(keys))
    assert re.findall('href="(#bar-[^"]+)', page)


def test_how_many_items_are_in_the_file_can_be_chosen(capsys):
    assert run_command(["run", "summary", str(SAMPLES / "summary.en.jsonl"), "--model", "offline"]) == 0
    every = ids(shown())
    assert ids(shown("--items", "2")) == every[:2]
    page = shown("--items", "0")
    assert ids(page) == []
    assert re.search(r"adjudge show \S+ --item ID", page)
    assert "href=" not in page
    capsys.readouterr()
    assert run_command(["show", "latest", "--format", "html", "--items", "10001"]) == 2
    assert "0<=x<=10000" in capsys.readouterr().err
