"""What is compared with what, and what is left out of it."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from importlib import import_module

import pytest

from adjudge.api.agree import agree
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.records import Verdict
from tests.fakes.verdicts import a_row, a_run
from tests.fakes.yes_no import yes_no_folder, yes_no_judge

#: The package has a function under the name of the module.
agree_module = import_module("adjudge.api.agree")
ANSWERS = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/runs.db"


def yes_no(url, tmp_path, given, **more):
    return a_run(url, yes_no_folder(tmp_path), [one if one is None else {"answered": one} for one in given], **more)


def test_labelled_items_that_failed_count_in_n_of_n_only(url, tmp_path):
    run = yes_no(url, tmp_path, [0, 1, None, 1])
    labels = [{"id": f"i{at}", "answered": 1} for at in (1, 2, 3)]
    sheet = agree(run, labels=[*labels, {"id": "gone", "answered": 1}])
    answered = sheet.data["criteria"]["answered"]
    assert (answered["n"], answered["labelled"]) == (2, 3)
    assert (sheet.data["labelled"], sheet.data["elsewhere"]) == (3, 1)
    assert any("Labelled items that this run does not have: 1" in one for one in sheet.warnings)
    assert any("without a score of the judge: Supported (1)" in one for one in sheet.warnings)
    assert any("Few texts: Supported (2)" in one for one in sheet.warnings)


def test_items_that_have_no_outcome_yet(url, tmp_path):
    run = yes_no(url, tmp_path, [0, 1, 1])
    with closing(sqlite3.connect(tmp_path / "runs.db")) as store, store:
        store.execute("DELETE FROM outcomes WHERE position = 1")
    sheet = agree(run, labels=[{"id": f"i{at}", "answered": 1} for at in range(3)])
    answered = sheet.data["criteria"]["answered"]
    assert (answered["n"], answered["labelled"]) == (2, 3)
    assert any("without a score of the judge: Supported (1)" in warning for warning in sheet.warnings)


def test_a_comparison_counts_texts(url):
    draw = random.Random(2)
    given = [{name: {who: draw.randint(0, 5) for who in "AB"} for name in ANSWERS} for _ in range(20)]
    run = a_run(url, "rag-answers", given)
    labels = [
        {"id": f"i{at}", "clarity": one["clarity"], "depth": {"A": one["depth"]["A"]}} for at, one in enumerate(given)
    ]
    criteria = agree(run, labels=labels).data["criteria"]
    assert {name: one["n"] for name, one in criteria.items()} == {"clarity": 40, "depth": 20}
    assert all(one["figures"]["exact"]["value"] == 1 for one in criteria.values())
    assert criteria["clarity"]["clusters"] == 20


def test_every_language_by_itself(url, tmp_path):
    judge = yes_no_judge(tmp_path)
    rows = [a_row(judge, at) for at in range(40)]
    for row in rows[::2]:
        row["claim"] = "Паром уходит в полдень, и билетов на него больше нет."
    run = yes_no(url, tmp_path, [at // 2 % 2 for at in range(40)], rows=rows)
    # right in English, wrong in Russian
    labels = [{"id": f"i{at}", "answered": at // 2 % 2 if at % 2 else 1 - at // 2 % 2} for at in range(40)]
    data = agree(run, labels=labels).data
    assert list(data["languages"]) == ["en", "ru"]
    exact = {lang: found["answered"]["figures"]["exact"]["value"] for lang, found in data["languages"].items()}
    assert exact == {"en": 1, "ru": 0}
    assert data["criteria"]["answered"]["n"] == 40


def test_the_order_of_rows_and_labels_decides_nothing(url, tmp_path):
    draw = random.Random(4)
    given = [draw.randint(0, 1) for _ in range(30)]
    labels = [{"id": f"i{at}", "annotator": who, "answered": draw.randint(0, 1)} for at in range(30) for who in "abc"]
    rows = [a_row(yes_no_judge(tmp_path), at) for at in range(30)]
    order = draw.sample(range(30), 30)
    one = agree(yes_no(url, tmp_path, given, rows=rows), labels=labels)
    turned = yes_no(url, tmp_path, [given[at] for at in order], rows=[rows[at] for at in order], name="turned")
    other = agree(turned, labels=draw.sample(labels, len(labels)))
    assert one.data["criteria"] == other.data["criteria"]
    assert one.data["disagreements"] == other.data["disagreements"]


def test_largest_disagreements_with_both_reasons(url, tmp_path):
    given = [dict.fromkeys(SUMMARY, value) for value in (5, 3, 1, None)]
    run = a_run(url, "summary", given)
    rows = [
        {"id": "i0", "annotator": "anna", "coverage": 1, "comment": "nothing is there"},
        {"id": "i1", "annotator": "anna", "coverage": 3, "comment": "fine"},
        {"id": "i2", "annotator": "anna", "coverage": 2, "comment": "a bit"},
        {"id": "i3", "annotator": "anna", "coverage": 2},
    ]
    first, second = agree(run, labels=rows).data["disagreements"]
    assert (first["item"], first["gap"], first["judge"]["why"]) == ("i0", 4.0, "gave 5")
    assert first["others"] == ({"who": "anna", "value": 1.0, "why": "nothing is there"},)
    assert (second["item"], second["gap"]) == ("i2", -1.0)
    assert [one["item"] for one in agree(run, labels=rows, shown=1).data["disagreements"]] == ["i0"]
    assert agree(run, labels=rows, shown=0).data["disagreements"] == []


def test_a_test_that_one_answer_passes_too_says_little(url, tmp_path):
    draw = random.Random(6)
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, draw.choice([3, 3, 4])) for _ in range(90)])
    # people who say 2, 3 or 4 by lot: whoever says 3 is nearest to the others
    rows = [{"id": f"i{at}", "annotator": who, "coverage": draw.randint(2, 4)} for at in range(90) for who in "abc"]
    sheet = agree(run, labels=rows)
    assert sheet.data["criteria"]["coverage"]["alternative"]["stands_in"] is True
    assert sheet.data["criteria"]["coverage"]["alternative"]["hollow"] is True
    assert [one["annotator"] for one in sheet.data["criteria"]["coverage"]["alternative"]["against"]] == [*"abc"]
    assert any("On Coverage that says little" in answer for answer in sheet.answers)
    # it decides the reading: the first sentence, not a warning at the end
    assert sheet.answers[0].startswith("People's agreement with each other can't be told from chance: Coverage.")
    assert not any("People's agreement" in one for one in sheet.warnings)


def test_two_runs_are_compared_on_the_same_texts_only(url, tmp_path):
    judge = yes_no_judge(tmp_path)
    rows = [a_row(judge, at) for at in range(6)]
    one = yes_no(url, tmp_path, [0, 1, 0, 1, 0, 1], rows=rows, name="one")
    changed = [{**row, "claim": "Another text."} if at == 5 else row for at, row in enumerate(rows)]
    two = yes_no(url, tmp_path, [0, 1, 0, 1, 1, 0, 1], rows=[*changed, a_row(judge, 9)], name="two")
    sheet = agree(one, two)
    assert (sheet.data["criteria"]["answered"]["n"], sheet.data["other"]) == (5, two.id)
    assert any("other texts: 1" in warning for warning in sheet.warnings)
    assert any("only one of the two runs has: 1" in warning for warning in sheet.warnings)
    assert len(sheet.signatures) == 2
    strange = yes_no(url, tmp_path, [1], rows=[a_row(judge, 77)], name="strange")
    with pytest.raises(DataError, match="no text in common"):
        agree(one, strange)
    with pytest.raises(DataError, match="no criterion on the same scale in common"):
        agree(one, a_run(url, "summary", [dict.fromkeys(SUMMARY, 3)]))


def test_repeats_with_gaps(url, tmp_path):
    run = yes_no(url, tmp_path, [[0, 0, 1], [1, 1, 1], [0, None, None], None])
    found = agree(run, repeats=True).data
    answered = found["criteria"]["answered"]
    assert (answered["n"], answered["labelled"]) == (2, 4)
    assert answered["figures"]["exact"]["value"] == pytest.approx(4 / 6)
    (apart,) = found["disagreements"]
    assert (apart["item"], apart["gap"], [one["value"] for one in apart["others"]]) == ("i0", 1.0, [0.0, 0.0, 1.0])


def test_what_cannot_be_asked(url, tmp_path):
    run = yes_no(url, tmp_path, [[0, 1], [1, 1]])
    with pytest.raises(ConfigError, match="one at a time"):
        agree(run, run, repeats=True)
    with pytest.raises(ConfigError, match="given twice"):
        agree(run, run)
    with pytest.raises(ConfigError, match="--map is for"):
        agree(run, columns=("id=x",))
    with pytest.raises(DataError, match="has no labels") as caught:
        agree(run)
    assert "--repeats" in (caught.value.hint or "")


def test_a_run_by_its_name_and_labels_by_their_path(url, tmp_path):
    yes_no(url, tmp_path, [0, 1], name="mine")
    path = tmp_path / "labels.csv"
    path.write_text("id,answered\ni0,0\ni1,1\n", encoding="utf-8")
    assert agree("mine", labels=path, store=url).data["labels"] == 2


def test_the_same_bytes_whatever_the_hash_seed(url, tmp_path):
    yes_no(url, tmp_path, [0, 1, 1, 0, 1, 0, 0, 1], name="mine")
    path = tmp_path / "labels.csv"
    lines = [f"i{at},{who},{(at + len(who)) % 2}" for at in range(8) for who in ("a", "bo", "cyd")]
    path.write_text("\n".join(["id,annotator,answered", *lines]), encoding="utf-8")
    args = [sys.executable, "-m", "adjudge", "agree", "mine", "--labels", str(path), "--store", url, "--json"]
    outs = {
        subprocess.run(args, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout for seed in "012"
    }
    assert len(outs) == 1


def test_a_criterion_on_another_scale_is_left_out_and_named(url, tmp_path, monkeypatch):
    one, two = (a_run(url, "summary", [dict.fromkeys(SUMMARY, at % 5 + 1) for at in range(8)], name=n) for n in "ab")
    plain = agree_module.boards

    def stretched(run, **options):
        found = plain(run, **options)
        if run.id != two.id:
            return found
        axes = tuple(replace(axis, high=100.0) if axis.name == "coverage" else axis for axis in found[0].axes)
        return [replace(found[0], axes=axes)]

    monkeypatch.setattr(agree_module, "boards", stretched)
    sheet = agree(one, two)
    assert "coverage" not in sheet.data["criteria"] and "accuracy" in sheet.data["criteria"]
    assert any(warning.startswith("On another scale in the other run") for warning in sheet.warnings)
    assert any("Coverage" in warning for warning in sheet.warnings)


def test_people_who_scored_only_the_whole(url):
    draw = random.Random(3)
    given = [{name: draw.randint(1, 5) for name in SUMMARY} for _ in range(30)]
    run = a_run(url, "summary", given)
    means = [sum(one.values()) / 5 for one in given]
    rows = [{"id": f"i{at}", "grade": round(mean)} for at, mean in enumerate(means)]
    sheet = agree(run, labels=rows, columns=["average_score=grade"])
    (name,) = sheet.data["criteria"]
    assert name == "average_score" and sheet.data["criteria"][name]["found"] == "beyond"
    assert sheet.data["criteria"][name]["judge_mean"] == pytest.approx(sum(means) / 30)
    first = sheet.data["disagreements"][0]
    assert first["criterion"] == name and abs(first["gap"]) == pytest.approx(max(abs(m - round(m)) for m in means))


def test_repeats_stand_beside_the_verdict_they_make(url):
    given = [{name: [1, 4, 4] if at == 1 else [3, 3, None] for name in SUMMARY} for at in range(4)]
    run = a_run(url, "summary", given)
    first = agree(run, repeats=True).data["disagreements"][0]
    assert (first["item"], first["gap"]) == ("i1", 3.0)
    assert [(said["who"], said["value"]) for said in first["others"]] == [("1", 1.0), ("2", 4.0), ("3", 4.0)]
    verdict = next(outcome for outcome in run.outcomes() if outcome.item == "i1")
    assert isinstance(verdict, Verdict)
    assert first["judge"]["value"] == verdict.scores[first["criterion"]]


def test_each_language_has_all_figures_with_intervals(url):
    rows = [
        {"id": f"i{at}", "content": text * 3, "text": text}
        for at, text in enumerate(
            f"{sentence} {at}."
            for at in range(20)
            for sentence in ("The ferry leaves at noon", "Паром уходит в полдень")
        )
    ]
    draw = random.Random(8)
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, draw.randint(1, 5)) for _ in rows], rows=rows)
    labels = [{"id": f"i{at}", "coverage": draw.randint(1, 5)} for at in range(40)]
    sections = {section.name: section for section in agree(run, labels=labels).sections}
    for language in ("en", "ru"):
        table = sections[f"figures_coverage_{language}"]
        assert table.title == f"Coverage, {language}: all figures over 20 of 20"
        assert all(row[2].startswith("[") for row in table.rows) and len(table.rows) >= 15


def test_labels_of_other_texts_are_left_out_and_counted(url):
    rows = [{"id": f"i{at}", "content": f"article {at}", "text": f"summary {at}"} for at in range(4)]
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, 1 + at) for at in range(4)], rows=rows)
    labels = [{"id": f"i{at}", "text": f"summary {at}" if at else "another", "coverage": 3} for at in range(4)]
    sheet = agree(run, labels=labels)
    assert sheet.data["criteria"]["coverage"]["labelled"] == sheet.data["labels"] == 3
    told = "Label rows whose texts are not those that this run judged under the same id: 1. They are left out."
    assert sheet.warnings[0] == sheet.data["warnings"][0] == told


@pytest.mark.parametrize(("lang", "told"), [("en", "Did you mean `accuracy`?"), ("ru", "Может быть, это `accuracy`?")])
def test_a_misspelled_column_is_named(url, lang, told):
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, 1 + at) for at in range(4)], lang=lang)
    sheet = agree(run, labels=[{"id": f"i{at}", "coverage": 3, "acuracy": 4} for at in range(4)])
    assert "`acuracy`" in sheet.warnings[0] and sheet.warnings[0].endswith(told)
    assert sheet.data["warnings"] == list(sheet.warnings)


def test_runs_are_shown_by_their_names(url, tmp_path):
    one, two = (yes_no(url, tmp_path, given, name=name) for name, given in (("old", [0, 1, 1]), ("new", [1, 1, 1])))
    sheet = agree(one, two)
    assert sheet.facts[0] == f"old ({one.id})"
    assert any(f"new ({two.id})" in fact for fact in sheet.facts)
    assert sheet.data["disagreements"][0]["others"][0]["who"] == "new"
    plain = yes_no(url, tmp_path, [0, 0, 1])
    assert agree(plain, labels=[{"id": "i0", "answered": 1}]).facts[0] == plain.id


def test_two_runs_of_one_judge_and_model_are_not_called_two_judges(url):
    given = [dict.fromkeys(SUMMARY, at % 5 + 1) for at in range(6)]
    one, again, other = (
        a_run(url, "summary", given, name=name, model=model)
        for name, model in (("one", "m"), ("again", "m"), ("other", "x"))
    )
    assert agree(one, again).title == "Agreement of two runs of one judge"
    assert agree(one, other).title == "Agreement of two judges"
