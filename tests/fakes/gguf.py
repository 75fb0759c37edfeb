"""Real models in files for tests, where the tool that fetches them is on this machine."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: Read when the tests are collected: each of them hides the user's variables from itself.
KEPT = os.environ.get("ADJUDGE_TEST_MODELS")
TOOL = Path(__file__).parents[3] / "shared" / "tools" / "local-model"


def model(name: str) -> str:
    """The path of a model, fetched once and kept: `small` for plumbing, `judge` for figures."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("a local model needs the package xllamacpp: pip install 'adjudge[local]'")
    if not TOOL.exists():
        pytest.skip("a local model needs the tool that fetches it: ../shared/tools/local-model is not here")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = KEPT or str(Path(cache) / "adjudge" / "models")
    fetched = subprocess.run([sys.executable, str(TOOL), name, folder], capture_output=True, text=True, check=False)
    if fetched.returncode:
        pytest.fail(f"the model could not be fetched: {fetched.stderr[-500:]}")
    return fetched.stdout.split()[-1]


@contextmanager
def served(path: str) -> Iterator[str]:
    """The model behind an OpenAI-compatible server of its own, as users run one; the base URL."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    library: Any = importlib.import_module("xllamacpp")
    params = library.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.verbosity = 4096, 1, -1
    server = library.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
