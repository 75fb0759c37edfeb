"""A file that a browser or a program sends: in a form, or as the body itself."""

from __future__ import annotations

import re

from adjudge.core.limits import NAME_CHARS, WEB_FIELDS
from adjudge.data.rows import Upload
from adjudge.web.message import Refused, Request

#: The kinds of file that a body may be, by its content type; other kinds come in a form, under a name.
_KINDS = {"text/csv": "csv", "application/json": "json", "application/jsonl": "jsonl"}
_BOUNDARY = re.compile(r';\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
_FILE = re.compile(
    rb'^content-disposition:\s*form-data;[^\r\n]*?\bfilename="([^"\r\n]*)"', re.IGNORECASE | re.MULTILINE
)


def sent_file(request: Request, name: str) -> Upload:
    """The file of a request; a body that is one is called `name`, with the ending of its kind."""
    kind = request.headers.get("content-type", "")
    bare = kind.partition(";")[0].strip().lower()
    if bare == "multipart/form-data":
        return _in_form(kind, request.body)
    if bare not in _KINDS:
        raise Refused(415, "this is no kind of file that can be read", hint=f"send {', '.join(_KINDS)}, or a form")
    return Upload(name=f"{name}.{_KINDS[bare]}", data=request.body)


def _in_form(kind: str, body: bytes) -> Upload:
    """The first file of a form."""
    found = _BOUNDARY.search(kind)
    if found is None:
        raise Refused(400, "the form cannot be read: it does not say where its parts end")
    mark = b"--" + (found[1] or found[2]).encode("latin-1", "replace")
    for part in (b"\r\n" + body).split(b"\r\n" + mark, WEB_FIELDS + 1)[1 : WEB_FIELDS + 1]:
        head, empty, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        if empty and (file := _FILE.search(head)):
            # of a path, the last part: the name is shown to people and says the kind of file, and no more
            name = re.split(r"[/\\]", file[1].decode("utf-8", "replace"))[-1]
            if not name:
                raise Refused(400, "no file was chosen", hint="choose a file with labels")
            return Upload(name=name[-NAME_CHARS:], data=data)
    raise Refused(400, "the form has no file in it", hint="choose a file with labels")
