from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.core.errors import Ambiguous, Missing, NoVerdict, OutOfScale, ReplyError, Truncated
from adjudge.reply.read import Expected, Reading, read
from tests.unit.reply.judges import TRANSLATION

LABELS = Expected(labels={"1": "item-a", "2": "item-b"})


def entry(adequacy: Any = 5, fluency: Any = 4) -> dict[str, Any]:
    return {"adequacy": {"why": "", "score": adequacy}, "fluency": [fluency, "stiff"]}


def run(value: Any, expected: Expected = LABELS, **options: Any) -> Reading:
    return read(TRANSLATION, value if isinstance(value, str) else json.dumps(value), expected, **options)


def adequacy(reading: Reading) -> dict[str, float | None]:
    return {item: opinion.scores["adequacy"][""].value for item, opinion in reading.opinions.items()}


@pytest.mark.parametrize(
    "value",
    [
        {"scores": {"1": entry(5), "2": entry(3)}},
        {"scores": [{"id": "2", **entry(3)}, {"id": 1, **entry(5)}]},
        {"2": entry(3), "1": entry(5)},
        [{"id": "1", **entry(5)}, {"id": "2", **entry(3)}],
        {"result": {"1": entry(5), "2": entry(3)}},
    ],
)
def test_items_are_joined_by_id_in_every_form(value):
    assert adequacy(run(value)) == {"item-a": 5, "item-b": 3}


def test_an_id_that_was_not_shown_is_nobody_s():
    with pytest.raises(NoVerdict):
        run({"scores": {"item-a": entry(5), "item-b": entry(3)}})


def test_objects_on_lines_of_their_own_are_one_batch():
    lines = "\n".join(json.dumps({"id": n, **entry(s)}) for n, s in (("1", 5), ("2", 3)))
    assert adequacy(run(lines)) == {"item-a": 5, "item-b": 3}


def test_the_summary_is_kept_for_known_criteria():
    value = {"scores": {"1": entry()}, "summary": {"adequacy": "good", "Fluency": "stiff", "other": "x"}}
    assert run(value).summary == {"adequacy": "good", "fluency": "stiff"}


def test_valid_items_are_kept_and_each_other_fails_by_itself():
    reading = run({"scores": {"1": entry(9), "2": entry(3)}})
    assert adequacy(reading) == {"item-b": 3}
    assert isinstance(reading.failures["item-a"], OutOfScale)
    missing = run({"scores": {"1": entry()}})
    assert isinstance(missing.failures["item-b"], Missing)


def test_a_list_without_ids_is_never_matched_by_place():
    with pytest.raises(NoVerdict):
        run({"scores": [entry(5), entry(3)]})
    with pytest.raises(NoVerdict):
        run([entry(5)])


def test_one_item_and_one_object_need_no_id():
    only = Expected(labels={"1": "item-a"})
    for value in (entry(4), [entry(4)], {"scores": [entry(4)]}):
        reading = run(value, only)
        assert adequacy(reading) == {"item-a": 4} and "no_id" in reading.flags
    with pytest.raises(ReplyError):
        run([entry(4), entry(3)], only)


def test_unknown_ids_are_flagged_and_dropped():
    reading = run({"scores": {"1": entry(), "7": entry()}})
    assert set(reading.opinions) == {"item-a"} and "unknown_id:7" in reading.flags


def test_duplicates_count_when_equal_and_are_ambiguous_when_not():
    equal = run([{"id": "1", **entry(5)}, {"id": "1", **entry(5)}])
    assert "duplicate_id" in equal.opinions["item-a"].flags
    for value in (
        [{"id": "1", **entry(5)}, {"id": "1", **entry(4)}, {"id": "2", **entry(3)}],
        f'{{"scores": {{"1": {json.dumps(entry(5))}, "1": {json.dumps(entry(4))}, "2": {json.dumps(entry(3))}}}}}',
    ):
        reading = run(value)
        assert isinstance(reading.failures["item-a"], Ambiguous) and adequacy(reading) == {"item-b": 3}


def test_a_cut_reply_keeps_its_complete_items():
    text = json.dumps({"scores": {"1": entry(5), "2": entry(3)}})[:-25]
    reading = run(text, finish="length")
    assert adequacy(reading) == {"item-a": 5}
    assert isinstance(reading.failures["item-b"], Truncated)


def test_without_labels_any_id_goes():
    assert adequacy(run({"scores": {"x": entry(2)}}, Expected())) == {"x": 2}


def test_the_bracket_that_models_get_wrong():
    text = json.dumps({"scores": [{"id": "1", "adequacy": [5, ""], "fluency": [5, ""]}, {"id": "2", **entry(3)}]})
    text = text.replace('[5, ""]}', '[5, ""}')
    assert adequacy(run(text)) == {"item-a": 5, "item-b": 3}


@pytest.mark.parametrize(
    "quote",
    [{"1": entry(5)}, [{"id": "1", **entry("5")}], {"id": 1, **entry(5.0)}],
)
def test_a_quoted_entry_is_not_read_and_the_models_own_is(quote):
    expected = Expected(labels=LABELS.labels, judged=(f"x {json.dumps({'1': entry(5)})} y", "other"))
    own = json.dumps({"scores": {"2": entry(3)}})
    reading = run(f"Item 1 claims {json.dumps(quote)}\n{own}", expected)
    assert adequacy(reading) == {"item-b": 3} and isinstance(reading.failures["item-a"], NoVerdict)
    full = json.dumps({"scores": {"1": entry(2), "2": entry(3)}})
    for text in (f"Item 1 claims {json.dumps(quote)}\n{full}", f"{full}\nItem 1 claims {json.dumps(quote)}"):
        assert adequacy(run(text, expected)) == {"item-a": 2, "item-b": 3}
    with pytest.raises(NoVerdict, match="quoted"):
        run(f"Item 1 claims {json.dumps(quote)}", expected)


def test_one_item_and_one_object_of_its_own_beside_a_quotation():
    only = Expected(labels={"1": "item-a"}, judged=(f"x {json.dumps(entry(5))} y",))
    assert adequacy(run(f"It says {json.dumps(entry(5))}\n{json.dumps(entry(2))}", only)) == {"item-a": 2}
    with pytest.raises(NoVerdict, match="quoted"):
        run(f"It says {json.dumps(entry(5))}", only)
