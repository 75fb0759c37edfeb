"""References beside the judge: sacrebleu's figures in the report and, for every item, in the export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sacrebleu

from adjudge.cli import run_command
from adjudge.report.beside import sacre
from tests.e2e.test_run_http import run_json, sample


def segments():
    lines = Path(sample("translation")).read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row.get("ref")]


def ran(capsys, server):
    run = ["run", "translation", sample("translation"), "--model", "openai:m", "--base-url", server.url]
    code, found = run_json(capsys, *run, "--lang", "en")
    assert code == 0
    return found


def test_the_report_has_the_corpus_scores_with_their_signatures(fake_server, capsys):
    beside = ran(capsys, fake_server)["beside"]["metrics"]
    rows = segments()
    outputs, references = [row["trg"] for row in rows], [row["ref"] for row in rows]
    found = {one["metric"]: one for one in beside["scores"] if one["system"] is None}
    assert (beside["judge"], beside["segments"], beside["sampled"]) == ("quality", len(rows), False)
    assert found["BLEU"]["corpus"] == pytest.approx(sacrebleu.corpus_bleu(outputs, [references]).score)
    assert found["chrF"]["corpus"] == pytest.approx(sacrebleu.corpus_chrf(outputs, [references]).score)
    assert found["chrF++"]["corpus"] == pytest.approx(sacrebleu.corpus_chrf(outputs, [references], word_order=2).score)
    assert found["TER"]["corpus"] == pytest.approx(sacrebleu.corpus_ter(outputs, [references]).score)
    assert {one["system"] for one in beside["scores"]} == {None, "north", "south"}
    for form in ("text", "markdown", "html"):
        assert run_command(["show", "latest", "--format", form]) == 0
        assert "tok:13a" in capsys.readouterr().out.replace("\\", "")


def test_every_item_has_its_metrics_in_the_export_where_they_are_asked_for(fake_server, capsys):
    ran(capsys, fake_server)
    assert run_command(["export", "latest"]) == 0
    assert "metrics" not in json.loads(capsys.readouterr().out.splitlines()[0])
    assert run_command(["export", "latest", "--metrics"]) == 0
    lines = {line["id"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    for row in segments():
        own = lines[row["id"]]["metrics"]
        assert own["chrF"] == pytest.approx(sacrebleu.sentence_chrf(row["trg"], [row["ref"]]).score)
        assert own["TER"] == pytest.approx(sacrebleu.sentence_ter(row["trg"], [row["ref"]]).score)
    assert {"metrics": {}}.items() <= next(line for line in lines.values() if not line["metrics"]).items()


def test_without_sacrebleu_the_report_says_how_to_get_it_and_the_export_refuses(fake_server, capsys, monkeypatch):
    monkeypatch.setattr(sacre, "find_spec", lambda name: None)
    found = ran(capsys, fake_server)
    assert found["beside"]["metrics"] == {}
    assert run_command(["show", "latest"]) == 0
    assert "pip install 'adjudge[metrics]'" in " ".join(capsys.readouterr().out.split())
    assert run_command(["export", "latest", "--metrics"]) == 2
    assert "pip install 'adjudge[metrics]'" in capsys.readouterr().err


def test_metrics_are_for_lines_and_for_references(fake_server, capsys):
    ran(capsys, fake_server)
    assert run_command(["export", "latest", "--metrics", "--format", "csv"]) == 2
    run = ["run", "summary", sample("summary"), "--model", "openai:m", "--base-url", fake_server.url]
    assert run_command(run) == 0
    assert run_command(["export", "latest", "--metrics"]) == 2
    assert "no reference" in capsys.readouterr().err
