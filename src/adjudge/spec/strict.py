"""YAML read strictly: every error names file, line and key, and nothing is converted behind the author's back."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from adjudge.core import limits
from adjudge.core.errors import SpecError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DECIMAL = re.compile(r"0|-?[1-9][0-9]{0,8}")
_AMOUNT = re.compile(r"(?:0|[1-9][0-9]{0,5})(?:\.[0-9]{1,6})?")
_UNREADABLE: re.Pattern[str] = yaml.SafeLoader.NON_PRINTABLE
_KINDS = {"bool": "true or false", "null": "nothing", "int": "a number", "float": "a number", "timestamp": "a date"}


def suggestion(word: str, known: Iterable[str]) -> str:
    """A did-you-mean for a hint, or the list of what exists."""
    options = list(known)
    close = difflib.get_close_matches(word, options, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known here: {', '.join(options) or 'nothing'}"


class Block:
    """A mapping being read: every value is taken with its type, and `only` refuses the keys that nobody knows."""

    def __init__(self, node: yaml.MappingNode, file: str, path: str = "") -> None:
        self._file, self._path, self._line = file, path, node.start_mark.line + 1
        self._nodes: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise SpecError(
                    "a key must be a plain word",
                    where=self._where(key),
                    hint="put text that begins with { or [ in quotes",
                )
            name = str(key.value)
            if _kind(key) in ("bool", "null"):
                raise SpecError(
                    f"YAML reads the key `{name}` as {_KINDS[_kind(key)]}",
                    where=self._where(key, name),
                    hint=f'put it in quotes: "{name}"',
                )
            if name in self._nodes:
                first = self._nodes[name][0].start_mark.line + 1
                raise SpecError(
                    f"the key `{name}` stands twice",
                    where=self._where(key, name),
                    hint=f"it is already on line {first}; keep one of them",
                )
            self._nodes[name] = (key, value)

    def _where(self, node: yaml.Node | None = None, key: str | None = None) -> str:
        line = node.start_mark.line + 1 if node else self._line
        path = ".".join(part for part in (self._path, key) if part)
        return f"{self._file}:{line}" + (f" ({path})" if path else "")

    def error(self, what: str, key: str | None = None, hint: str | None = None) -> SpecError:
        """An error at this block or at one of its keys."""
        node = self._nodes[key][0] if key in self._nodes else None
        return SpecError(what, where=self._where(node, key), hint=hint)

    def __contains__(self, key: str) -> bool:
        return key in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def _take(self, key: str) -> yaml.Node:
        if key not in self._nodes:
            raise SpecError(f"the key `{key}` is missing", where=self._where(), hint=f"add `{key}:` here")
        return self._nodes[key][1]

    def text(self, key: str, default: str | None = None) -> str:
        """A string; what YAML would turn into a boolean, a number or nothing is refused, not converted."""
        if default is not None and key not in self:
            return default
        return self._string(self._take(key), key)

    def _string(self, node: yaml.Node, key: str) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise SpecError(
                f"`{key}` must be text",
                where=self._where(node, key),
                hint="write one text here, in quotes if it begins with {, [ or -",
            )
        if (kind := _kind(node)) in _KINDS:
            shown = node.value or "(empty)"
            raise SpecError(
                f"YAML reads {shown} as {_KINDS[kind]}, and text is wanted",
                where=self._where(node, key),
                hint=f'put it in quotes: "{node.value}"' if node.value else "write the text, in quotes",
            )
        if not node.value.strip():
            raise SpecError(f"`{key}` is empty", where=self._where(node, key), hint="write the text")
        return str(node.value)

    def whole(self, key: str, default: int | None = None) -> int:
        if default is not None and key not in self:
            return default
        return self._number(self._take(key), key)

    def _number(self, node: yaml.Node, key: str) -> int:
        if not isinstance(node, yaml.ScalarNode) or _kind(node) != "int" or not _DECIMAL.fullmatch(node.value):
            shown = f", not {node.value}" if isinstance(node, yaml.ScalarNode) and node.value else ""
            raise SpecError(
                f"`{key}` must be a whole number{shown}", where=self._where(node, key), hint="digits only, such as 5"
            )
        return int(node.value)

    def decimal(self, key: str) -> float:
        """A number of 0 or more, such as 5 or 0.1."""
        node = self._take(key)
        if not isinstance(node, yaml.ScalarNode) or not _AMOUNT.fullmatch(node.value) or node.style:
            raise SpecError(
                f"`{key}` must be a number of 0 or more", where=self._where(node, key), hint="such as 5 or 0.1"
            )
        return float(node.value)

    def flag(self, key: str, default: bool) -> bool:
        if key not in self:
            return default
        node = self._take(key)
        if not isinstance(node, yaml.ScalarNode) or node.value not in ("true", "false"):
            raise SpecError(
                f"`{key}` must be true or false", where=self._where(node, key), hint=f"{key}: true   or   {key}: false"
            )
        return bool(node.value == "true")

    def choice(self, key: str, options: Iterable[str], default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in (known := tuple(options)):
            raise self.error(f"`{value}` is not a {key}", key, suggestion(value, known))
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """A list of strings; absent means empty."""
        if key not in self:
            return ()
        node = self._take(key)
        if not isinstance(node, yaml.SequenceNode):
            raise SpecError(f"`{key}` must be a list", where=self._where(node, key), hint=f"{key}: [one, two]")
        return tuple(self._string(child, key) for child in node.value)

    def wholes(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers; absent means empty."""
        if key not in self:
            return ()
        node = self._take(key)
        if not isinstance(node, yaml.SequenceNode):
            raise SpecError(
                f"`{key}` must be a list of whole numbers", where=self._where(node, key), hint=f"{key}: [0, 2, 5]"
            )
        return tuple(self._number(child, key) for child in node.value)

    def block(self, key: str) -> Block:
        node = self._take(key)
        if not isinstance(node, yaml.MappingNode):
            raise SpecError(
                f"`{key}` must hold keys of its own",
                where=self._where(node, key),
                hint=f"indent them by two spaces on the lines after `{key}:`",
            )
        return Block(node, self._file, f"{self._path}.{key}" if self._path else key)

    def blocks(self, key: str) -> Iterator[tuple[str, Block]]:
        """The children of a mapping of mappings; absent means none."""
        if key in self:
            outer = self.block(key)
            for name in outer:
                yield name, outer.block(name)

    def holds(self, key: str) -> str:
        """What stands under a key: text, list or block."""
        node = self._nodes[key][1]
        if isinstance(node, yaml.MappingNode):
            return "block"
        return "list" if isinstance(node, yaml.SequenceNode) else "text"

    def only(self, known: Iterable[str]) -> None:
        """Refuse every key that is not known here."""
        allowed = tuple(known)
        for name in self._nodes:
            if name not in allowed:
                raise self.error(f"unknown key `{name}`", name, suggestion(name, allowed))


