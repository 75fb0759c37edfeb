"""A run that is going on, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

from adjudge.api.stored import list_runs
from adjudge.core.errors import AdjudgeError
from adjudge.web.site import Site
from tests.e2e.test_run_http import valid
from tests.fakes.browser import serving, watched
from tests.fakes.clock import PATIENCE_S, wait_for
from tests.fakes.server import Answer, FakeModelServer, refusal


class Flaky:
    """Refuses one item; answers as many requests as it may, and the others when it may answer more."""

    may = 4

    def __call__(self, request: Any, n: int) -> Answer:
        refused = "ferry 3 " in str(request["messages"])
        answer = refusal(400, "no such thing") if refused else Answer(text=json.dumps(valid(request)))
        return replace(answer, after=lambda: n <= self.may)


def test_a_running_run_is_seen_to_grow_and_to_end(browser, tmp_path):
    url, data = f"sqlite:///{tmp_path}/live.db", tmp_path / "data.jsonl"
    rows = ({"id": f"i{n}", "content": f"The ferry {n} leaves at nine.", "text": f"Nine, {n}."} for n in range(30))
    data.write_text("\n".join(map(json.dumps, rows)))
    model = Flaky()
    server = FakeModelServer(model)
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
            model.may = 16
            page.wait_for_function("n => document.querySelector('.live progress').value > n + 3", arg=first)
            page.locator(".live").get_by_text("items/s").wait_for()
            page.get_by_text("bad_request").first.wait_for()
            model.may = 100
            page.get_by_role("heading", name="Criteria", exact=True).wait_for()
            assert child.wait(PATIENCE_S) == 3
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
    found = list[str]()

    def begun() -> bool:
        with suppress(AdjudgeError):  # the store is being made
            # one that was made and is not worked at yet has no progress to show
            found.extend(state.run.id for state in list_runs(store=url) if state.status == "running")
        return bool(found)

    wait_for(begun)
    return found[0]
