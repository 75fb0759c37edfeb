"""How HTTP/1.1 is read (RFC 9112): bytes in, in any pieces, one whole answer out. No socket in here.

What is not exactly right is refused. A client that guesses where an answer ends can take the next one for this one.
"""

from __future__ import annotations

import re

from adjudge.core import limits

_NAME = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
_TEXT = rb"[^\x00-\x08\x0a-\x1f\x7f]*+"
_FIELDS = rb"(?:%b:%b\r\n)*+" % (_NAME, _TEXT)
_STATUS = rb"HTTP/1\.([0-9]) ([1-9][0-9]{2})(?: (%b))?\r\n" % _TEXT
_STATUS_LINE, _HEAD, _TRAILER = re.compile(_STATUS), re.compile(_STATUS + b"(%b)" % _FIELDS), re.compile(_FIELDS)
_CHUNK = re.compile(rb"\r\n([0-9A-Fa-f]{1,15})[ \t]*+(?:;%b)?\r\n" % _TEXT)
_LENGTH, _CODING = b"\r\ncontent-length:", b"\r\ntransfer-encoding:"
_CONNECTION, _PACKING = b"\r\nconnection:", b"\r\ncontent-encoding:"
_IN_HEAD, _IN_SIZED, _IN_CHUNKS, _IN_TRAILER, _TO_THE_END = range(5)
_LENGTH_DIGITS = 15


class Invalid(Exception):
    """The bytes are no valid HTTP. The words may quote the server."""


