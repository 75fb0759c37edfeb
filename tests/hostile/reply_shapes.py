"""Forty shapes of text that make careless readers slow; each is a function of the wanted length."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.unit.reply.judges import summary_verdict

_NEAR = json.dumps({"coverage": {"score": 4, "justification": "x"}, "accuracy": {"score": 4}})
_FULL = json.dumps(summary_verdict(4))


def _repeat(unit: str, head: str = "", tail: str = "") -> Callable[[int], str]:
    return lambda length: head + unit * max(1, (length - len(head) - len(tail)) // len(unit)) + tail


def _nested(opening: str, closing: str) -> Callable[[int], str]:
    def make(length: int) -> str:
        depth = length // (len(opening) + len(closing))
        return opening * depth + closing * depth

    return make


SHAPES: dict[str, Callable[[int], str]] = {
    "open brackets": _repeat("["),
    "open braces": _repeat("{"),
    "closing brackets": _repeat("]"),
    "mixed brackets": _repeat("[{"),
    "crossed brackets": _repeat("[}{]"),
    "balanced arrays": _nested("[", "]"),
    "balanced objects": _nested('{"a":', "}"),
    "balanced objects with a tail": _nested('{"a": "b" x, "c":', "}"),
    "open keys": _repeat('{"a":'),
    "open bare keys": _repeat("{a:"),
    "quotes": _repeat('"'),
    "quotes in an object": _repeat('"', '{"a": '),
    "unclosed strings": _repeat('{"a: 1, '),
    "unescaped quotes": _repeat('say "this" ', '{"coverage": "'),
    "unescaped quotes in an array": _repeat('say "this" ', '["'),
    "quotes and commas": _repeat('", ', '{"a": "'),
    "quotes and words": _repeat('", x ', '{"a": "'),
    "quotes and brackets": _repeat('"} ', '{"a": "{{{{'),
    "quotes and closing brackets": _repeat('"] x', '["[[[['),
    "quotes and lines": _repeat('"\n', '{"a": "'),
    "many unclosed strings in lines": _repeat('{"a": "b\n'),
    "strings without commas": _repeat('"a" "b" ', "["),
    "backslashes": _repeat("\\", '{"a": "'),
    "escaped quotes": _repeat('\\"', '{"a": "'),
    "single quotes": _repeat("don't ", "{a: '"),
    "curly quotes": _repeat("“a” ", '{"a": “'),
    "unclosed comments": _repeat('{"a": 1 /* '),
    "comments": _repeat("/* */", "{", "}"),
    "slashes": _repeat("//", "{"),
    "bare text": _repeat("word, word ", "{a: "),
    "digits": _repeat("1", '{"a": ', "}"),
    "numbers": _repeat("1, ", "["),
    "calls": _repeat("f("),
    "tuples": _repeat("(", '{"a": '),
    "fences": _repeat("```json\n{", "", ""),
    "thinking tags": _repeat("<think>{</think>"),
    "channels": _repeat("<|channel|>analysis<|message|>{"),
    "near verdicts": _repeat(_NEAR + "\n"),
    "verdicts": _repeat(_FULL + "\n"),
    "broken verdicts": _repeat(_FULL[:-1] + ",\n"),
    "keys": lambda length: "{" + ",".join(f'"k{n}": 1' for n in range(length // 12)) + "}",
    "clashing keys": _repeat('"a": 1, "a": 2, ', "{", "}"),
    "pipes": _repeat("|"),
    "table rows": _repeat("| correctness | 4 | 5 | a / b |\n", "| | A | B | |\n|-|-|-|-|\n"),
    "slashes in a table": _repeat(" / A: x", "| | A | B | |\n|-|-|-|-|\n| correctness | 4 | 5 |"),
    "spaces": _repeat(" ", '{"a": ', "1}"),
    "lines": _repeat("\n", '{"a": "', '"}'),
    "ellipses": _repeat("...", "["),
    "words": _repeat("no verdict here, "),
    "fullwidth digits": _repeat("４", '{"coverage": "', '"}'),
}
