"""What a client sends, within limits of size and time: who is silent or slow holds nobody up for ever."""

from __future__ import annotations

import socket
import time

from adjudge.core.limits import WEB_HEAD_BYTES, WEB_LINE_BYTES, WEB_REQUEST_S, WEB_SILENT_S
from adjudge.web.message import Refused

_END = b"\r\n\r\n"
_PIECE = 65_536


class Incoming:
    """The bytes of one connection; those that came too early are kept for the next request."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._kept, self._deadline = line, bytearray(), 0.0

    def head(self) -> bytes | None:
        """All before the empty line; None when the client went, or said nothing for too long."""
        self._deadline = 0.0
        searched = 0
        while True:
            # an empty line before a request is allowed, and left there by some clients after a form
            while self._kept.startswith(b"\r\n"):
                del self._kept[:2]
            if self._kept and not self._deadline:
                self._deadline = time.monotonic() + WEB_REQUEST_S
            end = self._kept.find(_END, max(0, searched - len(_END)))
            if max(end, 0 if end >= 0 else len(self._kept)) > WEB_HEAD_BYTES:
                raise self._too_much()
            if end >= 0:
                head = bytes(self._kept[:end])
                del self._kept[: end + len(_END)]
                return head
            searched = len(self._kept)
            if not self._more():
                return None

    def body(self, length: int) -> bytes:
        """So many bytes."""
        while len(self._kept) < length:
            if not self._more():
                raise Refused(400, "the body ended too early")
        body = bytes(self._kept[:length])
        del self._kept[:length]
        return body

    def _more(self) -> bool:
        left = self._deadline - time.monotonic() if self._deadline else WEB_SILENT_S
        try:
            if left <= 0:
                raise TimeoutError
            self._line.settimeout(min(left, WEB_SILENT_S))
            piece = self._line.recv(_PIECE)
        except TimeoutError:
            if not self._kept and not self._deadline:
                return False
            raise Refused(408, "the request took too long to come") from None
        self._kept += piece
        return bool(piece)

    def _too_much(self) -> Refused:
        if b"\r\n" not in self._kept[:WEB_LINE_BYTES]:
            return Refused(414, f"the address is longer than {WEB_LINE_BYTES:,} bytes")
        return Refused(431, f"the headers are longer than {WEB_HEAD_BYTES:,} bytes")
