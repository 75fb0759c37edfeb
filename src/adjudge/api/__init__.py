"""The front door: the only place that wires judges, data, models, store and reports together."""

from adjudge.api.execute import (
    Listener,
    Prepared,
    dry_run,
    evaluate,
    evaluate_async,
    prepare,
    resume,
    resume_async,
    start,
)
from adjudge.api.inspect import Checked, check, read_reply
from adjudge.api.options import RunOptions
from adjudge.api.stored import StoredRun, list_runs, open_run

__all__ = [
    "Checked",
    "Listener",
    "Prepared",
    "RunOptions",
    "StoredRun",
    "check",
    "dry_run",
    "evaluate",
    "evaluate_async",
    "list_runs",
    "open_run",
    "prepare",
    "read_reply",
    "resume",
    "resume_async",
    "start",
]
