"""A scripted model that lists and checks claims as a careful one would.

A sentence is a claim, and is supported by the source that it stands in. One whose words stand in a source but for
its last number is contradicted by it; what is said of gold is significant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.fakes.server import Answer

_FENCED = re.compile(r"^<<<(\w+) ([^\n]*)\n(.*?)\n\1>>>$", re.DOTALL | re.MULTILINE)
_CITATION = re.compile(r"\s*\[[\d,\s-]+\]")


def fenced(request: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a prompt by the names of their fences."""
    return {name: text for _, name, text in _FENCED.findall(request["messages"][1]["content"])}


def asked_for(request: Mapping[str, Any]) -> str:
    """The first key of the schema that a request asks for."""
    return str(next(iter(request["response_format"]["json_schema"]["schema"]["properties"])))


def truthful(request: Mapping[str, Any], n: int) -> Answer | None:
    """Answers what is asked of claims; None, so a valid reply to anything else."""
    if "response_format" not in request:
        return None
    kind = asked_for(request)
    if kind == "claims":
        (text,) = fenced(request).values()
        return Answer(text=json.dumps({"claims": listed(text)}, ensure_ascii=False))
    if kind == "checks":
        texts = fenced(request)
        claims = dict(line.split(". ", 1) for line in texts.pop("claims").splitlines())
        sources = {int(name[1:-1]): text for name, text in texts.items() if re.fullmatch(r"\[\d+\]", name)}
        checks = [{"claim": int(number), **checked(claim, sources)} for number, claim in claims.items()]
        return Answer(text=json.dumps({"checks": checks}, ensure_ascii=False))
    return None


def listed(text: str) -> list[dict[str, str]]:
    """Every sentence as a claim, without its citations, and as it stands."""
    sentences = [one.strip() for one in re.split(r"(?<=[.!?])\s+(?!\[)", text) if one.strip()]
    return [{"claim": _CITATION.sub("", one), "words": one} for one in sentences]


def checked(claim: str, sources: Mapping[int, str]) -> dict[str, Any]:
    bare = claim.rstrip(".!? ")
    severity = "significant" if "gold" in claim else "minor"
    if own := [number for number, text in sources.items() if bare in text]:
        return {"quote": bare, "sources": own, "verdict": "supported", "severity": "none"}
    pattern = re.compile(re.sub(r"\d+(?=\D*$)", r"\\d+", re.escape(bare)))
    for number, text in sources.items() if re.search(r"\d", bare) else ():
        if found := pattern.search(text):
            return {"quote": found.group(), "sources": [number], "verdict": "contradicted", "severity": severity}
    return {"quote": "", "sources": [], "verdict": "unsupported", "severity": severity}
