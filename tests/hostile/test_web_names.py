"""Names in addresses never become paths: of judges, of runs, of files."""

from __future__ import annotations

import shutil

import pytest

from adjudge.spec.load import BUNDLED
from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Request
from adjudge.web.site import Site
from tests.fakes.wire import a_store, filled

MARK = "a-text-that-no-page-may-show"
NAMES = (
    "my-judge", "./my-judge", "my-judge/judge.yaml", "../my-judge", "$folder/my-judge", "file://$folder/my-judge",
    "secret.css", "./secret.css", "../secret.css", "$folder/secret.css", "..%2fsecret.css", "%2e%2e/secret.css",
    "..\\secret.css", "web.css/../secret.css", "secret.css\x00", "secret.css\x00.css", "~/secret.css", "~root",
    "/etc/passwd", "../../../../../../../../etc/passwd", "/proc/self/environ", ".", "..", "a.db", "sqlite:///$folder/b.db",
    "C:\\secret.css",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_name_leads_to_a_file(tmp_path, name):
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_store(url)[0]
    shutil.copytree(BUNDLED / "summary", tmp_path / "my-judge")
    for path in (tmp_path / "my-judge").iterdir():
        path.write_text(path.read_text(encoding="utf-8") + f"# {MARK}\n", encoding="utf-8")
    (tmp_path / "secret.css").write_text(MARK, encoding="utf-8")
    site = Site(store=url)
    given = name.replace("$folder", str(tmp_path))
    tried = 0
    for route in router(site).routes:
        for part in ("judge", "run", "name"):
            if f"{{{part}}}" in route.path and route.method == "GET":
                asks = Request(
                    method="GET",
                    path=filled(route, **{"run": run, part: given}),
                    headers={"host": "localhost"},
                    query={"run": [given], "digest": [given]} if part == "judge" else {},
                )
                found = answer(router(site), site, Guard(hosts=LOCAL), asks)
                assert found.status in (400, 404), (route.path, found)
                assert isinstance(found.body, str)
                assert MARK not in found.body
                tried += 1
    assert tried > 10
