"""Which names are names of languages: they can give no orders, so they may stand in a prompt outside the fences."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

#: Scripts and regions that may follow a code: zh-Hans, pt_BR, es-419.
_TAG = re.compile(r"(?P<code>[a-z]{2,3})(?:[-_](?:hans|hant|latn|cyrl|arab|deva))?(?:[-_](?:[a-z]{2}|\d{3}))?", re.I)
#: Where it is spoken or how it is written: "Chinese (Simplified)".
_WITH_PLACE = re.compile(r"(?P<name>[^()]+?) \((?:simplified|traditional|latin|cyrillic|[a-z]{2})\)", re.I)


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    text = resources.files(__package__).joinpath("languages.txt").read_text("utf-8")
    codes, names = text.split("\n", 1)[1].split("\n\n")
    return frozenset(codes.split()), frozenset(" ".join(names.split()).split("; "))


def is_language(name: str) -> bool:
    """Whether a name is one of a language, or its code."""
    codes, names = _known()
    if (tag := _TAG.fullmatch(name)) and tag["code"].lower() in codes:
        return True
    placed = _WITH_PLACE.fullmatch(name)
    return (placed["name"] if placed else name).casefold() in names
