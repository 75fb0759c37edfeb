"""The `output` of a judge: the shape of its native verdict, and that every criterion has its place in it."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.core.judge import PARTS, Criterion, Derived, Kind, Layout, Leaf, Output, leaves
from adjudge.spec.strict import Block, suggestion

#: The part without which a criterion could not be asked for; a whole rating (no part) holds its score.
_NEEDS: dict[Kind, str] = {
    "rating": "score",
    "claims": "claims",
    "questions": "questions",
    "spans": "spans",
    "selection": "selected",
    "text": "text",
}


class OutputReader:
    """Reads the shape, or makes a plain one where the judge's file has none."""

    def __init__(self, layout: Layout, criteria: tuple[Criterion, ...], derived: tuple[Derived, ...]) -> None:
        self.layout = layout
        self.criteria = {criterion.name: criterion for criterion in criteria}
        self.derived = {value.name: value for value in derived}

    def read(self, top: Block) -> dict[str, Output]:
        """The shape under `output`, or a SpecError with file, line, key and hint."""
        if "output" not in top:
            return self._plain()
        block = top.block("output")
        if "id" in block:
            raise block.error("a verdict's own key can't be `id`", "id", "exports put the item's id there")
        shape = self._shape(block)
        shown = [leaf for leaf in leaves(shape) if leaf.name in self.criteria]
        for name, criterion in self.criteria.items():
            parts = [leaf.part or "score" for leaf in shown if leaf.name == name]
            if _NEEDS[criterion.kind] not in parts:
                whole = name if criterion.kind == "rating" else f"{name}.{_NEEDS[criterion.kind]}"
                raise block.error(f"`{name}` has no place in the output", hint=f"add `{name}: {whole}`")
            whole_and_part = Leaf(name) in shown and len(parts) > 1
            if len(set(parts)) < len(parts) or whole_and_part:
                raise block.error(f"`{name}` stands twice in the output", hint="give every part one place")
            grounds = self._places_for_evidence(shape, name) if criterion.evidence else 1
            if grounds > 1:
                raise block.error(f"the evidence of `{name}` stands twice in the output", hint="give it one place")
            if not grounds:
                raise block.error(
                    f"the evidence of `{name}` has no place in the output, since its score and reason stand apart",
                    hint=f"add `{name}_evidence: {name}.evidence`",
                )
        return shape

    @staticmethod
    def _places_for_evidence(shape: Output, name: str) -> int:
        """How often it has one: within the whole rating, within the pair of its parts, or by itself."""
        if isinstance(shape, Mapping):
            return sum(OutputReader._places_for_evidence(child, name) for child in shape.values())
        if isinstance(shape, tuple):
            return int(shape[0].name == name)
        return int(shape in (Leaf(name), Leaf(name, "evidence")))

    def _plain(self) -> dict[str, Output]:
        shape: dict[str, Output] = {}
        for name, criterion in self.criteria.items():
            if criterion.kind in ("claims", "questions", "spans"):
                shape[name] = {part: Leaf(name, part) for part in PARTS[criterion.kind]}
            else:
                shape[name] = Leaf(name, "" if criterion.kind == "rating" else _NEEDS[criterion.kind])
        for name, value in self.derived.items():
            shape[name] = Leaf(name)
            if value.operation == "winner":
                shape[f"{name}_tied"] = Leaf(name, "tied")
        return shape

    def _shape(self, block: Block) -> dict[str, Output]:
        shape: dict[str, Output] = {}
        for key in block:
            if block.holds(key) == "block":
                shape[key] = self._shape(block.block(key))
            elif block.holds(key) == "list":
                shape[key] = self._pair(block, key)
            else:
                shape[key] = self._leaf(block, key, block.text(key))
        if not shape:
            raise block.error("nothing stands here", hint="name the criteria that stand here, or remove the key")
        return shape

    def _pair(self, block: Block, key: str) -> tuple[Leaf, ...]:
        """An array: the score and the reason of one rating."""
        pair = tuple(self._leaf(block, key, word) for word in block.words(key))
        names = {leaf.name for leaf in pair}
        rating = all(name in self.criteria and self.criteria[name].kind == "rating" for name in names)
        if not rating or len(names) != 1 or sorted(leaf.part for leaf in pair) != ["reason", "score"]:
            raise block.error(
                "an array holds the score and the reason of one rating",
                key,
                f"{key}: [{key}.score, {key}.reason]",
            )
        return pair

    def _leaf(self, block: Block, key: str, word: str) -> Leaf:
        name, dot, part = word.partition(".")
        if value := self.derived.get(name):
            if part and (part != "tied" or value.operation != "winner"):
                raise block.error(f"`{name}` has no part `{part}`", key, f"write `{name}`")
            return Leaf(name, part)
        if name not in self.criteria:
            raise block.error(
                f"`{name}` is neither a criterion nor a derived value",
                key,
                suggestion(name, (*self.criteria, *self.derived)),
            )
        kind = self.criteria[name].kind
        parts = () if self.layout == "compare" and kind == "rating" else PARTS[kind]
        if not self.criteria[name].evidence:
            parts = tuple(one for one in parts if one != "evidence")
        hint = f"parts of {kind}: {', '.join(parts)}" if parts else f"write `{name}`: the scores of all candidates"
        if dot and part not in parts:
            raise block.error(f"`{name}` has no part `{part}`", key, hint)
        if not dot and kind in ("claims", "questions", "spans", "selection"):
            raise block.error(f"say which part of `{name}`", key, hint)
        return Leaf(name, "text" if kind == "text" else part)
