"""What the chat protocols share: asking in the strictest way the server takes, and remembering which that is."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from json.encoder import encode_basestring
from typing import Any, ClassVar, TypeAlias, TypeVar

from adjudge.core import limits
from adjudge.core.errors import BadRequest, ModelError, NoOdds, NotFound, RateLimited, ServerFailed
from adjudge.core.records import Reply, Request
from adjudge.models import odds
from adjudge.models.base import well_formed
from adjudge.models.faults import Answer, Twice, error_within
from adjudge.models.http import Wire
from adjudge.models.quota import rest_s

K = TypeVar("K")
V = TypeVar("V")
Places: TypeAlias = "tuple[tuple[int, str, Mapping[str, float]], ...]"
_KEPT_MAX = 64
#: Of an answer that was paid for and can't be read: as long as the longest reply, each sign of it escaped.
_PAID_CHARS = 6 * limits.REPLY_CHARS
_NO_ODDS: Mapping[str, float] = {}
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_NO_TEMPERATURE = re.compile(
    r"temperature.{0,80}(unsupported|not support|deprecated|not allowed|only the default|unknown|unrecogni[sz]ed)"
    r"|(unsupported|unknown|unrecogni[sz]ed|not support).{0,80}temperature",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(slots=True, kw_only=True)
class Habits:
    """What a server has taught us: the mode it takes, and the parameters it does not."""

    mode: int = 0
    settled: bool = False
    format_blameless: bool = False
    refused: frozenset[str] = frozenset()


#: Kept for the life of the process: the same server is not asked twice what it can't do.
_HABITS: dict[tuple[str, str, str], Habits] = {}


class Chat:
    """A model behind a chat protocol. The protocol says how to write a request and how to read an answer."""

    embedded = False
    #: The strictest first; each is what `Reply.mode` says.
    modes: ClassVar[tuple[str, ...]]
    #: How a server's refusal names the structured output of this protocol.
    format_words: ClassVar[re.Pattern[str]]

    def __init__(self, name: str, wire: Wire, base_url: str) -> None:
        self.name, self._wire = name, wire
        self._habits = _HABITS.setdefault((type(self).__name__, base_url, name), Habits())
        self._turn = asyncio.Lock()
        self._openings: dict[str, bytes] = {}
        self._closings: dict[tuple[object, ...], tuple[Mapping[str, Any], bytes]] = {}
        #: How many words with their probabilities are asked for; fewer where the server says that it gives fewer.
        self.top_words = odds.TOP_WORDS
        #: Whether the server states probabilities; what it said instead, once it is known that it does not.
        self._odds: bool | str = False
        #: How long the server wants to be left alone, by the headers of its last answer.
        self.rest_s = 0.0

    def opening(self, system: str) -> dict[str, Any]:
        """The beginning of a request's body; its last entry is the messages before those of the user."""
        raise NotImplementedError

    def closing(self, request: Request, mode: str) -> dict[str, Any]:
        """The rest of the body, the name of the model at least: nothing that depends on the items but the schema."""
        raise NotImplementedError

    def turns(self, request: Request) -> Iterator[tuple[str, str]]:
        """Who says what in this call."""
        yield "user", request.prompt.user
        for said, asked in request.history:
            yield "assistant", said
            yield "user", asked

    def reply(
        self,
        data: Mapping[str, Any],
        text: str,
        finish: str,
        *,
        mode: str,
        seconds: float,
        odds: Mapping[str, float] = _NO_ODDS,
    ) -> Reply:
        """What an answer says, with the tokens that its body states."""
        tokens_in, tokens_out = self.tokens(data)
        return Reply(
            text=self.clean(text),
            finish=finish,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            latency_s=seconds,
            mode=mode,
            odds=odds,
        )

    def tokens(self, data: Mapping[str, Any]) -> tuple[int | None, int | None]:
        """The tokens in and out that an answer's body states."""
        raise NotImplementedError

    def read(self, data: Mapping[str, Any], *, mode: str = "text", seconds: float = 0.0) -> Reply:
        """The reply in an answer's body; raises what the body reports instead of one."""
        raise NotImplementedError

    def places(self, data: Mapping[str, Any], text: str) -> Places:
        """The digits of a reply with their probabilities, where the answer's body states any."""
        return ()

    def wants_places(self, request: Request) -> bool:
        """Whether the digits' probabilities are asked for: they are wanted, and the server has not refused them."""
        return odds.places_wanted(request) and "logprobs" not in self._habits.refused

    async def answer(self, request: Request) -> Reply:
        if not request.prompt.odds:
            return await self._answer(request)
        if self._odds is not True:
            async with self._turn:  # one goes ahead: what the server can't do is found out once, not a thousand times
                if not self._odds:
                    return await self._with_odds(request)
        if isinstance(self._odds, str):
            error = NoOdds(f"not asked: {self._odds}")
            error.attempts, error.final = 0, True
            raise error
        return await self._with_odds(request)

    async def _with_odds(self, request: Request) -> Reply:
        try:
            reply = await self._answer(request)
            if not reply.odds:
                raise _without_odds(self.told("states no token probabilities"))
        except NoOdds as error:
            self._odds = self._odds or str(error)
            raise
        self._odds = True
        # one word was wanted, and it is there: what would have followed is not missing
        return replace(reply, finish="stop")

    async def _answer(self, request: Request) -> Reply:
        if self._settled() or not request.prompt.schema:
            mode, answer, data = await self._ask(request)
        else:
            async with self._one_at_first():
                mode, answer, data = await self._ask(request)
        try:
            reply = self.read(data, mode=self.modes[mode], seconds=answer.seconds)
        except ModelError as error:
            tokens = self.tokens(data)
            error.used = None if None in tokens else tokens  # type: ignore[assignment]
            if isinstance(error, ServerFailed):
                error.paid = self._kept(answer)
            raise
        if odds.places_wanted(request):
            reply = replace(reply, odds={}, places=self.places(data, reply.text))
        refused = self._refused(request)
        return replace(reply, refused=refused) if refused else reply

    def _refused(self, request: Request) -> tuple[str, ...]:
        """The settings that were wanted and are not sent, since this server refuses them."""
        if not self._habits.refused or request.settings.temperature is None:
            return ()
        return tuple(self._habits.refused & {"temperature"})  # max_tokens is sent, under its other name

    def payload(self, request: Request, mode: str) -> bytes:
        """The body of the request as JSON. What the calls of a judge share is written once and kept."""
        system, schema, settings = request.prompt.system, request.prompt.schema, request.settings
        opening = self._openings.get(system)
        if opening is None:
            begun = self.opening(system)
            opening = _written(begun).removesuffix(b"]}") + (b"," if begun["messages"] else b"")
            _keep(self._openings, system, opening)
        # A schema is known by its identity: it is kept along, so that no other can take its place in memory.
        asked = (request.prompt.odds, self.top_words, request.prompt.room, self.wants_places(request))
        key = (id(schema), mode, settings.temperature, settings.max_tokens, self._habits.refused, *asked)
        kept = self._closings.get(key)
        if kept is None:
            kept = schema, b"]," + _written(self.closing(request, mode)).removeprefix(b"{")
            _keep(self._closings, key, kept)
        said = [b'{"role":"%s","content":%s}' % (role.encode(), _quoted(text)) for role, text in self.turns(request)]
        return b"".join((opening, b",".join(said), kept[1]))

    async def close(self) -> None:
        await self._wire.close()

    def settings(self, request: Request) -> dict[str, Any]:
        """The settings that this server takes, under the names it takes them."""
        room = request.settings.max_tokens or (odds.ANSWER_TOKENS if request.prompt.odds else request.prompt.room)
        wanted = {"temperature": request.settings.temperature, "max_tokens": room}
        taken = {name: value for name, value in wanted.items() if value is not None}
        if "temperature" in self._habits.refused:
            taken.pop("temperature", None)
        if "max_tokens" in self._habits.refused and "max_tokens" in taken:
            taken["max_completion_tokens"] = taken.pop("max_tokens")
        return taken

    def clean(self, text: str) -> str:
        """A reply's text as it may be kept: well-formed, and without the key."""
        return self._wire.hidden(well_formed(text))

    def told(self, what: str) -> str:
        """A message about this server, safe to show."""
        return self._wire.message(what)

    async def _ask(self, request: Request) -> tuple[int, Answer, dict[str, Any]]:
        """Ask, stepping down while the server refuses the form of the question rather than the question."""
        habits, adapted = self._habits, set[str]()
        structured = bool(request.prompt.schema)  # a judge whose verdict is prose asks for no structure
        mode = first = habits.mode if structured else len(self.modes) - 1
        while True:
            # as this request asks for them: others in flight may learn meanwhile what the server takes
            top = self.top_words if request.prompt.odds or self.wants_places(request) else 0
            body = self.payload(request, self.modes[mode])
            self.rest_s = 0.0  # what an earlier answer asked for was given
            answer = await self._wire.post(body)
            quotas = answer.headers_with("ratelimit")
            self.rest_s = (rest_s(quotas, time.time()) if quotas else None) or 0.0
            if 200 <= answer.status < 300:
                data = self._envelope(answer)
                inner = error_within(data)
                if inner is None:
                    if structured:
                        habits.settled, habits.mode = True, max(mode, habits.mode)
                    return mode, answer, data
                answer = replace(answer, status=inner)
            fault = self._wire.fault(answer)
            if top and "logprob" in answer.text.lower() and not isinstance(fault, RateLimited):
                if "top_logprobs" in answer.text and top != odds.TOP_WORDS_FEW:
                    self.top_words = odds.TOP_WORDS_FEW
                elif request.prompt.odds:
                    raise _without_odds(str(fault))
                else:
                    habits.refused |= {"logprobs"}
                continue
            if not isinstance(fault, BadRequest | NotFound):
                raise fault
            refused = _refused_parameter(json.loads(body), answer)
            if refused and refused not in adapted:
                adapted.add(refused)
                habits.refused |= {refused}
            elif mode + 1 < len(self.modes) and self._may_be_the_format(answer):
                mode = max(mode + 1, habits.mode)  # it becomes a habit when the server has taken it
            else:
                # Refused in plain text too: the fault is not the format's, and the next one like it is not probed.
                habits.format_blameless |= mode > first
                raise fault

    def _envelope(self, answer: Answer) -> dict[str, Any]:
        """The object of an answer that reports success."""
        try:
            data = answer.data()
            if data is None and (events := answer.events()):
                data = self.joined(events)
            why = "streams its answers, which it was not asked to do" if answer.streams and data is None else ""
        except Twice as twice:
            data, why = None, f"sent an answer that can be read in two ways: {twice}"
        if data is not None:
            return data
        why = why or f"did not answer in JSON: {answer.text}"
        error = ServerFailed(self.told(why))
        if not answer.told_nothing:
            error.paid = self._kept(answer)
        raise error

    def joined(self, events: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """The object that a stream of events stands for, or None where that is not certain."""
        return dict(events[0]) if len(events) == 1 else None

    def _kept(self, answer: Answer) -> str:
        return self._wire.hidden(well_formed(answer.whole_text[:_PAID_CHARS]), pieces=True)

    def _may_be_the_format(self, answer: Answer) -> bool:
        if self.format_words.search(answer.text):
            return True
        return answer.status in (400, 422) and not (self._settled() or self._habits.format_blameless)

    def _settled(self) -> bool:
        return self._habits.settled

    @asynccontextmanager
    async def _one_at_first(self) -> AsyncIterator[None]:
        """Until the server has taken a mode, one request goes ahead: a refusal then costs one, not one per slot.

        Nobody waits longer than `limits.PROBE_WAIT_S`: servers refuse at once, and only good answers take time.
        """
        held = False
        with suppress(TimeoutError):
            # not `wait_for`: before Python 3.12 it may swallow a cancellation, and Ctrl-C would wait for an answer
            async with asyncio.timeout(limits.PROBE_WAIT_S):
                held = await self._turn.acquire()
        if held and self._settled():
            self._turn.release()
            held = False
        try:
            yield
        finally:
            if held:
                self._turn.release()


def _without_odds(told: str) -> NoOdds:
    return NoOdds(f"{told}; --ask yes-no can't be used with this model, --ask rating can")


def _refused_parameter(sent: Mapping[str, Any], answer: Answer) -> str | None:
    """The parameter that newer models refuse by name; a refused value stays the user's to change."""
    if "max_tokens" in sent and "max_completion_tokens" in answer.text:
        return "max_tokens"
    if "temperature" in sent and _NO_TEMPERATURE.search(answer.text):
        return "temperature"
    return None


def _written(value: Mapping[str, Any]) -> bytes:
    return well_formed(_JSON.encode(value)).encode()


def _quoted(text: str) -> bytes:
    """The text as a JSON string."""
    quoted = encode_basestring(text)
    try:
        return quoted.encode()
    except UnicodeEncodeError:
        return well_formed(quoted).encode()


def _keep(kept: dict[K, V], key: K, value: V) -> None:
    if len(kept) >= _KEPT_MAX:
        kept.clear()
    kept[key] = value


def count(value: object) -> int | None:
    """A number of tokens as the server states it, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else None
