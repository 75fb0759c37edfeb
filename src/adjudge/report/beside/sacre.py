"""BLEU, chrF, chrF++ and TER as sacrebleu counts them; it is imported only where there is a reference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import fsum
from pathlib import Path
from typing import Any

import yaml

METRICS = ("BLEU", "chrF", "chrF++", "TER")
DEFAULT_CUT = "13a"
_WORD = re.compile(r"\W*([^\W_]+)")
#: TER looks for moved words and takes seconds for a long text; texts of more words have none.
TER_WORDS = 60


def available() -> bool:
    """Whether sacrebleu is installed."""
    return find_spec("sacrebleu") is not None


def cut_of(lang: str) -> str:
    """How sacrebleu cuts a language into words, by its tag or its name.

    >>> cut_of("zh-TW"), cut_of("Chinese (simplified)"), cut_of("de"), cut_of("")
    ('zh', 'zh', '13a', '13a')
    """
    first = _WORD.match(lang)
    return _cuts().get(first[1].lower(), DEFAULT_CUT) if first else DEFAULT_CUT


@cache
def _cuts() -> dict[str, str]:
    """How languages that are not written with blanks are cut, by what they may be called."""
    data = yaml.safe_load(Path(__file__).with_name("languages.yaml").read_text(encoding="utf-8"))
    return {name: cut for cut, names in data.items() for name in names}


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """The score of one text; of TER also the edits and the words of the reference, of which it is made."""

    value: float
    edits: float = 0.0
    words: float = 0.0


class Scorer:
    """The four metrics for texts that are cut in one way."""

    def __init__(self, cut: str) -> None:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
        from sacrebleu.metrics.ter import TER

        try:
            BLEU(tokenize=cut)
        except RuntimeError:  # the package that knows the words of this language is not installed; the signature tells
            cut = "char"
        asian = cut != DEFAULT_CUT
        # force: texts that look cut already are judged as they are, without a word on standard error
        corpus, segment = BLEU(tokenize=cut, force=True), BLEU(tokenize=cut, force=True, effective_order=True)
        ter = TER(normalized=asian, asian_support=asian)
        self._corpus: Mapping[str, Any] = {"BLEU": corpus, "chrF": CHRF(), "chrF++": CHRF(word_order=2), "TER": ter}
        self._segment: Mapping[str, Any] = {**self._corpus, "BLEU": segment}

    def segment(self, metric: str, output: str, reference: str) -> Scored | None:
        """The score of one text; None where TER would take too long."""
        if metric != "TER":
            return Scored(value=float(self._segment[metric].sentence_score(output, [reference]).score))
        if max(len(output.split()), len(reference.split())) > TER_WORDS:
            return None
        found = self._segment["TER"].sentence_score(output, [reference])
        return Scored(value=float(found.score), edits=float(found.num_edits), words=float(found.ref_length))

    def corpus(self, metric: str, texts: Sequence[tuple[str, str, Scored]]) -> tuple[float, str]:
        """The score of all texts together, of which each is scored, and its signature."""
        outputs, references, scored = zip(*texts, strict=True)
        if metric != "TER":
            value = float(self._corpus[metric].corpus_score(outputs, [references]).score)
        else:  # edits and words add up, and counting them again would take as long as all the rest
            self._corpus["TER"].corpus_score([""], [["a"]])  # its signature wants to have seen a reference
            edits, length = fsum(one.edits for one in scored), fsum(one.words for one in scored)
            value = 100 * edits / length if length else 100.0 * (edits > 0)
        return value, str(self._corpus[metric].get_signature())


@cache
def scorer(cut: str) -> Scorer:
    """The scorer of a way to cut; making one takes a while."""
    return Scorer(cut)


def segment_metrics(output: str, reference: str, lang: str) -> dict[str, float | None]:
    """All metrics of one text."""
    own = scorer(cut_of(lang))
    scored = {metric: own.segment(metric, output, reference) for metric in METRICS}
    return {metric: None if one is None else one.value for metric, one in scored.items()}
