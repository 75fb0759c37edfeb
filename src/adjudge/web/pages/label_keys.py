"""What the keys of the label page do, in words."""

from __future__ import annotations

from adjudge.core.judge import Layout
from adjudge.report.element import Child, Markup, element
from adjudge.report.words import Words


def help_dialog(layout: Layout, say: Words) -> Markup:
    """All keys; the script opens it, Escape closes it."""
    return element(
        "dialog",
        element("h2", say("label_page_help"), id="help-title"),
        element("dl", _keys(layout, say), class_="l-keys"),
        element("form", element("button", say("label_page_close"), class_="l-primary"), method="dialog"),
        id="help",
        aria_labelledby="help-title",
    )


def _keys(layout: Layout, say: Words) -> list[Markup]:
    arrows = (
        ("↑ ↓ ← →", say("label_page_key_cell")) if layout == "compare" else ("↑ ↓ Tab", say("label_page_key_criterion"))
    )
    told = [
        ("0 – 9", say("label_page_key_digits")),
        ("8 0 ⏎", say("label_page_key_number")),
        arrows,
        ("j k", say("label_page_key_items")),
        ("⏎", say("label_page_key_enter")),
        ("s", say("label_page_key_skip")),
        ("u", say("label_page_key_undo")),
        ("c", say("label_page_key_comment")),
        ("v", say("label_page_key_verdict")),
        ("?", say("label_page_key_help")),
    ]
    return [
        part
        for keys, does in told
        for part in (element("dt", [[_shown(key), " "] for key in keys.split(" ")]), element("dd", does))
    ]


def _shown(key: str) -> Child:
    return key if key == "–" else element("kbd", key)
