"""adjudge: a measuring instrument for text.

import adjudge

judge = adjudge.load_judge("summary", lang="ru")
run = adjudge.evaluate(judge, "my.jsonl", model="openai:gpt-4.1-mini")
run.scores()
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.api import RunOptions as RunOptions
    from adjudge.api import StoredRun as StoredRun
    from adjudge.api import check as check
    from adjudge.api import evaluate as evaluate
    from adjudge.api import evaluate_async as evaluate_async
    from adjudge.api import list_runs as list_runs
    from adjudge.api import open_run as open_run
    from adjudge.api import read_reply as read_reply
    from adjudge.api import resume as resume
    from adjudge.api.agree import agree as agree
    from adjudge.api.compare import compare as compare
    from adjudge.api.correct import correct as correct
    from adjudge.api.gate import gate as gate
    from adjudge.api.sample import sample as sample
    from adjudge.core.errors import AdjudgeError as AdjudgeError
    from adjudge.core.errors import ModelError as ModelError
    from adjudge.core.errors import ReplyError as ReplyError
    from adjudge.core.errors import UserError as UserError
    from adjudge.core.judge import Criterion as Criterion
    from adjudge.core.judge import Judge as Judge
    from adjudge.core.records import Failure as Failure
    from adjudge.core.records import Item as Item
    from adjudge.core.records import Verdict as Verdict
    from adjudge.core.scale import Scale as Scale
    from adjudge.spec.load import load_judge as load_judge

__version__ = "0.1.0"

# Where each public name lives. They are imported on first use: `adjudge --help` should not wait for an HTTP client.
_HOMES = {
    "adjudge.api": (
        "RunOptions",
        "StoredRun",
        "check",
        "evaluate",
        "evaluate_async",
        "list_runs",
        "open_run",
        "read_reply",
        "resume",
    ),
    "adjudge.api.agree": ("agree",),
    "adjudge.api.compare": ("compare",),
    "adjudge.api.correct": ("correct",),
    "adjudge.api.gate": ("gate",),
    "adjudge.api.sample": ("sample",),
    "adjudge.core.errors": ("AdjudgeError", "ModelError", "ReplyError", "UserError"),
    "adjudge.core.judge": ("Criterion", "Judge"),
    "adjudge.core.records": ("Failure", "Item", "Verdict"),
    "adjudge.core.scale": ("Scale",),
    "adjudge.spec.load": ("load_judge",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'adjudge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
