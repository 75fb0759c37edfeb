"""`adjudge agree` from a file of rows to the answer: against scipy and scikit-learn on the same pairs of scores."""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score

import adjudge
from adjudge.cli import run_command
from adjudge.store.store import open_store
from tests.fakes.verdicts import a_row, a_run
from tests.fakes.yes_no import yes_no_folder, yes_no_judge

SUMMEVAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "human" / "summeval.jsonl.gz"
FERRY = "The ferry leaves at noon. It carries forty cars. Tickets cost nine euros. Dogs travel free. Fog may delay it."


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> str:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def told(capsys, *args: str) -> str:
    capsys.readouterr()
    assert run_command([*args]) == 0
    out: str = capsys.readouterr().out
    return out


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_STORE", raising=False)
    return tmp_path


def rows_of_rising_quality(n: int) -> list[dict[str, str]]:
    sentences = FERRY.split(". ")
    return [
        {"id": f"s{at}", "content": f"{FERRY} Sailing {at}.", "text": ". ".join(sentences[: at % 5 + 1])}
        for at in range(n)
    ]


def check_against_scipy(found: Mapping[str, Any], judge: np.ndarray, people: np.ndarray) -> None:
    """`people` are the means that the judge is compared with."""
    figures = {name: one["value"] for name, one in found["figures"].items()}
    assert figures["spearman"] == pytest.approx(stats.spearmanr(judge, people).statistic, abs=1e-9)
    assert figures["pearson"] == pytest.approx(stats.pearsonr(judge, people).statistic, abs=1e-9)
    assert figures["kendall"] == pytest.approx(stats.kendalltau(judge, people).statistic, abs=1e-9)
    assert figures["bias"] == pytest.approx(float(np.mean(judge - people)), abs=1e-9)
    points = np.floor(judge + 0.5), np.floor(people + 0.5)
    assert figures["exact"] == pytest.approx(float(np.mean(points[0] == points[1])), abs=1e-12)
    assert figures["within_one"] == pytest.approx(float(np.mean(abs(points[0] - points[1]) <= 1)), abs=1e-12)
    weighted = cohen_kappa_score(*points, weights="quadratic")
    assert figures["kappa_quadratic"] == pytest.approx(weighted, abs=1e-9)


def test_the_embedded_judge_and_three_people(place, capsys):
    rows = rows_of_rising_quality(40)
    draw = random.Random(7)
    with (place / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "annotator", "coverage", "coherence", "comment"])
        for at, row in enumerate(rows):
            for who in ("anna", "bo", "cy"):
                table.writerow([row["id"], who, min(5, max(1, at % 5 + draw.choice([0, 1, 2]))), "", f"says {who}"])
    told(capsys, "run", "summary", write(place / "data.jsonl", rows), "--name", "mine")
    found = json.loads(told(capsys, "agree", "mine", "--labels", "labels.csv", "--json"))
    assert list(found["criteria"]) == ["coverage"]  # an empty cell is no label
    coverage = found["criteria"]["coverage"]
    assert (coverage["n"], coverage["labelled"], coverage["labels"]) == (40, 40, 120)
    assert (coverage["found"], found["annotators"]) == ("beyond", ["anna", "bo", "cy"])
    run = adjudge.open_run("mine")
    judge = np.array([score["score"] for score in run.scores() if score["criterion"] == "coverage"])
    with (place / "labels.csv").open(encoding="utf-8") as file:
        given = [float(line["coverage"]) for line in csv.DictReader(file)]
    check_against_scipy(coverage, judge, np.array(given).reshape(40, 3).mean(axis=1))
    text = told(capsys, "agree", "mine", "--labels", "labels.csv")
    assert "\n\nThe judge agrees with people beyond chance on Coverage" in text
    assert "says anna" in text
    assert max(map(len, text.splitlines())) <= 80


def test_worse_than_always_answering_yes(place, capsys):
    # 59 % accuracy and F1 0.72, where always answering yes has 69 %
    pairs = [(1, 1)] * 53 + [(0, 0)] * 6 + [(0, 1)] * 16 + [(1, 0)] * 25
    judge, people = zip(*pairs, strict=True)
    assert f1_score(people, judge) == pytest.approx(0.72, abs=0.005)
    a_run("sqlite:///adjudge.db", yes_no_folder(place), [{"answered": value} for value in judge], name="yn")
    labels = write(place / "l.jsonl", [{"id": f"i{at}", "answered": bool(value)} for at, value in enumerate(people)])
    found = json.loads(told(capsys, "agree", "yn", "--labels", labels, "--json"))
    answered = found["criteria"]["answered"]
    assert answered["found"] == "worse"
    assert answered["figures"]["exact"]["value"] == pytest.approx(0.59)
    assert answered["majority"] == {"point": 1, "exact": pytest.approx(0.69), "within_one": 1.0}
    assert answered["figures"]["kappa"]["value"] == pytest.approx(cohen_kappa_score(judge, people), abs=1e-9)
    assert answered["figures"]["kappa"]["value"] == pytest.approx(-0.04, abs=0.005)
    first = found["answers"][0]
    assert "worse here than always answering yes" in first
    assert "59 %" in first and "69 %" in first and "-0.04" in first
    assert "worse here than always answering yes" in told(capsys, "agree", "yn", "--labels", labels).replace("\n", " ")


