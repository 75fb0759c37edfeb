"""The report's signs in letters that any terminal has, for those whose encoding lacks them."""

from __future__ import annotations

import codecs

#: Each is one column wide, as the sign that it stands for, so that tables stay tables.
_NEAREST = dict(zip("▁▂▃▄▅▆▇█·━●─…↑↓–—×§“”„«»‘’✓✗◐−≤≥", '_.:-=+*#.=O-~^v--xS"""""\'\'+x%-<>', strict=True))
#: The name under which encoders know it.
NEAREST = "adjudge.nearest"


def nearest(error: UnicodeError) -> tuple[str, int]:
    """What is written in the place of letters that cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_NEAREST.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


codecs.register_error(NEAREST, nearest)
