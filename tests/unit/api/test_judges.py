"""Judges to look at, and rows to show their prompts for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adjudge.api.judges import bundled, find_judge, sample, used
from adjudge.core.errors import ConfigError
from adjudge.spec.load import BUNDLED, bundled_judges, load_judge
from tests.fakes.verdicts import a_run
from tests.unit.api.test_changes import even


def test_every_judge_of_every_language_has_a_row_to_show(tmp_path: Path):
    for name in bundled_judges():
        for lang in load_judge(name).langs:
            data, items = sample(load_judge(name, lang))
            assert data.endswith(f".{lang}.jsonl")
            assert items
    assert sample(load_judge("translation-mqm", "ru"))[0] == "translation.ru.jsonl"


def test_a_judge_of_other_fields_has_none(tmp_path: Path):
    folder = tmp_path / "poems"
    shutil.copytree(BUNDLED / "summary", folder)
    for path in folder.glob("*.yaml"):
        text = (
            path.read_text("utf-8").replace("  text: {type", "  poem: {type").replace("also: [summary]", "also: [ode]")
        )
        path.write_text(text.replace(", text: ", ", poem: ").replace("{text}", "{poem}"), "utf-8")
    assert sample(load_judge(folder)) == ("", [])


def test_judges_come_in_the_language_asked_for():
    assert {judge.lang for judge in bundled("ru")} == {"ru"}
    assert {judge.name for judge in bundled("xx")} == set(bundled_judges())


def test_a_judge_is_found_as_the_runs_used_it(tmp_path: Path):
    url, folder = f"sqlite:///{tmp_path}/a.db", tmp_path / "mine"
    shutil.copytree(BUNDLED / "summary", folder)
    text = (folder / "en.yaml").read_text("utf-8")
    (folder / "en.yaml").write_text(text.replace("title: Summary", "title: Mine", 1), "utf-8")
    mine = a_run(url, str(folder), [even(3)], name="mine")
    shutil.rmtree(folder)
    a_run(url, "summary", [even(3)], name="one")
    newest = a_run(url, "summary", [even(4)], name="two")
    assert [(one.newest.id, one.runs) for one in used(url)] == [(newest.id, 2), (mine.id, 1)]
    digest = mine.state.run.judge_digest
    assert find_judge("summary", lang="", digest=digest, store=url).title == "Mine"
    assert find_judge("summary", lang="ru", digest=digest, store=url).lang == "ru"
    assert find_judge("summary", lang="", digest="", store=url).title == "Summary"
    for name, key in (
        ("translation", digest),
        ("summary", "0" * 64),
        (str(BUNDLED / "summary"), ""),
        ("../judges", ""),
    ):
        with pytest.raises(ConfigError, match="judge"):
            find_judge(name, lang="", digest=key, store=url)
