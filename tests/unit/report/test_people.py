"""People beside the judge, point by point: the same figures that `adjudge agree` states."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge import load_judge
from adjudge.api.agree import agree
from adjudge.core.labels import Label
from adjudge.core.records import Outcome
from adjudge.report.people import against_people
from adjudge.store.store import open_store
from tests.fakes.verdicts import a_run
from tests.unit.report import sample


def label(item: str, criterion: str, value: Any, annotator: str = "a", candidate: str = "") -> Label:
    return Label(item=item, criterion=criterion, value=value, annotator=annotator, candidate=candidate)


def among(outcomes: dict[str, Outcome]) -> Callable[[Sequence[str]], dict[str, Outcome]]:
    return lambda ids: {name: outcomes[name] for name in ids if name in outcomes}


def test_the_judge_is_put_beside_the_mean_of_people() -> None:
    judge = sample.single()
    outcomes: dict[str, Outcome] = {
        "i": sample.verdict("i", {"coverage": 3.4, "accuracy": 5.0}),
        "j": sample.verdict("j", {"coverage": 2.0}),
        "k": sample.failure("k"),
    }
    labels = [
        label("i", "coverage", 4.0),
        label("i", "coverage", 3.0, "b"),
        label("j", "coverage", 2),
        label("j", "accuracy", 1),  # the judge gave none
        label("k", "coverage", 5),  # it failed
        label("absent", "coverage", 5),
        label("i", "accuracy", None),
        label("i", "accuracy", "good"),
        label("i", "nothing", 1),
        label("i", "hallucination", float("nan")),
    ]
    (found,) = against_people(judge, labels, among(outcomes))
    assert (found.title, found.min, found.max) == ("Coverage", 1, 5)
    assert found.counts == {(4, 3): 1, (2, 2): 1}
    assert (found.n, found.same) == (2, 1) and found.bias == pytest.approx(-0.05)


def test_candidates_are_texts_of_their_own() -> None:
    outcome = sample.seed_comparisons("en")[0]
    labels = [label("q-1", "depth", 4, candidate="ModelA"), label("q-1", "depth", 1, candidate="ModelC")]
    (found,) = against_people(
        sample.compare(), [*labels, label("q-1", "depth", 1, candidate="None")], among({"q-1": outcome})
    )
    assert found.counts == {(4, 4): 1, (1, 3): 1}


def test_the_figures_are_those_of_agree(tmp_path: Path) -> None:
    url, chance = f"sqlite:///{tmp_path}/store.db", random.Random(5)
    names = [one.name for one in load_judge("summary").scored]
    given = [dict.fromkeys(names, chance.choice([1, 2, 2.5, 3.7, 5])) for _ in range(60)]
    run = a_run(url, "summary", given)
    with open_store(url) as store:
        for number in range(60):
            for who in ("anna", "boris", "vera")[: 1 + number % 3]:
                store.add_label(run.id, f"i{number}", "", "coverage", who, float(chance.randint(1, 5)))
    (found,) = run.people()
    sheet = agree(run, store=url)
    figures = sheet.data["criteria"]["coverage"]["figures"]
    assert found.n == 60
    assert found.same / found.n == pytest.approx(figures["exact"]["value"])
    assert found.bias == pytest.approx(figures["bias"]["value"])
    (drawn,) = (one for one in sheet.people if one.title == found.title)
    assert drawn.counts == found.counts and drawn.bias == pytest.approx(found.bias)
    page = "".join(sheet.html())
    assert 'class="people"' in page and "Judge against people" in page
    assert "<svg" not in sheet.markdown() and "Judge against people" not in sheet.text()
