"""What a run had spent when: the times of its calls, added up to a curve of few points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median_low

from adjudge.core import limits
from adjudge.core.errors import Corrupt
from adjudge.core.runs import Spent
from adjudge.store.database import Part, Row

_POINTS = """
SELECT MIN(time_ms), MAX(time_ms), SUM(1 - cached), SUM(spent_in + spent_out), COALESCE(SUM(spent_pico), 0),
       COUNT(*) - COUNT(spent_pico)
FROM calls WHERE run = ? GROUP BY time_ms / ? ORDER BY 1
"""
_MINUTE_MS = 60_000


class Spending(Part):
    """The part of the store that knows what was spent when."""

    def spending(self, run_id: str) -> list[Spent]:
        """What the run had spent as it worked; nothing where calls were paid for before their times were noted."""
        # A first look shows how long it worked, and so how far apart the points should be.
        minutes = self._points(run_id, _MINUTE_MS)
        if not minutes:
            return []
        ends = [(first, last) for first, last, *_ in minutes]
        worked = ends[-1][1] - ends[0][0] - sum(_pauses(ends))
        rows = self._points(run_id, max(1, worked // limits.SPENDING_POINTS))
        ends = [(first, last) for first, last, *_ in rows]
        spent, cut, calls, tokens, pico, unpriced = [], 0, 0, 0, 0, 0
        for (_, last, *sums), paused in zip(rows, (0, *_pauses(ends)), strict=True):
            more_calls, more_tokens, more_pico, more_unpriced = map(int, sums)
            calls, tokens, pico = calls + more_calls, tokens + more_tokens, pico + more_pico
            cut, unpriced = cut + paused, unpriced + more_unpriced
            spent.append(
                Spent(
                    seconds=(last - ends[0][0] - cut) / 1e3,
                    paused=paused / 1e3,
                    calls=calls,
                    tokens=tokens,
                    cost_usd=None if unpriced else pico / 1e12,
                )
            )
        return spent

    def _points(self, run_id: str, width_ms: int) -> list[Row]:
        rows = self._db.read(_POINTS, (run_id, width_ms))
        if not all(isinstance(time, int | None) for row in rows for time in row[:2]):
            raise Corrupt("the time of a stored call is not a number")
        paid_untimed = any(row[0] is None and row[2] for row in rows)
        return [] if paid_untimed else [row for row in rows if row[0] is not None]


def _pauses(ends: Sequence[tuple[int, int]]) -> list[int]:
    """Between each two spans of work, for how many milliseconds the run was not at work."""
    silent = [later[0] - earlier[1] for earlier, later in pairwise(ends)]
    if not silent:
        return []
    usual_s = limits.PAUSE_TIMES_USUAL * median_low(silent) / 1e3
    longest = 1e3 * min(limits.PAUSE_SURELY_S, max(limits.PAUSE_LEAST_S, usual_s))
    return [gap if gap > longest else 0 for gap in silent]
