"""How far a judge agrees with people, with another judge, or with itself over repeats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from adjudge.api.apart import disagreements
from adjudge.api.boards import boards
from adjudge.api.labels import Source, find_labels
from adjudge.api.stored import StoredRun, open_run, stored_item
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.labels import Label
from adjudge.core.records import digest
from adjudge.report.agree_answers import Kind, Named
from adjudge.report.agreed import Agreed
from adjudge.report.label_warnings import with_label_warnings
from adjudge.report.sheet import Sheet
from adjudge.stats.agreement import Agreement, agreement
from adjudge.stats.alternative import alternative
from adjudge.stats.board import Axis, Board, Floats, Ints, generator
from adjudge.store.store import open_store

#: How many texts of largest disagreement are shown.
SHOWN = 10

#: A text of a run: its item, and its candidate where there are several.
Place = tuple[str, str]


def agree(
    run: StoredRun | str,
    other: StoredRun | str | None = None,
    *,
    labels: Source | None = None,
    columns: Sequence[str] = (),
    repeats: bool = False,
    shown: int = SHOWN,
    store: str | None = None,
) -> Sheet:
    """Agreement of a run with labels (a file, rows, or those in the store), with another run, or of its repeats."""
    own = open_run(run, store=store) if isinstance(run, str) else run
    if sum((other is not None, labels is not None, repeats)) > 1:
        raise ConfigError(
            "agreement is with labels, with another run, or of repeats: one at a time",
            hint="give --labels FILE, a second run, or --repeats",
        )
    if columns and labels is None:
        raise ConfigError("--map is for the columns of a label file", hint="name the file with --labels")
    if other is not None:
        theirs = open_run(other, store=store) if isinstance(other, str) else other
        return _with_judge(own, theirs, shown).sheet()
    return _with_itself(own, shown).sheet() if repeats else _with_people(own, labels, columns, shown)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Units:
    """Texts in the order of their names, with the source and the language of each."""

    places: list[Place]
    clusters: Ints
    languages: np.ndarray[tuple[int], np.dtype[np.object_]]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Sides:
    """One criterion: the judge's scores and those of the others (texts × annotators) with a gap where there is none."""

    axis: Axis
    judge: Floats
    others: Floats
    annotators: tuple[str, ...] = ()


def _with_people(run: StoredRun, source: Source | None, columns: Sequence[str], shown: int) -> Sheet:
    state = run.state
    own = boards(run, rows=True)
    try:
        given = find_labels(run, source, columns=columns, overall=[axis for axis in own[0].axes if axis.derived])
    except DataError as error:
        if source is None and state.run.repeat > 1:
            raise DataError(error.what, hint=f"{error.hint}; --repeats compares its repeats with each other") from None
        raise
    units = _units(own, sorted({(one.item, one.candidate) for one in given.labels}))
    sides = list(_labelled(own, units.places, given.labels))
    found, languages = _figures("people", run, units, sides)
    agreed = Agreed(
        kind="people",
        state=state,
        found=found,
        languages=languages,
        apart=disagreements(run, units.places, sides, shown, labels=given.labels),
        annotators=tuple(sorted({one.annotator for one in given.labels})),
        labels=len(given.labels),
        labelled=len({one.item for one in given.labels}),
        elsewhere=given.elsewhere,
    )
    return with_label_warnings(agreed.sheet(), other_texts=len(given.other_texts), misspelled=given.misspelled)


