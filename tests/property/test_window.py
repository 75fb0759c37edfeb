"""However a text is cut, its parts are the text, and none is too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.records import Source
from adjudge.run.window import grouped, spans

TEXTS = st.text(alphabet=st.sampled_from("ab .\n!?…»é\u0301\U0001f600"), max_size=400)


@given(text=TEXTS, size=st.integers(1, 60))
def test_parts_are_the_whole(text, size):
    places = spans(text, size)
    assert "".join(text[start:end] for start, end in places) == text
    assert all(end - start <= size for start, end in places)
    assert [start for start, _ in places] == [0, *(end for _, end in places[:-1])]


@given(texts=st.lists(TEXTS, max_size=5), size=st.integers(1, 200))
def test_groups_hold_every_source_whole_and_in_order(texts, size):
    groups = grouped([Source(id=str(n), text=text) for n, text in enumerate(texts)], size)
    pieces = [piece for group in groups for piece in group]
    for n, text in enumerate(texts, start=1):
        own = [piece for piece in pieces if piece.number == n]
        assert "".join(piece.source.text for piece in own) == text
        assert all(text[piece.start :].startswith(piece.source.text) for piece in own)
    assert all(sum(len(piece.source.text) for piece in group) <= size for group in groups)
    assert [piece.number for piece in pieces] == sorted(piece.number for piece in pieces)
