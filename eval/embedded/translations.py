"""Translations against people: `python -m eval.embedded.translations [--fast] [--half dev|held|all] [--parts]`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from eval.embedded import data
from eval.embedded.baselines import chrf, plain
from eval.embedded.data import Sample
from eval.embedded.measured import Column, Row, baseline_columns, mean_of, qualities
from eval.embedded.shown import Options, main
from eval.embedded.tasks import Task, run

TRANSLATED = "translation.adequacy:translated"
RATED = ("adequacy", "fluency", "hallucination", "punctuation")


def _with_total(columns: Column) -> Column:
    return {**columns, "translation quality": mean_of(columns, [f"translation.{name}" for name in RATED])}


def _referenced(samples: Sequence[Sample], options: Options) -> Column:
    """With the reference, each translation by itself."""
    return {
        **baseline_columns(samples, lambda s: s.reference),
        **_with_total(qualities("translation", samples, **options.measuring)),
    }


def _peers(samples: Sequence[Sample], options: Options) -> Column:
    """Without the reference, the other systems' translations of the source beside it."""
    return {
        "length": [plain(s.text, "")["length"] for s in samples],
        "mean chrF to the others": _mean_chrf(samples),
        **_with_total(qualities("translation", samples, reference=False, together=True, **options.measuring)),
    }


def _both(samples: Sequence[Sample], options: Options) -> Column:
    """With the reference and the other systems' translations, as those have who compare systems."""
    return {
        **baseline_columns(samples, lambda s: s.reference),
        "mean chrF to the others": _mean_chrf(samples),
        **_with_total(qualities("translation", samples, together=True, **options.measuring)),
    }


def _alone(samples: Sequence[Sample], options: Options) -> Column:
    """Source and translation only: what is like the source was not translated, and a long text has room for errors."""
    found = baseline_columns(samples, lambda s: s.sources[0])
    measured = qualities("translation", samples, reference=False, parts=True, vectors=options.vectors)
    # Without a reference there is no score of adequacy; what was left untranslated is a part of it all the same.
    shown = {by: values for by, values in measured.items() if options.parts or by == TRANSLATED or ":" not in by}
    return {
        "length": found["length"],
        "minus length": [-value for value in found["length"]],
        "minus chrF to the source": [-value for value in found["chrF"]],
        **_with_total({by: values for by, values in shown.items() if options.parts or "!" not in by}),
    }


def _mean_chrf(samples: Sequence[Sample]) -> list[float]:
    groups: dict[str, list[int]] = defaultdict(list)
    for at, sample in enumerate(samples):
        groups[sample.document].append(at)
    found = [0.0] * len(samples)
    for places in groups.values():
        for at in places:
            others = [chrf(samples[at].text, samples[other].text) for other in places if other != at]
            found[at] = sum(others) / len(others) if others else 0.0
    return found


def _load(pair: str, *, reference: bool) -> Callable[[], list[Sample]]:
    return lambda: [s for s in data.wmt(pair) if s.reference or not reference]


PAIRS = ("en-de", "zh-en", "en-ru")
TASKS = (
    *(
        Task(
            name=f"WMT {pair} {given}",
            load=_load(pair, reference=columns is not _peers),
            labels={"mqm": ("right order",)},
            columns=columns,
            fast=fast,
        )
        for given, columns, fast in (
            ("with reference", _referenced, 500),
            ("several candidates", _peers, 400),
            ("with reference and candidates", _both, 400),
        )
        for pair in PAIRS
    ),
    Task(
        name="Bio-MQM en-ru",
        load=data.bio_mqm,
        labels=dict.fromkeys(("clean punctuation", "all translated"), ("AUC",)),
        columns=_alone,
        fast=800,
    ),
    Task(
        name="Bio-MQM en-ru with reference",
        load=data.bio_mqm,
        labels=dict.fromkeys(("clean punctuation", "all translated"), ("AUC",)),
        columns=_referenced,
        fast=800,
    ),
    Task(
        name="Bio-MQM ru-en",
        load=lambda: data.bio_mqm("ru-en"),
        labels={"clean punctuation": ("AUC",)},
        columns=_alone,
        fast=800,
    ),
)


def rows(fast: bool, options: Options | None = None) -> list[Row]:
    """Every measure and plain metric on every label."""
    return run(TASKS, options or Options(fast=fast))


if __name__ == "__main__":
    main(rows)
