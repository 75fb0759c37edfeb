"""A folder of data files → a Judge. Strict: what is not understood is an error with file, line, key and hint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from adjudge.core.errors import ConfigError, SpecError
from adjudge.core.judge import Judge
from adjudge.core.records import digest
from adjudge.spec.reader import Reader
from adjudge.spec.strict import Block, parse_block, read_text, suggestion
from adjudge.spec.wording import words

BUNDLED = Path(__file__).parent.parent / "judges"
_LANG = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")
#: Goes up when the machinery's part of the prompt changes in code, so that old replies are not taken for new ones.
_REVISION = 2


def bundled_judges() -> tuple[str, ...]:
    """The names of the judges that come with adjudge."""
    return tuple(sorted(path.parent.name for path in BUNDLED.glob("*/judge.yaml")))


def judge_folder(name: str) -> Path:
    """The folder of a bundled judge, or one of the user's own."""
    if name in bundled_judges():
        return BUNDLED / name
    folder = Path(name)
    if folder.name == "judge.yaml":
        folder = folder.parent
    try:
        if (folder / "judge.yaml").is_file():
            return folder
        is_folder = folder.is_dir()
    except OSError as error:  # a name too long for a path, a folder that may not be entered
        raise ConfigError(f"there is no judge `{name[:80]}`: {error.strerror}", hint="give a judge's folder") from None
    if is_folder:
        raise SpecError(
            "the folder has no judge.yaml", where=name, hint="see docs/new-judge.md for the files of a judge"
        )
    raise ConfigError(
        f"there is no judge `{name}`",
        hint=f"{suggestion(name, bundled_judges())} (or give the path of a judge's folder)",
    )


@contextmanager
def named_by(folder: Path) -> Iterator[None]:
    """Within it, what is wrong with a file of a judge names the folder too."""
    try:
        yield
    except SpecError as error:
        where = str(folder / error.where) if error.where else str(folder)
        raise SpecError(error.what, where=where, hint=error.hint) from None


def judge_files(folder: Path) -> dict[str, str]:
    """The texts of a judge's files by name: what a run keeps so that it can be read again later."""
    structure = parse_block(read_text(folder / "judge.yaml", "judge.yaml"), "judge.yaml")
    names = ["judge.yaml", *(f"{lang}.yaml" for lang in _languages(structure))]
    files = {name: read_text(folder / name, name) for name in names}
    for name, text in files.items():
        parse_block(text, name)
    return files


def load_judge(name: str | Path, lang: str | None = None) -> Judge:
    """Load a judge by name or folder, in a language (by default the first that its file lists).

    >>> load_judge("summary", lang="ru").criteria[0].name
    'coverage'
    """
    folder = judge_folder(str(name))
    with named_by(folder):
        return judge_from_files(judge_files(folder), lang)


def judge_from_files(files: Mapping[str, str], lang: str | None = None) -> Judge:
    """A judge from the texts of its files."""
    top = parse_block(files["judge.yaml"], "judge.yaml")
    langs = _languages(top)
    lang = lang or langs[0]
    if lang not in langs:
        raise ConfigError(f"this judge has no language `{lang}`", hint=f"it has: {', '.join(langs)}")
    text = parse_block(files[f"{lang}.yaml"], f"{lang}.yaml")
    judge = Reader(top, text, lang, langs).judge()
    mechanics = words(lang).phrases
    key = digest([_REVISION, lang, files["judge.yaml"], files[f"{lang}.yaml"], dict(mechanics)])
    return replace(judge, digest=key, files=dict(files))


def _languages(top: Block) -> tuple[str, ...]:
    langs = top.words("languages")
    if not langs:
        raise top.error(
            "`languages` is missing or empty", hint="languages: [en]   with a file en.yaml beside judge.yaml"
        )
    for lang in langs:
        if not _LANG.fullmatch(lang):
            raise top.error(f"`{lang}` is not a language code", "languages", "use codes such as en, ru, de, pt-BR")
    if len(set(langs)) < len(langs):
        raise top.error("a language stands twice", "languages", "name every language once")
    return langs
