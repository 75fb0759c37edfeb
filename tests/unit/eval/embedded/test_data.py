"""The loaders on tiny files of our own, the halves, and the word where the sets are absent."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from eval.embedded import data
from eval.embedded.data import Absent, Sample


def _put(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    (folder / "human").mkdir(exist_ok=True)
    with gzip.open(folder / "human" / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADJUDGE_DATA", str(tmp_path))
    return tmp_path


def test_absent_sets_are_told(folder: Path):
    with pytest.raises(Absent, match="ADJUDGE_DATA"):
        data.folder()


@pytest.mark.parametrize("module", ["eval.embedded", "eval.embedded.summaries", "eval.embedded.adversary"])
def test_commands_without_sets_say_so_and_end_well(folder: Path, module: str):
    done = subprocess.run([sys.executable, "-m", module, "--fast"], capture_output=True, text=True, cwd=data.ROOT)
    assert (done.returncode, "nothing was measured" in done.stdout) == (0, True)


def test_a_pair_becomes_two_answers_with_opposite_labels(folder: Path):
    scores = {"overall_label": 0.5}
    row = {
        "id": "p",
        "split_key": "k",
        "dataset": "own",
        "query": "q",
        "gt_answer": "g",
        "answer_1": "a",
        "answer_2": "b",
    }
    _put(
        folder,
        "ragchecker_pairs",
        [{**row, "human": {"overall": [1, 2]}, "ragchecker_scores": {"1": scores, "2": scores}}],
    )
    first, second = data.ragchecker()
    assert (first.text, second.text) == ("a", "b")
    assert (first.human["overall"], second.human["overall"]) == (-1.5, 1.5)
    assert first.document == second.document
    assert first.others == {"RAGChecker, overall": 0.5}


def test_marked_errors_become_labels_and_references_are_left_out(folder: Path):
    row = {"lp": "en-ru", "doc_id": "1", "seg_id": "1", "split_key": "k", "src": "s", "mt": "m", "ref": None}
    mark = {"category": "Linguistic_conventions", "subcategory": "Punctuation"}
    _put(
        folder,
        "bio_mqm_ru",
        [
            {**row, "id": "a", "system": "A", "is_reference": False, "mqm_ratings": {"x": [mark], "y": []}},
            {**row, "id": "b", "system": "B", "is_reference": False, "mqm_ratings": {"x": []}},
            {**row, "id": "c", "system": "ref", "is_reference": True, "mqm_ratings": {"x": []}},
            {**row, "id": "d", "lp": "ru-en", "system": "A", "is_reference": False, "mqm_ratings": {}},
        ],
    )
    found = data.bio_mqm()
    assert [(s.id, s.human["clean punctuation"], s.human["all translated"]) for s in found] == [
        ("a", 0.0, 1.0),
        ("b", 1.0, 1.0),
    ]


def test_translations_by_people_and_unscored_rows_are_left_out(folder: Path):
    row = {"test_set": "t", "doc_id": "1", "seg_index": 1, "domain": "news", "split_key": "k", "src": "s", "ref": "r"}
    _put(
        folder,
        "wmt_mqm_ende",
        [
            {**row, "id": "a", "system": "A", "mt": "m", "mqm_score": -1, "gemba_mqm_gpt4": -5},
            {**row, "id": "b", "system": "refA", "mt": "r", "mqm_score": 0},
            {**row, "id": "c", "system": "C", "mt": "m", "mqm_score": None},
        ],
    )
    assert [(s.id, s.human["mqm"], s.others) for s in data.wmt("en-de")] == [("a", -1.0, {"GEMBA-MQM (GPT-4)": -5.0})]


def _samples(n: int) -> list[Sample]:
    return [Sample(id=f"{i}|{k}", source=f"doc{i}", document=f"doc{i}", text="t") for i in range(n) for k in range(3)]


def test_halves_share_no_source_and_make_the_whole():
    every = _samples(200)
    dev, held = data.taken(every, half="dev"), data.taken(every, half="held")
    assert {s.id for s in dev} | {s.id for s in held} == {s.id for s in every}
    assert not {s.source for s in dev} & {s.source for s in held}
    assert 0.35 < len(dev) / len(every) < 0.65


def test_a_quick_look_takes_whole_sources_and_is_always_the_same():
    every = _samples(200)
    found = data.taken(every, fast=50)
    assert 50 <= len(found) <= 52
    assert all(sum(s.source == one.source for s in found) == 3 for one in found)
    assert [s.id for s in data.taken(list(reversed(every)), fast=50)] == [s.id for s in reversed(found)]
