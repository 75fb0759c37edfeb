"""Criteria whose score code makes of what a model lists or checks: the errors of `spans`, the checks of a rating."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from adjudge.core.judge import Check, category_names
from adjudge.core.scale import Scale
from adjudge.spec.strict import Block, suggestion

_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")
#: A kind of error, or a kind within a group.
_CATEGORY = re.compile(r"[a-z][a-z0-9_]{0,63}(/[a-z][a-z0-9_]{0,63})?")


def penalties(block: Block, categories: Iterable[str], scale: Scale) -> dict[str, float]:
    """What an error costs, by severity or, where a category costs something else, by severity/category."""
    told, known = block.block("penalties"), list(categories)
    found = {key: told.decimal(key) for key in told}
    severities = [key for key in found if "/" not in key]
    for key, value in found.items():
        severity, slash, category = key.partition("/")
        if not _WORD.fullmatch(severity):
            raise told.error(f"a severity can't be called `{severity}`", key, "small letters, digits and _")
        if severity not in severities:
            raise told.error(f"the severity `{severity}` has no penalty of its own", key, f"add `{severity}: 1`")
        if slash and not any(category in category_names(one) for one in known):
            raise told.error(f"no category is called `{category}`", key, suggestion(category, known))
        if scale.whole and value % 1:
            raise told.error("this penalty is a fraction, and the scale has whole points", key, "add whole: false")
    if not severities:
        raise told.error("at least one severity is needed", hint="penalties: {major: 5, minor: 1}")
    return found


def categories(block: Block) -> tuple[str, ...]:
    """The kinds of errors that a model may choose from."""
    found = block.words("categories")
    for name in found:
        if not _CATEGORY.fullmatch(name):
            raise block.error(f"a category can't be called `{name}`", "categories", "name or group/name, small letters")
    if not found or len(set(found)) < len(found):
        raise block.error(
            "the categories are missing, or one stands twice",
            "categories" if "categories" in block else None,
            "categories: [accuracy/omission, fluency/grammar]",
        )
    return found


def titles(told: Block, key: str, names: Iterable[str]) -> dict[str, str]:
    """What each of the names is called in the language."""
    block, known = told.block(key), list(names)
    block.only(known)
    return {name: block.text(name).strip() for name in known}


def checks(block: Block, told: Block) -> tuple[Check, ...]:
    """The yes-or-no questions that a rating is made of, with their weights."""
    if "checks" not in block:
        if "checks" in told:
            raise told.error("judge.yaml names no checks for this criterion", "checks", "checks: {name: weight} there")
        return ()
    weights = block.block("checks")
    found: Mapping[str, float] = {name: weights.decimal(name) for name in weights}
    for name, weight in found.items():
        if not _WORD.fullmatch(name):
            raise weights.error(f"a check can't be called `{name}`", name, "small letters, digits and _")
        if not weight:
            raise weights.error("a check without weight changes nothing", name, "a weight above 0, such as 1")
    if not found:
        raise block.error("no check stands here", "checks", "checks: {names_right: 2, dates_right: 1}")
    asked = titles(told, "checks", found)
    for name, text in asked.items():
        if not text.endswith("?"):
            hint = "a question to which yes is the better answer"
            raise told.block("checks").error("this is not a question", name, hint)
    return tuple(Check(name=name, weight=weight, asks=" ".join(asked[name].split())) for name, weight in found.items())
