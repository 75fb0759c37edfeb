"""The front door: the only place that wires judges, data, models, store and reports together."""

from adjudge.api.crew import Crew, crew_for, crew_of, helped
from adjudge.api.execute import Listener, begin, evaluate, evaluate_async, resume, resume_async, start, start_all
from adjudge.api.inspect import Checked, check, read_reply
from adjudge.api.options import RunOptions, options_for
from adjudge.api.prepare import Prepared, dry_run, prepare, prepare_all
from adjudge.api.stored import StoredRun, list_runs, open_run, side_by_side

__all__ = [
    "Checked",
    "Crew",
    "Listener",
    "Prepared",
    "RunOptions",
    "StoredRun",
    "begin",
    "check",
    "crew_for",
    "crew_of",
    "dry_run",
    "evaluate",
    "evaluate_async",
    "helped",
    "list_runs",
    "open_run",
    "options_for",
    "prepare",
    "prepare_all",
    "read_reply",
    "resume",
    "resume_async",
    "side_by_side",
    "start",
    "start_all",
]
