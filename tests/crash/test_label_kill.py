"""kill -9 while people label: what `say` returned from is there, and nothing is there by half."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from adjudge.api.labelling import Desk
from adjudge.store.store import open_store
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
SAYING = """
import os, signal, sys
from adjudge.api.labelling import Desk
from adjudge.api.label_files import import_labels
from adjudge.api.stored import open_run
from adjudge.core import points
url, run, act, point = sys.argv[1:]
def reached(name):
    if name == point:
        os.kill(os.getpid(), signal.SIGKILL)
desk = Desk.open(open_run(run, store=url), "anna")
desk.say(1, "coverage", 4)
points.reached = reached
if act == "say":
    desk.say(1, "accuracy", 2)
elif act == "undo":
    desk.undo()
else:
    import_labels(desk.run, [{"id": f"i{n}", "annotator": "bo", "coverage": 3} for n in range(9)])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    ("act", "point", "said"),
    [
        ("say", "", {"coverage": 4, "accuracy": 2}),
        ("say", "labels.durable", {"coverage": 4, "accuracy": 2}),
        ("say", "labels.written", {"coverage": 4}),
        ("undo", "", {}),
        ("undo", "labels.durable", {}),
        ("undo", "labels.written", {"coverage": 4}),
        ("import", "labels.durable", {"coverage": 4}),
        ("import", "labels.written", {"coverage": 4}),
    ],
)
def test_a_label_is_durable_before_it_counts(request, tmp_path, store, act, point, said):
    url = f"sqlite:///{tmp_path}/a.db" if store == "sqlite" else str(request.getfixturevalue("postgres_url"))
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, 3)] * 9)
    child = subprocess.run([sys.executable, "-c", SAYING, url, run.id, act, point], capture_output=True)
    assert child.returncode == -signal.SIGKILL, child.stderr
    desk = Desk.open(run, "anna")
    assert {name: label.value for (_, name), label in desk.at(1).answers.items()} == said
    with open_store(url) as opened:
        others = [label for label in opened.labels(run.id) if label.annotator == "bo"]
    assert len(others) == (9 if (act, point) == ("import", "labels.durable") else 0)
    desk.say(1, "coverage", 5)
    assert desk.at(1).answers["", "coverage"].value == 5
