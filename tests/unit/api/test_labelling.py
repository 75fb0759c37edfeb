"""A person's desk: blind, in an order of their own, and nothing that was said is lost."""

from __future__ import annotations

import json
import threading

import pytest

from adjudge.api.agree import agree
from adjudge.api.labelling import Desk
from adjudge.core import limits
from adjudge.core.errors import DataError
from adjudge.core.records import Failure, Verdict
from adjudge.store.store import open_store
from adjudge.store.writes import AnsweredDone, OutcomeDone
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
ANSWERS = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/runs.db"


@pytest.fixture
def run(url):
    return a_run(url, "summary", [*(dict.fromkeys(SUMMARY, 1 + n % 5) for n in range(29)), None])


@pytest.fixture
def compared(url):
    return a_run(url, "rag-answers", [{name: {"North": 4, "South": 2} for name in ANSWERS} for _ in range(12)])


def answer_all(desk, place, value=3):
    for candidate in desk.at(place).candidates:
        for criterion in desk.criteria:
            desk.say(place, criterion.name, value, candidate=candidate)


def order(desk):
    return [desk.at(place).item.id for place in range(1, desk.total + 1)]


def test_everybody_has_all_items_in_an_order_of_their_own(run):
    anna, bo = Desk.open(run, "anna"), Desk.open(run, "bo")
    assert sorted(order(anna)) == sorted(order(bo)) == sorted(f"i{n}" for n in range(30))
    assert order(anna) != order(bo)
    assert order(Desk.open(run, " anna  ")) == order(anna)
    assert order(Desk.open(run, "anna", seed=1)) != order(anna)
    assert [anna.place(anna.at(place).number) for place in (1, 15, 30)] == [1, 15, 30]
    assert anna.place(31) is None


def test_some_items_are_the_same_for_everybody(run):
    anna, bo = Desk.open(run, "anna", items=20), Desk.open(run, "bo", items=20)
    assert anna.total == 20
    assert set(order(anna)) == set(order(bo))
    assert order(anna) != order(bo)
    assert Desk.open(run, "anna", items=500).total == 30
    assert set(order(Desk.open(run, "anna", items=5))) < set(order(anna))


def test_some_items_are_the_same_whatever_the_judge_said_so_far(tmp_path):
    """A choice by the verdicts would move as they come, and `correct` would take what is no random choice for one."""
    chosen = []
    for number, scores in enumerate([[1] * 40, [5] * 20 + [1] * 20, [1, 2, 3, 4] * 10]):
        given = [dict.fromkeys(SUMMARY, score) if place % 3 else None for place, score in enumerate(scores)]
        url = f"sqlite:///{tmp_path}/{number}.db"
        chosen.append(set(order(Desk.open(a_run(url, "summary", given), "anna", items=10))))
    assert len(chosen[0]) == 10
    assert chosen[0] == chosen[1] == chosen[2]


def test_an_item_shows_its_texts_and_nothing_of_the_verdict(url):
    row = {"id": "x", "content": "long", "text": "short", "system": "gpt", "labels": {"coverage": 1}, "coverage": 2}
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, 4)], rows=[row])
    task = Desk.open(run, "anna").at(1)
    assert dict(task.item.fields) == {"content": "long", "text": "short"}
    assert dict(task.item.extra) == {}
    assert (task.candidates, task.answers, task.comment, task.complete) == (("",), {}, "", False)


def test_candidates_have_codes_until_the_item_is_complete(compared):
    anna, bo = Desk.open(compared, "anna"), Desk.open(compared, "bo")
    task = anna.at(1)
    assert len(task.candidates) == 2
    assert "North" not in repr(task.candidates)
    assert list(task.item.fields["answers"]) == list(task.candidates)
    assert task.names == {}
    orders = {
        desk.annotator: [
            desk.at(place).candidates[0] for place in sorted(range(1, 13), key=lambda p: desk.at(p).number)
        ]
        for desk in (anna, bo)
    }
    assert orders["anna"] != orders["bo"]
    code = task.candidates[0]
    anna.say(1, "clarity", 5, candidate=code)
    assert anna.at(1).answers[code, "clarity"].candidate == code
    answer_all(anna, 1)
    done = anna.at(1)
    assert done.complete
    assert sorted(done.names.values()) == ["North", "South"]
    for code in done.candidates:
        assert done.item.fields["answers"][code].startswith(done.names[code])
    with open_store(compared.store) as store:
        assert {label.candidate for label in store.labels(compared.id)} == {"North", "South"}