def test_labels_of_the_web_page(place, capsys):
    run = a_run("sqlite:///adjudge.db", yes_no_folder(place), [{"answered": at % 2} for at in range(6)], name="yn")
    assert run_command(["agree", "yn"]) == 2
    assert "has no labels" in capsys.readouterr().err
    with open_store("sqlite:///adjudge.db") as store:
        for at in range(6):
            store.add_label(run.id, f"i{at}", "", "answered", "anna", float(at % 2), "clear")
    found = json.loads(told(capsys, "agree", "yn", "--json"))
    assert found["criteria"]["answered"]["figures"]["exact"]["value"] == 1
    assert found["criteria"]["answered"]["found"] == "beyond"


def test_two_judges_and_repeats(place, capsys):
    draw = random.Random(3)
    judge = yes_no_judge(place)
    rows = [a_row(judge, at) for at in range(50)]
    folder = yes_no_folder(place)
    tried = [[draw.randint(0, 1) for _ in range(3)] for _ in rows]
    single = [draw.randint(0, 1) for _ in rows]
    a_run("sqlite:///adjudge.db", folder, [{"answered": one} for one in tried], rows=rows, name="thrice")
    given = [None if at == 9 else {"answered": value} for at, value in enumerate(single)]
    a_run("sqlite:///adjudge.db", folder, given, rows=rows, name="once", model="other")
    found = json.loads(told(capsys, "agree", "thrice", "once", "--json"))
    answered = found["criteria"]["answered"]
    assert (found["kind"], answered["n"], answered["labelled"]) == ("judge", 49, 50)
    means = np.array([sum(one) / 3 for one in tried])
    used = np.arange(50) != 9
    expected = stats.spearmanr(means[used], np.array(single)[used]).statistic
    assert answered["figures"]["spearman"]["value"] == pytest.approx(expected, abs=1e-9)
    itself = json.loads(told(capsys, "agree", "thrice", "--repeats", "--json"))["criteria"]["answered"]
    same = [one[a] == one[b] for one in tried for a, b in ((0, 1), (0, 2), (1, 2))]
    assert itself["figures"]["exact"]["value"] == pytest.approx(sum(same) / len(same), abs=1e-12)
    assert (itself["n"], itself["labelled"]) == (50, 50)
    assert "bias" not in itself["figures"]
    assert run_command(["agree", "once", "--repeats"]) == 2
    assert "no repeats to compare" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_other_formats(place, capsys, form):
    a_run("sqlite:///adjudge.db", yes_no_folder(place), [{"answered": at % 2} for at in range(6)], name="yn")
    labels = write(place / "l.jsonl", [{"id": f"i{at}", "answered": at % 3 % 2} for at in range(6)])
    file = place / f"agree.{form}"
    told(capsys, "agree", "yn", "--labels", labels, "--format", form, "-o", str(file))
    written = file.read_text(encoding="utf-8")
    assert "Can this judge be trusted?" in written
    assert "people ↓ judge →" in written


@pytest.mark.skipif(not SUMMEVAL.is_file(), reason="SummEval is not here: ../shared/data/human")
def test_the_embedded_judge_and_the_experts_of_summeval(place, capsys):
    with gzip.open(SUMMEVAL, "rt", encoding="utf-8") as file:
        known = [row for line in file if (row := json.loads(line)).get("human_experts")][:60]
    rows = [{"id": f"r{at}", "content": row["source"], "text": row["summary"]} for at, row in enumerate(known)]
    told(capsys, "run", "summary", write(place / "data.jsonl", rows), "--name", "news")
    labels = write(
        place / "experts.jsonl", [{"id": f"r{at}", "human": row["human_experts"]} for at, row in enumerate(known)]
    )
    # a name that no criterion has is refused, whatever else is there
    args = ["agree", "news", "--labels", labels, "--map", "labels=human"]
    assert run_command(args) == 2
    assert "no scored criterion" in capsys.readouterr().err
    kept = [
        {"id": f"r{at}", "labels": [{k: one[k] for k in ("relevance", "coherence")} for one in row["human_experts"]]}
        for at, row in enumerate(known)
    ]
    labels = write(place / "experts.jsonl", kept)
    found = json.loads(told(capsys, "agree", "news", "--labels", labels, "--map", "coverage=relevance", "--json"))
    assert found["annotators"] == ["1", "2", "3"]
    scores = adjudge.open_run("news").scores()
    for name, theirs in (("coverage", "relevance"), ("coherence", "coherence")):
        judge = np.array([score["score"] for score in scores if score["criterion"] == name])
        people = np.array([[one[theirs] for one in row["human_experts"]] for row in known], dtype=float)
        check_against_scipy(found["criteria"][name], judge, people.mean(axis=1))
        persons = [
            stats.spearmanr(people[:, at], np.delete(people, at, axis=1).mean(axis=1)).statistic for at in range(3)
        ]
        assert found["criteria"][name]["people"]["persons"]["spearman"]["value"] == pytest.approx(np.mean(persons))
