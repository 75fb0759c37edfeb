"""A key that is easy to find, and the places where it must not be found."""

from __future__ import annotations

import base64
import json
import secrets
import string
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from tests.fakes.server import Received

_PREFIX = "sk-canary-"


def new_key() -> str:
    """A key of 50 characters; `+/=` in it look different in base64, addresses and escaped JSON."""
    drawn = [secrets.choice(string.ascii_letters + string.digits) for _ in range(37)]
    for place, char in zip((7, 19, 31), "+/=", strict=True):
        drawn.insert(place, char)
    return _PREFIX + "".join(drawn)


def disguises(key: str) -> dict[str, bytes]:
    """The key as it might turn up: a half of it is as telling as the whole."""
    raw, half = key.encode(), len(_PREFIX) + (len(key) - len(_PREFIX)) // 2
    shifted = [base64.b64encode(b"x" * shift + raw)[4:-4] for shift in range(3)]
    return {
        "whole": raw,
        "first half": raw[len(_PREFIX) : half],
        "second half": raw[half:],
        "reversed": raw[::-1][:20],
        "percent-encoded": quote(key, safe="").encode()[len(_PREFIX) :],
        "escaped": key.replace("/", r"\/").encode()[half - 8 :],
        "in base64": shifted[0],
        "in base64, one further": shifted[1],
        "in base64, two further": shifted[2],
        "in hex": raw.hex()[20:60].encode(),
    }


def found(key: str, text: str | bytes) -> list[str]:
    """The disguises in which the key stands in a text, whatever the case."""
    data = (text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text).lower()
    return [name for name, disguise in disguises(key).items() if disguise.lower() in data]


def found_in_files(key: str, folder: Path) -> list[str]:
    """Which files hold the key: the store, its -wal, exports, reports."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [f"{path.name}: {name}" for path in files for name in found(key, _content(path))]


def misplaced(key: str, header: str, requests: Iterable[Received]) -> list[str]:
    """What the server saw of the key outside of the one header, and requests that came without it."""
    wrong = []
    for request in requests:
        if found(key, request.headers.get(header, "")) != ["whole", "first half", "second half"]:
            wrong.append(f"no key in {header}")
        rest = {name: value for name, value in request.headers.items() if name != header}
        wrong += found(key, json.dumps([request.path, rest, request.data], ensure_ascii=False))
    return wrong


def _content(path: Path) -> bytes:
    if path.suffix == ".parquet":  # packed: read as people read it
        import pyarrow.parquet

        return str(pyarrow.parquet.read_table(path).to_pylist()).encode("utf-8", "surrogatepass")
    return path.read_bytes()
