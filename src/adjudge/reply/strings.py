"""Strings in replies: where they end when quotes are missing, doubled, curly or not escaped.

A boundary that could as well be elsewhere is marked as guessed: the value may be shown, it never becomes a verdict.
"""

from __future__ import annotations

import re

from adjudge.reply.cursor import JSON5, REPAIR, Cursor, Tangled

DOUBLE, SINGLE = '"“”„‟″', "'‘’‚‛`´′"
QUOTES = frozenset(DOUBLE + SINGLE)
KEY, MEMBER, ELEMENT, ARGUMENT, TOP = "key", "member", "element", "argument", "top"

_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/", "'": "'", "\n": "\n"}
_CLOSERS = {'"': '"', "'": "'"} | dict.fromkeys("“”„‟″", DOUBLE) | dict.fromkeys("‘’‚‛`´′", SINGLE)
_RUNS = {closers: re.compile(rf"[^{re.escape(closers)}\\]*") for closers in {'"', "'", DOUBLE, SINGLE}}
_CONTROL = re.compile(r"[\x00-\x1f]")
_SPACE = re.compile(r"\s*")
_HEX = re.compile(r"[0-9a-fA-F]{0,4}")
#: What may follow a comma in an object: a key with its colon, another comma, an ellipsis, a closing bracket or the end.
_NEXT_KEY = re.compile(
    r"""\s*(?:"(?:[^"\\\n]|\\.){0,120}"\s*:|'[^'\\\n]{0,120}'\s*:|[“‘`][^”’´\n]{0,120}[”’´`']\s*:"""
    r"""|\w{1,40}\s+"[^"\\\n]{1,120}"\s*:|"[^"\\\n]{0,120}$|[\w$-]{1,80}"?\s*:(?!//)|[}\]]|\.\.\.|//|/\*|,|$)"""
)
_BARE_KEY = re.compile(r"[\w$-]{1,80}\s*:(?!//)")
_LAST_PAIR = re.compile(r",\s*[\w$-]{1,80}\s*:\s*$")
#: A Windows path with single backslashes, as in C:\documents: they are no escapes.
_PATH = re.compile(r"[A-Za-z]:\\[A-Za-z]")
_LITERAL = re.compile(r"(?:true|false|null)\b")
_STRAY_LITERAL = re.compile(r"(?:true|false|null)\s*[,}]")
_STRAY_WORD = re.compile(r"[\w-]+(?:\"\s*[,\]]|\])")
#: What may follow a string whose quotes can be trusted.
_FOLLOWERS = {
    KEY: {":"},
    MEMBER: {",", "}", "]", ""},
    ELEMENT: {",", "}", "]", ""},
    ARGUMENT: {",", ")", ""},
    TOP: {",", ""},
}
_PAIRS = {"}": "{", "]": "[", ")": "("}
_URL = re.compile(r"(?:https?|ftp|mailto|file|data|irc)://?[A-Za-z0-9\-._~:/?#@!$&'()*+;=%]*")


def string(cursor: Cursor, context: str) -> str:
    """The string that starts here; the cursor ends behind it."""
    start, opener = cursor.i, cursor.char
    closers = _CLOSERS[opener]
    if opener != '"':
        cursor.mend(JSON5 if opener == "'" else REPAIR)
    cursor.i += 1
    doubled = not cursor.trusting and _doubled(cursor, opener, context)
    if doubled:
        cursor.i += 1
        cursor.mend(REPAIR, guessed=True)
    pieces: list[str] = []
    while True:
        run = _RUNS[closers].match(cursor.text, cursor.i, cursor.end)
        assert run is not None
        cursor.spend(run.end() - cursor.i + 1)
        pieces.append(run.group())
        cursor.i = run.end()
        if cursor.i >= cursor.end:
            return _unended(cursor, start, context)
        if cursor.char == "\\":
            pieces.append(_escape(cursor, start))
            continue
        twice = doubled and cursor.at(cursor.i + 1) == opener
        cursor.i += twice
        stop = cursor.i if twice else _stop(cursor, start, context)
        if stop is None:
            pieces.append(cursor.char)
            cursor.i += 1
        elif stop == cursor.i:
            cursor.i += 1
            return _clean(cursor, "".join(pieces))
        else:
            cursor.mend(REPAIR, guessed=True)
            cursor.i = stop
            return cursor.text[start + 1 : stop].rstrip("\\").strip()


