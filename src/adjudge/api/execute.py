"""From judge and data to a stored run, and on from where one stopped."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import adjudge
from adjudge.api.options import RunOptions, store_url
from adjudge.api.stored import StoredRun, stored_item, stored_judge
from adjudge.core import limits, points
from adjudge.core.errors import Busy, ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import EMBEDDED, Run, RunState
from adjudge.data import export as exports
from adjudge.data.dataset import Dataset, read_dataset
from adjudge.data.items import parse_map
from adjudge.data.rows import read_rows, rows_of
from adjudge.models.base import Model
from adjudge.models.choose import choose_model
from adjudge.models.offline import batch_summary
from adjudge.run.ask import Asker
from adjudge.run.engine import Engine, Progress
from adjudge.run.ledger import Ledger
from adjudge.run.pace import Pace
from adjudge.run.plan import Planner, Unit, estimate_tokens
from adjudge.run.prices import Budget
from adjudge.run.supply import Supply
from adjudge.spec.load import judge_files, judge_folder, judge_from_files
from adjudge.spec.prompt import render
from adjudge.spec.strict import suggestion
from adjudge.store.store import Store, open_store

T = TypeVar("T")
Listener = Callable[[Progress], None]


def evaluate(judge: Judge | str, data: Any, *, listener: Listener | None = None, **options: Any) -> StoredRun:
    """Judge a dataset: rows or a path. Works in scripts and, unlike `asyncio.run`, inside a notebook's loop.

    >>> run = evaluate("summary", [{"content": "…", "text": "…"}])  # doctest: +SKIP
    """
    return blocking(evaluate_async(judge, data, listener=listener, **options))


async def evaluate_async(
    judge: Judge | str, data: Any, *, listener: Listener | None = None, **options: Any
) -> StoredRun:
    """`evaluate` for code that is asynchronous itself."""
    known = [field.name for field in fields(RunOptions)]
    for name in options:
        if name not in known:
            raise ConfigError(f"evaluate has no option `{name}`", hint=suggestion(name, known))
    chosen = RunOptions(**options)
    prepared = prepare(judge, data, chosen)
    try:
        return await start(prepared, listener)
    finally:
        prepared.dataset.close()


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A run that has been checked from end to end, before anything is called or written."""

    judge: Judge
    files: Mapping[str, str]
    dataset: Dataset
    model: Model | None
    options: RunOptions
    planner: Planner
    budget: Budget

    def units(self) -> Iterator[Unit]:
        rows = enumerate(self.dataset.rows())
        return self.planner.units((place, stored_item(self.judge, body)) for place, (_, body) in rows)


def prepare(judge: Judge | str, data: Any, options: RunOptions, *, dry: bool = False) -> Prepared:
    """Check judge, model, options and every row. What is wrong is an error here, and nothing is left behind.

    A dry run needs no key: its model is never asked.
    """
    return prepare_all(judge, data, [options], dry=dry)[0]


def prepare_all(judge: Judge | str, data: Any, options: Sequence[RunOptions], *, dry: bool = False) -> list[Prepared]:
    """`prepare` for several models, whose options differ in nothing else: the rows are read once, and shared."""
    files, loaded = load(judge, options[0].lang)
    plan = options[0].plan(loaded)
    models = [
        None if dry else choose_model(one.model, base_url=one.base_url, api_key_env=one.api_key_env) for one in options
    ]
    planners = [Planner(judge=loaded, settings=one.settings(), options=plan) for one in options]
    _check_different(planners)
    budgets = [one.budget(planner.settings) for one, planner in zip(options, planners, strict=True)]
    for budget in budgets:
        budget.beside = [other for other in budgets if other is not budget]
    columns = parse_map(loaded, options[0].map)
    path = isinstance(data, (str, Path))
    rows = read_rows(str(data)) if path else rows_of(data)
    dataset = read_dataset(loaded, rows, name=str(data) if path else "rows", columns=columns, limit=options[0].limit)
    _check_orders(planners[0], dataset)
    return [
        Prepared(judge=loaded, files=files, dataset=dataset, model=model, options=one, planner=planner, budget=budget)
        for one, model, planner, budget in zip(options, models, planners, budgets, strict=True)
    ]


def _check_different(planners: Sequence[Planner]) -> None:
    """A run against itself would compare nothing, and the second one would only wait for the first."""
    seen = set()
    for settings in (planner.settings for planner in planners):
        if settings in seen:
            server = f" at {settings.base_url}" if settings.base_url else ""
            raise ConfigError(
                f"--model {settings.model}{server} is given twice, with the same settings",
                hint="repeats of one model are --repeat K; another server is openai:NAME@URL",
            )
        seen.add(settings)


