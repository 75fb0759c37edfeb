"""Judge files are data (promise 21): whatever stands in them is a judge, or an error with file, line and hint."""

from __future__ import annotations

import random
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import ConfigError, SpecError
from adjudge.core.records import Call, Item, Source
from adjudge.spec.load import BUNDLED, load_judge
from adjudge.spec.prompt import render
from tests.unit.spec.files import ENGLISH, changed, load

SCALARS = (
    *(
        "yes",
        "no",
        "~",
        "null",
        "1",
        "-1",
        "1e999",
        "0x1F",
        "0o7",
        "1:30",
        "2024-01-01",
        '""',
        "[]",
        "{}",
        "&a x",
        "*a",
    ),
    *(
        "!!python/object/apply:os.system ['true']",
        "!!binary aGk=",
        "!include ../secret",
        "{{",
        "{{criteria}}",
        "../../x",
    ),
    *(
        "<<",
        "=",
        "'",
        '"',
        "|",
        ">",
        "- a",
        "? a",
        "# a",
        "%YAML 9.9",
        "\x00",
        "\x07",
        "\u2028",
        "\ufeff",
        "\U0001f600",
    ),
    *("9" * 5000, "a" * 5000, "[" * 100, "{a: " * 60),
)
_seen: list[tuple[str, Any]] | None = None


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if _seen is not None and event in ("open", "import", "os.system", "subprocess.Popen", "exec", "socket.connect"):
        _seen.append((event, args[0]))


sys.addaudithook(_watch)


@contextmanager
def watched() -> Iterator[list[tuple[str, Any]]]:
    """What is opened, imported or run meanwhile."""
    global _seen
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None


def mutated(text: str, draw: random.Random) -> str:
    """The text of a file with one to three things wrong in it."""
    lines = text.splitlines(keepends=True)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(lines))
        match draw.randrange(8):
            case 0:
                del lines[at : at + draw.randint(1, 3)]
            case 1:
                lines.insert(at, lines[at])
            case 2:
                lines.insert(draw.randrange(len(lines)), lines[at])
            case 3:
                lines[at] = " " * draw.randint(1, 5) + lines[at]
            case 4:
                lines[at] = lines[at].lstrip(" ") if draw.random() < 0.5 else "\t" + lines[at]
            case 5:
                lines[at] = re.sub(r":.*", lambda _: ": " + draw.choice(SCALARS), lines[at], count=1)
            case 6:
                words = re.findall(r"[\w{}:,.\[\]-]+", lines[at]) or ["x"]
                lines[at] = lines[at].replace(draw.choice(words), draw.choice(SCALARS), 1)
            case 7:
                place = draw.randrange(len(lines[at]))
                lines[at] = lines[at][:place] + draw.choice("{}[]:#&*!|>'\"%@`,-? \n\t") + lines[at][place:]
        lines = lines or ["\n"]
    return "".join(lines)


@pytest.mark.parametrize("name", ["summary", "rag-answers", "search-summary", "translation"])
def test_mutated_files_load_or_are_refused_by_line(tmp_path, name):
    """150 mutations of each bundled judge, 600 in all."""
    draw = random.Random(f"mutations of {name}")
    at = tmp_path / name
    refused = 0
    load_judge(name)  # what is read once for all judges is read here
    for _ in range(150):
        shutil.rmtree(at, ignore_errors=True)
        shutil.copytree(BUNDLED / name, at)
        file = at / draw.choice(["judge.yaml", "judge.yaml", "en.yaml"])
        file.write_text(mutated(file.read_text(encoding="utf-8"), draw), encoding="utf-8")
        with watched() as seen:
            try:
                judge = load_judge(at, lang="en")
            except SpecError as error:
                refused += 1
                place = str(error.where).removeprefix(f"{at}/")  # the folder, then the file and the line
                assert re.match(r"(judge|[a-z]{2,3}(-\w+)?)\.yaml(:\d+|$)", place), error
                assert ":" in str(error.where) or "does not exist" in error.what, error
                assert error.hint, error
            except ConfigError as error:
                refused += 1
                assert error.hint, error
            else:
                render(judge, CALL, [an_item(judge)])
        opened = {Path(str(path)).resolve().parent for event, path in seen if event == "open"}
        assert opened <= {at.resolve(), (BUNDLED.parent / "spec" / "words").resolve()}
        assert {event for event, _ in seen} <= {"open"}
    assert 50 < refused < 150


CALL = Call(key="k", stage="judge", items=("1",), order=("A", "B"))


def an_item(judge: Any) -> Item:
    values: dict[str, Any] = {
        "text": "t",
        "name": "n",
        "json": [1],
        "answers": {"A": "a", "B": "b"},
        "sources": (Source(id="1", text="s"),),
        "search_results": (Source(id="1", text="s", url="u"),),
    }
    return Item(id="1", fields={field.name: values[field.type] for field in judge.fields})


def test_an_alias_bomb_is_refused_at_its_first_anchor(tmp_path):
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for last, name in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{name}: &{name} [{', '.join(['*' + last] * 9)}]\n"
    start = time.process_time()
    with pytest.raises(SpecError, match=r"en\.yaml:1: anchors and aliases"):
        load(tmp_path, english=bomb)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("shape", ["[", "{a: ", "- ", "? ", "[[], ", "!!map {a: "])
def test_deep_nesting_is_refused_quickly(tmp_path, shape):
    start = time.process_time()
    with pytest.raises(SpecError) as caught:
        load(tmp_path, english=changed(ENGLISH, "title: Mine", "title:\n  " + shape * 90_000))
    assert str(caught.value.where).startswith(f"{tmp_path}/en.yaml:")
    assert time.process_time() - start < 2


@pytest.mark.parametrize("lang", ["../en", "..", "/etc/passwd", "en/../../x", "EN", "e", "en.yaml", "en\\x", "", "en "])
def test_a_language_is_never_a_path(tmp_path, lang):
    structure = f"judge: x\nlayout: single\nlanguages: [{lang!r}]\n"
    with watched() as seen, pytest.raises(SpecError) as caught:
        load(tmp_path / "in", structure)
    assert str(caught.value.where).startswith(f"{tmp_path}/in/judge.yaml:3")
    read = [str(path) for event, path in seen if event == "open" and str(path).endswith("yaml")]
    assert {Path(path).parent for path in read} <= {tmp_path / "in"}
