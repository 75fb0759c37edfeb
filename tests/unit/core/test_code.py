"""The code that makes what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.core import code


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two files, in the place of adjudge."""
    for name, text in (("core/code.py", "one"), ("words/en.yaml", "two")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(code, "__file__", str(tmp_path / "core" / "code.py"))
    return tmp_path


def made(package: Path) -> str:
    return code.code_digest.__wrapped__()


def test_it_follows_code_and_words_and_nothing_else(package):
    found = {made(package)}
    (package / "core" / "code.pyc").write_text("of no account")
    assert made(package) in found
    for name, text in (("words/en.yaml", "other"), ("core/new.py", ""), ("core/code.py", "twoone")):
        (package / name).write_text(text)
        assert made(package) not in found, name
        found.add(made(package))
    (package / "core" / "new.py").rename(package / "core" / "renamed.py")
    assert made(package) not in found


def test_it_is_that_of_the_files_that_are_run():
    assert code.code_digest() == code.code_digest.__wrapped__()