def dry_run(prepared: Prepared, *, sample: int = 200) -> dict[str, Any]:
    """What a run would do: items, calls, tokens and cost, estimated from the first prompts. Nothing is called."""
    calls = tokens = tokens_out = seen = 0
    for unit in prepared.units():
        calls += len(unit.calls)
        judged = sum(len(call.order) or len(unit.items) for call in unit.calls)
        tokens_out += judged * len(prepared.judge.criteria) * _TOKENS_PER_CRITERION
        if seen < sample:
            seen += len(unit.calls)
            tokens += sum(estimate_tokens(render(prepared.judge, call, unit.items)) for call in unit.calls)
    tokens_in = round(tokens / max(seen, 1) * calls)
    price = prepared.budget.price
    return {
        "items": prepared.dataset.count,
        "calls": calls,
        "model": prepared.options.model,
        "tokens": {"in": tokens_in, "out": tokens_out},
        "cost_usd": 0.0 if prepared.options.model == EMBEDDED else price.of(tokens_in, tokens_out) if price else None,
        "price_seen": price.seen if price else None,
    }


def _check_orders(planner: Planner, dataset: Dataset) -> None:
    """`--orders all` may be too many for some item; that is found out before anything is called."""
    if planner.options.orders == "all":
        try:
            for _, body in dataset.rows():
                next(planner.units([(0, stored_item(planner.judge, body))]))
        except ConfigError:
            dataset.close()
            raise


#: A score with a reason of one to three sentences.
_TOKENS_PER_CRITERION = 70


async def start(prepared: Prepared, listener: Listener | None = None) -> StoredRun:
    """Create the run and carry it out."""
    return (await start_all([prepared], listener))[0]


async def start_all(prepared: Sequence[Prepared], listener: Listener | None = None) -> list[StoredRun]:
    """Create runs of one judge and dataset with several models, and carry them out side by side."""
    url = store_url(prepared[0].options.store)
    with open_store(url) as store:
        runs = [_created(store, one) for one in prepared]
        works = [
            _carry_out(store, run, one.planner, _started(one), one.options, one.budget, listener)
            for run, one in zip(runs, prepared, strict=True)
        ]
        await _side_by_side(works)
    return [StoredRun(url, run.id) for run in runs]


async def _side_by_side(works: Sequence[Coroutine[Any, Any, None]]) -> None:
    if len(works) == 1:
        return await works[0]
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return None


def _started(prepared: Prepared) -> Model:
    if prepared.model is None:
        raise ConfigError("a dry run was prepared, and can't be started")
    return prepared.model


def _created(store: Store, prepared: Prepared) -> Run:
    options, judge, dataset = prepared.options, prepared.judge, prepared.dataset
    now = datetime.now(UTC)
    run = Run(
        id=f"{judge.name}-{now:%Y%m%d-%H%M%S}-{os.urandom(2).hex()}",
        judge=judge.name,
        judge_digest=judge.digest,
        lang=judge.lang,
        data=dataset.name,
        data_digest=dataset.digest,
        items=dataset.count,
        settings=prepared.planner.settings,
        name=options.name,
        version=adjudge.__version__,
        started=now.isoformat(timespec="seconds"),
        **asdict(prepared.planner.options),
    )
    store.save_judge(judge.digest, prepared.files)
    points.reached("judge.stored")
    store.add_dataset(dataset.digest, dataset.rows())
    points.reached("dataset.stored")
    # the store's URL may hold a password, and a path means something else in another folder
    prices = str(Path(options.prices).resolve()) if options.prices else None
    store.create_run(run, spec=json.dumps(asdict(replace(options, store=None, prices=prices))))
    points.reached("run.created")
    if not options.fresh:
        store.copy_twin(run)
        points.reached("twin.copied")
    return run


def resume(name: str, *, store: str | None = None, listener: Listener | None = None, **changes: Any) -> StoredRun:
    """Go on where a run stopped: the plan minus what is stored. Several processes may do so at once and share it."""
    return blocking(resume_async(name, store=store, listener=listener, **changes))


#: What may be otherwise when a run is resumed: nothing that decides its numbers.
_CHANGEABLE = ("concurrency", "rpm", "tpm", "max_cost", "prices", "api_key_env")
_CHANGES = "there are " + ", ".join(_CHANGEABLE)


