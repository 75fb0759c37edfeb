"""What a model is: one method. And what every model that needs a key or reads a reply shares."""

from __future__ import annotations

import os
import re
from typing import NoReturn, Protocol

from adjudge.core.errors import ConfigError
from adjudge.core.records import Reply, Request

#: Providers' words for why an answer ended → the word of `Reply.finish`; anything else is "other".
FINISH = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "tool_calls", "tool_use", "function_call", "eos"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("content_filter", "refusal"), "refusal"),
}
_PIECE_CHARS = 8
_KEY_CHARS = 16


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

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def hidden_in(self, text: str) -> str:
        """The text without the key."""
        # Shorter "keys" are placeholders for local servers (ollama, EMPTY); hiding them would mangle replies.
        return text.replace(self._value, "***") if len(self._value) >= _KEY_CHARS else text

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


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced: they exist in no encoding, so they can be neither sent nor stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
