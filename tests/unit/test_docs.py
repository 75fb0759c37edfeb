"""The documents say what is true: commands exist, examples run, links lead somewhere, lists are complete."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import adjudge
from adjudge.cli import cli, run_command
from adjudge.core import errors
from adjudge.core.records import Verdict
from adjudge.models.offline.judge import MEASURES
from adjudge.spec.load import bundled_judges, load_judge

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "adjudge"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"(?:^`(?P<file>[^`\n]+)`\n\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(adjudge [a-z][^`\n]*)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_SAMPLE = "src/adjudge/samples/summary.en.jsonl"


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _blocks(page: Path, kind: str) -> list[str]:
    return [found["body"] for found in _BLOCK.finditer(page.read_text(encoding="utf-8")) if found["kind"] == kind]


def _commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        shell = [line for block in _blocks(page, "sh") for line in block.splitlines()]
        inline = _INLINE.findall(page.read_text(encoding="utf-8"))
        for line in [*shell, *inline]:
            if line.startswith("adjudge "):
                yield _name(page), line


def _parse(line: str) -> None:
    """Parse a command line as click does, without running it."""
    words = shlex.split(line, comments=True)[1:]
    words = words[: words.index("<")] if "<" in words else words
    context = click.Context(cli, info_name="adjudge")
    name, command, rest = cli.resolve_command(context, words)
    assert command is not None
    if rest:  # the bare name of a command is a mention
        command.make_context(name, rest, parent=context)


@pytest.mark.parametrize(("page", "line"), sorted(set(_commands())))
def test_commands_in_the_documents_exist(page: str, line: str):
    _parse(line)


@pytest.mark.parametrize(
    "line", ["adjudge prefer a b", "adjudge run summary a.jsonl --no-such-option", "adjudge run x"]
)
def test_a_command_that_does_not_exist_would_be_found(line: str):
    with pytest.raises(click.UsageError):
        _parse(line)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_local_links_lead_to_files(page: Path):
    links = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if not re.match(r"https?:", link)]
    assert [link for link in links if not (page.parent / link.partition("#")[0]).exists()] == []


@pytest.mark.parametrize("page", [page for page in PAGES if _blocks(page, "python")], ids=_name)
def test_python_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in _blocks(page, "python"):
        exec(compile(block, _name(page), "exec"), {})
        said = capsys.readouterr().out.splitlines()
        promised = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        assert len(said) >= len(promised) > 0
        for line, comment in zip(said[-len(promised) :], promised, strict=True):
            assert comment.startswith(line)


def _run_the_sample(folder: Path) -> None:
    """The README's command, with a store that is not left behind."""
    assert run_command(["run", "summary", str(ROOT / _SAMPLE), "--store", f"sqlite:///{folder / 'readme.db'}"]) == 0


