"""Who may ask: against other sites in the user's browser, names that turn into our address, and strangers."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from adjudge.web.message import Refused, Request

COOKIE = "adjudge_token"
#: The names by which a browser on this machine may call us.
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address that we listen on."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class Guard:
    """`hosts` are the names, without port, by which the server may be called; with a `token`, only who has it comes in.

    An address in digits is always a right name: only names can be pointed at us by somebody else's name server.
    """

    hosts: Collection[str]
    token: str = ""

    def check(self, request: Request) -> None:
        """Raise Refused unless the request comes from our own pages, from the address bar, or from a program."""
        host = request.headers.get("host", "")
        if not self._known(host):
            raise Refused(421, "this server is not known by that name", hint="call it by the address that it printed")
        origin = request.headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            raise Refused(403, "another site may not ask this server")
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise Refused(403, "another site may not ask this server", hint="open the address from the address bar")
        if self.token and not any(hmac.compare_digest(self.token.encode(), one.encode()) for one in _tokens(request)):
            raise Refused(401, "this server wants a token", hint="open the address that it printed, with ?token=…")

    def _known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        name = name.removeprefix("[").removesuffix("]").lower()
        if name in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return bool(self.token)


def _tokens(request: Request) -> list[str]:
    bearer = request.headers.get("authorization", "")
    try:
        cookie = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        cookie = None
    return [request.asked("token"), bearer.removeprefix("Bearer "), cookie.value if cookie else ""]