def _clean(cursor: Cursor, value: str) -> str:
    if _CONTROL.search(value) and _CONTROL.search(cursor.text, cursor.i - len(value) - 1, cursor.i):
        cursor.mend(REPAIR)
        if cursor.text[cursor.i - 2] == "\n":  # a raw line break before the end quote is layout
            return value.rstrip()
    return value


def _doubled(cursor: Cursor, opener: str, context: str) -> bool:
    """An opening quote written twice: ""value"" instead of "value"."""
    if cursor.char != opener or context == TOP:
        return False
    follows = cursor.at(cursor.i + 1)
    return follows.isalnum() and not (context == MEMBER and _BARE_KEY.match(cursor.text, cursor.i + 1, cursor.end))


def _escape(cursor: Cursor, start: int) -> str:
    char = cursor.at(cursor.i + 1)
    sound = cursor.trusting and (char in _ESCAPES or char == "u")
    if not sound and char.isalpha() and _PATH.match(cursor.text, start + 1, cursor.end):
        cursor.mend(REPAIR, guessed=True)
        cursor.i += 2
        return "\\" + char
    if char == "u":
        digits = _HEX.match(cursor.text, cursor.i + 2, cursor.end)
        assert digits is not None
        if len(digits.group()) == 4:
            cursor.i = digits.end()
            return _surrogates(cursor, int(digits.group(), 16))
        if digits.end() < cursor.end:
            raise Tangled("a broken \\u escape")
        cursor.mend(REPAIR, guessed=True)
        cursor.i = cursor.end
        return ""
    cursor.i = min(cursor.i + 2, cursor.end)
    if char not in _ESCAPES:
        cursor.mend(REPAIR)
        return "\\" + char if char.isalpha() and cursor.at(cursor.i).isalnum() else char
    return _ESCAPES[char]


def _surrogates(cursor: Cursor, code: int) -> str:
    if 0xD800 <= code < 0xDC00 and cursor.text.startswith("\\u", cursor.i):
        digits = _HEX.match(cursor.text, cursor.i + 2, cursor.end)
        low = int(digits.group() or "0", 16) if digits else 0
        if 0xDC00 <= low < 0xE000:
            cursor.i += 6
            return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
    return chr(code)


def _stop(cursor: Cursor, start: int, context: str) -> int | None:
    """Where the string ends, seen from a quote inside it: here, at an earlier place, or (None) not yet."""
    text, here = cursor.text, cursor.i
    behind = cursor.after(here + 1)
    follows = cursor.at(behind)
    if cursor.trusting:
        return _trusted(cursor, context, behind, follows)
    if follows == "" or (follows == "+" and cursor.at(cursor.after(behind + 1)) in (*QUOTES, "")):
        return here
    if text.startswith("```", behind):
        return here
    if follows in _PAIRS:
        cursor.spend(here - start)
        opened = text.count(_PAIRS[follows], start, here) > text.count(follows, start, here)
        inner = opened and _quotes_remain(cursor, here + 1)
        if inner:
            cursor.mend(REPAIR, guessed=True)
        return None if inner else here
    if context == KEY:
        return _stop_key(cursor, behind, follows)
    if context == MEMBER:
        return _stop_member(cursor, start, behind, follows)
    return _stop_element(cursor, start, behind, follows, context)


def _trusted(cursor: Cursor, context: str, behind: int, follows: str) -> int:
    """The first quote ends the string, as long as what follows can follow a string."""
    if follows in _FOLLOWERS[context]:
        return cursor.i
    if context == MEMBER and (follows in QUOTES or "\n" in cursor.text[cursor.i : behind]):
        if not _NEXT_KEY.match(cursor.text, behind, cursor.end):
            raise Tangled("a quote inside a string")
    elif context in (KEY, TOP) or follows not in QUOTES | {"{", "["}:
        raise Tangled("a quote inside a string")
    cursor.mend(REPAIR)
    return cursor.i


def _quotes_remain(cursor: Cursor, index: int) -> bool:
    cursor.spend(200)
    return cursor.text.find('"', index, min(cursor.end, index + 2000)) >= 0


def _stop_key(cursor: Cursor, behind: int, follows: str) -> int | None:
    here = cursor.i
    if follows == ":" or follows == "," or follows in QUOTES or follows.isdigit() or follows in "{[-":
        return here
    if _LITERAL.match(cursor.text, behind, cursor.end):
        return here
    if cursor.text[here - 1] == ":":
        return here - 1
    cursor.mend(REPAIR)
    return None


