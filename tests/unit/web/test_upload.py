"""Files that are sent."""

from __future__ import annotations

import pytest

from adjudge.data.rows import Upload
from adjudge.web.message import Refused, Request
from adjudge.web.upload import sent_file


def sent(kind: str, body: bytes) -> Upload:
    return sent_file(Request(method="POST", path="/", headers={"content-type": kind}, body=body), "labels")


def form(*parts: str) -> bytes:
    return "".join(f"--x\r\n{part}\r\n" for part in parts).encode() + b"--x--\r\n"


FILE = 'Content-Disposition: form-data; name="file"; filename="{}"\r\nContent-Type: text/csv\r\n\r\nid,coverage\r\n'


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("text/csv", "labels.csv"),
        ("Text/CSV; charset=utf-8", "labels.csv"),
        ("application/json", "labels.json"),
        ("application/jsonl", "labels.jsonl"),
    ],
)
def test_a_body_is_a_file_of_the_kind_that_it_says(kind, name):
    assert sent(kind, b"a") == Upload(name=name, data=b"a")


@pytest.mark.parametrize(
    ("given", "name"),
    [("l.csv", "l.csv"), ("C:\\Users\\me\\l.csv", "l.csv"), ("../../etc/l.csv", "l.csv"), ("ё.csv", "ё.csv")],
)
def test_a_form_has_a_file_under_its_own_name(given, name):
    text = 'Content-Disposition: form-data; name="other"\r\n\r\nfilename="no.csv"'
    found = sent("multipart/form-data; boundary=x", form(text, FILE.format(given)))
    assert found == Upload(name=name, data=b"id,coverage\r\n")


@pytest.mark.parametrize(
    ("kind", "body", "status", "said"),
    [
        ("text/html", b"", 415, "no kind of file"),
        ("", b"", 415, "no kind of file"),
        ("multipart/form-data", form(FILE.format("l.csv")), 400, "where its parts end"),
        ("multipart/form-data; boundary=y", form(FILE.format("l.csv")), 400, "no file in it"),
        ("multipart/form-data; boundary=x", b"", 400, "no file in it"),
        ("multipart/form-data; boundary=x", form(FILE.format("")), 400, "no file was chosen"),
        ("multipart/form-data; boundary=x", b"\r\n--x" * 2_000 + form(FILE.format("l.csv")), 400, "no file in it"),
    ],
)
def test_what_is_no_file_is_refused(kind, body, status, said):
    with pytest.raises(Refused, match=said) as caught:
        sent(kind, body)
    assert caught.value.status == status
