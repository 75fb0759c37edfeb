"""The wire: one session to one server, JSON out, bytes in, every fault with a name and every size with a limit."""

from __future__ import annotations

import ipaddress
import os
import ssl
import time
import zlib
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from adjudge.core import limits
from adjudge.core.errors import ConfigError, ModelError, ServerFailed, TimedOut, TooLarge, Unreachable
from adjudge.models.base import Secret
from adjudge.models.faults import Answer, excerpt, fault

_ZLIB_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


def check_base_url(url: str) -> str:
    """A server's address without its last slash; one that can't be used, or holds a password, is refused."""
    hint = "an address looks like https://api.openai.com/v1 or http://localhost:8000/v1"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError:  # UnicodeError is one
        raise ConfigError("--base-url is not an address", hint=hint) from None
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            "--base-url holds a user name or password", hint="keys come from the environment: see --api-key-env"
        )
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        raise ConfigError(f"--base-url must begin with http:// or https:// and name a host: {url[:80]!r}", hint=hint)
    if parts.query or parts.fragment:
        raise ConfigError("--base-url holds a ? or #", hint="give the address up to the version, as in .../v1")
    return url.rstrip("/")


class Wire:
    """Posts JSON to one server. Belongs to the event loop that first uses it; pacing and retries are the engine's."""

    def __init__(
        self,
        url: str,
        *,
        key: Secret | None,
        key_from: str,
        key_header: tuple[str, str],
        headers: Mapping[str, str],
        timeout_s: float | None,
    ) -> None:
        self._url, self.host = url, urlsplit(url).netloc
        self._key, self._key_from, self._key_header, self._headers = key, key_from, key_header, headers
        self._timeout_s = limits.ANSWER_TIMEOUT_S if timeout_s is None else timeout_s
        self._session: aiohttp.ClientSession | None = None
        self._proxy = _proxy_for(url)

    async def post(self, body: bytes) -> Answer:
        """One exchange, whatever the status; what has no status is raised."""
        started = time.perf_counter()
        problem: ModelError
        # What is raised below is raised outside of the handlers: an exception's context would keep aiohttp's
        # frames alive, and with them the header that holds the key.
        try:
            return await self._exchange(body, self._connected(), started)
        except aiohttp.ClientResponseError as error:
            told = excerpt(error.message, self._key)
            problem = (
                Unreachable(f"the proxy for {self.host} answered {error.status}: {told}")
                if isinstance(error, aiohttp.ClientHttpProxyError)
                else ServerFailed(f"{self.host} did not answer in valid HTTP: {told}")
            )
        except aiohttp.ConnectionTimeoutError:
            problem = TimedOut(f"{self.host} could not be connected to within {limits.CONNECT_TIMEOUT_S:g} s")
        except TimeoutError:
            problem = TimedOut(f"{self.host} gave no whole answer within {self._timeout_s:g} s")
        except (aiohttp.ClientError, ssl.SSLError, OSError) as error:
            problem = Unreachable(f"{self.host} cannot be reached: {excerpt(_reason(error), self._key)}")
        raise problem

    def fault(self, answer: Answer) -> ModelError:
        """The error that an answer other than success stands for."""
        return fault(answer, host=self.host, key=self._key, key_from=self._key_from)

    def message(self, what: str) -> str:
        """One line about this server, safe to show."""
        return f"{self.host} {excerpt(what, self._key)}"

    def hidden(self, text: str) -> str:
        """A reply's text without the key, should the server have echoed it."""
        return self._key.hidden_in(text) if self._key else text

    async def close(self) -> None:
        if self._session:
            session, self._session = self._session, None
            await session.close()

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            name, prefix = self._key_header
            secret = {name: prefix + self._key.reveal()} if self._key else {}
            connect_s = min(limits.CONNECT_TIMEOUT_S, self._timeout_s)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=self._timeout_s, connect=connect_s),
                # Uncompressed: replies are small, and what is unpacked here is unpacked under our own limit.
                headers={
                    "content-type": "application/json",
                    "accept-encoding": "identity",
                    "user-agent": "adjudge",
                    **self._headers,
                    **secret,
                },
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    async def _exchange(self, body: bytes, session: aiohttp.ClientSession, started: float) -> Answer:
        async with session.post(self._url, data=body, proxy=self._proxy, allow_redirects=False) as response:
            good = 200 <= response.status < 300
            limit = limits.RESPONSE_BYTES if good else limits.ERROR_BODY_BYTES
            raw = bytearray()
            async for chunk in response.content.iter_any():
                raw += chunk
                if len(raw) > limit:
                    response.close()
                    break
            found = _unpacked(raw, response.headers.get("content-encoding", ""), limit, self.host)
            if good and len(found) > limit:
                raise TooLarge(f"{self.host} sent a reply of more than {limit} bytes")
            return Answer(
                status=response.status, body=found, headers=response.headers, seconds=time.perf_counter() - started
            )


def _unpacked(raw: bytearray, encoding: str, limit: int, host: str) -> bytes:
    """The body without its compression, one byte past the limit at most: a bomb never unfolds."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity") or len(raw) > limit:
        return bytes(raw)
    if encoding in _ZLIB_BITS:
        try:
            return zlib.decompressobj(_ZLIB_BITS[encoding]).decompress(raw, limit + 1)
        except zlib.error:
            pass
    raise ServerFailed(f"{host} sent a body packed in a way that was not asked for and cannot be read")


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for this address; never for this machine itself.

    aiohttp's own `trust_env` would also send passwords from ~/.netrc to the server.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    if loopback or proxy_bypass(parts.netloc):
        return None
    proxy = getproxies().get(parts.scheme)
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not _usable(proxy):
        raise ConfigError(
            f"the proxy that the environment names for {host} is not a usable HTTP proxy",
            hint=f"unset {parts.scheme}_proxy, or list {host} in no_proxy",
        )
    return proxy


def _usable(proxy: str) -> bool:
    try:
        parts = urlsplit(proxy)
        (parts.hostname or "").encode("idna")
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def _reason(error: BaseException) -> str:
    """The system's own words where there are any: aiohttp's repeat the address and little else."""
    if isinstance(error, aiohttp.InvalidURL):  # its words may hold a proxy's password
        return "the address can't be used"
    inner = getattr(error, "os_error", None) or getattr(error, "certificate_error", None) or error
    if type(inner) is ConnectionRefusedError or type(inner) is ConnectionResetError:
        return os.strerror(inner.errno) if inner.errno else str(inner)
    return getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