def _settled(output: str) -> str:
    """The output without what differs from run to run."""
    text = re.sub(r"\d+(?:\.\d+)? s · summary-[\w-]+", "TIME · RUN", output)
    text = re.sub(r"(@|data:)[0-9a-f]{12}", r"\1DIGEST", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_the_output_in_the_readme_is_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    _run_the_sample(tmp_path)
    (shown,) = _blocks(ROOT / "README.md", "text")
    assert _settled(shown) == _settled(capsys.readouterr().out), "refresh it: python -m tests.unit.test_docs"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of docs/new-judge.md, in a folder of their own."""
    for found in _BLOCK.finditer((ROOT / "docs" / "new-judge.md").read_text(encoding="utf-8")):
        if found["file"]:
            path = tmp_path / found["file"]
            path.parent.mkdir(exist_ok=True)
            path.write_text(found["body"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_judge_checks_and_judges(example: Path, capsys):
    (page,) = (page for page in PAGES if page.name == "new-judge.md")
    lines = [line for block in _blocks(page, "sh") for line in block.splitlines() if "--model" not in line]
    assert len(lines) == 3
    for line in lines:
        assert run_command(shlex.split(line, comments=True)[1:]) == 0
    assert capsys.readouterr().out.startswith("headline: the files are valid (en)")
    run = adjudge.open_run("latest")
    plain, tease = run.outcomes()
    assert isinstance(plain, Verdict) and isinstance(tease, Verdict)
    faithful = {row["item"]: row["score"] for row in run.scores() if row["criterion"] == "faithful"}
    assert faithful["plain"] > faithful["tease"]
    assert "bait" not in plain.scores and plain.native["bait"]["score"] is None
    assert set(plain.native["overall"]) == {"quality", "advice"}


def test_the_example_judge_reads_a_models_reply(example: Path):
    reply = '{"faithful": {"justification": "so it is", "score": 5}, "bait": {"justification": "none", "score": 0}, '
    verdict = adjudge.read_reply(load_judge(example / "headline"), reply + '"overall": {"advice": "Keep it."}}')
    assert verdict.derived == {"quality": 100.0}
    assert verdict.native["overall"] == {"quality": 100, "advice": "Keep it."}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("en.yaml", "0: It tells what happened", "0: no"),
        ("en.yaml", "  # Headline to judge\n\n  {{headline}}\n", "\n"),
        ("judge.yaml", "layout: single", "layout: single\nlayout: batch"),
    ],
)
def test_the_errors_that_the_page_quotes_are_real(example: Path, capsys, file: str, old: str, new: str):
    path = example / "headline" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert run_command(["check", "headline"]) == 2
    said = [re.sub(r":\d+ ", ":N ", line) for line in capsys.readouterr().err.splitlines()]
    page = re.sub(r":\d+ ", ":N ", (ROOT / "docs" / "new-judge.md").read_text(encoding="utf-8"))
    assert "\n".join(said) in page


def _listed(page: str, heading: str) -> set[str]:
    """The names in the first column of the table under a heading."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def test_every_flag_is_documented_and_every_documented_flag_exists():
    files = (path for part in ("reply", "run") for path in (SOURCE / part).glob("*.py"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    made = set(re.findall(r'\bflags(?:\[|\.append\(| = \()f?"([a-z_]+)', code))
    made |= set(re.findall(r'_flagged\([^\n]*"([a-z_]+)"\)', code))
    made |= set(re.findall(r'flags=\(\*\w+\.flags, f"([a-z_]+)', code))
    documented = {flag.partition(":")[0] for flag in _listed("results.md", "## Flags")}
    assert {"order_flip", "repaired", "unknown_id", "in_reasoning", "no_reason", "repeats_lost"} <= made
    assert made <= documented
    for flag in documented:
        word = flag.replace("stated_NAME_differs", "stated_{name}_differs")
        tail = word.removeprefix("few").removeprefix("no") if word.endswith("_questions") else word
        assert re.search(rf'["}}]{re.escape(tail)}[":]', code), flag


def _kinds(error: type[errors.AdjudgeError]) -> Iterator[str]:
    below = error.__subclasses__()
    for child in below:
        yield from _kinds(child)
    if not below:
        yield re.sub(r"(?<!^)(?=[A-Z])", "_", error.__name__).lower()


def test_every_kind_of_failure_is_documented():
    assert {*_kinds(errors.ModelError), *_kinds(errors.ReplyError)} == _listed("results.md", "## Failures")


def test_every_criterion_field_and_measure_is_documented():
    judges = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8")
    data = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    models = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for name in bundled_judges():
        judge = load_judge(name)
        about = judges.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        (row,) = re.findall(rf"^\| `{name}` \|.*$", data, re.MULTILINE)
        names = [criterion.name for criterion in judge.criteria] + [derived.name for derived in judge.derived]
        assert all(f"`{part}`" in about for part in names)
        assert all(f"`{word}`" in row for field in judge.fields for word in (field.name, *field.aliases))
    assert all(f"`{measure}`" in models for measure in MEASURES)


def test_the_architecture_names_files_that_exist():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(
        re.findall(r"`((?:cli|web|api|report|run|stats|spec|reply|data|models|store|core)/[a-z_/]+\.py)`", text)
    )
    assert len(named) > 30
    assert [path for path in sorted(named) if not (SOURCE / path).is_file()] == []


def _refresh() -> None:
    """Put the real output of today into the README."""
    import contextlib
    import io
    import os
    import tempfile

    os.environ["COLUMNS"] = "80"
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        _run_the_sample(Path(folder))
    page = ROOT / "README.md"
    text = page.read_text(encoding="utf-8")
    (shown,) = _blocks(page, "text")
    fresh = "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines()) + "\n"
    page.write_text(text.replace(shown, fresh), encoding="utf-8")


if __name__ == "__main__":
    _refresh()
