"""Labels from a file and the agreement in a real browser."""

from __future__ import annotations

import json

import pytest

from adjudge.api.labelling import Desk
from adjudge.store.store import open_store
from adjudge.web.site import Site
from tests.fakes.browser import serving, watched
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
EVIL = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture
def run(tmp_path):
    scores = [dict.fromkeys(SUMMARY, 1 + n % 5) for n in range(12)]
    return a_run(f"sqlite:///{tmp_path}/a.db", "summary", scores)


def clean(seen) -> bool:
    return (seen.dialogs, seen.requests, seen.errors) == ([], [], [])


def test_labels_of_a_file_come_in_and_their_agreement_is_shown(browser, run, tmp_path):
    rows = [{"id": f"i{n}", "annotator": EVIL, "coverage": 1 + n % 5, "comment": EVIL} for n in range(12)]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with serving(Site(store=run.store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/runs/{run.id}/labels")
        assert "Nobody has labelled this run yet" in page.inner_text("main")
        page.get_by_label("File").set_input_files(tmp_path / "labels.jsonl")
        page.get_by_role("button", name="Add labels").click()
        assert "Labels added: 12" in page.get_by_role("status").inner_text()
        assert page.locator("table tbody th").inner_text() == EVIL
        page.get_by_role("link", name="Agreement of judge and people").first.click()
        assert "Can this judge be trusted?" in page.inner_text("h1")
        assert "labels: 12" in page.inner_text("main")
        assert page.locator("main img, main script").count() == 0
        assert clean(seen)


def test_a_wrong_row_is_named_and_nothing_is_added(browser, run, tmp_path):
    (tmp_path / "labels.csv").write_text("id,annotator,coverage\ni0,kim,4\ni1,kim,<b>9</b>\n")
    with serving(Site(store=run.store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/runs/{run.id}/labels")
        page.get_by_label("File").set_input_files(tmp_path / "labels.csv")
        page.get_by_role("button", name="Add labels").click()
        told = page.get_by_role("alert").inner_text()
        assert "Nothing was added" in told
        assert "labels.csv, line 3" in told
        assert "<b>9</b>" in told
        assert seen.dialogs == seen.requests == []
        assert all("400" in error for error in seen.errors)
    with open_store(run.store) as store:
        assert store.label_edits(run.id) == []


def test_the_labels_are_downloaded_as_the_command_writes_them(browser, run):
    Desk.open(run, "anna").say(1, "coverage", 4, comment="=1+1")
    with serving(Site(store=run.store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(f"{address}/runs/{run.id}/labels")
        with page.expect_download() as waiting:
            page.get_by_role("link", name="CSV", exact=True).click()
        file = waiting.value.path()
        assert waiting.value.suggested_filename == f"{run.id}.labels.csv"
        assert file.read_text().splitlines()[1].startswith("i")
        assert "'=1+1" in file.read_text()
        assert clean(seen)
