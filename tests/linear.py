"""Whether work grows in step with the length of a text: the promise about hostile texts, however busy the machine."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from unittest.mock import patch

from adjudge.models.offline.recent import Recent

#: Below this many seconds a ratio measures the clock.
_NOISE_S = 0.05
#: No long text may take longer, linear or not.
_MOST_S = 15.0
#: Four times the text may take this many times the work; quadratic work takes sixteen times.
_RATIO = 6
#: What the embedded judge makes of a text is many times its size and leaves the processor's cache: linear work was seen
#: to take up to six and a half times there.
LARGE = 8
#: A busy machine may spoil some measurements, hardly so many; quadratic work spoils them all.
_TRIES = 30


def assert_linear(
    work: Callable[[str], object], make: Callable[[int], str], size: int, *, ratio: float = _RATIO
) -> None:
    """Four times the text takes about four times the work, from `size` characters on."""
    small, large = make(size), make(4 * size)
    short, long = math.inf, math.inf
    for _ in range(_TRIES):
        short, long = min(short, seconds(work, small)), min(long, seconds(work, large))
        assert long < _MOST_S, f"{len(large):,} characters took {long:.1f} seconds"
        if long < _NOISE_S or long / max(short, 1e-9) < ratio:
            return
    raise AssertionError(f"four times the text took {long / short:.1f} times as long")


def seconds(work: Callable[[str], object], text: str) -> float:
    """Processor time of one go. A collection would walk what all the other tests left in memory: there is none.

    Nor is anything kept of the texts of the goes before: that a text was seen already would be measured, and no work.
    """
    gc.disable()
    try:
        with patch.object(Recent, "get", lambda kept, key, size, make: make()):
            start = time.process_time()
            work(text)
            return time.process_time() - start
    finally:
        gc.enable()
