"""A call's key: it changes with whatever decides the answer, and with nothing else."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.records import Call, Item, Settings, Source
from adjudge.run.plan import Options, Planner
from tests.unit.spec.rows import bundled

PARTS_OF_TEXT = st.sampled_from(["\ud800", "\udc00", '"', "\\", "/", '","', "[]", "{}", "null"])
TEXT = st.lists(PARTS_OF_TEXT | st.text(max_size=3), max_size=3).map("".join)
SOURCES = st.lists(st.builds(Source, id=TEXT, text=TEXT, url=st.none() | TEXT, title=st.none() | TEXT), max_size=3)
VALUES = TEXT | SOURCES.map(tuple) | st.dictionaries(TEXT, TEXT, max_size=3)
ITEMS = st.builds(Item, id=TEXT, fields=st.dictionaries(TEXT, VALUES, max_size=4))
SETTINGS = st.builds(
    Settings,
    model=TEXT,
    base_url=st.none() | TEXT,
    temperature=st.none() | st.floats(0, 2),
    max_tokens=st.none() | st.integers(1, 9),
    revision=st.none() | TEXT,
)
PARTS = st.fixed_dictionaries(
    {
        "lang": st.sampled_from(["en", "ru"]),
        "settings": SETTINGS,
        "stage": st.sampled_from(["judge", "repair", "again", "merge"]),
        "items": st.lists(ITEMS, min_size=1, max_size=3),
        "order": st.lists(TEXT, max_size=3).map(tuple),
        "repeat": st.integers(0, 9),
        "after": st.none() | TEXT | st.lists(TEXT | st.booleans(), max_size=2),
    }
)


def call(lang: str, settings: Settings, stage: Any, items: list[Item], **rest: Any) -> Call:
    planner = Planner(judge=bundled("summary", lang), settings=settings, options=Options())
    return planner.call(stage, items, **rest)


@settings(deadline=None)
@given(PARTS, PARTS)
def test_changing_any_input_changes_the_key(one: dict[str, Any], other: dict[str, Any]) -> None:
    base = call(**one)
    assert call(**one) == base
    for name, value in other.items():
        changed = call(**{**one, name: value})
        assert (changed.key == base.key) == (value == one[name]), name
        assert (changed.content == base.content) == (value == one[name] or name == "settings"), name


@given(SETTINGS, SETTINGS)
def test_every_setting_is_part_of_the_key(one: Settings, other: Settings) -> None:
    rest: dict[str, Any] = {"lang": "en", "stage": "judge", "items": [Item(id="1", fields={})]}
    base = call(settings=one, **rest).key
    for name in (field.name for field in fields(Settings)):
        value = getattr(other, name)
        changed = call(settings=replace(one, **{name: value}), **rest).key
        assert (changed == base) == (value == getattr(one, name)), name


@given(ITEMS, st.randoms())
def test_the_order_of_fields_and_what_is_carried_along_do_not_matter(item: Item, random: Any) -> None:
    names = list(item.fields)
    random.shuffle(names)
    other = Item(id=item.id, fields={name: item.fields[name] for name in names}, extra={"note": "x"})
    rest: dict[str, Any] = {"lang": "en", "settings": Settings(model="m"), "stage": "judge"}
    assert call(items=[other], **rest) == call(items=[item], **rest)
