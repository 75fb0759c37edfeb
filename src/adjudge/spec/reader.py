"""The two files of a judge, read side by side: structure from judge.yaml, words from the language's file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast, get_args

from adjudge.core.judge import (
    PARTS,
    Criterion,
    Derived,
    Field,
    FieldType,
    Judge,
    Kind,
    Layout,
    Leaf,
    Operation,
    Output,
    Role,
    leaves,
)
from adjudge.core.scale import Better, Scale
from adjudge.spec.strict import Block, suggestion
from adjudge.spec.template import slots, stray_brace

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_KINDS: Mapping[Layout, tuple[Kind, ...]] = {
    "single": ("rating", "claims", "questions", "selection", "text"),
    "compare": ("rating", "text"),
    "batch": ("rating",),
}


class Reader:
    """One reading of a judge in one language; `judge` gives the result or a SpecError with file, line, key and hint."""

    def __init__(self, top: Block, text: Block, lang: str, langs: tuple[str, ...]) -> None:
        self.top, self.text, self.lang, self.langs = top, text, lang, langs

    def judge(self) -> Judge:
        name = self.top.text("judge")
        if not _NAME.fullmatch(name):
            raise self.top.error(f"`{name}` is not a judge's name", "judge", "small letters, digits, - and _")
        layout = cast(Layout, self.top.choice("layout", get_args(Layout)))
        version = self.top.whole("version", 1)
        fields = self._fields(layout)
        criteria = self._criteria(layout)
        derived = self._derived(layout, criteria)
        output = self._output(layout, criteria, derived)
        judge = Judge(
            name=name,
            lang=self.lang,
            langs=self.langs,
            layout=layout,
            title=self.text.text("title"),
            about=self.text.text("about", " ").strip(),
            fields=fields,
            criteria=criteria,
            derived=derived,
            output=output,
            instructions=self._template("instructions", ("criteria", "format"), needs=("criteria", "format")),
            item=self._item(fields),
            merge=self._template("merge", ("format",), needs=("format",)) if layout == "batch" else "",
            version=version,
        )
        self.top.close()
        self.text.close()
        return judge

    def _fields(self, layout: Layout) -> tuple[Field, ...]:
        titles = self.text.block("fields")
        fields: list[Field] = []
        seen: set[str] = set()
        for name, block in self.top.blocks("fields"):
            field = Field(
                name=name,
                type=cast(FieldType, block.choice("type", get_args(FieldType), "text")),
                required=block.flag("required", True),
                aliases=block.words("also"),
                role=cast(Role, block.choice("role", get_args(Role), "other")),
                title=titles.text(name, name),
            )
            block.close(("type", "role", "required", "also"))
            if not _NAME.fullmatch(name) or name in ("id", "criteria", "format"):
                raise block.error(
                    f"a field can't be called `{name}`", hint="small letters, digits and _; `id` is always there"
                )
            for word in (name, *field.aliases):
                if word in seen:
                    raise block.error(f"the column `{word}` stands for two fields")
                seen.add(word)
            fields.append(field)
        titles.close([field.name for field in fields])
        if not fields:
            raise self.top.error("a judge needs at least one field", "fields")
        if sum(field.role == "source" for field in fields) > 1:
            raise self.top.error("two fields have the role source", "fields", "sources are cited by number: keep one")
        answers = [field for field in fields if field.type == "answers"]
        if layout == "compare" and (len(answers) != 1 or not answers[0].required):
            raise self.top.error("the compare layout needs exactly one required field of type answers", "fields")
        if layout != "compare" and answers:
            raise self.top.error(f"the {layout} layout takes no field of type answers", "fields", "use layout: compare")
        return tuple(fields)

    def _criteria(self, layout: Layout) -> tuple[Criterion, ...]:
        told = self.text.block("criteria")
        criteria: list[Criterion] = []
        for name, block in self.top.blocks("criteria"):
            if not _NAME.fullmatch(name):
                raise block.error(f"a criterion can't be called `{name}`", hint="small letters, digits and _")
            kind = cast(Kind, block.choice("kind", PARTS))
            if kind not in _KINDS[layout]:
                raise block.error(f"the {layout} layout can't hold a criterion of kind {kind}", "kind")
            told_of = told.block(name)
            scale = self._scale(kind, block, told_of)
            criteria.append(
                Criterion(
                    name=name,
                    kind=kind,
                    title=told_of.text("title"),
                    asks=told_of.text("asks").strip(),
                    scale=scale,
                    bands=self._bands(kind, block, scale),
                    measure=block.text("measure", " ").strip() or None,
                )
            )
            block.close(("kind", "scale", "bands", "measure"))
            told_of.close(("title", "asks", "labels"))
        told.close([criterion.name for criterion in criteria])
        if not any(criterion.scored for criterion in criteria):
            raise self.top.error("a judge needs at least one criterion that gives a number", "criteria")
        return tuple(criteria)

    def _scale(self, kind: Kind, block: Block, told: Block) -> Scale | None:
        if kind in ("selection", "text"):
            return None
        place = block.block("scale")
        low, high = place.whole("min"), place.whole("max")
        better = cast(Better, place.choice("better", ("higher", "lower")))
        unit = place.text("unit", " ").strip()
        place.close(("min", "max", "better", "unit"))
        if not low < high <= low + 100:
            raise place.error("`max` must be above `min`, by 100 at most")
        if kind == "questions":
            if (low, high, better) != (0, 100, "higher"):
                raise place.error("a criterion of kind questions is a share: min 0, max 100, better higher")
            return Scale(min=low, max=high, better=better, unit=unit or "%")
        labels = told.block("labels")
        meanings: dict[int, str] = {}
        for point in range(low, high + 1):
            if str(point) not in labels:
                raise labels.error(
                    f"the point {point} has no label",
                    hint=f"add `{point}: what {point} means` (every point from {low} to {high})",
                )
            meanings[point] = labels.text(str(point)).strip()
        labels.close([str(point) for point in meanings])
        return Scale(min=low, max=high, better=better, unit=unit, labels=meanings)

    @staticmethod
    def _bands(kind: Kind, block: Block, scale: Scale | None) -> tuple[int, ...]:
        bands = block.wholes("bands")
        if kind != "claims" or scale is None:
            if bands:
                raise block.error("`bands` belongs to criteria of kind claims", "bands")
            return ()
        if len(bands) != scale.max - scale.min or list(bands) != sorted(set(bands)) or min(bands, default=-1) < 0:
            raise block.error(
                f"`bands` must be {scale.max - scale.min} growing numbers: unsupported claims allowed at each point",
                "bands" if "bands" in block else None,
                "bands: [0, 2, 5]",
            )
        return bands

    def _derived(self, layout: Layout, criteria: tuple[Criterion, ...]) -> tuple[Derived, ...]:
        titles = self.text.block("derived") if "derived" in self.text else None
        derived: list[Derived] = []
        scored = [criterion.name for criterion in criteria if criterion.scored]
        for name, block in self.top.blocks("derived"):
            operations = [operation for operation in get_args(Operation) if operation in block]
            if len(operations) != 1:
                raise block.error(
                    "say one operation",
                    hint="mean, sum or percent of criteria, or winner of a sum: {mean: [coverage, accuracy]}",
                )
            operation = cast(Operation, operations[0])
            if operation == "winner":
                of: tuple[str, ...] = (block.text("winner"),)
                known = [value.name for value in derived if value.operation in ("sum", "mean")]
                if layout != "compare":
                    raise block.error("`winner` needs the compare layout", "winner")
            else:
                of, known = block.words(operation), scored
            for word in of:
                if word not in known:
                    raise block.error(
                        f"`{word}` is not something to take the {operation} of", operation, suggestion(word, known)
                    )
            if not of:
                raise block.error("the list is empty", operation)
            if name in [criterion.name for criterion in criteria]:
                raise block.error(f"`{name}` is already a criterion")
            block.close(get_args(Operation))
            derived.append(
                Derived(name=name, operation=operation, of=of, title=titles.text(name, name) if titles else name)
            )
        if titles:
            titles.close([value.name for value in derived])
        return tuple(derived)

    def _output(
        self, layout: Layout, criteria: tuple[Criterion, ...], derived: tuple[Derived, ...]
    ) -> Mapping[str, Output]:
        known = {criterion.name: criterion for criterion in criteria}
        values = {value.name: value for value in derived}
        if "output" not in self.top:
            shape: dict[str, Output] = {name: Leaf(name) for name in (*known, *values)}
            return shape

        def leaf(block: Block, key: str, word: str) -> Leaf:
            name, _, part = word.partition(".")
            if name in values and (not part or (part == "tied" and values[name].operation == "winner")):
                return Leaf(name, part)
            if name not in known:
                raise block.error(
                    f"`{name}` is neither a criterion nor a derived value", key, suggestion(name, (*known, *values))
                )
            kind = known[name].kind
            if part and (part not in PARTS[kind] or (layout == "compare" and kind == "rating")):
                raise block.error(f"`{name}` has no part `{part}`", key, f"parts of {kind}: {', '.join(PARTS[kind])}")
            if not part and kind in ("claims", "questions", "selection"):
                raise block.error(f"say which part of `{name}`", key, f"parts of {kind}: {', '.join(PARTS[kind])}")
            return Leaf(name, "text" if kind == "text" else part)

        def shape_of(block: Block) -> dict[str, Output]:
            shape: dict[str, Output] = {}
            for key in block:
                if block.holds(key) == "block":
                    shape[key] = shape_of(block.block(key))
                elif block.holds(key) == "list":
                    shape[key] = tuple(leaf(block, key, word) for word in block.words(key))
                else:
                    shape[key] = leaf(block, key, block.text(key))
            return shape

        block = self.top.block("output")
        shape = shape_of(block)
        shown = {found.name for found in leaves(shape)}
        for name in known:
            if name not in shown:
                raise block.error(f"`{name}` has no place in the output", hint=f"add `{name}: {name}`")
        return shape

    def _template(self, key: str, known: tuple[str, ...], needs: tuple[str, ...] = ()) -> str:
        text = self.text.text(key)
        if stray_brace(text) is not None:
            raise self.text.error("`{{` opens no slot", key, "a slot is {{name}}; single braces are plain text")
        found = slots(text)
        for name in found:
            if name not in known:
                raise self.text.error(f"no field fills the slot {{{{{name}}}}}", key, suggestion(name, known))
        for name in needs:
            if found.count(name) != 1:
                raise self.text.error(f"the slot {{{{{name}}}}} must stand here once", key)
        return text.strip()

    def _item(self, fields: tuple[Field, ...]) -> str:
        shown = tuple(field.name for field in fields)
        text = self._template("item", shown)
        found = slots(text)
        for field in fields:
            if field.role in ("source", "output", "query", "reference") and field.name not in found:
                raise self.text.error(
                    f"the field `{field.name}` has no slot, so the judge would never see it",
                    "item",
                    f"add {{{{{field.name}}}}}",
                )
        return text
