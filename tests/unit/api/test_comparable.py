"""Which runs can be compared with one."""

from __future__ import annotations

import shutil
from pathlib import Path

from adjudge.api.comparable import others
from adjudge.spec.load import BUNDLED
from tests.fakes.verdicts import a_row, a_run
from tests.unit.api.test_changes import ALL, JUDGE, even


def test_runs_of_the_same_scales_can_be_compared_and_others_say_why_not(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    turned = tmp_path / "turned"
    shutil.copytree(BUNDLED / "summary", turned)
    text = (turned / "judge.yaml").read_text("utf-8")
    (turned / "judge.yaml").write_text(text.replace("better: higher", "better: lower"), "utf-8")
    first = a_run(url, "summary", [even(3)] * 2, name="first")
    same = a_run(url, "summary", [even(4)] * 2, name="same")
    russian = a_run(url, "summary", [even(4)], rows=[a_row(JUDGE, 9)], name="russian", lang="ru")
    nothing = a_run(url, "summary", [None], name="nothing")
    scales = a_run(url, str(turned), [even(3)], name="turned")
    answers = a_run(url, "translation", [], name="other")
    found = {one.state.run.id: (one.bar, one.told, one.same_data) for one in others(first)}
    assert found == {
        same.id: ("", "", True),
        russian.id: ("", "", False),
        nothing.id: ("nothing", "", False),
        scales.id: ("scales", ", ".join(sorted(ALL)), False),
        answers.id: ("judge", "translation", False),
    }
