"""The web page in a real browser."""

from __future__ import annotations

from adjudge.web.site import Site
from tests.fakes.browser import serving, watched
from tests.fakes.verdicts import a_run


def test_the_first_page_lists_the_runs(browser, tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_run(
        url,
        "summary",
        [dict.fromkeys(("coverage", "accuracy", "coherence", "conciseness", "hallucination_check"), 4)],
        name="ferries",
    )
    with serving(Site(store=url)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(address)
        assert "ferries" in page.inner_text("main")
        assert run.id in page.inner_text("main")
        assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
