"""A table as a spreadsheet splits it, whatever it takes for the separator."""

from __future__ import annotations

import unicodedata

#: Excel splits at the separator of the country, or at tabs; LibreOffice offers all of them at once, and any other sign.
SEPARATORS = (",", ";", "\t", "|", ",;\t", ",;\t|")


def cells(text: str, separators: str) -> list[str]:
    """As Excel does it: a quote means something only where a cell begins, and what stands behind its end is kept."""
    found: list[str] = []
    cell, quoted, begins, skip = "", False, True, False
    for sign, ahead in zip(text, text[1:] + "\n", strict=True):
        if skip:
            skip = False
        elif quoted and sign == '"' == ahead:
            cell, skip = cell + sign, True
        elif sign == '"' and (quoted or begins):
            quoted, begins = not quoted, False
        elif not quoted and (sign in separators or sign in "\r\n"):
            found, cell, begins = [*found, cell], "", True
        else:
            cell, begins = cell + sign, False
    return [*found, cell]


def is_formula(cell: str) -> bool:
    """Also behind blanks and signs that nobody sees, and in the wide forms of the signs."""
    shown = (sign for sign in cell if not sign.isspace() and unicodedata.category(sign) not in ("Cc", "Cf"))
    return unicodedata.normalize("NFKC", next(shown, "x")) in ("=", "+", "-", "@")


def formulas(text: str) -> list[str]:
    """What some spreadsheet would run of a table."""
    return [cell for separators in SEPARATORS for cell in cells(text, separators) if is_formula(cell)]
