"""A run that is going on, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from adjudge.api.stored import list_runs
from adjudge.core.errors import AdjudgeError
from adjudge.web.site import Site
from tests.fakes.browser import serving, watched
from tests.fakes.server import Answer, FakeModelServer


def flaky(request: Any, n: int) -> Answer | None:
    return (
        Answer(status=400, data={"error": {"message": "no such thing"}})
        if "ferry 3 " in str(request["messages"])
        else None
    )


def test_a_running_run_is_seen_to_grow_and_to_end(browser, tmp_path):
    url, data = f"sqlite:///{tmp_path}/live.db", tmp_path / "data.jsonl"
    rows = ({"id": f"i{n}", "content": f"The ferry {n} leaves at nine.", "text": f"Nine, {n}."} for n in range(30))
    data.write_text("\n".join(map(json.dumps, rows)))
    server = FakeModelServer(flaky, latency_s=0.25)
    with ThreadPoolExecutor(1) as thread:  # the browser's loop is that of this thread
        thread.submit(server.__enter__).result()
    order = ["run", "summary", str(data), "--model", "openai:any", "--base-url", server.url, "--store", url]
    child = subprocess.Popen([sys.executable, "-m", "adjudge", *order, "--concurrency", "2"], stdout=subprocess.DEVNULL)
    try:
        with serving(Site(store=url)) as address, watched(browser, origin=address) as (page, seen):
            run = _started(url)
            page.goto(address)
            assert page.locator("table.runs progress").is_visible()
            page.get_by_role("link", name=run).click()
            bar = page.locator("main section.live progress")
            first = int(bar.get_attribute("value") or 0)
            page.wait_for_function("n => document.querySelector('.live progress').value > n + 3", arg=first)
            page.locator(".live").get_by_text("items/s").wait_for()
            page.get_by_text("bad_request").first.wait_for()
            page.get_by_role("heading", name="Criteria", exact=True).wait_for()
            assert child.wait(10) == 3
            assert page.locator("[hx-trigger*=every]").count() == 0
            assert "29 of 30" in page.inner_text("main")
            page.goto(f"{address}/runs/{run}/items/1")
            page.get_by_role("link", name="Show what was sent").click()
            page.locator("#prompts-sent pre").first.wait_for()
            asked = next(one for one in server.requests if "The ferry 0 leaves" in one.user)
            shown = page.locator("#prompts-sent pre").all_text_contents()
            assert shown == [asked.data["messages"][0]["content"], asked.user]
            assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
    finally:
        child.kill()
        child.wait()
        server.__exit__(None, None, None)


def _started(url: str) -> str:
    for _ in range(200):
        try:
            if states := list_runs(store=url):
                return states[0].run.id
        except AdjudgeError:
            pass  # the store is being made
        time.sleep(0.05)
    raise AssertionError("the run did not begin")
