"""BLEU, chrF, chrF++ and TER as sacrebleu counts them; it is imported only where there is a reference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
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
    """The score of one text, and the counts that it is made of: those of many texts add up to the score of all."""

    value: float
    counts: tuple[float, ...]


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
        for metric in self._corpus.values():
            metric.corpus_score(["a"], [["a"]])  # a signature wants to have seen a reference

    def segment(self, output: str, reference: str, *, ter: bool = True) -> dict[str, Scored | None]:
        """Every metric of one text; that of TER is None where it was not wanted or would take too long."""
        words = max(len(output.split()), len(reference.split()))
        left_out = not ter or words > TER_WORDS
        counts = {
            metric: self._counts(metric, output, reference)
            for metric in ("BLEU", "chrF++", *(() if left_out else ("TER",)))
        }
        # chrF++ counts runs of characters, then of words; chrF the same runs of characters alone
        counts["chrF"] = counts["chrF++"][: 3 * self._corpus["chrF"].char_order]
        return {metric: self._scored(metric, counts[metric]) if metric in counts else None for metric in METRICS}

    def _counts(self, metric: str, output: str, reference: str) -> tuple[float, ...]:
        # what sacrebleu's own sentence_score and corpus_score do, in two steps: counting is what takes the time
        return tuple(self._segment[metric]._extract_corpus_statistics([output], [[reference]])[0])

    def _scored(self, metric: str, counts: tuple[float, ...]) -> Scored:
        return Scored(value=float(self._segment[metric]._aggregate_and_compute([counts]).score), counts=counts)

    def corpus(self, metric: str, scored: Sequence[Scored]) -> tuple[float, str]:
        """The score of all texts together, of which each is scored, and its signature."""
        found = self._corpus[metric]._aggregate_and_compute([one.counts for one in scored])
        return float(found.score), str(self._corpus[metric].get_signature())


@cache
def scorer(cut: str) -> Scorer:
    """The scorer of a way to cut; making one takes a while."""
    return Scorer(cut)


def segment_metrics(output: str, reference: str, lang: str) -> dict[str, float | None]:
    """All metrics of one text."""
    scored = scorer(cut_of(lang)).segment(output, reference)
    return {metric: None if one is None else one.value for metric, one in scored.items()}
