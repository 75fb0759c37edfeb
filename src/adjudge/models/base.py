"""What a model is: one method. And what every model that needs a key or reads a reply shares."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from html.entities import html5
from string import printable
from typing import NoReturn, Protocol

from adjudge.core.errors import ConfigError
from adjudge.core.records import Reply, Request

#: Providers' words for why an answer ended → the word of `Reply.finish`.
_FINISH = {
    "stop": (
        "stop stopped stop_sequence stop_token end_turn end_of_turn end complete completed done finished eos eos_token "
        "eos_found tool_call tool_calls tool_use function_call"
    ),
    "length": (
        "length max_length max_tokens max_token max_output_tokens max_new_tokens max_completion_tokens token_limit "
        "tokens_limit limit error_limit output_limit context_limit model_length context_length context_length_exceeded "
        "context_window context_window_exceeded model_context_window_exceeded incomplete truncated"
    ),
    "refusal": (
        "refusal refused content_filter content_filtered content_filter_error filtered safety recitation blocklist "
        "blocked prohibited_content spii guardrail_intervened error_toxic moderation"
    ),
}
_MEANING = {word: finish for finish, words in _FINISH.items() for word in words.split()}
_PIECE_CHARS = 8
_KEY_CHARS = 16


#: What every escape begins with, and what base64 or hexadecimal digits of a key look like.
_CODES = re.compile(rf"[\\%&]|[A-Za-z0-9+/_-]{{{_KEY_CHARS}}}")
_ENTITIES = {sign: [name for name, spelt in html5.items() if spelt == sign and name[-1] == ";"] for sign in printable}


def _coded(key: str) -> re.Pattern[str]:
    """The key as JSON, addresses, HTML, base64 and hexadecimal digits may write it, each character in its own way."""
    raw = key.encode()
    whole = [b64encode(b"x" * shift + raw)[4 if shift else 0 :].rstrip(b"=")[: -1 or None] for shift in range(3)]
    spelt = {one for code in whole for one in (code.decode(), code.decode().translate(str.maketrans("+/", "-_")))}
    signs = "".join(map(_coded_sign, key))
    return re.compile("|".join([signs, *map(re.escape, sorted(spelt)), f"(?i:{raw.hex()})"]))


def _coded_sign(sign: str) -> str:
    number, named = ord(sign), "".join(f"|&{re.escape(name)}" for name in _ENTITIES.get(sign, ()))
    code = rf"(?:u\{{?0*|x0*|U0*)(?i:{number:x})\}}?"
    escaped = rf"\\{{1,8}}(?:{re.escape(sign)}|{code})|%(?:25){{0,3}}(?i:{number:02x})"
    return rf"(?:{re.escape(sign)}|{escaped}|&#0*{number};|&#[xX]0*(?i:{number:x});{named})"


class Model(Protocol):
    """Anything that answers a request; `embedded` models need no network and read the items, not the prompt."""

    @property
    def embedded(self) -> bool: ...

    @property
    def rest_s(self) -> float:
        """How long the server wants to be left alone, as it said in its last answer; 0 where it said nothing."""
        ...

    async def answer(self, request: Request) -> Reply:
        """Ask once. Faults are raised as `ModelError`; trying again is the engine's business."""
        ...

    async def close(self) -> None: ...


class Secret:
    """A key that cannot be printed, formatted, copied or pickled; `reveal` is for the request header alone."""

    __slots__ = ("_coded", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._coded: re.Pattern[str] | None = None

    def reveal(self) -> str:
        return self._value

    def hidden_in(self, text: str) -> str:
        """The text without the key."""
        # Shorter "keys" are placeholders for local servers (ollama, EMPTY); hiding them would mangle replies.
        if len(self._value) < _KEY_CHARS:
            return text
        text = text.replace(self._value, "***")
        if not _CODES.search(text):
            return text
        if self._coded is None:
            self._coded = _coded(self._value)
        return self._coded.sub("***", text)

    def hidden_in_message(self, text: str) -> str:
        """A short text without the key or a telling piece of its beginning or end, in any case."""
        if len(self._value) > 3 and (text := self.hidden_in(text)):
            text = re.sub(re.escape(self._value), "***", text, flags=re.IGNORECASE)
            for length in range(len(self._value) - 1, _PIECE_CHARS - 1, -1):
                text = text.replace(self._value[:length], "***").replace(self._value[-length:], "***")
        return text

    def __repr__(self) -> str:
        return "***"

    def __format__(self, spec: str) -> str:
        return "***"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a key is never copied or written")


def read_key(variable: str, *, named: bool, needed: bool) -> Secret | None:
    """The key in an environment variable; `named`: the user chose it, `needed`: without a key nothing works."""
    # A user may have typed the key itself after --api-key-env: what does not look like a variable is not repeated.
    shown = variable if re.fullmatch(r"[A-Z_][A-Z0-9_]{0,63}", variable) else "the variable given as --api-key-env"
    value = os.environ.get(variable, "").strip()
    if not value:
        if not (named or needed):
            return None
        raise ConfigError(
            f"no API key: {shown} is not set",
            hint="export the key in that variable, or name another one with --api-key-env NAME; "
            "--model offline needs no key",
        )
    if not re.fullmatch(r"[!-~]+", value):
        raise ConfigError(
            f"the key in {shown} holds characters that no HTTP header can carry",
            hint="copy the key again: it has no spaces, line breaks or letters outside ASCII",
        )
    return Secret(value)


def finish_of(reason: object) -> str:
    """Why an answer ended: "stop", "length", "refusal", or "unknown" for none and for any word that is not known."""
    word = reason.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(reason, str) else ""
    return _MEANING.get(word.removeprefix("finish_reason_"), "unknown")


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced: they exist in no encoding, so they can be neither sent nor stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