def read_text(path: Path, shown: str) -> str:
    """The text of a judge's file: a plain file inside its folder, of a sane size, in UTF-8."""
    try:
        if path.resolve(strict=True).parent != path.parent.resolve():
            raise SpecError("the file is a link out of the judge's folder", where=shown, hint="copy the file here")
        if not path.is_file():
            raise SpecError("this is not a plain file", where=shown, hint="write the judge's text in a plain file")
        if path.stat().st_size > limits.JUDGE_FILE_BYTES:
            raise SpecError(
                f"the file is larger than {limits.JUDGE_FILE_BYTES:,} bytes",
                where=shown,
                hint="a judge's file holds its instructions and labels; keep data elsewhere",
            )
        body = path.read_bytes()
    except FileNotFoundError:
        raise SpecError(
            "the file does not exist", where=shown, hint="every judge has judge.yaml and one file per language"
        ) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself, before Python 3.13
        raise SpecError(f"cannot be read: {getattr(error, 'strerror', '') or error}", where=shown) from None
    try:
        return body.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise SpecError("not UTF-8", where=f"{shown}:{line}", hint="save the file as UTF-8") from None


def parse_block(text: str, shown: str) -> Block:
    """The top mapping of YAML text, with anchors, aliases and tags refused: judge files are plain data."""
    return Block(_parsed(text, shown), shown)


@lru_cache(maxsize=64)  # a page of the web reads the judge of its run again, and a command reads one more than once
def _parsed(text: str, shown: str) -> yaml.MappingNode:
    try:
        _refuse_tricks(text, shown)
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or error.context or "unreadable"
        raise SpecError(f"not valid YAML: {problem}", where=f"{shown}:{line}", hint=_yaml_hint(problem)) from None
    except (yaml.YAMLError, UnicodeEncodeError):
        line = next((number for number, one in enumerate(text.split("\n"), 1) if _UNREADABLE.search(one)), 1)
        raise SpecError(
            "a character that YAML does not allow", where=f"{shown}:{line}", hint="remove the control character"
        ) from None
    if not isinstance(node, yaml.MappingNode):
        raise SpecError(
            "the file is empty" if node is None else "the file must hold `key: value` lines",
            where=f"{shown}:1",
            hint="see docs/new-judge.md for what stands in it",
        )
    return node


def _refuse_tricks(text: str, shown: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise SpecError(
                "anchors and aliases (& and *) are not used here", where=f"{shown}:{line}", hint="write the value out"
            )
        if tag := getattr(event, "tag", None):
            raise SpecError(
                f"the tag {tag} is not used here",
                where=f"{shown}:{line}",
                hint="judge files are plain data; remove the tag",
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > limits.YAML_DEPTH:
            raise SpecError(
                f"nested deeper than {limits.YAML_DEPTH} levels", where=f"{shown}:{line}", hint="no judge needs that"
            )


def _yaml_hint(problem: str) -> str:
    if "tab" in problem or "cannot start any token" in problem:
        return "indent with spaces, not tabs; put text that begins with a special sign in quotes"
    return "check the indentation, and put text that holds `: ` or ` #`, or begins with a special sign, in quotes"


def _kind(node: yaml.Node) -> str:
    return str(node.tag).rsplit(":", 1)[-1] if isinstance(node, yaml.ScalarNode) else ""
