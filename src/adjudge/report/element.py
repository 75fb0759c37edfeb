"""HTML by construction: elements are made of names from the code and text that is always escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from adjudge.report.plain import block

_VOID = frozenset({"input", "link", "meta"})


class Markup(str):
    """HTML made by `element`; nothing else is put into a page unescaped."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"


def element(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """An element with its children; text among them is neutralised and escaped.

    >>> element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{_inside(children)}</{name}>")


def _attribute(key: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    # Names of Python words end with an underscore, and dashes cannot be written in a keyword.
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(block(str(value)))}"'


def _inside(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(block(child))
    if isinstance(child, int):
        return str(child)
    return "".join(map(_inside, child))