class Incoming:
    """One answer on its way. Interim answers (100, 103) are passed over."""

    # Most answers come in one piece and never need most of these: set here, they cost nothing per answer.
    status = 0
    reason = fields = packing = b""
    body: bytes | bytearray = b""
    #: Whether a byte of it has come.
    begun = False
    #: Whether the connection may carry another exchange after this one.
    keep = False
    #: Whether the body went over its limit; what is kept of it is its beginning.
    oversize = False
    _state = _IN_HEAD
    _start = b""
    _buffer: bytearray
    _left = _interim = _limit = 0

    def __init__(self, *, bodiless: bool = False) -> None:
        self._bodiless = bodiless  # an answer to CONNECT ends with its head

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; true when the answer is whole."""
        self.begun = True
        if self._state == _IN_HEAD:
            return self._head(self._start + data if self._start else data)
        if self._state == _IN_SIZED:
            return self._sized(data)
        if self._state == _TO_THE_END:
            return self._collected(data)
        return self._chunks(data)

    def end(self) -> bool:
        """The server closed its side; true when that is how this answer ends."""
        return self._state == _TO_THE_END

    def _head(self, data: bytes) -> bool:
        while (end := data.find(b"\r\n\r\n", 0, limits.HEAD_BYTES)) >= 0:
            block = data[: end + 2]
            match = _HEAD.fullmatch(block)
            if match is None:
                raise Invalid(_what_is_wrong(block))
            if block.count(b"\n") > limits.HEAD_LINES:
                raise Invalid(f"more than {limits.HEAD_LINES} header lines")
            minor, status, reason, self.fields = match.groups()
            self.status, self.reason = int(status), reason or b""
            data = data[end + 4 :]
            if self.status >= 200:
                self._frame(block.lower(), minor != b"0")
                return self._begin(data)
            self._interim += 1
            if self.status == 101 or self._interim > limits.INTERIM_ANSWERS:
                raise Invalid(f"status {self.status} where none of its kind was due")
        if len(data) >= limits.HEAD_BYTES:
            raise Invalid(f"a head of more than {limits.HEAD_BYTES} bytes")
        # Not worth waiting for the rest of what is no HTTP already, such as the greeting of a mail server.
        if not b"HTTP/1.".startswith(data[:7]) or data.count(b"\n") != data.count(b"\r\n"):
            raise Invalid(_what_is_wrong(data))
        self._start = data
        return False

    def _frame(self, head: bytes, persistent: bool) -> None:
        """Where the body ends, and whether the connection goes on."""
        lengths, codings, packings = _values(head, _LENGTH), _values(head, _CODING), _values(head, _PACKING)
        if len(lengths) + len(codings) > 1:
            raise Invalid("the length of the body is stated more than once")
        told = [word.strip() for value in _values(head, _CONNECTION) for word in value.split(b",")]
        self.keep = b"close" not in told and (persistent or b"keep-alive" in told)
        self.packing = b",".join(packings)
        self._limit = limits.RESPONSE_BYTES if 200 <= self.status < 300 else limits.ERROR_BODY_BYTES
        self._state = _IN_SIZED
        if self._bodiless:
            self.keep = True
        elif self.status in (204, 304):
            pass
        elif codings:
            if codings[0] != b"chunked":
                raise Invalid("a transfer-encoding that was not asked for")
            self._state, self.keep = _IN_CHUNKS, self.keep and persistent
        elif lengths:
            if not lengths[0].isdigit() or len(lengths[0]) > _LENGTH_DIGITS:
                raise Invalid("a content-length that is no number")
            self._left = int(lengths[0])
        else:
            self._state, self.keep = _TO_THE_END, False

    def _begin(self, data: bytes) -> bool:
        if self._state == _IN_SIZED:
            if len(data) == self._left <= self._limit:
                self.body = data
                return True
            if self._left > self._limit:
                self.oversize, self.keep = True, False
                # A part of a reply is worth nothing, so none is read; of an error the beginning is.
                self._left = 0 if 200 <= self.status < 300 else self._limit
        self.body = bytearray()
        if self._state == _IN_CHUNKS:
            self._buffer = bytearray(b"\r\n")  # with it, the first size line looks like the others
        return self.feed(data)

    def _sized(self, data: bytes) -> bool:
        self.body += data
        if len(self.body) > self._left:  # bytes that nobody asked for: what follows can't be trusted
            self.body, self.keep = self.body[: self._left], False
        return len(self.body) == self._left

    def _collected(self, data: bytes | bytearray) -> bool:
        self.body += data
        if len(self.body) > self._limit:
            self.body, self.oversize, self.keep = self.body[: self._limit], True, False
        return self.oversize

    def _chunks(self, data: bytes) -> bool:
        buffer = self._buffer
        buffer += data
        while self._state == _IN_CHUNKS:
            if self._left:
                piece = buffer[: self._left]
                del buffer[: self._left]
                self._left -= len(piece)
                if self._collected(piece):
                    return True
                if self._left:
                    return False
            end = buffer.find(b"\r\n", 2, limits.CHUNK_LINE_BYTES)
            if not b"\r\n".startswith(buffer[:2]) or (end < 0 and len(buffer) >= limits.CHUNK_LINE_BYTES):
                raise Invalid("a chunk that does not end where it should")
            if end < 0:
                return False
            match = _CHUNK.fullmatch(buffer, 0, end + 2)
            if match is None:
                raise Invalid("a chunk without a size")
            self._left = int(match[1], 16)
            if self._left:
                del buffer[: end + 2]
            else:
                del buffer[
                    :end
                ]  # its line break stays, so that the trailer ends in an empty line even where it is empty
                self._state = _IN_TRAILER
        return self._trailer(buffer)

    def _trailer(self, buffer: bytearray) -> bool:
        end = buffer.find(b"\r\n\r\n", 0, limits.HEAD_BYTES)
        if end < 0:
            if len(buffer) >= limits.HEAD_BYTES:
                raise Invalid(f"a trailer of more than {limits.HEAD_BYTES} bytes")
            return False
        if not _TRAILER.fullmatch(buffer, 2, end + 2):
            raise Invalid("a broken trailer")
        self.keep = self.keep and len(buffer) == end + 4
        return True


def _values(head: bytes, name: bytes) -> list[bytes]:
    """The values of a header, all in lower case."""
    if name not in head:
        return []
    return [part.partition(b"\r\n")[0].strip(b" \t") for part in head.split(name)[1:]]


def _what_is_wrong(block: bytes) -> str:
    if _STATUS_LINE.match(block):
        return "a broken header line"
    return f"it begins with {block[:80].decode('latin-1')}"
