"""Whatever people said, in whatever layout it was written down, the same labels are read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.core.errors import DataError
from adjudge.core.labels import Label
from adjudge.data.labels import read_label_file
from tests.unit.spec.rows import bundled

SUMMARY, ANSWERS = bundled("summary"), bundled("rag-answers")
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda text: text == text.strip()
)
CRITERIA = st.sampled_from([criterion.name for criterion in SUMMARY.scored])
SAID = st.dictionaries(
    st.tuples(TEXTS, CRITERIA, TEXTS), st.integers(1, 5) | st.floats(1, 5), min_size=1, max_size=12
).map(
    lambda said: [
        Label(item=item, criterion=criterion, annotator=who, value=value)
        for (item, criterion, who), value in said.items()
    ]
)


def long(labels: list[Label]) -> list[dict[str, Any]]:
    return [{"item": o.item, "criterion": o.criterion, "annotator": o.annotator, "value": o.value} for o in labels]


def by_person(labels: list[Label]) -> list[dict[str, Any]]:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for o in labels:
        rows.setdefault((o.item, o.annotator), {"id": o.item, "annotator": o.annotator})[o.criterion] = o.value
    return list(rows.values())


def by_column(labels: list[Label]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for o in labels:
        rows.setdefault(o.item, {"id": o.item})[f"{o.criterion}@{o.annotator}"] = o.value
    return list(rows.values())


def in_lists(labels: list[Label]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for o in labels:
        person = rows.setdefault(o.item, {}).setdefault(o.annotator, {"annotator": o.annotator})
        person[o.criterion] = o.value
    return [{"id": item, "labels": list(people.values())} for item, people in rows.items()]


@pytest.mark.parametrize("layout", [long, by_person, by_column, in_lists])
@settings(deadline=None)
@given(said=SAID)
def test_what_was_said_is_what_is_read(layout, said):
    assert set(read_label_file(SUMMARY, layout(said)).labels) == set(said)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=SAID, layout=st.sampled_from([long, by_person, by_column, in_lists]), mark=st.sampled_from([",", "\t"]))
def test_a_table_says_the_same(said, layout, mark, tmp_path):
    rows = layout(said)
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names, delimiter=mark, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {
            name: json.dumps(v) if isinstance(v, list) else repr(v) if isinstance(v, float) else v
            for name, v in r.items()
        }
        for r in rows
    )
    path = Path(tmp_path) / ("labels.csv" if mark == "," else "labels.tsv")
    path.write_text(file.getvalue(), encoding="utf-8")
    assert set(read_label_file(SUMMARY, str(path)).labels) == set(said)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(["4", "{", "[1]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | CRITERIA, inner, max_size=3),
    max_leaves=8,
)
OWN = ["id", "item", "candidate", "criterion", "annotator", "value", "comment", "labels", "coverage", "clarity"]
ODD = ["human.coverage", "coverage@bo", "comment@bo", "@", "human.", "coverage@", "human.@", "content", "text"]
COLUMNS = st.sampled_from([*OWN, *ODD]) | st.text(max_size=6)


@settings(deadline=None)
@given(
    judge=st.sampled_from([SUMMARY, ANSWERS]),
    rows=st.lists(st.dictionaries(COLUMNS, ANYTHING, max_size=6), max_size=4),
)
def test_any_rows_are_labels_on_the_scale_or_an_error_that_says_where(judge, rows):
    try:
        found = read_label_file(judge, rows).labels
    except DataError as error:
        assert error.what and error.where
        return
    assert found
    for one in found:
        scale = judge.criterion(one.criterion).scale
        assert scale is not None and isinstance(one.value, float) and scale.holds(one.value)
        assert bool(one.candidate) == (judge.layout == "compare") or one.candidate == ""
    places = [(one.item, one.candidate, one.criterion, one.annotator) for one in found]
    assert len(set(places)) == len(places)
