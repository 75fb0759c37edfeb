"""`local:FILE.gguf`: a language model in a file of the user's own, run inside this process."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import os
import secrets
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

from adjudge.core.errors import BadRequest, ConfigError, ContextTooLong, ModelError, ServerFailed
from adjudge.core.records import Reply, Request
from adjudge.models import odds
from adjudge.models.base import finish_of, well_formed
from adjudge.models.faults import Answer, excerpt, fault

FILE_VARIABLE = "ADJUDGE_LOCAL_MODEL"
CONTEXT_VARIABLE = "ADJUDGE_LOCAL_CONTEXT"
INSTALL = "pip install 'adjudge[local]'"
_CONTEXT_TOKENS = 8192
_MAGIC = b"GGUF"
_EDGE_BYTES = 1 << 20
#: Prompt tokens between two looks at whether the question is still wanted.
_STRIDE_TOKENS = 256


def model_file(name: str) -> Path:
    """The file that `local:NAME` means, or, without a name, the one that the environment names; it must be a GGUF."""
    given = name or os.environ.get(FILE_VARIABLE, "").strip()
    if not given:
        raise ConfigError(
            "--model local names no file", hint=f"write local:FILE.gguf, or set {FILE_VARIABLE} to the file"
        )
    path = Path(given).expanduser()
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"the model file can't be read: {getattr(error, 'strerror', None) or error}",
            where=str(path),
            hint="--model local:FILE.gguf takes the path of a GGUF file",
        ) from None
    if magic != _MAGIC:
        raise ConfigError(
            "this is not a GGUF file", where=str(path), hint="models are published in this form as NAME.gguf"
        )
    return path


def revision(path: Path) -> str:
    """A hash of the file's size, beginning and end: the middle of many gigabytes tells no two models apart."""
    size = path.stat().st_size
    found = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        found.update(file.read(_EDGE_BYTES))
        file.seek(max(size - _EDGE_BYTES, 0))
        found.update(file.read(_EDGE_BYTES))
    return found.hexdigest()[:12]


