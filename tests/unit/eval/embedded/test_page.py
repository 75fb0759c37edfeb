"""The commands' parts put together: tasks, requests for the speed, the kept figures, the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from eval.embedded import __main__ as command
from eval.embedded import results, speed, table
from eval.embedded.data import Sample
from eval.embedded.measured import baseline_columns, source_text
from eval.embedded.shown import Options
from eval.embedded.tasks import Task, run


def _samples() -> list[Sample]:
    """Of each of 20 sources a copied and an alien text, from two systems."""
    found = []
    for n in range(20):
        source = f"The bridge number {n} over the river was opened in the spring."
        for system, text, label in (("a", source, 1.0), ("b", "Cats sleep a lot.", 0.0)):
            found.append(
                Sample(
                    id=f"{n}|{system}",
                    source=f"s{n}",
                    document=f"s{n}",
                    text=text,
                    sources=(source,),
                    reference=source,
                    query="What opened?",
                    part=system if n % 2 else "c",
                    human={"ok": label},
                    others={"somebody": label} if n else {},
                )
            )
    return found


TASK = Task(
    name="Own",
    load=_samples,
    labels={"ok": ("AUC", "right order")},
    columns=lambda samples, options: baseline_columns(samples, source_text),
    each="AUC",
    fast=10,
)


def test_a_task_gives_every_column_every_kind_and_every_part():
    rows = run([TASK], Options(half="all", draws=20))
    found = {(r.label, r.kind, r.by): r.figures for r in rows}
    whole = found["ok", "AUC", "ROUGE-L"]
    assert set(whole) == {"dev", "held", "all"}
    assert (whole["all"].value, whole["all"].n, whole["all"].low) == (1.0, 40, None)
    assert whole["dev"].n + whole["held"].n == 40
    assert found["ok", "right order", "ROUGE-L"]["all"].value == 1.0
    assert found["ok", "AUC", "somebody"]["all"].n == 38
    assert found["ok, c", "AUC", "ROUGE-L"]["all"].n == 20


def test_a_quick_look_is_smaller_and_other_sets_are_left_out():
    assert max(r.figures["dev"].n for r in run([TASK], Options(fast=True))) == 10
    assert run([TASK], Options(only="another")) == []


@pytest.mark.parametrize(
    ("judge", "calls", "texts"), [("summary", 40, 1), ("rag-answers", 20, 2), ("translation", 4, 10)]
)
def test_requests_are_made_as_a_run_makes_them(judge: str, calls: int, texts: int):
    requests = speed._requests(judge, _samples())
    sizes = [len(r.items) if judge == "translation" else max(1, len(r.call.order)) for r in requests]
    assert sizes == [texts] * calls


def test_parts_are_kept_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(results, "FILE", tmp_path / "results.json")
    results.save("summaries", [{"x": 1}, {"x": 2}], "first")
    results.save("speed", {"start_s": 0.1}, "second")
    results.save("summaries", [{"x": 3}], "third")
    kept = results.load()
    assert {part: (one["command"], one["value"]) for part, one in kept.items()} == {
        "summaries": ("third", [{"x": 3}]),
        "speed": ("second", {"start_s": 0.1}),
    }


def test_figures_go_between_their_marks_and_words_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    page = tmp_path / "page.md"
    names = ("aims", "unseen", "parts", "made")
    page.write_text("Before.\n" + "".join(f"<!-- figures: {n} -->old<!-- end: {n} -->\nKept {n}.\n" for n in names))
    monkeypatch.setattr(command, "PAGE", page)
    monkeypatch.setattr(command, "FULL", tmp_path / "full.md")
    monkeypatch.setattr(command, "LOCAL", tmp_path / "absent.json")
    rows = results.rows_to(run([TASK], Options(half="all")))
    kept = {"summaries": {"value": rows, "made": "today", "command": "c", "cores": 2}}
    command.write(kept)
    command.write(kept)
    text = page.read_text()
    assert text.startswith("Before.") and "old" not in text
    assert all(f"Kept {name}." in text for name in names)
    assert text.count("- summaries: today, `c`, 2 cores") == 1
    assert "### Own (40 texts)" in (tmp_path / "full.md").read_text()


def test_a_page_without_a_place_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    page = tmp_path / "page.md"
    page.write_text("nothing")
    monkeypatch.setattr(command, "PAGE", page)
    with pytest.raises(SystemExit, match="no place for `aims`"):
        command.write({})


def test_the_page_has_a_place_for_everything():
    text = command.PAGE.read_text(encoding="utf-8")
    for name in ("aims", "unseen", "parts", "silent", "intervals", "speed", "adversary", "local", "made"):
        assert f"<!-- figures: {name} -->" in text and f"<!-- end: {name} -->" in text


def test_a_local_model_is_shown_way_by_way():
    figure = {"value": 0.9, "n": 100, "low": 0.8, "high": 0.95}
    way = {"auc": figure, "spearman": figure, "unread": 1, "same": 0.25}
    value: dict[str, Any] = {"tasks": {"faithfulness": {"about": "claims", "n": 100, "ways": {"yes-no": way}}}}
    value |= {"seconds_per_question": 1.5, "model": "m.gguf", "date": "2026-01-01"}
    told = table.local(json.loads(json.dumps(value)))
    assert "| faithfulness, yes-no | .900 [.800, .950] | .900 [.800, .950] | 25% | 1 | 100 |" in told


def test_only_the_answering_score_has_an_interval(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("eval.embedded.tasks.ANSWERS", {("Own", "ok"): "length"})
    found = {(r.kind, r.by): r.figures["all"] for r in run([TASK], Options(half="all", draws=20)) if r.label == "ok"}
    assert found["AUC", "length"].low is not None
    assert found["AUC", "ROUGE-L"].low is None
