"""What was not read of a label file is said before all other warnings."""

from __future__ import annotations

import pytest

from adjudge.report.label_warnings import with_label_warnings
from adjudge.report.sheet import Sheet


@pytest.mark.parametrize(("lang", "told"), [("en", "They are left out."), ("ru", "Они не учтены.")])
def test_warnings_of_a_label_file_come_first(lang, told):
    sheet = Sheet(title="t", lang=lang, warnings=("one",), data={"warnings": ["one"], "run": "r"})
    assert with_label_warnings(sheet, other_texts=0, misspelled={}) is sheet
    found = with_label_warnings(sheet, other_texts=2, misspelled={"acuracy": "accuracy"})
    texts, column, last = found.warnings
    assert ": 2. " in texts and texts.endswith(told)
    assert "`acuracy`" in column and "`accuracy`?" in column and last == "one"
    assert found.data == {"warnings": list(found.warnings), "run": "r"}