def test_what_was_said_is_there_after_opening_again(run):
    desk = Desk.open(run, "anna")
    assert (desk.done, desk.first_open()) == (0, 1)
    desk.say(1, "coverage", 4, comment="nearly")
    desk.comment(1, "hard to read")
    answer_all(desk, 2, None)
    again = Desk.open(run, "anna")
    task = again.at(1)
    assert (task.answers["", "coverage"].value, task.answers["", "coverage"].comment) == (4, "nearly")
    assert task.comment == "hard to read"
    assert (again.done, again.first_open(), again.at(2).complete) == (1, 1, True)
    assert list(again.open_after(1))[:2] == [3, 4]
    assert Desk.open(run, "bo").done == 0


def test_a_new_score_keeps_the_comment_and_a_new_comment_replaces_it(run):
    desk = Desk.open(run, "anna")
    desk.say(1, "coverage", 4, comment="nearly")
    desk.say(1, "coverage", 5)
    assert desk.at(1).answers["", "coverage"].comment == "nearly"
    desk.say(1, "coverage", 5, comment="")
    assert desk.at(1).answers["", "coverage"].comment == ""


@pytest.mark.parametrize("value", [0, 6, -1, 2.5, float("nan"), float("inf"), "good", True])
def test_a_value_off_the_scale_is_refused(run, value):
    desk = Desk.open(run, "anna")
    with pytest.raises(DataError, match="scale"):
        desk.say(1, "coverage", value)
    assert desk.at(1).answers == {}


def test_what_is_not_there_is_refused(run, compared):
    desk = Desk.open(run, "anna")
    for place in (0, 31, -1):
        with pytest.raises(DataError, match="there is no item"):
            desk.at(place)
    with pytest.raises(DataError, match="no scored criterion of `summary`"):
        desk.say(1, "conclusion", 3)
    with pytest.raises(DataError, match="no candidate `B`"):
        desk.say(1, "coverage", 3, candidate="B")
    with pytest.raises(DataError, match="no candidate `North`"):
        Desk.open(compared, "anna").say(1, "clarity", 3, candidate="North")
    with pytest.raises(DataError, match="no candidate ``"):
        Desk.open(compared, "anna").say(1, "clarity", 3)
    with pytest.raises(DataError, match="longer than"):
        desk.comment(1, "x" * (limits.COMMENT_CHARS + 1))
    for name in ("", "  ", "x" * 201, "a\x1bb", "a\u202eb"):
        with pytest.raises(DataError, match="name"):
            Desk.open(run, name)


def test_the_verdict_is_hidden_until_every_criterion_is_answered(run):
    desk = Desk.open(run, "anna")
    for criterion in desk.criteria:
        with pytest.raises(DataError, match="hidden"):
            desk.verdict(1)
        desk.say(1, criterion.name, 3)
    assert isinstance(desk.verdict(1), Verdict)
    seen, failed = desk.place(desk.at(1).number), desk.place(30)
    assert seen is not None and failed is not None
    with pytest.raises(DataError, match="hidden"):
        Desk.open(run, "bo").verdict(seen)
    answer_all(desk, failed)
    assert isinstance(desk.verdict(failed), Failure)
    assert not desk.at(failed).final
    assert desk.undo() == failed, "there was no verdict to see"
    with pytest.raises(DataError, match="hidden"):
        desk.verdict(failed)


@pytest.mark.parametrize("kind", ["run", "compared"])
def test_scores_are_final_once_the_verdict_was_shown(request, kind):
    run = request.getfixturevalue(kind)
    desk, other = Desk.open(run, "anna"), Desk.open(run, "anna")
    answer_all(desk, 2)
    answer_all(desk, 1)
    name, code = desk.criteria[0].name, desk.at(1).candidates[0]
    desk.say(1, name, 2, candidate=code)
    desk.verdict(1)
    for one in (desk, other, Desk.open(run, "anna")):
        one.say(1, name, 2, candidate=code)  # sent twice
        for value in (4, None):
            with pytest.raises(DataError, match="final"):
                one.say(1, name, value, candidate=code)
        assert (one.at(1).final, one.at(2).final) == (True, False)
    desk.comment(1, "I see")
    desk.say(1, name, 2, candidate=code, comment="still")
    assert (desk.at(1).comment, desk.at(1).answers[code, name].comment) == ("I see", "still")
    assert desk.undo() == 1, "a comment is no score"
    assert desk.at(1).comment == ""
    assert desk.undo() == 2, "scores whose verdict was shown stay"
    assert desk.at(1).answers[code, name].value == 2
    with open_store(run.store) as store:
        every = store.label_edits(run.id)
        assert {one.criterion for one in every} <= {"", *(one.name for one in desk.criteria)}
        now = {one.place: one.value for one in store.labels(run.id)}
        assert sum(value == 2 for value in now.values()) == 1, "agreement reads what was said blind"


