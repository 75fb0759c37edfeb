"""The table of stages against one call, from scripted runs."""

from __future__ import annotations

import pytest
from eval import staged

from tests.e2e.test_staged_questions import stage, truthful


def options(server, tmp_path):
    url = f"sqlite:///{tmp_path / 'eval.db'}"
    return {"model": "openai:m", "base_url": server.url, "store": url, "ask": "rating"}


def test_other_summaries_of_the_same_sources_are_asked_the_same_in_stages(serve, tmp_path):
    server = serve(lambda request, n: truthful(request, n) if stage(request) == "checks" else None)
    found = staged.measured(["en"], 1, options(server, tmp_path))
    assert [(first.mode, first.judged, first.items) for first, _ in found] == [("one call", 1, 1), ("in stages", 1, 1)]
    lines = staged.table(found, "m").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert [row[2] for row in cells[2:]] == ["as they are", "shorter"] * 2
    calls = {(row[1], row[2]): (int(row[4]), int(row[5])) for row in cells[2:]}
    assert calls["one call", "shorter"] == (1, 0)
    new, before = calls["in stages", "shorter"]
    assert before > new, "the questions are had from the first time"
    asked, of = cells[-1][-1].split(" of ")
    assert asked == of, "and are the same"


def test_the_shorter_summary_is_another_one_of_the_same_sources():
    (row,) = staged.sample("ru", 1)
    other = staged.shorter(row)
    assert other["search_results"] == row["search_results"]
    assert 0 < len(other["summary"]) < len(row["summary"])


def test_the_table_is_written_between_its_marks():
    page = f"# Page\n\n{staged.BEGIN}\nold\n{staged.END}\n\nafter\n"
    assert staged.written(page, "new") == page.replace("old", "new")
    assert staged.written(staged.written(page, "new"), "new") == page.replace("old", "new")
    with pytest.raises(SystemExit, match="no lines"):
        staged.written("# Page", "new")


def test_without_a_model_it_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.delenv("ADJUDGE_LOCAL_MODEL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SystemExit, match="nothing was measured: --model local names no file"):
        staged.main(["--no-write"])
