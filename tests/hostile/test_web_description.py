"""Requests made up from the OpenAPI description, right and wrong ones, against the real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from adjudge.web.site import Site
from tests.fakes.browser import serving
from tests.fakes.wire import a_store, ask

EXAMPLES = os.environ.get("ADJUDGE_EXAMPLES", "10")
#: Every answer is described and of the shape that is described, what is wrong is refused, and so are methods that are
#: not described.
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
)


def test_no_request_that_the_description_suggests_is_a_fault(tmp_path):
    """In a process of its own: the tool brings a plugin with warnings, which are errors here."""
    url = f"sqlite:///{tmp_path}/a.db"
    a_store(url)
    with serving(Site(store=url)) as address:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json"),
                *("--checks", ",".join(CHECKS), "--max-examples", EXAMPLES, "--seed", "1"),
                *("--phases", "examples,coverage,fuzzing", "--no-color", "--workers", "1"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert ask(address, "GET", "/api/runs").status == 200
        described = json.loads(ask(address, "GET", "/openapi.json").body)
    # all but the description itself
    operations = sum(len(own) for own in described["paths"].values()) - 1
    assert f"Tested: {operations}\n" in done.stdout
