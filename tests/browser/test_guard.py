"""What a real browser lets other sites try, and a token in the address."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from contextlib import contextmanager
from functools import partial
from urllib.parse import urlsplit

import pytest

from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Response
from adjudge.web.server import Server
from adjudge.web.site import Site
from tests.fakes.browser import serving, watched
from tests.fakes.wire import a_store

TOKEN = "a-token-of-thirty-odd-characters"
#: Whatever a page can do to another server without asking: reads of every kind, and writes that need no permission.
ATTACK = """<!doctype html><title>a nice page</title>
<img src="$target/"><script src="$target/api/runs"></script><link rel="stylesheet" href="$target/static/web.css">
<iframe name="here" src="$target/"></iframe>
<form id="form" method="post" action="$target$path" target="here"><input name="value" value="1"></form>
<form id="plain" method="post" enctype="text/plain" action="$target$path" target="here"><input name="{"></form>
<script>
const label = JSON.stringify({annotator: "eve", number: 1, criterion: "coverage", value: 1});
const tries = [];
for (const mode of ["no-cors", "cors"]) for (const credentials of ["include", "omit"])
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
    const headers = {"Content-Type": type};
    tries.push(fetch("$target$path", {method: "POST", mode, credentials, headers, body: label}));
    tries.push(fetch("$target/api/runs", {mode, credentials}));
  }
navigator.sendBeacon("$target$path", new Blob([label], {type: "text/plain"}));
document.getElementById("form").submit();
document.getElementById("plain").submit();
Promise.allSettled(tries).then(async (all) => {
  const read = all.filter((one) => one.status === "fulfilled" && one.value.type !== "opaque").length;
  document.title = "tried " + all.length + ", read " + read;
});
</script>"""
OWN = """async (at) => {
  const label = JSON.stringify({annotator: "eve", number: 1, criterion: "coverage", value: 1});
  const headers = {"Content-Type": "application/json"};
  return (await fetch(at, {method: "POST", headers, body: label})).status;
}"""


@contextmanager
def answering(reply):
    """The port of a server on this machine."""
    server = Server(("127.0.0.1", 0), reply)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.02))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def labels(path) -> int:
    store = sqlite3.connect(path)
    (count,) = store.execute("SELECT COUNT(*) FROM labels").fetchone()
    store.close()
    return int(count)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_another_site_neither_reads_nor_writes(browser, tmp_path, name):
    """From another port of this machine, which is the same site to browsers, and from another name."""
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_store(url)[0]
    site, answers = Site(store=url), list[tuple[str, int]]()

    def reply(request) -> Response:
        found = answer(router(site), site, Guard(hosts=LOCAL), request)
        answers.append((request.method, found.status))
        return found

    with answering(reply) as own:
        address = f"http://127.0.0.1:{own}"
        page = ATTACK.replace("$target", address).replace("$path", f"/api/runs/{run}/labels")
        other = Response(body=page, headers={"Content-Security-Policy": ""})
        with answering(lambda request: other) as port, watched(browser, origin=address) as (opened, seen):
            opened.goto(f"http://{name}:{port}/")
            opened.wait_for_function("document.title.startsWith('tried')")
            assert opened.title() == "tried 24, read 0"
            for _ in range(240):  # what the page has sent off may come late
                heard = len(answers)
                opened.wait_for_timeout(500)
                left = Counter(GET=11, POST=7, OPTIONS=2) - Counter(method for method, _ in answers)
                if not left and heard == len(answers):
                    break
            assert (left, {status for _, status in answers}) == (Counter(), {403})
            assert seen.dialogs == []
        assert labels(tmp_path / "a.db") == 0
        # so that this test can fail: from our own page the same request is one that counts
        with watched(browser, origin=address) as (opened, _):
            opened.goto(address)
            assert opened.evaluate(OWN, f"/api/runs/{run}/labels") == 200
        assert labels(tmp_path / "a.db") == 1


def test_a_token_in_the_address_is_taken_once(browser, tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    a_store(url)
    with serving(Site(store=url), token=TOKEN) as address:
        with watched(browser, origin=address) as (page, seen):
            page.goto(f"{address}/?q=old&token={TOKEN}")
            assert page.url == f"{address}/?q=old"
            assert "old" in page.inner_text("main")
            assert page.evaluate("document.cookie") == ""
            page.goto(f"{address}/judges")
            assert page.title() != ""
            assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
            (cookie,) = page.context.cookies()
            assert (cookie["name"], cookie["sameSite"]) == (f"adjudge_{urlsplit(address).port}", "Strict")
        with watched(browser, origin=address) as (page, _):
            found = page.goto(f"{address}/judges")
            assert found is not None
            assert found.status == 401