def _with_judge(run: StoredRun, other: StoredRun, shown: int) -> Agreed:
    if run.id == other.id:
        raise ConfigError(f"run {run.id} is given twice", hint="--repeats compares the repeats of one run")
    own, theirs = boards(run, rows=True), boards(other, rows=True)
    axes, otherwise = _common_axes(own, theirs)
    common = sorted(set(_places(own)) & set(_places(theirs)))
    differ = _other_texts(run, other)
    units = _units(own, [place for place in common if place[0] not in differ])
    if not axes or not units.places:
        raise DataError(
            f"runs {run.id} and {other.id} have no {'text' if axes else 'criterion on the same scale'} in common",
            hint="judges agree or differ on the same rows and the same scales",
        )
    sides = [
        Sides(axis=axis, judge=_at(own, units.places, axis.name), others=_at(theirs, units.places, axis.name)[:, None])
        for axis in axes
    ]
    found, languages = _figures("judge", run, units, sides)
    return Agreed(
        kind="judge",
        state=run.state,
        other=other.state.run,
        found=found,
        languages=languages,
        apart=disagreements(run, units.places, sides, shown, other=other),
        other_texts=len(differ),
        other_scales=tuple(axis.title for axis in otherwise),
        unshared=len({*own[0].items} ^ {*theirs[0].items}),
    )


def _with_itself(run: StoredRun, shown: int) -> Agreed:
    state = run.state
    if state.run.repeat < 2:
        raise ConfigError(
            f"run {run.id} asked once for every verdict: there are no repeats to compare",
            hint="judge with --repeat 3, or give --labels FILE or a second run",
        )
    own = boards(run, rows=True)
    units = _units(own, sorted(_places(own)))
    sides = [
        Sides(axis=axis, judge=trials[:, 0], others=trials[:, 1:])
        for axis in own[0].axes
        if (trials := _tried(own, units.places, axis.name, state.run.repeat)) is not None
    ]
    found, languages = _figures("repeats", run, units, sides)
    return Agreed(
        kind="repeats",
        state=state,
        found=found,
        languages=languages,
        apart=disagreements(run, units.places, sides, shown),
    )


def _places(own: Sequence[Board]) -> Iterator[Place]:
    return ((item, board.candidate) for board in own for item in board.items)


def _units(own: Sequence[Board], places: list[Place]) -> Units:
    """Source and language of each place; an item that has no outcome yet stands for itself."""
    first = own[0]
    number = {item: at for at, item in enumerate(first.items)}
    clusters = first.clusters if first.clusters is not None else np.arange(len(first.items))
    beyond = {item: len(number) + at for at, item in enumerate(sorted({item for item, _ in places} - number.keys()))}
    return Units(
        places=places,
        clusters=np.array([clusters[number[item]] if item in number else beyond[item] for item, _ in places], np.int64),
        languages=np.array([first.languages[number[item]] if item in number else "" for item, _ in places], object),
    )


def _at(own: Sequence[Board], places: Sequence[Place], name: str) -> Floats:
    """A column of the boards at some places; a gap where the run has no such text."""
    columns = np.concatenate([*(board.columns[name] for board in own), [np.nan]])
    at = {place: number for number, place in enumerate(_places(own))}
    return columns[[at.get(place, -1) for place in places]]


def _tried(own: Sequence[Board], places: Sequence[Place], name: str, repeats: int) -> Floats | None:
    """The repeats of a column; None where no text has two."""
    parts = [board.trials.get(name, np.full((len(board.items), repeats), np.nan)) for board in own]
    at = {place: number for number, place in enumerate(_places(own))}
    found: Floats = np.concatenate(parts)[[at[place] for place in places]]
    return found if ((~np.isnan(found)).sum(axis=1) > 1).any() else None


def _labelled(own: Sequence[Board], places: Sequence[Place], labels: Sequence[Label]) -> Iterator[Sides]:
    row = {place: number for number, place in enumerate(places)}
    given: dict[str, list[Label]] = {}
    for label in labels:
        given.setdefault(label.criterion, []).append(label)
    for axis in own[0].axes:
        if axis.name not in given:
            continue
        names = sorted({label.annotator for label in given[axis.name]})
        column = {name: number for number, name in enumerate(names)}
        others = np.full((len(places), len(names)), np.nan)
        for label in given[axis.name]:
            others[row[label.item, label.candidate], column[label.annotator]] = label.value
        yield Sides(axis=axis, judge=_at(own, places, axis.name), others=others, annotators=tuple(names))


