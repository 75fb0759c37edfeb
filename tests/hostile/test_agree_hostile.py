"""Labels, comments, names of people and ids are hostile: in the answer they stay text, and errors name them safely."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from adjudge.api.agree import agree
from adjudge.api.labels import find_labels
from adjudge.cli.output import safe
from adjudge.core.errors import DataError
from adjudge.data.labels import read_label_file
from adjudge.report.agree_tables import Apart, Said
from adjudge.report.agreed import Agreed
from adjudge.report.plain import width
from adjudge.report.sheet import Sheet
from tests.fakes.verdicts import a_run
from tests.fakes.yes_no import yes_no_folder
from tests.hostile.test_report_hostile import every_payload, harmless, skeleton
from tests.unit.report import sample
from tests.unit.report.test_agree_answers import GOOD, NOISE, SHIFTED, named
from tests.unit.spec.rows import bundled


@cache
def sheet(hostile: str) -> Sheet:
    """The text wherever data, labels or a model's name can reach; each answer that there is, is given once."""
    state = sample.state(sample.single(), 60)
    run = replace(state.run, settings=replace(state.run.settings, model=hostile), data=hostile, name=hostile)
    people = [[value, value, min(5, value + 1)] for value in GOOD]
    found = tuple(
        replace(one, title=hostile, annotators=(hostile,) * 3)
        for one in (named(SHIFTED, people), named(NOISE, people), named([3.0] * 60, people))
    )
    said = Said(who=hostile, value=3.0, why=hostile)
    apart = Apart(
        item=hostile, candidate=hostile, criterion="coverage", title=hostile, gap=1.0, judge=said, others=(said, said)
    )
    return Agreed(
        kind="people",
        state=replace(state, run=run),
        found=found,
        languages={hostile: found, "en": found},
        apart=(apart,),
        annotators=(hostile,),
        labels=180,
        labelled=60,
        elsewhere=1,
    ).sheet()


@every_payload
def test_html_gains_no_element(payload):
    page = "".join(sheet(payload).html())
    harmless(page)
    assert skeleton(page) == skeleton("".join(sheet("plain").html()))


@every_payload
def test_text_stays_within_its_columns(payload):
    page = sheet(payload).text()
    harmless(page)
    assert max(map(width, page.splitlines())) <= 80


@every_payload
def test_markdown_gains_no_line_cell_or_markup(payload):
    page, benign = sheet(payload).markdown(), sheet("plain").markdown()
    harmless(page)
    assert len(page.splitlines()) == len(benign.splitlines())
    for line, model in zip(page.splitlines(), benign.splitlines(), strict=True):
        if line.startswith("Signature: `"):
            assert line.count("`") == 2
            continue
        assert line.count("|") == model.count("|")
        assert "<" not in line and ">" not in line
        assert not re.search(r"(?<!\\)(?:\\\\)*[`\[\]]", line)
        assert not re.search(r"(?i)https?://|\bwww\.|javascript:/", line)


@every_payload
def test_from_a_file_to_the_answer(payload, tmp_path):
    url = f"sqlite:///{tmp_path}/r.db"
    run = a_run(url, yes_no_folder(tmp_path), [{"answered": at % 2} for at in range(4)])
    name = payload[:200].strip()
    rows = [{"id": f"i{at}", "annotator": name, "answered": 1, "comment": payload} for at in range(4)]
    assert {(one.annotator, one.comment) for one in find_labels(run, rows).labels} == {(name, payload)}
    found = agree(run, labels=rows)
    harmless(found.text())
    assert found.data["annotators"] == [name]


@every_payload
@pytest.mark.parametrize(
    "row",
    [
        {"id": "$", "coverage": "$"},
        {"id": "a", "criterion": "$", "value": 3},
        {"id": "a", "labels": {"$": 3}},
        {"id": "a", "labels": "$"},
        {"id": "a", "$@$": 3},
        {"id": "a", "human.$": 3},
        {"id": "a", "coverage@$": "$"},
        {"$": "$", "coverage": 3},
    ],
)
def test_errors_are_safe_to_print(payload, row):
    def put(value):
        if isinstance(value, dict):
            return {put(key): put(each) for key, each in value.items()}
        return value.replace("$", payload) if isinstance(value, str) else value

    with pytest.raises(DataError) as caught:
        read_label_file(bundled("summary"), [put(row)])
    harmless(safe(str(caught.value)))


def test_deep_and_broken_cells_are_errors_with_a_place(tmp_path):
    for cell in ("[" * 100_000, '[{"coverage": NaN}]', '[{"coverage": 1, "coverage": 2}]', "[1e999]", "{" * 5000):
        file = tmp_path / "labels.tsv"
        file.write_text(f"id\tlabels\na\t'{cell}'\n".replace("'", ""), encoding="utf-8")
        with pytest.raises(DataError) as caught:
            read_label_file(bundled("summary"), str(file))
        assert "line 2" in (caught.value.where or "")


@every_payload
def test_texts_runs_and_columns_of_label_rows(payload, tmp_path):
    url = f"sqlite:///{tmp_path}/r.db"
    names = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
    run = a_run(url, "summary", [dict.fromkeys(names, 1 + at) for at in range(4)], name=payload[:80])
    rows = [{"id": f"i{at}", "coverage": 3, f"acuracy{payload}": 4, f"acuracy{payload[:3]}": 4} for at in range(4)]
    rows[0]["text"] = payload
    found = agree(run, labels=rows)
    harmless(found.text())
    harmless(found.markdown())
    assert found.data["labels"] == (3 if payload.strip() else 4)
    sampled = [{**row, "text": payload, "sample_run": payload or "x", "sample_code": "bcdfghjk"} for row in rows]
    with pytest.raises(DataError) as caught:
        agree(run, labels=sampled)
    harmless(safe(str(caught.value)))