async def resume_async(
    name: str, *, store: str | None = None, listener: Listener | None = None, **changes: Any
) -> StoredRun:
    """`resume` for asynchronous code; `changes` may set concurrency, rpm or api_key_env."""
    url = store_url(store)
    with open_store(url, create=False) as opened:
        state = opened.find_run(name)
        run = state.run
        if state.status == "complete":
            return StoredRun(url, run.id)
        saved = json.loads(opened.run_spec(run.id))
        for change in changes:
            if change not in _CHANGEABLE:
                raise ConfigError(f"a run is resumed as it began: `{change}` can't be changed", hint=_CHANGES)
        options = RunOptions(**{**saved, "map": tuple(saved["map"]), "store": url, **changes})
        judge = stored_judge(opened, run)
        if judge.digest != run.judge_digest:
            raise ConfigError(
                f"the run was made by adjudge {run.version}, whose prompts were different",
                hint="its report can still be shown; to judge the rest, start a new run",
            )
        if options.settings().revision != run.settings.revision:
            raise ConfigError(
                f"`{options.model}` is no longer what the run began with",
                hint="its report can still be shown; to judge the rest, start a new run",
            )
        model = choose_model(options.model, base_url=options.base_url, api_key_env=options.api_key_env)
        planner = Planner(judge=judge, settings=run.settings, options=options.plan(judge))
        budget = options.budget(run.settings)
        await _carry_out(opened, run, planner, model, options, budget, listener)
        return StoredRun(url, run.id)


async def _carry_out(
    store: Store,
    run: Run,
    planner: Planner,
    model: Model,
    options: RunOptions,
    budget: Budget,
    listener: Listener | None,
) -> None:
    """Run the engine to its end, or until it is cancelled; either way the store says how far it came."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    store.claim(run.id)
    ledger = Ledger(store)
    beats = asyncio.create_task(_beat(store, run.id))
    beats.add_done_callback(partial(_stop_if_taken_over, asyncio.current_task()))
    asker = Asker(
        run=run.id,
        planner=planner,
        model=model,
        store=store,
        ledger=ledger,
        pace=Pace(concurrency=options.concurrency, rpm=options.rpm, tpm=options.tpm),
        budget=_spent_before(budget, store.state(run.id)),
        fresh=options.fresh,
    )
    supply = Supply(run, store, asker, partial(stored_item, planner.judge))
    engine = Engine(
        asker, supply, total=run.items, concurrency=options.concurrency, listener=listener or (lambda _: None)
    )
    status: Literal["complete", "partial", "interrupted"] = "interrupted"
    summary: Mapping[str, str] | None = None
    try:
        await engine.run()
        points.reached("items.judged")
        if engine.stopped is None:
            status = "complete"  # unless the store knows of failures
            if planner.judge.layout == "batch" and await supply.last():
                summary = await _summary(store, engine)
                status = "partial" if summary is None else "complete"
        else:
            status = "partial"
    except asyncio.CancelledError:
        if beats.done() and not beats.cancelled() and (gone := beats.exception()) is not None:
            raise gone from None
        raise
    finally:
        beats.cancel()
        ledger.commit()
        try:
            await model.close()
        finally:
            store.finish(run.id, status, summary=summary, seconds=loop.time() - began)


async def _summary(store: Store, engine: Engine) -> Mapping[str, str] | None:
    """The embedded judge has no prose to merge: its summary is made from the scores themselves."""
    run, judge = engine.asker.run, engine.judge
    if not engine.asker.model.embedded:
        return await engine.merged(store.summaries(run))
    scores: dict[str, list[float]] = {criterion.name: [] for criterion in judge.scored}
    for row in exports.rows(judge, store.outcomes(run)):
        scores[row["criterion"]].append(row["score"])
    return batch_summary(judge, scores)


def _spent_before(budget: Budget, state: RunState) -> Budget:
    """What the run has spent counts; if that is not known, no ceiling can be kept."""
    budget.spent_usd, budget.uncounted = state.cost_usd or 0.0, state.cost_usd is None
    return budget


def _stop_if_taken_over(work: asyncio.Task[Any] | None, beats: asyncio.Task[None]) -> None:
    """A run that another process has taken over, or whose store is gone, is not worth another call."""
    if work is not None and not beats.cancelled() and beats.exception() is not None:
        work.cancel()


async def _beat(store: Store, run_id: str) -> None:
    while True:
        await asyncio.sleep(limits.HEARTBEAT_S)
        with suppress(Busy):  # the next one will do
            await asyncio.to_thread(store.beat, run_id)


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where a loop is already running (a notebook): then in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def noted() -> T:
        task = asyncio.ensure_future(work)
        begun.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(max_workers=1) as thread:
        done = thread.submit(asyncio.run, noted())
        try:
            return done.result()
        except BaseException:
            # interrupted here, it must end there too, or it would go on asking
            for loop, task in begun:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(task.cancel)
            raise


def load(judge: Judge | str, lang: str | None) -> tuple[dict[str, str], Judge]:
    """A judge with the texts of its files, by name, folder, or as loaded before."""
    if isinstance(judge, str):
        files = judge_files(judge_folder(judge))
        return files, judge_from_files(files, lang)
    if lang not in (None, judge.lang):
        raise ConfigError(f"the judge was loaded in `{judge.lang}`", hint=f'load_judge(..., lang="{lang}")')
    return dict(judge.files), judge
