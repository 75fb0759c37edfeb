"""Every fault of an answer × first, middle, last item × always, once, flapping: each ends in its stated outcome."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from adjudge.core import limits
from tests.fakes.clock import Clock
from tests.fakes.faulty import FaultyModel, Pattern, rows
from tests.fakes.server import FakeModelServer
from tests.faults.canary import misplaced
from tests.faults.running import POSITIONS, N, arguments, exported, publish, run_json
from tests.faults.table import READ, TABLE, Row, echoing

#: A key that is echoed is seen in what is told of the failure, and there is none where the fault passes.
CASES = [*product(TABLE, get_args(Pattern)), *product(echoing("any"), ["always"])]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize(("name", "pattern"), CASES)
def test_a_fault_ends_in_its_stated_outcome(
    name: str, position: str, pattern: Pattern, key: str, unseen: Any, capsys: Any, clock: Clock
) -> None:
    row = {**TABLE, **echoing(key)}[name]
    item = f"i{POSITIONS[position]}"
    model = FaultyModel({item: (row.fault, pattern)})
    # At the first item nobody knows yet which form of the question the server takes, and a 400 may be about the form.
    forms = row.forms if position == "first" else 1
    judged = pattern != "always" and (row.passes or forms > 1)
    with FakeModelServer(model) as server:
        clock.skip_while_stuck(lambda: server.stuck, limits.ANSWER_TIMEOUT_S / 4, beat=lambda: server.beats)
        code, report, said = run_json(capsys, *arguments(server.url))
        lines = exported(capsys)
        once = dict(model.asked)

        assert (code, report["status"]) == ((0, "complete") if judged else (3, "partial"))
        assert (report["items"], report["judged"], report["failed"]) == (N, N - (not judged), int(not judged))
        others = [other["id"] for other in rows(N) if other["id"] != item]
        assert {lines[other]["status"] for other in others} == {"judged"}
        assert {once[other] for other in others} == {1}, "the fault of one item is no other's"
        if judged:
            assert once[item] == 2 and lines[item]["failure"] is None
        else:
            _check_failure(lines[item], row, lasting=pattern == "always")
            least = (row.attempts if pattern == "always" else 1) * forms
            assert least <= once[item] <= least * (2 if row.resent else 1)

        again, report, more = run_json(capsys, "resume", "latest")
        after = exported(capsys)
        gone = pattern != "always"
        assert (again, report["status"], report["failed"]) == ((0, "complete", 0) if gone else (3, "partial", 1))
        assert {other: after[other] for other in others} == {other: lines[other] for other in others}
        assert {model.asked[other] for other in others} == {1}, "what was answered is never asked again"
        assert set(model.answered.values()) == {1}
        assert misplaced(key, "authorization", server.requests) == []
    if pattern == "always":  # otherwise there is no failure left to show
        publish()
    unseen(said, more)


def _check_failure(line: dict[str, Any], row: Row, *, lasting: bool) -> None:
    failure = line["failure"]
    assert (line["status"], line["verdict"], line["scores"], line["derived"]) == ("failed", None, {}, {})
    assert (failure["kind"], failure["stage"]) == (row.kind, "read" if row.kind in READ else "ask")
    assert failure["attempts"] == (row.attempts if lasting else 1)
    assert row.says in failure["message"]
    assert len(failure["message"]) < limits.EXCERPT_CHARS + 200 and failure["message"].isprintable()