def _common_axes(own: Sequence[Board], theirs: Sequence[Board]) -> tuple[list[Axis], list[Axis]]:
    """What both runs measure on the same scale, and derived ones from the same criteria; and what they do otherwise."""
    other = {axis.name: (axis.low, axis.high, theirs[0].bases.get(axis.name)) for axis in theirs[0].axes}
    shared = [axis for axis in own[0].axes if axis.name in other]
    same = {axis.name for axis in shared if other[axis.name] == (axis.low, axis.high, own[0].bases.get(axis.name))}
    return [axis for axis in shared if axis.name in same], [axis for axis in shared if axis.name not in same]


def _other_texts(run: StoredRun, other: StoredRun) -> set[str]:
    """Items that have the same id in both runs and other texts."""
    one, two = run.state.run, other.state.run
    if one.data_digest == two.data_digest and not one.candidates and not two.candidates:
        return set()
    mine, theirs = _texts(run), _texts(other)
    return {item for item in mine.keys() & theirs.keys() if mine[item] != theirs[item]}


def _texts(run: StoredRun) -> Mapping[str, str]:
    with open_store(run.store, create=False) as store:
        return {
            outcome.item: digest({name: repr(value) for name, value in stored_item(run.judge, body).fields.items()})
            for outcome, body in store.outcomes_with_rows(run.id)
        }


def _figures(
    kind: Kind, run: StoredRun, units: Units, sides: Sequence[Sides]
) -> tuple[tuple[Named, ...], dict[str, tuple[Named, ...]]]:
    """The agreement over all texts, and over those of each language where there are several."""
    seed = run.state.run.seed
    names = sorted({*units.languages.tolist()} - {""})
    every = np.ones(len(units.places), dtype=bool)
    found = tuple(_agreed(kind, one, units, every, "", seed) for one in sides)
    if len(names) < 2:
        return found, {}
    return found, {
        name: tuple(_agreed(kind, one, units, units.languages == name, name, seed) for one in sides) for name in names
    }


def _agreed(
    kind: Kind,
    sides: Sides,
    units: Units,
    wanted: np.ndarray[tuple[int], np.dtype[np.bool_]],
    language: str,
    seed: int,
) -> Named:
    """The agreement on one criterion over some texts."""
    if kind == "people":
        wanted = wanted & ~np.isnan(sides.others).all(axis=1)
    judge, others, clusters = sides.judge[wanted], sides.others[wanted], units.clusters[wanted]
    rng = generator(seed, "agree", kind, sides.axis.name, language)
    found = (
        _repeated(np.column_stack([judge, others]), clusters, sides.axis, rng)
        if kind == "repeats"
        else agreement(judge, others, clusters, axis=sides.axis, rng=rng)
    )
    return Named(
        agreement=found if kind == "people" else replace(found, labelled=len(judge)),
        title=sides.axis.title,
        annotators=sides.annotators,
        hollow=kind == "people" and _hollow(found, judge, others, clusters),
    )


def _hollow(found: Agreement, judge: Floats, others: Floats, clusters: Ints) -> bool:
    """Whether the commonest point, given to every text, passes the alternative-annotator test that the judge passed."""
    if not found.alternative.stands_in or found.majority is None:
        return False
    same = np.where(np.isnan(judge), np.nan, found.majority.point)
    test = alternative(same, others, clusters, axis=found.axis, epsilon=found.alternative.epsilon)
    return test.stands_in is True


def _repeated(tried: Floats, clusters: Ints, axis: Axis, rng: np.random.Generator) -> Agreement:
    """Every two repeats of a text are a pair; those of one source stay together in the intervals."""
    pairs = list(combinations(range(tried.shape[1]), 2))
    earlier = np.concatenate([tried[:, one] for one, _ in pairs])
    later = np.concatenate([tried[:, two] for _, two in pairs])
    found = agreement(earlier, later[:, None], np.tile(clusters, len(pairs)), axis=axis, rng=rng)
    # neither side is the judge, and two repeats of one text are no two texts of a source
    figures = {
        name: one for name, one in found.figures.items() if name != "bias" and not name.startswith("pairwise_within")
    }
    texts = int(((~np.isnan(tried)).sum(axis=1) > 1).sum())
    return replace(found, n=texts, figures=figures, epsilon_within=None)
