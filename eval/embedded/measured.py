"""The embedded judge's qualities of samples, and rows of figures made of them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Item, Source
from adjudge.models.offline.findings import Measured
from adjudge.models.offline.judge import measure_many
from adjudge.spec.load import load_judge
from eval.embedded.baselines import plain
from eval.embedded.data import Half, Sample, half_of
from eval.embedded.figures import Figure

Column = dict[str, list[float]]
NONE = float("nan")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One figure: a set, people's label, the kind of figure, and what predicted it."""

    set: str
    label: str
    kind: str
    by: str
    figures: Mapping[Half, Figure]


def judge_of(name: str, lang: str = "en") -> Judge:
    """A bundled judge."""
    return load_judge(name, lang if lang == "ru" else "en")


def as_item(judge: str, sample: Sample, *, reference: bool = True) -> Item:
    """A sample as an item of one of the four judges."""
    sources = tuple(Source(id=str(n), text=text) for n, text in enumerate(sample.sources, 1))
    shapes: dict[str, dict[str, object]] = {
        "summary": {"content": "\n\n".join(sample.sources), "text": sample.text},
        "rag-answers": {"question": sample.query, "sources": sources, "answers": {sample.id: sample.text}},
        "search-summary": {"user_query": sample.query, "search_results": sources, "summary": sample.text},
        "translation": {"src": "\n\n".join(sample.sources), "trg": sample.text},
    }
    fields = shapes[judge]
    if reference and sample.reference and judge in ("rag-answers", "translation"):
        fields["reference" if judge == "rag-answers" else "ref"] = sample.reference
    return Item(id=sample.id, fields=fields)


def qualities(
    judge: str,
    samples: Sequence[Sample],
    *,
    reference: bool = True,
    together: bool = False,
    parts: bool = False,
    vectors: Any = None,
) -> Column:
    """Columns `judge.criterion` of qualities; `together` lets texts of one document see each other as peers."""
    measure = partial(measure_many, vectors=vectors)
    columns: Column = defaultdict(lambda: [NONE] * len(samples))
    for lang in sorted({s.lang for s in samples}):
        places = [at for at, s in enumerate(samples) if s.lang == lang]
        loaded = judge_of(judge, lang)
        items = [as_item(judge, samples[at], reference=reference) for at in places]
        for at, found in zip(
            places, _measured(measure, loaded, items, [samples[i] for i in places] if together else None), strict=True
        ):
            for name, measured in found.items():
                if measured.quality is not None:
                    columns[f"{judge}.{name}"][at] = measured.quality
                for part, value in measured.parts.items() if parts else ():
                    columns[f"{judge}.{name}:{part}"][at] = value
            for kind, count in _kinds(found).items() if parts else ():
                # A text without a finding of the kind is not "not judged": it has none.
                columns.setdefault(f"{judge}!{kind}", [0.0] * len(samples))[at] = -count
    return dict(columns)


def _kinds(found: Mapping[str, Measured]) -> Counter[str]:
    """Findings against the text by kind, each place once."""
    every = {(f.kind, f.reason, f.at) for measured in found.values() for f in measured.findings if f.against}
    return Counter(kind for kind, _, _ in every)


Measure = Callable[[Judge, Sequence[Item]], list[Mapping[str, Mapping[str, Measured]]]]


def _measured(
    measure: Measure, judge: Judge, items: Sequence[Item], peers: Sequence[Sample] | None
) -> list[Mapping[str, Measured]]:
    if peers is None:
        return [next(iter(measure(judge, [item])[0].values())) for item in items]
    groups: dict[str, list[int]] = defaultdict(list)
    for at, sample in enumerate(peers):
        groups[sample.document].append(at)
    found: dict[int, Mapping[str, Measured]] = {}
    for places in groups.values():
        if judge.layout == "compare":
            answers = {peers[at].id: peers[at].text for at in places}
            one = Item(id=items[places[0]].id, fields={**items[places[0]].fields, "answers": answers})
            every = measure(judge, [one])[0]
            found |= {at: every[peers[at].id] for at in places}
        else:
            texts = {at: Source(id=str(at), text=peers[at].text) for at in places}
            for at in places:
                others = tuple(text for other, text in texts.items() if other != at)
                beside = Item(id=items[at].id, fields={**items[at].fields, "others": others})
                found[at] = next(iter(measure(judge, [beside])[0].values()))
    return [found[at] for at in range(len(peers))]


def baseline_columns(samples: Sequence[Sample], against: Callable[[Sample], str]) -> Column:
    """The plain metrics of each text against what it is compared with."""
    columns: Column = defaultdict(list)
    for sample in samples:
        for name, value in plain(sample.text, against(sample)).items():
            columns[name].append(value)
    return dict(columns)


def published(samples: Sequence[Sample]) -> Column:
    """What others said of the same texts, where the set has it."""
    names = list(dict.fromkeys(name for sample in samples for name in sample.others))
    return {name: [sample.others.get(name, NONE) for sample in samples] for name in names}


def source_text(sample: Sample) -> str:
    return "\n\n".join(sample.sources)


def mean_of(columns: Mapping[str, Sequence[float]], names: Iterable[str]) -> list[float]:
    """The mean over what was judged, as a judge's derived value makes it."""
    chosen = [columns[name] for name in names if name in columns]
    found = []
    for values in zip(*chosen, strict=True):
        known = [value for value in values if not math.isnan(value)]
        found.append(sum(known) / len(known) if known else NONE)
    return found


Make = Callable[[Sequence[Sample], Sequence[float], Sequence[float], int], Figure]


def figures(
    name: str,
    label: str,
    kind: str,
    make: Make,
    samples: Sequence[Sample],
    columns: Mapping[str, Sequence[float]],
    *,
    halves: Sequence[Half],
    draws: Mapping[str | None, int] | None = None,
) -> list[Row]:
    """A row per column: the figure on each half asked for."""
    rows = []
    human = [s.human.get(label, NONE) for s in samples]
    for by, scores in columns.items():
        found: dict[Half, Figure] = {}
        for half in halves:
            at = [i for i, s in enumerate(samples) if half in ("all", half_of(s.source))]
            found[half] = make(
                [samples[i] for i in at],
                [human[i] for i in at],
                [scores[i] for i in at],
                (draws or {}).get(by, 0) if half != "dev" or len(halves) == 1 else 0,
            )
        rows.append(Row(set=name, label=label, kind=kind, by=by, figures=found))
    return rows
