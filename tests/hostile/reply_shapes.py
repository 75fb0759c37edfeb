"""Shapes of text that make careless readers slow; each is a function of the wanted length."""

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
    "spaces": _repeat(" ", '{"a": ', "1}"),
    "lines": _repeat("\n", '{"a": "', '"}'),
    "ellipses": _repeat("...", "["),
    "words": _repeat("no verdict here, "),
    "fullwidth digits": _repeat("４", '{"coverage": "', '"}'),
    "an open string of lines": _repeat("\n", '{"coverage": "', "x"),
    "an open string of brackets": _repeat("]", '{"coverage": "', "x"),
    "an open string of commas": _repeat(", ", '{"coverage": "', "x"),
    "thinking without end": _repeat("<think>"),
    "answers without end": _repeat("<answer>"),
    "quotes and plus signs": _repeat("+' x", "['"),
    "quotes and comments": _repeat('/*" x', '["'),
    "brackets in bare text": _repeat("x[]", "{a: "),
    "open brackets in bare text": _repeat("{a: x["),
    "spaces after a comma": _repeat(" ", '{"a": [1}, ', "x"),
    "spaces after a bare word": _repeat(" ", "{a: b, c", "x, d: 1}"),
    "fences in an object": _repeat("```", '{"a": '),
    "spaces in braces": _repeat("{ \n\n\n\n"),
    "slashes in an array": _repeat("/\\", "["),
}
_TABLE = "| | A | B | |\n|-|-|-|-|\n| correctness | 4 | 5 | a |\n"
#: Read as tables.
TABLES: dict[str, Callable[[int], str]] = {
    "pipes": _repeat("|"),
    "rows": _repeat("| correctness | 4 | 5 | a / b |\n", "| | A | B | |\n|-|-|-|-|\n"),
    "slashes": _repeat(" / A: x", _TABLE.removesuffix(" |\n")),
    "a rule that is none": _repeat("-", _TABLE + "|", "x\n"),
    "rules": _repeat("|-", _TABLE, "x\n"),
    "spaces in reasons": _repeat(" ", _TABLE.removesuffix(" |\n") + "; ", "b |"),
    "semicolons in reasons": _repeat("; ", _TABLE.removesuffix(" |\n")),
    "underscores in reasons": _repeat("_", _TABLE.removesuffix(" |\n") + "; b"),
    "breaks in reasons": _repeat("<br ", _TABLE.removesuffix(" |\n")),
    "marks behind a table": _repeat("* ", _TABLE, "x\n"),
    "dashes behind a table": _repeat("- ", _TABLE + "A"),
    "many marked lines behind a table": _repeat("* * * * * * * * x\n", _TABLE),
    "open parentheses in a cell": _repeat("(", _TABLE + "| ", " | 4 | 4 | a |\n"),
    "parentheses in a cell": _repeat("()", _TABLE + "| ", "x | 4 | 4 | a |\n"),
    "columns": _repeat(" A |", "| |", "\n|-|-|\n| correctness | 4 | 5 | zz: a; zz: b |\n"),
    "columns and rows": lambda length: "| |" + " A |" * (length // 8) + "\n" + "| depth | 4 |\n" * (length // 26),
    "winners": _repeat("Winner: A\n", _TABLE),
    "tables": _repeat(_TABLE),
}
_WORDS = (
    "answer", "score", "score:", "gives a", "A", "B", "A:", "better", "winner:", "1.", "4", "4 /", "[[", "is", "A is",
    "the better one is", "I prefer", "both", "A and B", "it is a tie", "rates it",
)  # fmt: skip
_FILLERS = {"spaces": " ", "lines": "\n", "marks": "*", "underscores": "_", "marked lines": "*\n"}
#: Read as prose: every word before a long run, and repeated.
PROSE: dict[str, Callable[[int], str]] = {
    **{f"{word} and {name}": _repeat(unit, word, "x") for word in _WORDS for name, unit in _FILLERS.items()},
    **{f"{word} repeated": _repeat(word + " ") for word in _WORDS},
    "numbered lines": _repeat("\n", "1. a\n", "x"),
    "thinking without end": _repeat("<think>"),
    "brackets": _repeat("[ "),
    "dots": _repeat(". "),
    "slashes": _repeat("4 / "),
}
