"""Who may ask: against other sites in the user's browser, names that turn into our address, and strangers."""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from adjudge.web.message import Refused, Request, Response

#: The names by which a browser on this machine may call us.
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)|\[([0-9a-f:.]+)\])(?::([0-9]{1,5}))?")


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
    """`hosts` are the names of the address we listen on; a port that stands behind one must be ours.

    `allowed` are further names, of proxies and tunnels that lead to us: with a port, or for any. With a `token`, only
    who has it comes in, and an address in digits is always a right name: only names can be pointed at us by somebody
    else's name server.
    """

    hosts: Collection[str]
    allowed: Collection[str] = ()
    token: str = ""

    def check(self, request: Request) -> Response | None:
        """Raise Refused unless the request comes from our own pages, from the address bar, or from a program.

        Who comes with the token in the address gets a cookie instead, and the way on.
        """
        if "host" not in request.headers:
            raise Refused(400, "the request does not say which host it is for")
        host = request.headers["host"].lower()
        origins = self._origins(host, request.port)
        if not origins:
            raise Refused(
                421,
                "this server is not known by that name",
                hint="call it by the address that it printed; --allow-host NAME gives it another name",
            )
        if request.headers.get("origin", origins[0]) not in origins:
            raise Refused(403, "another site may not ask this server")
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise Refused(403, "another site may not ask this server", hint="open the address from the address bar")
        return self._entered(request) if self.token else None

    def _origins(self, host: str, port: int) -> tuple[str, ...]:
        """The origins that our own pages have for a browser that calls us `host`; none if we have no such name."""
        found = _HOST.fullmatch(host)
        if found is None:
            return ()
        name, digits, given = found.groups()
        name = _address(digits) if digits else name
        if name in self.hosts and given in (None, str(port)):
            return (f"http://{host}",)
        if name in self.allowed or f"{name}:{given}" in self.allowed:
            return (f"http://{host}", f"https://{host}")
        return (f"http://{host}",) if self.token and _address(name) else ()

    def _entered(self, request: Request) -> Response | None:
        token, pass_ = self.token.encode("utf-8", "surrogateescape"), f"adjudge_{request.port}"
        held = hmac.new(token, b"cookie", "sha256").hexdigest()
        if request.method in ("GET", "HEAD") and hmac.compare_digest(token, request.asked("token").encode()):
            rest = urlencode({name: value for name, value in request.query.items() if name != "token"}, doseq=True)
            return Response(
                status=303,
                headers={
                    "Location": f"{request.path}?{rest}" if rest else request.path,
                    "Set-Cookie": f"{pass_}={held}; Path=/; HttpOnly; SameSite=Strict",
                },
            )
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(token, bearer.strip().encode("latin-1", "replace")):
            return None
        for one in request.headers.get("cookie", "").split(";"):
            name, _, value = one.strip().partition("=")
            if name == pass_ and hmac.compare_digest(held.encode(), value.encode("latin-1", "replace")):
                return None
        raise Refused(
            401,
            "this server wants a token",
            hint="open the address that it printed, with ?token=… behind it",
            headers={"WWW-Authenticate": "Bearer"},
        )


def _address(text: str) -> str:
    """An address in digits, spelled as we spell it; "" for whatever else."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return ""
