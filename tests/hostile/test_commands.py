"""Three hundred hostile ids, texts, annotators and comments, from a run through a label file to every answer."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import unicodedata
from pathlib import Path
from xml.parsers import expat

import pytest

from adjudge.cli import run_command
from tests.fakes.labelled import NAMES
from tests.fakes.verdicts import a_run
from tests.hostile.test_exports import FORMULAS
from tests.hostile.test_report_hostile import PAYLOADS, harmless, skeleton

_SIGNS = (
    "<>&\"'`|[]()#*_~$\\=+-@,;:/{}%!\x01\x1b\x7f\x85\x9b\u200b\u202e\u2028\ufeff\ufffe \t\r\na\u044f\u6f22\U000e0041"
)


def strings(count: int = 300) -> list[str]:
    draw = random.Random(0)
    found = [*PAYLOADS, *draw.sample(FORMULAS, 120)]
    while len(found) < count:
        found.append("".join(draw.choice(_SIGNS) for _ in range(draw.randint(1, 40))))
    # what a file of text can hold
    return [text.encode("utf-8", "replace").decode().replace("\x00", "\x01") for text in found]


HOSTILE = strings()
ASKED = {
    "correct": ["correct", "one", "--labels", "labels.csv", "--pass", "coverage>=3"],
    "agree": ["agree", "one", "--labels", "labels.csv"],
    "compare": ["compare", "one", "two"],
    "gate": ["gate", "one", "--baseline", "two", "--max-drop", "0", "--junit", "gate.xml", "--markdown", "gate.md"],
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Two runs whose ids and texts are hostile, and two plain ones of the same shape."""
    folders = {}
    for kind in ("plain", "hostile"):
        folder = folders[kind] = tmp_path_factory.mktemp(kind)
        words = HOSTILE if kind == "hostile" else ["plain"] * len(HOSTILE)
        rows = [
            {"id": f"{word[:150]} {n}", "content": f"{word} {n}", "text": f"{word} {n}", "lang": "en"}
            for n, word in enumerate(words)
        ]
        draw = random.Random(1)
        for name in ("one", "two"):
            given = [{each: draw.randint(1, 5) for each in NAMES} for _ in rows]
            a_run(f"sqlite:///{folder / 'runs.db'}", "summary", given, rows=rows, name=name, model=words[0])
    return folders


def _filled(folder: Path, kind: str) -> list[dict[str, str]]:
    """The chosen rows with scores, an annotator and a comment, as they are read back from the file."""
    rows = list(csv.DictReader(io.StringIO((folder / "sample.csv").read_bytes().decode("utf-8-sig"), newline="")))
    draw = random.Random(2)
    for number, row in enumerate(rows):
        row |= {name: str(draw.randint(1, 5)) for name in NAMES}
        person, said = f"person {number % 30}", HOSTILE[number % len(HOSTILE)]
        row |= {"annotator": person, "comment": "plain"}
        if kind == "hostile":
            row |= {"annotator": f"{HOSTILE[number % 30][:100]} {person}", "comment": said}
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return rows


def _asked(folder: Path, monkeypatch, capsys, *args: str) -> tuple[int, str]:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ADJUDGE_STORE", f"sqlite:///{folder / 'runs.db'}")
    code = run_command([*args])
    told = capsys.readouterr()
    harmless(told.err)
    return code, told.out


def test_no_cell_of_the_sample_starts_a_formula_and_every_id_is_read_back(judged, monkeypatch, capsys):
    folder = judged["hostile"]
    assert _asked(folder, monkeypatch, capsys, "sample", "one", "--n", "300", "-o", "sample.csv")[0] == 0
    for row in _filled(folder, "hostile"):
        for cell in (*row, row["id"], row["content"], row["text"], row["sample_run"], row["sample_code"]):
            seen = (sign for sign in cell if not sign.isspace() and unicodedata.category(sign) not in ("Cc", "Cf"))
            assert unicodedata.normalize("NFKC", next(seen, "x")) not in ("=", "+", "-", "@"), cell
    code, told = _asked(folder, monkeypatch, capsys, *ASKED["correct"], "--json")
    found = json.loads(told)
    assert (code, found["labelled"], found["criteria"]["coverage"]["n"]) == (0, 300, 300)
    assert not any("left out" in warning for warning in found["warnings"])


@pytest.mark.parametrize("command", ASKED)
def test_every_form_of_every_answer_stays_what_it_is(judged, monkeypatch, capsys, command):
    pages = {}
    for kind, folder in judged.items():
        assert _asked(folder, monkeypatch, capsys, "sample", "one", "--n", "300", "-o", "sample.csv")[0] == 0
        _filled(folder, kind)
        for form in ("text", "markdown", "html", "json"):
            code, page = _asked(folder, monkeypatch, capsys, *ASKED[command], "--format", form)
            assert code == (command == "gate")
            pages[kind, form] = page
    for form in ("text", "markdown", "html"):
        # a tab is a blank to a page
        harmless(pages["hostile", form].replace("\t", " ") if form == "html" else pages["hostile", form])
    json.loads(pages["hostile", "json"])
    # which items got which label, and so the circles of the chart, hangs on the ids; test_injection has charts alike
    drawn = [re.sub("<svg.*?</svg>", "", pages[kind, "html"], flags=re.DOTALL) for kind in ("hostile", "plain")]
    assert skeleton(drawn[0]) == skeleton(drawn[1])
    counts = [
        [line.count("|") for line in pages[kind, "markdown"].splitlines() if not line.startswith("Signature: `")]
        for kind in judged
    ]
    assert counts[0] == counts[1]
    if command == "gate":
        written = (judged["hostile"] / "gate.xml").read_bytes()
        expat.ParserCreate().Parse(written, True)
        harmless(written.decode())
        harmless((judged["hostile"] / "gate.md").read_text("utf-8"))
