"""Published figures come out of the project's own commands: on a slice of the sets, and on rows made up here."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from eval import published

here = pytest.mark.skipif(not published.DATA.is_dir(), reason="the published sets are not beside the project")


@here
def test_segment_correlations_of_translation_metrics(tmp_path):
    found = published.metrics(tmp_path, limit=300)
    assert [one.metric for one in found] == list(published.METRICS)
    assert all(one.apart < published.EQUAL and one.n == 300 for one in found)


@here
@pytest.mark.parametrize("of", ["Processed/FairEval", "LLMBar/Natural"])
def test_accuracies_in_both_orders(tmp_path, of):
    wanted = [key for key in published.PAIRS if key[2] == of]
    found = published.preferences(tmp_path, wanted=wanted)
    assert len(found) == len(wanted)
    assert all(one.apart < published.EQUAL and one.n > 40 for one in found)


@here
def test_the_page_has_the_figures_of_its_sets(tmp_path):
    (row,) = published.preferences(tmp_path, wanted=[("GPT-4", "Vanilla", "LLMBar/Natural")])
    shown = " / ".join(f"{share:.1f}" for share in row.ours)
    assert f"| GPT-4, Vanilla | LLMBar/Natural | {row.n} | {shown} |" in published.PAGE.read_text("utf-8")


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rows in the shape of the sets: metrics that follow people's penalties, a model that likes what it sees first."""
    draw = random.Random(5)
    translations = []
    for number in range(40):
        penalty = -draw.choice([0, 0.1, 1, 1.1, 5, 25])
        row = {"id": f"t{number}", "src": f"Line {number}.", "mt": f"Zeile {number}.", "mqm_score": penalty}
        gemba = {"gemba_mqm_gpt4": min(0, penalty + draw.choice([-5, 0, 1])), "system": "one" if number else "refA"}
        others = {one.where: draw.random() for one in published.METRICS.values() if one.where not in gemba}
        translations.append(row | gemba | {"metrics": others})
    pairs, said = [], []
    for number in range(30):
        label = draw.choice([1, 2])
        name = f"Made/Up|{number}"
        answers = {"output_1": f"One {number}.", "output_2": f"Two {number}."}
        pairs.append({"id": name, "instruction": f"Say {number}.", **answers})
        # "first" answers (a) whatever stands there
        first = draw.random() < 0.3
        direct = 1 if first else draw.choice([label, label, 3 - label])
        swapped = 2 if first else draw.choice([label, direct])
        steps = {
            "direct": {"raw": f"Output ({'ab'[direct - 1]}) is better.", "winner": str(direct)},
            "swapped": {"raw": f"I think that Output ({'ba'[swapped - 1]}) is better.", "winner": str(swapped)},
        }
        said.append({"pair_id": name, "judge": "J", "method": "P", "label": label, "steps": [steps]})
    write(tmp_path / "data" / "human" / "wmt_mqm_ende.jsonl.gz", translations)
    write(tmp_path / "data" / "human" / "llmbar_pairs.jsonl.gz", pairs)
    write(tmp_path / "data" / "replies" / "llmbar_judge_raw.jsonl.gz", said)
    monkeypatch.setattr(published, "DATA", tmp_path / "data")
    return tmp_path


def test_commands_and_direct_computation_are_equal_on_rows_made_up(made_up):
    found = published.metrics(made_up)
    assert all(one.apart < published.EQUAL and one.n == 39 for one in found)
    assert found[0].ours["pearson"] > 0.9 > abs(found[1].ours["pearson"])
    (pair,) = published.preferences(made_up, wanted=[("J", "P", "Made/Up")])
    assert pair.apart < published.EQUAL and pair.n == 30
    right, both, same = pair.ours
    assert both < right < 100 and same < 100


def test_the_tables_say_how_far_apart_they_are(made_up):
    made = published.tables(published.metrics(made_up), published.preferences(made_up, wanted=[("J", "P", "Made/Up")]))
    assert made.count("< 1e-9") == 7 and "| J, P | Made/Up | 30 |" in made
