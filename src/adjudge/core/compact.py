"""Compact JSON text by an encoder that is made once: `JSONEncoder.encode` makes another one for every value."""

from __future__ import annotations

import json.encoder
from collections.abc import Callable
from typing import Any


def compact(default: Callable[[Any], Any], *, sort_keys: bool = False) -> Callable[[Any], str]:
    """A function from any JSON value to its text; `default` makes one of what is none, and NaN is refused."""
    plain = json.JSONEncoder(
        ensure_ascii=False,
        sort_keys=sort_keys,
        separators=(",", ":"),
        allow_nan=False,
        check_circular=False,
        default=default,
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an interpreter that writes JSON in Python
        return plain.encode
    encode = make(None, default, json.encoder.encode_basestring, None, ":", ",", sort_keys, False, False)

    def text(value: Any) -> str:
        return "".join(encode(value, 0))

    return text
