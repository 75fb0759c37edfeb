"""A run in its store, read again at any time with no call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from adjudge.core.code import code_digest
from adjudge.core.errors import Corrupt, StoreError
from adjudge.core.judge import Judge
from adjudge.core.limits import JUDGES_KEPT
from adjudge.core.records import Call, Item, Outcome, Reply
from adjudge.core.runs import Run, RunState, Spent
from adjudge.data import export as exports
from adjudge.data.items import make_item
from adjudge.report import codec as reports
from adjudge.report.beside.metrics import Fields, item_metrics, reference_fields
from adjudge.report.build import figures, priced
from adjudge.report.items import Record
from adjudge.report.people import Against, against_people
from adjudge.report.side_by_side import SideBySide
from adjudge.report.side_by_side import side_by_side as put_side_by_side
from adjudge.report.tables import Report
from adjudge.run.draws import answer_of
from adjudge.spec.load import judge_from_files
from adjudge.store.codec import load_object
from adjudge.store.store import Store, open_store
from adjudge.store.url import DEFAULT_STORE, shown_url, store_url


class StoredRun:
    """A run in its store: state, outcomes, scores and report, computed from what is stored with no call."""

    def __init__(self, store: str, run_id: str) -> None:
        self.store, self.id = store, run_id

    def __repr__(self) -> str:
        return f"StoredRun({self.id!r}, store={shown_url(self.store)!r})"

    @property
    def state(self) -> RunState:
        with open_store(self.store, create=False) as store:
            return _state(store, self.id)

    def check_writable(self) -> None:
        """StoreError where nothing can be added to the run, such as labels."""
        with open_store(self.store, create=False) as store:
            store.check_writable()

    @cached_property
    def judge(self) -> Judge:
        """The judge as it was when the run was made."""
        with open_store(self.store, create=False) as store:
            return stored_judge(store, store.state(self.id).run)

    def outcomes(self) -> Iterator[Outcome]:
        """A Verdict or a Failure per item, in dataset order."""
        with open_store(self.store, create=False) as store:
            yield from store.outcomes(self.id)

    def scores(self) -> list[dict[str, Any]]:
        """Rows for a data frame: item, candidate, criterion, score, reason, flags."""
        return list(exports.rows(self.judge, self.outcomes()))

    def report(self, *, keep: bool = False) -> Report:
        """The report; with `keep`, that of a complete run stays in the store, and reruns need not make it."""
        with open_store(self.store, create=False) as store:
            state = _state(store, self.id)
            complete = state.status == "complete"
            if complete and (kept := store.kept_report(self.id, code_digest())) is not None:
                with suppress(Corrupt):  # it is made again from the outcomes
                    return priced(reports.load(kept, state))
            if self.judge.layout == "batch" and not state.summary:
                state = replace(state, no_summary=store.why_no_summary(self.id, state.run.items))
            if state.run.until:
                answer = answer_of(state.run, self.judge, store, partial(stored_item, self.judge))
                state = replace(state, answer=answer)
            made = figures(self.judge, state, store.outcomes_with_rows(self.id))
            if keep and complete and state.answer is None:
                with suppress(StoreError):  # what cannot be kept can be shown all the same
                    store.keep_report(self.id, code_digest(), reports.dump(made))
            return priced(made)

    def people(self) -> tuple[Against, ...]:
        """What people said of the run, as far as it is in the store, beside what its judge said."""
        with open_store(self.store, create=False) as store:
            return against_people(self.judge, store.labels(self.id), partial(store.outcomes_of, self.id))

    def spending(self) -> list[Spent]:
        """What the run had spent when; nothing where nobody noted it."""
        with open_store(self.store, create=False) as store:
            return store.spending(self.id)

    def item(self, item_id: str) -> Item | None:
        """One item as it was judged."""
        with open_store(self.store, create=False) as store:
            body = store.judged_body(self.id, item_id)
            return None if body is None else stored_item(self.judge, body)

    def item_record(self, item_id: str) -> tuple[Outcome | None, list[tuple[Call, Reply]]]:
        """The outcome of one item and the raw replies that it rests on."""
        with open_store(self.store, create=False) as store:
            return store.outcome(self.id, item_id), store.item_replies(self.id, item_id)

    def records(self, ids: Sequence[str], *, replies: bool = True) -> Iterator[Record]:
        """The outcomes of many items with the items and, if wanted, their raw replies, in the order of the ids."""
        with open_store(self.store, create=False) as store:
            found = store.found(self.id, ids)
            outcomes = {name: outcome for name, (outcome, _) in found.items()}
            said = store.items_replies(self.id, outcomes) if replies else {}
        for name in ids:
            if name in found:
                outcome, body = found[name]
                yield Record(outcome=outcome, item=stored_item(self.judge, body), replies=said.get(name, ()))

    def lines(self, *, metrics: bool = False) -> Iterator[dict[str, Any]]:
        """The export line of every item; with `metrics`, BLEU, chrF, chrF++ and TER where it has a reference."""
        signature = self.state.run.signature
        if metrics:
            return self._measured(signature, reference_fields(self.judge))
        return (exports.line(outcome, signature) for outcome in self.outcomes())

    def _measured(self, signature: str, fields: Fields) -> Iterator[dict[str, Any]]:
        with open_store(self.store, create=False) as store:
            for outcome, body in store.outcomes_with_rows(self.id):
                item = None if body is None else stored_item(self.judge, body)
                yield exports.line(outcome, signature) | {"metrics": item_metrics(fields, item) if item else {}}

    def export(self, form: str, *, raw: bool = False, metrics: bool = False) -> Iterable[str | bytes]:
        """The run as jsonl, csv, parquet, native or replies; `metrics` are for jsonl."""
        if form == "native":
            return exports.native(self.judge, self.outcomes(), self.state.summary)
        if form == "replies":
            return exports.replies(self._replies())
        if form == "jsonl":
            return (exports.dumps(line) + "\n" for line in self.lines(metrics=metrics))
        table = exports.table(self.judge, self.outcomes())
        return exports.to_csv(exports.rounded(table), raw=raw) if form == "csv" else [exports.to_parquet(table)]

    def _replies(self) -> Iterator[tuple[Call, Reply]]:
        with open_store(self.store, create=False) as store:
            yield from store.run_replies(self.id)


def open_run(name: str, *, store: str | None = None) -> StoredRun:
    """A stored run by id, beginning of an id, name, or `latest`."""
    url = store_url(store)
    with open_store(url, create=False) as opened:
        return StoredRun(url, opened.find_run(name).run.id)


def side_by_side(runs: Sequence[StoredRun], reports: Sequence[Report]) -> SideBySide:
    """Runs of one store, judge and dataset, with their reports: how each differs from the first, item by item."""
    with open_store(runs[0].store, create=False) as store:
        outcomes = [store.placed_outcomes(run.id) for run in runs]
        return put_side_by_side(runs[0].judge, reports, outcomes)


def list_runs(*, store: str | None = None) -> list[RunState]:
    """All runs, newest first; a folder where nothing was judged yet has none."""
    url = store_url(store)
    file = Path(DEFAULT_STORE.removeprefix("sqlite:///"))
    if url == DEFAULT_STORE and (not file.exists() or (file.is_file() and not file.stat().st_size)):
        return []
    with open_store(url, create=False) as opened:
        return opened.runs()


def stored_judge(store: Store, run: Run) -> Judge:
    """The judge as it was when the run was made."""
    files = store.judge_files(run.judge_digest)
    if files is None or not files.keys() >= {"judge.yaml", f"{run.lang}.yaml"}:
        raise Corrupt(f"the store lacks the judge of run {run.id}")
    return _read_judge(tuple(files.items()), run.lang)


def _state(store: Store, run_id: str) -> RunState:
    """A run as it stands; where it is not through, with the ceiling that it was begun with."""
    state = store.state(run_id)
    if state.status == "complete":
        return state
    return replace(state, ceiling_usd=load_object(store.run_spec(run_id)).get("max_cost"))


@lru_cache(maxsize=JUDGES_KEPT)
def _read_judge(files: tuple[tuple[str, str], ...], lang: str) -> Judge:
    return judge_from_files(dict(files), lang)


def stored_item(judge: Judge, body: str) -> Item:
    """An item from its stored row, which was checked before; candidates may still have to answer."""
    return make_item(judge, load_object(body), "the store", fewest=0)
