"""Named values of sources that are data."""

from __future__ import annotations

from adjudge.models.offline.fields import fields
from adjudge.models.offline.text import analyse

DATA = """{"name": "Blue Door", "WiFi": null, 'OutdoorSeating': False, "live_music": "no", "noise": "no limit",
"Стол": true, "pets": None}"""


def test_names_are_taken_apart_and_refusals_seen() -> None:
    found = {field.name: field for field in fields(analyse(DATA))}
    assert found["OutdoorSeating"].stems == tuple(analyse("outdoor seating").stems)
    assert found["live_music"].stems == tuple(analyse("live music").stems)
    assert {name for name, field in found.items() if field.denied} == {"WiFi", "OutdoorSeating", "live_music", "pets"}
    assert "Стол" in found


def test_a_field_is_said_in_one_word_or_in_several() -> None:
    wifi = next(field for field in fields(analyse(DATA)) if field.name == "WiFi")
    assert [wifi.said_in(analyse(text).sentences[0]) for text in ("Free WiFi.", "Free Wi-Fi.", "Free coffee.")] == [
        True,
        True,
        False,
    ]


def test_each_field_shows_its_own_place() -> None:
    assert all(DATA[f.shown.start : f.shown.start + len(f.shown.text)] == f.shown.text for f in fields(analyse(DATA)))


def test_prose_and_wordless_text_have_no_fields() -> None:
    assert list(fields(analyse("She said: 'no'. He said nothing."))) == []
    assert list(fields(analyse("\"':"))) == []