def _stop_member(cursor: Cursor, start: int, behind: int, follows: str) -> int | None:
    text, here = cursor.text, cursor.i
    if follows == ",":
        if _NEXT_KEY.match(text, cursor.after(behind + 1), cursor.end):
            return here
        cursor.mend(REPAIR, guessed=True)
        return None
    next_line = "\n" in text[here:behind]
    if follows in QUOTES and _NEXT_KEY.match(text, behind, cursor.end):
        cursor.mend(REPAIR)
        return here
    if next_line and _BARE_KEY.match(text, behind, cursor.end):
        cursor.mend(REPAIR)
        return here
    if _STRAY_LITERAL.match(text, behind, cursor.end):
        cursor.mend(REPAIR, guessed=True)
        return here
    before = text[start + 1 : here].rstrip() if here - start < 4000 else text[here - 4000 : here].rstrip()
    cursor.spend(min(here - start, 4000))
    if before.endswith(",") and _NEXT_KEY.match(text, here, cursor.end):
        return text.rindex(",", start, here)
    pair = _LAST_PAIR.search(before, max(0, len(before) - 100))
    if pair:
        return here - len(text[start + 1 : here] if here - start < 4000 else text[here - 4000 : here]) + pair.start()
    cursor.mend(REPAIR, guessed=follows in (*QUOTES, ":", ",") or next_line)
    return None


def _stop_element(cursor: Cursor, start: int, behind: int, follows: str, context: str) -> int | None:
    text, here = cursor.text, cursor.i
    if follows in ",:;" or follows.isdigit() or follows in "{[" or (context == TOP and "\n" in text[here:behind]):
        return here
    cursor.spend(min(here - start, 400))
    before = text[max(start + 1, here - 400) : here]
    trimmed = _uncommented(before.rstrip()).rstrip()
    joined = trimmed.endswith("+") and _quotes_remain(cursor, here)
    if joined or (trimmed.endswith(",") and (not before.endswith(" ") or "\n" in before[len(trimmed) :])):
        trimmed = _uncommented(trimmed[:-1].rstrip()) if joined else trimmed[:-1]
        return here - len(before) + len(trimmed)
    cursor.mend(REPAIR)
    if follows in QUOTES and cursor.at(cursor.after(behind + 1)) not in ("", ",", "]"):
        return here
    paired = text.count(text[here], start + 1, here) % 2 == 0
    cursor.spend(here - start)
    if paired and behind > here + 1 and _STRAY_WORD.match(text, behind, cursor.end):
        cursor.mend(REPAIR, guessed=True)
        return here
    cursor.mend(REPAIR, guessed=follows in QUOTES)
    return None


def _uncommented(text: str) -> str:
    """The text without the comment at its end."""
    start = text.rfind("/*", 0, -2) if text.endswith("*/") else -1
    return text if start < 0 or "*" in text[start + 2 : -2] else text[:start]


def _unended(cursor: Cursor, start: int, context: str) -> str:
    """No end quote up to the end of the text: the string stops at the first place where its container could go on."""
    text, end = cursor.text, cursor.end
    cursor.mend(REPAIR, guessed=True)
    cursor.spend(end - start)
    stop = end
    closes = text[start:end].rstrip()[-1:] in ("}", "]", ",", "`")
    marks = {MEMBER: r"[,}\n\]]|```", KEY: r"[:,}\n]", TOP: r"[,\n]"}.get(context, r"[,\]}\n]|```")
    url = _URL.match(text, start + 1, end)
    bracket, line_start = text.find("[", start, end), start
    for mark in re.compile(marks).finditer(text, url.end() if url and context == TOP else start + 1, end):
        index = mark.start()
        if context == MEMBER and mark.group() == "\n" and line_start <= index:
            line_start = _SPACE.match(text, index, end).end()  # type: ignore[union-attr]
        if context == MEMBER and (
            (mark.group() == "," and not _NEXT_KEY.match(text, index + 1, end))
            or (mark.group() == "\n" and (line_start == end or text[line_start] not in '}"'))
            or (mark.group() == "]" and 0 <= bracket < index)
        ):
            continue
        if context != KEY and not closes and mark.group() != "\n":
            continue
        stop = index
        break
    cursor.i = stop
    raw = text[start + 1 : stop]
    return re.sub(r"(?<!\\)\\(?:u[0-9a-fA-F]{0,3})?$", "", raw).replace("\\\\", "\\").replace('\\"', '"').strip()
