"""HTTP on the standard library: requests within limits in, answers out, a thread for each connection."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from adjudge.core.limits import WEB_BODY_BYTES, WEB_SILENT_S
from adjudge.web.message import Request, Response

#: Methods that are answered, if only with a refusal.
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")


class Server(ThreadingHTTPServer):
    """Listens at once; `serve_forever` answers."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], reply: Callable[[Request], Response]) -> None:
        self.reply = reply
        super().__init__(address, _Connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no news."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = WEB_SILENT_S
    server: Server

    def _serve(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal() or int(length) > WEB_BODY_BYTES:
            self.close_connection = True
            self._send(Response(body="too much or of unknown length\n", status=413, type="text/plain"))
            return
        body = self.rfile.read(int(length))
        parts = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=parts.path,
            query=parse_qs(parts.query, keep_blank_values=True, max_num_fields=100),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )
        try:
            response = self.server.reply(request)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            response = Response(body="a fault of adjudge's own\n", status=500, type="text/plain")
        self._send(response)

    def _send(self, response: Response) -> None:
        body = response.body if isinstance(response.body, str | bytes) else "".join(response.body)
        data = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
        self.send_response(response.status)
        for name, value in {"Content-Type": response.type, **response.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def version_string(self) -> str:
        return "adjudge"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what people look at is theirs."""


for _method in METHODS:
    setattr(_Connection, f"do_{_method}", _Connection._serve)
