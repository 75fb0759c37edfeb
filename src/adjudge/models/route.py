"""The way to a server: its address as the network knows it, and the proxy that the environment names for it."""

from __future__ import annotations

import ipaddress
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit
from urllib.request import getproxies, proxy_bypass

from adjudge.core.errors import ConfigError
from adjudge.models.base import Secret

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """A machine to connect to."""

    host: str
    port: int
    tls: bool

    @property
    def name(self) -> str:
        """The host as URLs and headers write it: IPv6 in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def authority(self) -> str:
        """The host and, unless it is the usual one, the port."""
        return self.name if self.port == _PORTS["https" if self.tls else "http"] else f"{self.name}:{self.port}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """A server, the path of the request there, and a proxy on the way or none."""

    server: Hop
    path: str
    proxy: Hop | None = None
    proxy_key: Secret | None = None

    @property
    def tunnel(self) -> bool:
        """Whether the proxy only carries bytes: it can't read what goes to an https server, the key least of all."""
        return self.proxy is not None and self.server.tls

    @property
    def target(self) -> str:
        """What stands in the request line: a proxy that forwards needs the whole address."""
        forwarded = self.proxy is not None and not self.server.tls
        return f"http://{self.server.authority}{self.path}" if forwarded else self.path


def route_for(url: str) -> Route:
    """The way to an address that `check_base_url` has passed."""
    parts, proxy = urlsplit(url), _proxy_for(url)
    via = urlsplit(proxy) if proxy else None
    return Route(
        server=_hop(parts),
        path=quote(parts.path or "/", safe="/%:@!$&'()*+,;=~"),
        proxy=_hop(via) if via else None,
        proxy_key=_proxy_key(via) if via else None,
    )


def _hop(parts: SplitResult) -> Hop:
    host, port = parts.hostname or "", parts.port
    return Hop(
        host=host.encode("idna").decode("ascii"),
        port=_PORTS[parts.scheme] if port is None else port,
        tls=parts.scheme == "https",
    )


def _proxy_key(proxy: SplitResult) -> Secret | None:
    if proxy.username is None:
        return None
    pair = unquote_to_bytes(proxy.username) + b":" + unquote_to_bytes(proxy.password or "")
    return Secret(f"Basic {b64encode(pair).decode('ascii')}")


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for this address; never for this machine itself."""
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
        return parts.scheme in _PORTS and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
