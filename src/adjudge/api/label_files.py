"""Labels out of the store into a file, and out of a file into the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from adjudge.api.stored import StoredRun
from adjudge.core.counted import counted
from adjudge.core.errors import DataError
from adjudge.core.labels import Label
from adjudge.data.label_export import label_rows, labels_csv, labels_jsonl
from adjudge.data.rows import Upload
from adjudge.store.store import open_store

LabelForm: TypeAlias = Literal["csv", "jsonl"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What became of the labels of a file: how many are new, there already, or older than what the person said since.

    `elsewhere` counts labelled items that the run does not have, `other_texts` has an error for each row whose texts
    are not those of the run, `misspelled` are columns that may be meant to be a criterion: none of these was added.
    """

    added: int
    known: int
    outdated: int
    annotators: tuple[str, ...]
    elsewhere: int = 0
    other_texts: tuple[DataError, ...] = ()
    misspelled: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """What `adjudge label --import --json` prints, beside the run."""
        return {
            "added": self.added,
            "known": self.known,
            "outdated": self.outdated,
            "annotators": list(self.annotators),
            "items_elsewhere": self.elsewhere,
            "rows_of_other_texts": [str(one.where) for one in self.other_texts],
            "misspelled": dict(self.misspelled),
        }

    def lines(self) -> Iterator[str]:
        """The same in words, a sentence each."""
        whose = f", of {counted(len(self.annotators), 'annotator')}" if self.added else ""
        yield f"{counted(self.added, 'label')} added{whose}"
        if self.known:
            yield f"{counted(self.known, 'label')} there already"
        if self.outdated:
            yield f"{counted(self.outdated, 'label')} left out: the same person has said otherwise since"
        if self.elsewhere:
            yield f"{counted(self.elsewhere, 'labelled item')} left out: the run does not have them"
        for error in self.other_texts:
            yield f"left out: {error.where}: {error.what}"
        for column, criterion in self.misspelled.items():
            yield f"the column `{column[:80]}` was not read; did you mean `{criterion}`?"


def import_labels(
    run: StoredRun,
    labels: str | Upload | Iterable[Mapping[str, Any]],
    *,
    columns: Sequence[str] = (),
    raw: bool = False,
) -> Imported:
    """Add the labels of a file to those of a run, all or none; what is wrong is an error that names its row.

    The same file a second time adds nothing. `raw`: no cell of the table was kept from being a formula.
    """
    from adjudge.api.labels import labels_to_import  # needs numpy, which takes a while to load

    found = labels_to_import(run, labels, columns=columns, raw=raw)
    with open_store(run.store, create=False) as store:
        news = store.add_news(run.id, found.labels)
    return Imported(
        added=len(news.labels),
        known=news.known,
        outdated=news.outdated,
        annotators=tuple(sorted({one.annotator for one in news.labels})),
        elsewhere=found.elsewhere,
        other_texts=found.other_texts,
        misspelled=found.misspelled,
    )


def export_labels(run: StoredRun, form: LabelForm, *, raw: bool = False, history: bool = False) -> Iterator[str]:
    """What people say of a run, or with `history` all they ever said, as text of a file."""
    labels = _labels(run, history=history)
    return labels_csv(labels, raw=raw, history=history) if form == "csv" else labels_jsonl(labels, history=history)


def exported_rows(run: StoredRun, *, history: bool = False) -> list[dict[str, Any]]:
    """The same as objects."""
    return label_rows(_labels(run, history=history), history=history)


def count_labels(run: StoredRun, *, history: bool = False) -> int:
    """How many of them there are."""
    return sum(1 for _ in _labels(run, history=history))


def _labels(run: StoredRun, *, history: bool) -> Iterator[Label]:
    with open_store(run.store, create=False) as store:
        yield from store.label_edits(run.id) if history else store.labels(run.id)
