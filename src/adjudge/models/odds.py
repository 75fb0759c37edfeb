"""The probabilities that a server states for the first word of its answer, in the OpenAI-compatible form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from adjudge.models.base import well_formed

#: How many words a server is asked for, and how many tokens: some begin with a blank one.
TOP_WORDS = 20
#: What servers with a lower limit take.
TOP_WORDS_FEW = 5
ANSWER_TOKENS = 4
_WORD_CHARS = 100


def wanted(top: int = TOP_WORDS) -> dict[str, Any]:
    """What a request says in order to be told them."""
    return {"logprobs": True, "top_logprobs": top}


def first_odds(choice: Mapping[str, Any]) -> dict[str, float]:
    """Word → log probability at the first place that is not blank; empty where the choice states none."""
    stated = choice.get("logprobs")
    places = stated.get("content") if isinstance(stated, dict) else None
    for place in places if isinstance(places, list) else ():
        if isinstance(place, dict) and isinstance(place.get("token"), str) and place["token"].strip():
            return _words(place)
    return {}


def _words(place: Mapping[str, Any]) -> dict[str, float]:
    top = place.get("top_logprobs")
    found: dict[str, float] = {}
    for entry in [*(top[: 2 * TOP_WORDS] if isinstance(top, list) else ()), place]:
        word, logprob = (entry.get("token"), entry.get("logprob")) if isinstance(entry, dict) else (None, None)
        if not isinstance(word, str) or isinstance(logprob, bool) or not isinstance(logprob, int | float):
            continue
        # several tokens may be spelled alike: the likeliest stands for them, as the answer itself is listed twice
        if math.isfinite(logprob) and len(word) <= _WORD_CHARS:
            word = well_formed(word)
            found[word] = max(min(float(logprob), 0.0), found.get(word, -math.inf))
    return found