class Local:
    """A model in this process: one question at a time, outside the event loop; what prompts share is read once."""

    embedded = False
    rest_s = 0.0

    def __init__(self, name: str) -> None:
        self._path = model_file(name)
        self._context = self.window = _context_tokens()
        self._library = _library()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="local-model")
        self._server: Any = None
        self._broken = ""

    async def answer(self, request: Request) -> Reply:
        body, unwanted = self.body(request), Event()
        began = time.monotonic()
        try:
            answered = await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, body, unwanted)
        finally:
            unwanted.set()  # also where who asked was cancelled, and the thread goes on
        return _reply(
            answered, mode="schema" if "response_format" in body else "text", seconds=time.monotonic() - began
        )

    async def close(self) -> None:
        """Give the memory back; what is being answered was cancelled by then, and ends."""
        await asyncio.to_thread(self._thread.shutdown)
        self._server = None

    def body(self, request: Request) -> dict[str, Any]:
        """The request in the form of the OpenAI-compatible protocol, which the library speaks."""
        prompt, settings = request.prompt, request.settings
        said = [("system", prompt.system), ("user", prompt.user)]
        for answer, asked in request.history:
            said += [("assistant", answer), ("user", asked)]
        body: dict[str, Any] = {
            "messages": [{"role": role, "content": well_formed(text)} for role, text in said],
            "cache_prompt": True,
            "stream": True,
            "return_progress": True,
            "stream_options": {"include_usage": True},
            # a model that thinks aloud first would answer neither with one word nor with JSON alone
            "chat_template_kwargs": {"enable_thinking": False},
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        room = settings.max_tokens or (odds.ANSWER_TOKENS if prompt.odds else prompt.room)
        if room is not None:
            body["max_tokens"] = room
        if prompt.odds:
            body |= odds.wanted()
        elif prompt.schema:
            strict = {"name": "verdict", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": strict}
        return body

    def _ask(self, body: Mapping[str, Any], unwanted: Event) -> Answered:
        """In the model's own thread: load it when it is first needed, then answer."""
        if self._server is None:
            self._server = self._loaded()
        found = Answered(unwanted)
        try:
            self._server.handle_chat_completions(body, found.take)
        except (ValueError, TypeError, RuntimeError) as error:
            raise BadRequest(f"{self._path.name} can't be asked this: {excerpt(str(error), None)}") from None
        if found.error is not None:
            raise self._fault(found.error)
        if found.stopped:
            raise ServerFailed("the model was stopped")
        return found

    def _loaded(self) -> Any:
        if self._broken:
            error = BadRequest(self._broken)
            error.attempts, error.final = 0, True
            raise error
        params = self._library.CommonParams()
        params.model.path = str(self._path)
        params.n_ctx, params.n_parallel = self._context, 1
        params.n_batch = params.n_ubatch = _STRIDE_TOKENS
        params.cache_ram_mib = 0  # prompts of items long done are not kept: by default they may take 8 GB
        params.verbosity = -1  # its log would stand in the middle of ours, or of JSON on standard output
        params.cpuparams.poll = params.cpuparams_batch.poll = 0
        # the library always opens a port on the loopback: nobody else on the machine is to use it
        params.api_keys, params.ui, params.endpoint_slots = [secrets.token_hex(16)], False, False
        try:
            return self._library.Server(params)
        except (RuntimeError, ValueError, MemoryError) as error:
            self._broken = (
                f"{self._path.name} can't be loaded: it is damaged, of a kind the library does not know, or too large "
                f"for this machine's memory with {self._context} tokens of context "
                f"({CONTEXT_VARIABLE} sets fewer): {excerpt(str(error), None)}"
            )
            raise BadRequest(self._broken) from None

    def _fault(self, error: Mapping[str, Any]) -> ModelError:
        told = excerpt(str(error.get("message", "")), None)
        if error.get("type") == "exceed_context_size_error":
            return ContextTooLong(f"{told} ({CONTEXT_VARIABLE} sets more than {self._context} tokens)")
        status = error.get("code")
        answer = Answer(status=status if isinstance(status, int) else 500, body=told.encode(), headers={})
        return fault(answer, host=self._path.name, key=None, key_from="")


class Answered:
    """An answer as it comes, piece by piece; taking a piece says whether to stop."""

    def __init__(self, unwanted: Event) -> None:
        self._unwanted = unwanted
        self.texts: list[str] = []
        self.places: list[Any] = []
        self.finish = ""
        self.usage: Mapping[str, Any] = {}
        self.error: Mapping[str, Any] | None = None
        self.stopped = False

    def take(self, piece: Mapping[str, Any]) -> bool:
        if isinstance(piece.get("error"), dict):
            self.error = piece["error"]
        for choice in piece.get("choices") or ():
            self.texts.append(choice["delta"].get("content") or "")
            self.places += (choice.get("logprobs") or {}).get("content") or ()
            self.finish = choice.get("finish_reason") or self.finish
        self.usage = piece.get("usage") or self.usage
        self.stopped = not self.finish and self._unwanted.is_set()
        return self.stopped


def _reply(found: Answered, *, mode: str, seconds: float) -> Reply:
    stated = odds.first_odds({"logprobs": {"content": found.places}})
    return Reply(
        text=well_formed("".join(found.texts)),
        # one word was wanted, and it is there: what would have followed is not missing
        finish="stop" if stated else finish_of(found.finish),
        tokens_in=found.usage.get("prompt_tokens"),
        tokens_out=found.usage.get("completion_tokens"),
        cost_usd=0.0,
        latency_s=seconds,
        mode=mode,
        odds=stated,
    )


def _context_tokens() -> int:
    given = os.environ.get(CONTEXT_VARIABLE, "").strip()
    if not given:
        return _CONTEXT_TOKENS
    if not given.isascii() or not given.isdigit() or not 256 <= int(given) <= 1 << 20:
        raise ConfigError(f"{CONTEXT_VARIABLE} must be a number of tokens from 256 to 1048576, not {given[:20]!r}")
    return int(given)


def _library() -> Any:
    """The library that runs the model.

    Its threads meet hundreds of times for every token. By default they wait for one another in a busy loop, and on a
    machine with anything else to do each spins for the time that the one it waits for would need: fifty times slower.
    OpenMP reads how to wait once, when it is loaded.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        return importlib.import_module("xllamacpp")
    except ImportError as error:
        # without the system's OpenMP the wheel is there and can't be loaded
        missing = "libgomp" in str(error)
        raise ConfigError(
            f"--model local needs the package xllamacpp, which can't be loaded: {error}",
            hint="install the system's libgomp, for example: apt-get install libgomp1" if missing else INSTALL,
        ) from None
