"""Certificates that vouch for themselves, made when they are needed: no key is kept in the repository."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

#: This machine, and two names that never resolve.
NAMES = "DNS:localhost,DNS:model.invalid,DNS:xn--bcher-kva.invalid,IP:127.0.0.1,IP:::1"


def certificate(folder: Path) -> tuple[Path, tuple[Path, Path]]:
    """A new one in a new folder: the file to trust, and what a server needs."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl on this machine to make certificates with")
    folder.mkdir()
    key, made = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", f"subjectAltName={NAMES}", "-keyout", key, "-out", made],
        check=True, capture_output=True,
    )  # fmt: skip
    return made, (made, key)


@cache
def usual() -> tuple[Path, tuple[Path, Path]]:
    """The one that the tests of this process share."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return certificate(Path(folder) / "usual")
