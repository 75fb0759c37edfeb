"""A new run in its store, with all that it needs to be carried out and to be read again."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import adjudge
from adjudge.api.prepare import Prepared
from adjudge.core import points
from adjudge.core.errors import Conflict
from adjudge.core.runs import Run
from adjudge.store.store import Store

#: Of ids, before it is no chance any more that each of them is taken.
_DRAWS = 4


def created(store: Store, prepared: Prepared) -> tuple[Run, bool]:
    """The run, stored, and whether it is complete: an earlier one may have come to all that it would come to."""
    options, judge, dataset = prepared.options, prepared.judge, prepared.dataset
    now = datetime.now(UTC)
    run = Run(
        id=f"{judge.name}-{now:%Y%m%d-%H%M%S}",
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
    if dataset.key:
        store.know_file(dataset.key, dataset.digest, dataset.count)
        points.reached("file.known")
    # the store's URL may hold a password, and a path means something else in another folder
    prices = str(Path(options.prices).resolve()) if options.prices else None
    spec = json.dumps(asdict(replace(options, store=None, prices=prices)))
    added = _added(store, run, spec, twins=not options.fresh)
    points.reached("run.created")
    return added


def _added(store: Store, run: Run, spec: str, *, twins: bool) -> tuple[Run, bool]:
    """The run in the store. Of those that begin in one second two may draw the same id: then another is drawn."""
    for left in reversed(range(_DRAWS)):
        drawn = replace(run, id=f"{run.id}-{os.urandom(2).hex()}")
        try:
            complete = twins and store.create_twin(drawn, spec=spec)
            if not complete:
                store.create_run(drawn, spec=spec)
            return drawn, complete
        except Conflict:
            if not left:
                raise
    raise AssertionError("unreachable")
