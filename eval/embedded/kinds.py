"""The kinds of figure, by the names the tables use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eval.embedded import figures
from eval.embedded.data import Sample
from eval.embedded.measured import Make


def _clusters(samples: Sequence[Sample]) -> list[str]:
    return [s.source for s in samples]


def _spearman(samples: Sequence[Sample], human: Sequence[float], scores: Sequence[float], draws: int) -> figures.Figure:
    return figures.pooled(figures.spearman, human, scores, _clusters(samples), draws=draws)


def _within(samples: Sequence[Sample], human: Sequence[float], scores: Sequence[float], draws: int) -> figures.Figure:
    return figures.within(human, scores, [s.document for s in samples], _clusters(samples), draws=draws)


def _auc(samples: Sequence[Sample], human: Sequence[float], scores: Sequence[float], draws: int) -> figures.Figure:
    return figures.pooled(figures.auc, human, scores, _clusters(samples), draws=draws)


def _auc_parts(
    samples: Sequence[Sample], human: Sequence[float], scores: Sequence[float], draws: int
) -> figures.Figure:
    parts = [s.part for s in samples]
    return figures.over_parts(figures.auc, human, scores, parts, _clusters(samples), draws=draws)


def _spearman_parts(
    samples: Sequence[Sample], human: Sequence[float], scores: Sequence[float], draws: int
) -> figures.Figure:
    parts = [s.part for s in samples]
    return figures.over_parts(figures.spearman, human, scores, parts, _clusters(samples), draws=draws)


def _order(samples: Sequence[Sample], human: Sequence[float], scores: Sequence[float], draws: int) -> figures.Figure:
    return figures.right_order(human, scores, [s.document for s in samples], _clusters(samples), draws=draws)


KINDS: Mapping[str, Make] = {
    "Spearman": _spearman,
    "within documents": _within,
    "AUC": _auc,
    "mean AUC over parts": _auc_parts,
    "mean Spearman over parts": _spearman_parts,
    "right order": _order,
}
