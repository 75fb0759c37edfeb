"""From judge and data to a stored run, and on from where one stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import fields
from functools import partial
from typing import Any, Literal, TypeVar

from adjudge.api.candidates import Asked, answering, asked_candidates
from adjudge.api.create import created
from adjudge.api.options import RunOptions
from adjudge.api.prepare import Prepared, prepare
from adjudge.api.stored import StoredRun, stored_item, stored_judge
from adjudge.core import limits, points
from adjudge.core.errors import Busy, ConfigError
from adjudge.core.judge import Judge
from adjudge.core.runs import Run, RunState
from adjudge.data import export as exports
from adjudge.models.base import Model
from adjudge.report.traced import traced
from adjudge.run.ask import Asker
from adjudge.run.drawn import Drawn
from adjudge.run.engine import Engine, Progress
from adjudge.run.ledger import Ledger
from adjudge.run.merge import first_level
from adjudge.run.pace import Pace
from adjudge.run.plan import DEFAULT_BATCH, Planner
from adjudge.run.prices import Budget
from adjudge.run.supply import Supply
from adjudge.run.usage import Usage
from adjudge.spec.strict import suggestion
from adjudge.store.codec import load_object
from adjudge.store.store import Store, open_store
from adjudge.store.url import store_url

#: Draws that a run with a question may begin before the first of them is done, for each request in flight.
_AHEAD = 2

T = TypeVar("T")
Listener = Callable[[Progress], None]
#: How a run counts whose work is cancelled: who cancels it may know that nobody has interrupted it.
cancelled_as: ContextVar[Callable[[], Literal["partial", "interrupted"]]] = ContextVar(
    "cancelled_as", default=lambda: "interrupted"
)


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


async def start(prepared: Prepared, listener: Listener | None = None) -> StoredRun:
    """Create the run and carry it out."""
    return (await start_all([prepared], listener))[0]


def begin(prepared: Prepared) -> str:
    """Store a run that is to be carried out by `resume`, and give its id."""
    with open_store(store_url(prepared.options.store)) as store:
        return created(store, prepared)[0].id


async def start_all(prepared: Sequence[Prepared], listener: Listener | None = None) -> list[StoredRun]:
    """Create runs of one judge and dataset with several models, and carry them out side by side."""
    url = store_url(prepared[0].options.store)
    with open_store(url) as store:
        runs = [created(store, one) for one in prepared]
        works = [
            _told(store, run, one, listener)
            if complete
            else _carry_out(store, run, one.planner, _started(one), one.candidates, one.options, one.budget, listener)
            for (run, complete), one in zip(runs, prepared, strict=True)
        ]
        await _side_by_side(works)
    return [StoredRun(url, run.id) for run, _ in runs]


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


async def _told(store: Store, run: Run, prepared: Prepared, listener: Listener | None) -> None:
    """Say of a run that is complete from the start how it stands."""
    state = store.state(run.id)
    usage = Usage(cached=state.cached)
    progress = Progress(run=run.id, model=run.settings.model, total=run.items, judged=state.judged, usage=usage)
    (listener or (lambda _: None))(progress)
    await _closed(_started(prepared), prepared.candidates)


async def _closed(model: Model, candidates: Sequence[Asked]) -> None:
    await asyncio.gather(model.close(), *(one.model.close() for one in candidates if one.model is not None))


def resume(name: str, *, store: str | None = None, listener: Listener | None = None, **changes: Any) -> StoredRun:
    """Go on where a run stopped: the plan minus what is stored. Several processes may do so at once and share it."""
    return blocking(resume_async(name, store=store, listener=listener, **changes))


#: What may be otherwise when a run is resumed: nothing that decides its numbers.
_CHANGEABLE = ("concurrency", "rpm", "tpm", "max_cost", "max_wait", "prices", "api_key_env")
_CHANGES = "there are " + ", ".join(_CHANGEABLE)


def stored_options(store: Store, run: Run, changes: Mapping[str, Any]) -> RunOptions:
    """The options that a run was given, with what may be otherwise when it is resumed."""
    saved = load_object(store.run_spec(run.id))
    for change in changes:
        if change not in (*_CHANGEABLE, "store"):
            raise ConfigError(f"a run is resumed as it began: `{change}` can't be changed", hint=_CHANGES)
    lists: dict[str, Any] = {name: tuple(saved[name]) for name in ("map", "candidates") if name in saved}
    return RunOptions(**{**saved, **lists, **changes})


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
        options = stored_options(opened, run, {"store": url, **changes})
        judge = stored_judge(opened, run)
        if judge.digest != run.judge_digest:
            raise ConfigError(
                f"the run was made by adjudge {run.version}, whose prompts were different",
                hint="its report can still be shown; to judge the rest, start a new run",
            )
        model = options.judging_model()
        if options.settings().revision != run.settings.revision:
            raise ConfigError(
                f"`{options.model}` is no longer what the run began with",
                hint="its report can still be shown; to judge the rest, start a new run",
            )
        planner = Planner(judge=judge, settings=run.settings, options=options.plan(judge))
        if planner.options.candidates != run.candidates:
            changed = sorted(set(run.candidates) - set(planner.options.candidates))
            raise ConfigError(
                f"a candidate is no longer what the run began with: {', '.join(changed)}",
                hint="a program is looked for from the current folder: resume in the one where the run began. Where it "
                "was edited, the report can still be shown; to judge the rest, start a new run",
            )
        candidates, budget = asked_candidates(options), options.budget(run.settings)
        await _carry_out(opened, run, planner, model, candidates, options, budget, listener)
        return StoredRun(url, run.id)


async def _carry_out(
    store: Store,
    run: Run,
    planner: Planner,
    model: Model,
    candidates: Sequence[Asked],
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
        pace=Pace(concurrency=options.concurrency, rpm=options.rpm, tpm=options.tpm, max_wait_s=options.max_wait),
        budget=_spent_before(budget, store.state(run.id)),
        fresh=options.fresh,
    )
    item = partial(stored_item, planner.judge)
    drawn = Drawn(run, store, asker, item, ahead=_AHEAD * options.concurrency) if run.until else None
    supply = drawn or Supply(run, store, asker, item)
    engine = Engine(
        asker,
        supply,
        total=run.items,
        concurrency=options.concurrency,
        listener=listener or (lambda _: None),
        answering=answering(asker, candidates, options),
    )
    status: Literal["complete", "partial", "interrupted"] = "interrupted"
    summary: Mapping[str, str] | None = None
    try:
        alike = [] if model.embedded or options.fresh else store.under_way(run)
        await engine.run(beside=alike)
        points.reached("items.judged")
        if engine.stopped is not None:
            status = "partial"
        elif planner.judge.layout == "batch" and await supply.last():
            summary = await _summary(store, engine)
            status = "partial" if summary is None else "complete"
        else:
            status = "complete"  # unless the store knows of failures
    except asyncio.CancelledError:
        status = cancelled_as.get()()
        if beats.done() and not beats.cancelled() and (gone := beats.exception()) is not None:
            raise gone from None
        raise
    finally:
        beats.cancel()
        ledger.commit()
        try:
            await _closed(model, candidates)
        finally:
            store.finish(run.id, status, summary=summary, seconds=loop.time() - began)


async def _summary(store: Store, engine: Engine) -> Mapping[str, str] | None:
    """The embedded judge and answers of one word have no prose to merge: the summary is made from the scores."""
    run, judge = engine.asker.run, engine.judge
    if not engine.asker.model.embedded and engine.planner.batched:
        size = engine.planner.options.batch_size or DEFAULT_BATCH
        merged = await engine.merged(first_level(store.summaries(run), size))
        if merged is None:
            return None
        return traced(judge, merged.texts, store.placed_outcomes(run), batches=merged.batches, size=size)
    from adjudge.models.offline.judge import batch_summary  # loads the embedded judge, which most runs do without

    scores: dict[str, list[float]] = {criterion.name: [] for criterion in judge.scored}
    for row in exports.rows(judge, store.outcomes(run)):
        scores[row["criterion"]].append(row["score"])
    return traced(judge, batch_summary(judge, scores), store.placed_outcomes(run))


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
