"""The words of the machinery, per language, from data files: fences, formats, the repair question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

#: The same safe loader, ten times as fast where PyYAML was built with its library.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLACE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Words:
    """Phrases by name; `say` puts values in their places once and scans nothing twice."""

    phrases: Mapping[str, str]
    language: str = ""

    def say(self, name: str, **values: object) -> str:
        phrase = self.phrases[name].strip()
        return _PLACE.sub(lambda match: str(values.get(match.group(1), match.group())), phrase)


def data(text: str) -> Any:
    """The value of a YAML text."""
    loader = _Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


@cache
def load_words(folder: Path, lang: str) -> Words:
    """The phrases of a language in a folder of `<lang>.yaml` files; English where there are none."""
    path = folder / f"{lang}.yaml"
    own = path.is_file()
    found = Words(data((path if own else folder / "en.yaml").read_text(encoding="utf-8")))
    return replace(found, language=found.say("language") if own else found.say("language_of_code", code=lang))


@cache
def words(lang: str) -> Words:
    """The machinery's phrases in a language."""
    return load_words(Path(__file__).parent / "words", lang)
