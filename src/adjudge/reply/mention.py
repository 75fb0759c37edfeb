"""How prose mentions a candidate: "Output (a)", "Assistant 2", "**X1**", «Ответ Х2»."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: What a candidate may be called before its label.
NOUN = (
    r"(?:outputs?|assistant|answer|response|model|candidate|system|option|summary|translation|text|version"
    r"|ответ|вариант|модель|кандидат|перевод|резюме|система|ассистент|текст|версия)"
)
_OPEN, _CLOSE = r"[*_`\"'«“(\[]{0,4}", r"[*_`\"'»”)\]]{0,4}"
#: Letters that look the same in both alphabets.
_ALIKE = {latin: f"[{latin}{cyrillic}]" for latin, cyrillic in zip("ABEKMHOPCTX", "АВЕКМНОРСТХ", strict=True)}


def spelling(label: str) -> str:
    """A pattern of the label in either alphabet."""
    return "".join(_ALIKE.get(char.upper(), re.escape(char)) for char in label)


def mention(labels: Iterable[str], group: str = "label", *, named: bool = False) -> str:
    """A pattern of any of the labels, in a group; `named` demands a noun before it or brackets around it."""
    names = rf"(?P<{group}>{'|'.join(spelling(label) for label in labels)})"
    noun = rf"\b{NOUN}\s*+(?:[#№]\s*+)?{_OPEN}{names}(?!\w){_CLOSE}"
    other = names.replace(f"?P<{group}>", f"?P<{group}_>")
    bare = rf"[*_`]{{0,2}}[(\[]{other}[)\]][*_`]{{0,2}}" if named else rf"(?<![\w.]){_OPEN}(?<!\w){other}(?!\w){_CLOSE}"
    return f"(?:{noun}|{bare})"


def mentioned(found: re.Match[str], labels: Iterable[str], group: str = "label") -> str:
    """Which label a match of `mention` names."""
    text = found[group] or found[f"{group}_"]
    return next(label for label in labels if re.fullmatch(spelling(label), text, re.IGNORECASE))
