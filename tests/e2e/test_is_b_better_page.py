"""docs/is-b-better.md promises an example that can be repeated: its program and commands give what the page shows."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from adjudge.cli import run_command

PAGE = (Path(__file__).parents[2] / "docs" / "is-b-better.md").read_text(encoding="utf-8")
COMPARED = (
    ("old", "long"),
    ("old-12", "long-12"),
    ("old-12", "long-12", "--margin", "0.5"),
    ("old", "new-12"),
    ("old", "new", "long"),
)


def test_the_outputs_of_the_page_are_real(capsys):
    program = Path("stories.py")
    program.write_text(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], encoding="utf-8")
    runpy.run_path(str(program))
    for name in ("old", "new", "long"):
        judged = ["run", "summary", f"{name}.jsonl", "--lang", "en", "--name"]
        assert run_command([*judged, name]) == run_command([*judged, f"{name}-12", "--limit", "12"]) == 0
    capsys.readouterr()
    shown = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(shown) == len(COMPARED)
    for sides, block in zip(COMPARED, shown, strict=True):
        assert run_command(["compare", *sides]) == 0
        told = capsys.readouterr().out
        for part in block.split("\n\n"):  # the page leaves out the notes below the tables
            assert part in told, sides
