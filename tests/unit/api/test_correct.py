"""Correcting a run: samples and random labels, candidates, derived values, shares, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adjudge.api.agree import agree
from adjudge.api.boards import boards
from adjudge.api.correct import correct
from adjudge.api.sample import sample, strata_of
from adjudge.core.errors import ConfigError, DataError
from adjudge.data.sampled import candidate_code
from adjudge.spec.load import load_judge
from adjudge.stats.correct import Slice, estimate
from tests.fakes.labelled import NAMES, RAG, fill, kind_judge, to_file, two_candidates
from tests.fakes.verdicts import a_row, a_run


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}"


def random_rows(people, n, seed=0):
    ids = np.random.default_rng(seed).choice(sorted(people), n, replace=False)
    return [{"id": item, **people[item]} for item in ids.tolist()]


def test_labels_chosen_by_sample_bring_back_what_people_say(url, tmp_path):
    run, people = kind_judge(url, n=400)
    truth = {name: float(np.mean([one[name] for one in people.values()])) for name in NAMES}
    truth["average_score"] = float(np.mean([*truth.values()]))
    held = 0
    for seed in range(20):
        path = to_file(tmp_path / "labels.csv", fill(sample(run, 60, seed=seed).rows, people))
        found = correct(run, path)
        assert found.data["sample"] == {"run": run.id, "strata": 4}
        for name, one in {**found.data["criteria"], **found.data["derived"]}.items():
            low, high = one["corrected"]["ci95_these_items"]
            held += low <= truth[name] <= high
            assert one["corrected"]["ci95"][0] <= low <= high <= one["corrected"]["ci95"][1] < one["judge"]["mean"]
            assert (one["n"], one["of"]) == (60, 400)
        assert "too high" in found.answers[0]
        assert found.warnings == ()
    assert held >= 0.9 * 20 * 6


def test_the_strata_of_the_sample_are_used(url, tmp_path):
    """By hand: the same estimator on the same columns, with the strata that the file names."""
    run, people = kind_judge(url, n=300)
    rows = fill(sample(run, 50).rows, people)
    found = correct(run, rows).data["criteria"]["coverage"]["corrected"]
    items, _, strata = strata_of(boards(run, rows=True))
    stratum = dict(zip(items, strata.of.tolist(), strict=True))
    assert len(set(stratum.values())) == 4
    judge = {row["item"]: row["score"] for row in run.scores() if row["criterion"] == "coverage"}
    chosen = {row["id"]: float(row["coverage"]) for row in rows}
    ids = sorted(judge)
    data = Slice(
        judge=np.array([judge[item] for item in ids]),
        people=np.array([chosen.get(item, np.nan) for item in ids]),
        clusters=np.arange(300),
        strata=np.array([stratum[item] for item in ids]),
    )
    by_hand = estimate(data, 1, 5)
    assert (found["mean"], *found["ci95"]) == pytest.approx((by_hand.mean, *by_hand.ci95), abs=1e-12)


def test_labels_of_unknown_origin_are_taken_as_random_and_it_says_so(url):
    run, people = kind_judge(url, n=300)
    found = correct(run, random_rows(people, 50))
    assert found.data["sample"] is None
    assert "random choice" in found.warnings[0]
    assert "adjudge sample" in found.warnings[0]
    assert len(found.warnings) == 1


def test_where_every_item_is_labelled_nothing_is_taken_for_granted(url):
    run, people = kind_judge(url, n=60)
    found = correct(run, random_rows(people, 60))
    assert found.warnings == ()
    one = found.data["criteria"]["coverage"]["corrected"]
    mean = np.mean([said["coverage"] for said in people.values()])
    assert [one["mean"], *one["ci95_these_items"]] == pytest.approx([mean] * 3)


def test_labels_of_the_worst_items_alone_are_noticed(url):
    run, people = kind_judge(url, n=300)
    worst = sorted(people, key=lambda item: (sum(people[item].values()), item))[:50]
    found = correct(run, [{"id": item, **people[item]} for item in worst])
    assert sum("unlike the rest" in one for one in found.warnings) == 6


def test_row_order_and_file_format_decide_nothing(url, tmp_path):
    run, people = kind_judge(url, n=120)
    rows = fill(sample(run, 40).rows, people)
    found = correct(run, to_file(tmp_path / "a.csv", rows), passes=["coverage>=4"])
    other = correct(run, to_file(tmp_path / "b.jsonl", rows[::-1]), passes=["coverage>=4"])
    assert found.data == other.data
    assert found.text() == other.text()


def test_several_annotators_count_with_their_mean(url):
    run, people = kind_judge(url, n=100)
    one = random_rows(people, 40)
    several = [
        {**row, **{name: value for name, value in row.items() if name == "id"}, "coverage": score, "annotator": who}
        for row in [{"id": row["id"], "coverage": row["coverage"]} for row in one]
        for who, score in (("anna", min(5, row["coverage"] + 1)), ("bert", max(1, row["coverage"] - 1)))
    ]
    found = correct(run, several)
    middle = [
        {"id": row["id"], "coverage": (min(5, row["coverage"] + 1) + max(1, row["coverage"] - 1)) / 2} for row in one
    ]
    assert found.data["annotators"] == 2
    assert found.data["criteria"] == correct(run, middle).data["criteria"]


def test_candidates_are_corrected_apart(url):
    run, people = two_candidates(url)
    found = correct(run, fill(sample(run, 40).rows, people), passes=["clarity>=4"])
    a, b = (found.data["candidates"][who] for who in "AB")
    assert all(a["criteria"][name]["judge"]["mean"] > a["criteria"][name]["corrected"]["ci95"][1] for name in RAG)
    assert all(
        b["criteria"][name]["corrected"]["mean"] == pytest.approx(b["criteria"][name]["judge"]["mean"], abs=0.3)
        for name in RAG
    )
    total = a["derived"]["total"]
    assert total["corrected"]["mean"] == pytest.approx(
        sum(a["criteria"][name]["corrected"]["mean"] for name in RAG), abs=0.5
    )
    assert a["rates"]["clarity>=4"]["judge"]["rate"] > a["rates"]["clarity>=4"]["corrected"]["rate"]
    assert found.answers[0].startswith("A: ")


def test_a_derived_value_needs_labels_of_all_its_criteria(url):
    run, people = kind_judge(url, n=100)
    found = correct(run, [{"id": row["id"], "coverage": row["coverage"]} for row in random_rows(people, 40)])
    assert [*found.data["criteria"]] == ["coverage"]
    assert found.data["derived"] == {}
    assert "Coverage" in found.answers[0]


def test_a_criterion_with_too_few_labels_is_refused_beside_one_with_enough(url):
    run, people = kind_judge(url, n=100)
    rows = random_rows(people, 40)
    for row in rows[10:]:
        del row["accuracy"]
    found = correct(run, rows)
    assert found.data["criteria"]["accuracy"]["corrected"] is None
    assert found.data["criteria"]["accuracy"]["labels_needed"] >= 20
    assert found.data["criteria"]["coverage"]["corrected"] is not None
    assert any("Accuracy: not corrected. Labelled items: 10, " in note for note in found.sections[0].notes)


def test_too_few_labels_are_refused_with_how_many_would_do(url):
    run, people = kind_judge(url, n=200)
    with pytest.raises(DataError, match="19 labelled items") as error:
        correct(run, random_rows(people, 19))
    assert "coverage: " in str(error.value)
    assert "for ± 0.2" in str(error.value)
    with pytest.raises(DataError, match=r"coverage: 20 for ± 0\.5"):
        correct(run, random_rows(people, 19), half_width=0.5)


def test_labels_of_a_few_sources_are_refused_however_many(url):
    judge = load_judge("summary")
    rows = [{**a_row(judge, n), "content": f"source {n // 10}"} for n in range(200)]
    given = [dict.fromkeys(NAMES, 1 + n % 5) for n in range(200)]
    run = a_run(url, "summary", given, rows=rows)
    labels = [{"id": f"i{n}", "coverage": 1 + (n + n // 3) % 5} for n in range(90)]
    with pytest.raises(DataError, match="90 labelled items with a verdict from 9 sources") as refused:
        correct(run, labels)
    assert "of other sources: at least 10" in (refused.value.hint or "")
    assert correct(run, [*labels, {"id": "i99", "coverage": 3}]).data["criteria"]["coverage"]["sources"] == 10


def test_labels_of_one_run_correct_another_of_the_same_items(url, tmp_path):
    run, people = kind_judge(url, n=200, name="one")
    other, _ = kind_judge(url, n=200, kind=0.0, name="two")
    path = to_file(tmp_path / "labels.csv", fill(sample(run, 60).rows, people))
    found = correct(other, path)
    assert found.data["sample"]["run"] == run.id
    assert "do not show" in found.answers[0]


def test_the_sample_s_run_must_be_there_and_unchanged(url, tmp_path):
    run, people = kind_judge(url, n=200)
    rows = fill(sample(run, 60).rows, people)
    with pytest.raises(DataError, match="chosen from run gone"):
        correct(run, [{**row, "sample_run": "gone"} for row in rows])
    with pytest.raises(DataError, match="names two runs"):
        correct(run, [{**rows[0], "sample_run": "gone"}, *rows[1:]])
    with pytest.raises(DataError, match="not what it is in run"):
        correct(run, [{**rows[0], "sample_code": "bbbbbbbb"}, *rows[1:]])
    with pytest.raises(DataError, match="not what it is in run"):
        correct(run, [{**row, "sample_code": rows[0]["sample_code"]} for row in rows])


def test_labels_of_other_texts_under_the_same_ids_are_refused(url):
    """Summaries of the same articles by another system: what people said of the first says nothing of them."""
    given = [dict.fromkeys(NAMES, 1 + n % 5) for n in range(60)]
    rows = [{"id": f"i{n}", "content": f"article {n}", "text": f"summary {n}"} for n in range(60)]
    run = a_run(url, "summary", given, rows=rows, name="one")
    labels = [{**row, **dict.fromkeys(NAMES, 3)} for row in sample(run, 30).rows]
    again = a_run(url, "summary", given, rows=[{**row, "note": "x"} for row in rows], name="two")
    assert correct(again, labels).data["criteria"]["coverage"]["n"] == 30
    other = a_run(url, "summary", given, rows=[{**row, "text": "another"} for row in rows], name="three")
    with pytest.raises(DataError, match=r"labelled in run .* with another `text` than it has in run"):
        correct(other, labels)


def test_candidates_are_found_again_by_code_or_by_name_also_where_their_item_failed(url):
    run, people = two_candidates(url)
    rows = fill(sample(run, 40).rows, people)
    found = correct(run, rows)
    by_name = [
        {**row, "candidate": next(who for who in "AB" if candidate_code(row["id"], who) == row["candidate"])}
        for row in rows
    ]
    assert correct(run, by_name).data == found.data
    labelled = {row["id"] for row in rows}
    given = [None if f"i{n}" == min(labelled) else {one: {"A": 3, "B": 4} for one in RAG} for n in range(120)]
    failed = correct(a_run(url, "rag-answers", given, name="failed"), rows)
    assert [failed.data["candidates"][who]["criteria"]["clarity"]["n"] for who in "AB"] == [39, 39]
    with pytest.raises(DataError, match="name the candidate `bbbbbbbb`"):
        correct(run, [{**rows[0], "candidate": "bbbbbbbb"}, *rows[1:]])
    assert agree(run, labels=rows).data["labelled"] == agree(run, labels=by_name).data["labelled"] == 40


def test_a_path_is_a_file_and_an_impossible_precision_is_refused(url, tmp_path):
    run, people = kind_judge(url, n=60)
    path = tmp_path / "labels.jsonl"
    to_file(path, random_rows(people, 30))
    assert correct(run, path).data == correct(run, str(path)).data
    for half in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match="--half-width"):
            correct(run, path, half_width=half)


def test_items_beside_the_sample_are_left_out_and_counted(url):
    run, people = kind_judge(url, n=200)
    rows = fill(sample(run, 60).rows, people)
    had = {row["id"] for row in rows}
    more = [{"id": item, **dict.fromkeys(NAMES, 1)} for item in sorted(people) if item not in had][:30]
    found, without = correct(run, [*rows, *more]), correct(run, rows)
    assert found.data["criteria"] == without.data["criteria"]
    assert any("did not choose: 30" in one for one in found.warnings)


def test_failed_and_foreign_items_are_counted(url):
    run, people = kind_judge(url, n=200, failed=20)
    rows = [{"id": item, **people[item]} for item in sorted(people, key=lambda name: int(name[1:]))[:80]]
    found = correct(run, [*rows, {"id": "elsewhere", **rows[0], "id": "elsewhere"}])  # noqa: F601 (the id comes last)
    assert found.data["criteria"]["coverage"]["n"] == 60
    said = " ".join(found.warnings)
    assert "does not have: 1." in said
    assert "Labelled items without a verdict: 20." in said
    assert "Items without a verdict: 20." in said


def test_shares_of_scores(url):
    run, people = kind_judge(url, n=400)
    found = correct(run, random_rows(people, 80), passes=["coverage>=4", "average_score <= 2.5"])
    one = found.data["rates"]["coverage>=4"]
    truth = np.mean([said["coverage"] >= 4 for said in people.values()])
    assert one["corrected"]["ci95"][0] < truth < one["corrected"]["ci95"][1] < one["judge"]["rate"]
    assert one["rogan_gladen"]["ci95"][0] < truth < one["rogan_gladen"]["ci95"][1]
    assert 0 < one["sensitivity"]["rate"] <= 1
    assert found.data["rates"]["average_score <= 2.5"]["of"] == 400
    assert any("Coverage ≥ 4" in line for line in found.answers)


def test_yes_no_criteria_are_shares_of_themselves(url, tmp_path):
    from tests.fakes.yes_no import yes_no_folder

    rng = np.random.default_rng(3)
    people = {f"i{n}": float(rng.random() < 0.6) for n in range(300)}
    judge = [1.0 if said and rng.random() < 0.95 else float(rng.random() < 0.4) for said in people.values()]
    run = a_run(url, str(yes_no_folder(tmp_path)), [{"answered": one} for one in judge])
    ids = rng.choice(300, 70, replace=False).tolist()
    found = correct(run, [{"id": f"i{n}", "answered": people[f"i{n}"]} for n in ids])
    assert found.data["criteria"] == {}
    (one,) = found.data["rates"].values()
    truth = np.mean([*people.values()])
    assert one["corrected"]["ci95"][0] < truth < one["corrected"]["ci95"][1]
    assert one["judge"]["rate"] == pytest.approx(np.mean(judge))


def test_a_share_nobody_can_know_is_refused(url):
    given = [dict.fromkeys(NAMES, 5 if n < 60 else 1 + n % 3) for n in range(120)]
    run = a_run(url, "summary", given)
    rows = [{"id": f"i{n}", "coverage": 5 - n % 2} for n in range(40)]
    found = correct(run, rows, passes=["coverage>=4"])
    assert found.data["rates"]["coverage>=4"]["corrected"] is None
    assert any("none is labelled" in note for section in found.sections for note in section.notes)


@pytest.mark.parametrize(
    "bound",
    ["coverage", "coverage>4", "nothing>=4", "coverage>=x", ">=4", "", "coverage>=99", "coverage<=0", "coverage>=nan"],
)
def test_bounds_that_make_no_sense_are_refused(url, bound):
    run, people = kind_judge(url, n=40)
    with pytest.raises(ConfigError, match="--pass"):
        correct(run, random_rows(people, 30), passes=[bound])


def test_a_criterion_that_does_not_exist_is_no_matter_of_form(url):
    run, people = kind_judge(url, n=40)
    with pytest.raises(ConfigError) as refused:
        correct(run, random_rows(people, 30), passes=["acuracy>=4"])
    assert "--pass acuracy>=4: there is no criterion `acuracy`" in str(refused.value)
    assert "did you mean `accuracy`?" in str(refused.value)
    with pytest.raises(ConfigError, match="not of the form"):
        correct(run, random_rows(people, 30), passes=["accuracy>4"])


def test_the_run_is_shown_by_name_and_the_sentences_are_in_the_json(url):
    run, people = kind_judge(url, n=100, name="branch")
    for sheet in (correct(run, random_rows(people, 40)), sample(run, 30).sheet):
        assert sheet.facts[0] == f"branch ({run.id})"
        assert sheet.answers and sheet.data["answers"] == list(sheet.answers)


def test_labels_from_the_store_are_taken_without_a_file(url):
    from adjudge.store.store import open_store

    run, people = kind_judge(url, n=100)
    with pytest.raises(DataError, match="has no labels"):
        correct(run)
    with open_store(url) as store:
        for row in random_rows(people, 30):
            store.add_label(run.id, row["id"], "", "coverage", "anna", float(row["coverage"]))
    assert correct(run).data["criteria"]["coverage"]["n"] == 30
