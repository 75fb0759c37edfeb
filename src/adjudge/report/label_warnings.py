"""What was not read of a label file, among the warnings of a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adjudge.report.sheet import Sheet
from adjudge.report.words import words


def with_label_warnings(sheet: Sheet, *, other_texts: int, misspelled: Mapping[str, str]) -> Sheet:
    """The sheet, warned of labels that are of other texts and of columns whose names are nearly a criterion's."""
    say = words(sheet.lang)
    warned = [say("agree_warn_misspelled", column=name[:80], name=meant) for name, meant in misspelled.items()]
    if other_texts:
        warned.insert(0, say("agree_warn_label_texts", n=say.number(other_texts, 0)))
    if not warned:
        return sheet
    warned += sheet.warnings
    return replace(sheet, warnings=tuple(warned), data={**sheet.data, "warnings": warned})
