"""Names from data in a gate's pages: they stay text, and the XML stays XML."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.report.gated import Gated
from tests.hostile.test_report_hostile import PAYLOADS
from tests.unit.report import sample
from tests.unit.report.test_gated import HELD, JUDGED, structure


@pytest.mark.parametrize("hostile", PAYLOADS)
def test_hostile_names_stay_text(hostile):
    state = sample.state(sample.single(), 20)
    run = replace(state.run, settings=replace(state.run.settings, model=hostile), data=hostile, name=hostile)
    held = replace(HELD, figure=f"coverage:{hostile}", title="Coverage", candidate=hostile)
    found = Gated(
        state=replace(state, run=run), lang="en", held=(JUDGED, held, replace(held, kind="max")), baseline=run
    )
    structure(found.junit())
    sheet = found.sheet()
    page, text, markdown = "".join(sheet.html()), sheet.text(), sheet.markdown()
    assert "<script>alert" not in page and "<img" not in page and "<svg" not in page
    assert not {"\x1b", "\x00", "\u202e", "\x9b"} & {*page, *text, *markdown, *found.junit()}
    assert "forged item" not in [line.lstrip("# ") for line in markdown.splitlines() if line.startswith("#")]
    found.junit().encode("utf-8")