def test_the_agreement_shows_verdicts_and_makes_every_score_final(run):
    some, bo = Desk.open(run, "anna", items=20), Desk.open(run, "bo", items=20)
    for place in range(1, 21):
        answer_all(some, place, 1 + place % 5)
        answer_all(bo, place)
    some.agreement()
    assert all(some.at(place).final for place in range(1, 21))
    assert some.undo() is None
    assert not bo.at(1).final
    every = Desk.open(run, "anna")
    assert sum(every.at(place).final for place in range(1, 31)) == 20


def test_who_skips_everything_has_not_answered_and_sees_neither_verdict_nor_names(run, compared):
    for desk in (Desk.open(run, "anna"), Desk.open(compared, "anna")):
        answer_all(desk, 1, None)
        desk.comment(1, "no idea")
        task = desk.at(1)
        assert (task.complete, task.answered, task.names, desk.done) == (True, False, {}, 1)
        with pytest.raises(DataError, match="hidden while nothing of this item is scored"):
            desk.verdict(1)
        desk.say(1, desk.criteria[0].name, 3, candidate=task.candidates[0])
        assert desk.at(1).answered
        assert isinstance(desk.verdict(1), Verdict)


def test_what_is_said_already_is_not_said_again(run):
    def said():
        with open_store(run.store) as store:
            return len(store.label_edits(run.id))

    desk = Desk.open(run, "anna")
    desk.comment(1, "")
    assert said() == 0
    for _ in range(2):
        desk.say(1, "coverage", 4, comment="nearly")
        desk.say(1, "accuracy", None)
        desk.comment(1, "hm")
    assert said() == 3
    desk.say(1, "coverage", 4, comment="")
    desk.comment(1, "")
    assert said() == 5
    threads = [threading.Thread(target=lambda: Desk.open(run, "anna").say(2, "coverage", 4)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said() == 6


def test_undo_walks_back_and_what_was_before_counts_again(run):
    desk = Desk.open(run, "anna")
    assert desk.undo() is None
    desk.say(2, "coverage", 4)
    desk.comment(3, "odd")
    desk.say(2, "coverage", 5)
    assert desk.undo() == 2
    assert desk.at(2).answers["", "coverage"].value == 4
    assert (desk.undo(), desk.at(3).comment) == (3, "")
    desk.say(1, "accuracy", 1)
    assert [desk.undo(), desk.undo(), desk.undo()] == [1, 2, None]
    assert desk.at(2).answers == {}
    with open_store(run.store) as store:
        assert list(store.labels(run.id)) == []
        assert [(label.value, bool(label.withdrawn)) for label in store.label_edits(run.id)] == [
            (4, True),
            (None, True),
            (5, True),
            (1, True),
        ]


def test_undo_takes_back_ones_own_words_on_this_desk_only(run):
    every, some, bo = Desk.open(run, "anna"), Desk.open(run, "anna", items=20), Desk.open(run, "bo")
    elsewhere = next(place for place in range(1, 31) if every.at(place).item.id not in order(some))
    some.say(1, "coverage", 2)
    every.say(elsewhere, "coverage", 2)
    bo.say(1, "coverage", 2)
    assert some.undo() == 1
    assert some.undo() is None
    assert every.at(elsewhere).answers["", "coverage"].value == 2
    assert Desk.open(run, "bo").at(1).answers["", "coverage"].value == 2


def test_two_tabs_lose_nothing_and_the_last_word_counts(run):
    one, two = Desk.open(run, "anna"), Desk.open(run, "anna")
    one.say(1, "coverage", 1)
    two.say(1, "coverage", 2)
    two.say(1, "accuracy", 5)
    one.say(1, "coverage", 3)
    assert {key[1]: label.value for key, label in two.at(1).answers.items()} == {"coverage": 3, "accuracy": 5}
    with open_store(run.store) as store:
        assert len(store.label_edits(run.id)) == 4
    assert [one.undo(), two.undo(), one.undo()] == [1, 1, 1]
    assert {key[1]: label.value for key, label in two.at(1).answers.items()} == {"coverage": 1}


def test_people_and_tabs_at_the_same_time(run):
    errors: list[BaseException] = []

    def work(name: str, first: int) -> None:
        try:
            for place in range(first, 31, 2):
                answer_all(Desk.open(run, name), place)
        except BaseException as error:  # the assertion is made in the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name, first)) for name in ("anna", "bo") for first in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [Desk.open(run, name).done for name in ("anna", "bo")] == [30, 30]
    with open_store(run.store) as store:
        assert len(list(store.labels(run.id))) == len(store.label_edits(run.id)) == 2 * 30 * 5


def test_agreement_is_shown_when_all_is_done(run):
    desk, bo = Desk.open(run, "anna", items=20), Desk.open(run, "bo", items=20)
    answer_all(bo, 1)
    with pytest.raises(DataError, match="20 items of 20 still to be labelled"):
        desk.agreement()
    for place in range(1, 21):
        answer_all(desk, place, 1 + place % 5)
    sheet = desk.agreement()
    assert sheet.data == agree(run).data
    assert sheet.data["annotators"] == ["anna", "bo"]
    with pytest.raises(DataError, match="19 items of 20"):
        bo.agreement()


def test_when_nobody_gave_a_score_there_is_no_agreement(run):
    desk = Desk.open(run, "anna", items=20)
    for place in range(1, 21):
        answer_all(desk, place, None)
    with pytest.raises(DataError, match="has no labels"):
        desk.agreement()


def test_a_comment_on_an_item_stands_beside_its_scores(run):
    desk = Desk.open(run, "anna", items=20)
    for place in range(1, 21):
        answer_all(desk, place, 1)
        desk.comment(place, "no ending")
    assert "no ending" in desk.agreement().text()


def test_another_store_under_the_same_address_is_read_anew(tmp_path, url):
    scores = [dict.fromkeys(SUMMARY, 4)]
    run = a_run(url, "summary", scores)
    Desk.open(run, "anna").say(1, "coverage", 4)
    for file in tmp_path.iterdir():
        file.unlink()
    run = a_run(url, "summary", scores)
    assert Desk.open(run, "anna").at(1).answers == {}
    Desk.open(run, "anna").say(1, "coverage", 2)
    assert Desk.open(run, "anna").at(1).answers["", "coverage"].value == 2


def test_an_item_whose_candidates_did_not_answer_is_not_to_be_labelled(url):
    rows = [
        {"id": f"i{n}", "question": "When?", "sources": ["At nine."]}
        | ({} if n == 1 else {"answers": {"A": "9", "B": "8"}})
        for n in range(3)
    ]
    scores = {name: {"A": 4, "B": 2} for name in ANSWERS}
    run = a_run(url, "rag-answers", [scores, None, scores], rows=rows)
    with open_store(url) as store, store._db.write() as transaction:
        manifest = json.loads(transaction.read("SELECT manifest FROM runs")[0][0]) | {"candidates": ["A=openai:a"]}
        transaction.run("UPDATE runs SET manifest = ?", (json.dumps(manifest),))
    desk = Desk.open(run, "anna")
    assert sorted(order(desk)) == ["i0", "i2"]
    for place in (1, 2):
        answer_all(desk, place)
    assert desk.first_open() is None


def test_an_item_is_to_be_labelled_as_soon_as_its_candidates_have_answered(url):
    rows = [{"id": f"i{n}", "question": "When?", "sources": ["At nine."]} for n in range(3)]
    run = a_run(url, "rag-answers", [None] * 3, rows=rows)
    with open_store(url) as store, store._db.write() as transaction:
        manifest = json.loads(transaction.read("SELECT manifest FROM runs")[0][0]) | {"candidates": ["A=openai:a"]}
        transaction.run("UPDATE runs SET manifest = ?", (json.dumps(manifest),))
        transaction.run("DELETE FROM outcomes")
    assert Desk.open(run, "anna").total == 0
    with open_store(url) as store:
        answers = {"answers": {"A": "9", "B": "8"}}
        failure = Failure(item="i1", kind="timed_out", stage="judge", message="no answer in time")
        store.commit([AnsweredDone(run=run.id, position=1, body=json.dumps(answers))])
        store.commit([OutcomeDone(run=run.id, position=1, outcome=failure)])
    assert order(Desk.open(run, "anna")) == ["i1"]


@pytest.mark.parametrize("name", ["葛\U000e0100", "anna\u202e", "an\u00adna", "a\ud800"])
def test_a_name_that_a_page_cannot_show_as_it_is_is_refused(run, name):
    """A form would send it back as that of somebody else, and the labels would be theirs."""
    with pytest.raises(DataError, match="all of them visible"):
        Desk.open(run, name)
