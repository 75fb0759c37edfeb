"""axe-core, which finds what keeps people from using a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

#: What a page must not have; axe calls the rest minor.
GRAVE = ("moderate", "serious", "critical")


@cache
def _script() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, *, only: Sequence[str] = ()) -> list[str]:
    """What axe finds on the page as it stands, as lines of impact, rule, place and why; `only` by these rules.

    The page's own policy lets in no foreign script: its context must be made with `bypass_csp=True`.
    """
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(_script())
    options = {"resultTypes": ["violations"]} | ({"runOnly": [*only]} if only else {})
    found: list[dict[str, Any]] = page.evaluate("async asked => (await axe.run(document, asked)).violations", options)
    return [
        f"{one['impact']} {one['id']}: {' '.join(map(str, node['target']))}: {' '.join(node['failureSummary'].split())}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"][:5]
    ]
