"""Metrics that compare with a reference, beside the judge: what they say, and how far the judge agrees with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import Item, Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.basis import Pool, rests_on
from adjudge.report.beside import sacre
from adjudge.report.beside.figures import TER_SEGMENTS, Figure, Segment, figures_of
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import Share, source_key
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.tally import derived_span
from adjudge.report.verdicts import by_candidate
from adjudge.report.warn import NAME_COLUMNS
from adjudge.report.words import words
from adjudge.stats.correlation import Correlation

#: So many segments are scored, about 1 ms each; above, those of a share of the sources.
SEGMENTS_MAX = 1_000
#: A longer text counts as several segments: the time is that of its characters.
SEGMENT_CHARS = 1_000
#: The environment variable that says another number.
SEGMENTS_VARIABLE = "ADJUDGE_METRICS_SEGMENTS"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fields:
    """The names of the fields that metrics are made of."""

    output: str
    reference: str
    sources: tuple[str, ...]
    system: str | None
    lang: str | None


def fields_of(judge: Judge) -> Fields | None:
    """Where the texts of a judge stand that has a source, one text to judge and a reference for it."""
    outputs, references = judge.with_role("output"), judge.with_role("reference")
    sources, systems = judge.with_role("source"), judge.with_role("system")
    if len(outputs) != 1 or len(references) != 1 or not sources:
        return None
    if judge.layout == "compare" or {outputs[0].type, references[0].type} != {"text"}:
        return None
    return Fields(
        output=outputs[0].name,
        reference=references[0].name,
        sources=tuple(field.name for field in sources),
        system=systems[0].name if systems else None,
        lang=next((field.name for field in judge.fields if field.name == "trg_lang"), None),
    )


def reference_fields(judge: Judge) -> Fields:
    """`fields_of`, where metrics can be made; else an error that says what is missing."""
    fields = fields_of(judge)
    if fields is None:
        raise ConfigError(
            f"--metrics: `{judge.name}` has no reference to compare one text with",
            hint="metrics are for judges with one text and a reference for it, such as translation",
        )
    if not sacre.available():
        raise ConfigError("--metrics needs one more package", hint="pip install 'adjudge[metrics]'")
    return fields


def item_metrics(fields: Fields, item: Item) -> dict[str, float | None]:
    """Every metric of one item; none where it has no reference."""
    reference = item.text(fields.reference).strip()
    lang = item.text(fields.lang) if fields.lang else ""
    return sacre.segment_metrics(item.text(fields.output), reference, lang) if reference else {}


class Metrics:
    """Keeps the texts of some segments, and scores them when all are seen."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say = judge, words(judge.lang)
        self._fields = fields_of(judge)
        self._derived = next((one for one in judge.derived if one.operation != "winner"), None)
        self._pool = Pool()
        self._limit = _limit()
        self._of = self._whole = self._size = 0
        self._kept: dict[int, list[Segment]] = {}
        self._share = Share()

    def add(self, outcome: Outcome, row: Row) -> None:
        """Keep one segment, if it has a reference and its source is among those that are kept."""
        fields = self._fields
        if fields is None or not row.may_hold(fields.reference) or row.item is None:
            return
        item = row.item
        reference = item.text(fields.reference).strip()
        if not reference:
            return
        output = item.text(fields.output)
        self._of += 1
        self._whole += (weight := _weight(output, reference))
        source = source_key(item, fields.sources)
        if not self._share.holds(source) or (self._size >= self._limit and set(self._kept) == {source}):
            return
        lang = item.text(fields.lang) if fields.lang else ""
        judged, basis = self._value(outcome)
        segment = Segment(
            source=source,
            system=item.text(fields.system).strip() if fields.system else "",
            cut=sacre.cut_of(lang),
            output=output,
            reference=reference,
            judged=judged,
            basis=basis,
        )
        self._kept.setdefault(source, []).append(segment)
        self._size += weight
        while self._size > self._limit and len(self._kept) > 1:
            self._share.halve()
            self._kept = {key: kept for key, kept in self._kept.items() if self._share.holds(key)}
            self._size = sum(_weight(one.output, one.reference) for kept in self._kept.values() for one in kept)

    def _value(self, outcome: Outcome) -> tuple[float | None, frozenset[str]]:
        """What the judge says of the whole, and what that rests on: its first derived value, or its first score."""
        if not isinstance(outcome, Verdict):
            return None, frozenset()
        if self._derived is None:
            score, scale = by_candidate(outcome.scores.get(self._named[0])).get(""), self._judge.scored[0].scale
            return _raised(score, scale is None or scale.better == "higher"), frozenset()
        scores = {one.name: by_candidate(outcome.scores.get(one.name)) for one in self._judge.scored}
        value = by_candidate(outcome.derived.get(self._derived.name))
        basis = rests_on(self._judge, self._derived, scores)
        self._pool.add(basis, [name for name in self._derived.of if scores.get(name)], value)
        better = derived_span(self._judge, self._derived, basis).better
        return _raised(value.get(""), better == "higher"), basis

    @property
    def _named(self) -> tuple[str, str]:
        one = self._derived or self._judge.scored[0]
        return one.name, one.title or one.name

    def section(self) -> Section | None:
        """A line for each metric, with that of each system behind it; how to get them where sacrebleu is missing."""
        say = self._say
        if not self._of:
            return None
        if not sacre.available():
            note = say("metrics_missing", n=say.number(self._of, 0))
            return Section(name="metrics", title=say("metrics"), columns=(), rows=(), notes=(note,), data={})
        standard = self._pool.standard  # as in the report's own mean: only what rests on the same criteria compares
        segments = [
            one if one.basis == standard else replace(one, judged=None)
            for source in sorted(self._kept)
            for one in sorted(self._kept[source], key=lambda one: (one.system, one.output, one.reference))
        ]
        figures = [figure for cut in sorted({one.cut for one in segments}) for figure in figures_of(segments, cut)]
        columns = ("metrics_metric", "metrics_corpus", "mean", "coverage", "metrics_pearson", "metrics_spearman")
        systems = list(dict.fromkeys(one.system for one in figures if one.system is not None and one.shown))
        corpus = {(one.cut, one.metric, one.system): one.corpus for one in figures}
        return Section(
            name="metrics",
            title=say("metrics"),
            columns=(*map(say, columns), *(fit(name, NAME_COLUMNS) for name in systems)),
            rows=tuple(
                (*self._line(one), *(say.number(corpus.get((one.cut, one.metric, name)), 1) for name in systems))
                for one in figures
                if one.system is None
            ),
            notes=tuple(self._notes(figures, len(segments))),
            data={
                "judge": self._named[0],
                "segments": len(segments),
                "of": self._of,
                "sampled": not self._share.whole,
                "scores": [figure.as_json() for figure in figures],
            },
        )

    def _line(self, figure: Figure) -> tuple[str, ...]:
        say = self._say

        def told(one: Correlation) -> str:
            return f"{say.number(one.value)} {say.interval(one.ci95)}" if one.value is not None else "—"

        cut = "" if figure.cut == sacre.DEFAULT_CUT else f" ({figure.cut})"
        return (
            f"{figure.metric}{cut}",
            say.number(figure.corpus, 1),
            say.number(figure.mean, 1),
            f"{say.number(figure.n, 0)}/{say.number(figure.of, 0)}",
            told(figure.pearson),
            told(figure.spearman),
        )

    def _notes(self, figures: Sequence[Figure], segments: int) -> Iterator[str]:
        say = self._say
        yield say("metrics_note", judge=self._named[1])
        if any(figure.system is not None for figure in figures):
            yield say("metrics_systems")
        if not self._share.whole:
            yield say(
                "metrics_sampled",
                n=say.number(segments, 0),
                of=say.number(self._of, 0),
                variable=f"{SEGMENTS_VARIABLE}={self._whole}",
            )
        if any(figure.metric == "TER" and figure.n < figure.of for figure in figures):
            yield say("metrics_ter", n=say.number(TER_SEGMENTS, 0), words=sacre.TER_WORDS)
        yield from dict.fromkeys(f"{one.metric} {one.signature}" for one in figures if one.signature)

    def warnings(self) -> Iterable[str]:
        """Nothing: a metric is no verdict on the judge."""
        return ()


def _weight(output: str, reference: str) -> int:
    """For how many segments a text counts."""
    return max(1, -(-max(len(output), len(reference)) // SEGMENT_CHARS))


def _raised(value: float | None, more_is_better: bool) -> float | None:
    """A value turned so that more is better: then agreement has the same sign for every judge."""
    return value if value is None or more_is_better else -value


def _limit() -> int:
    """The number of segments to score; what is no number above 0 is not heeded."""
    told = os.environ.get(SEGMENTS_VARIABLE, "")
    return int(told) if told.isascii() and told.isdigit() and 0 < len(told) < 10 and int(told) else SEGMENTS_MAX
