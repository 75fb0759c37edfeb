"""The two files of a judge, read side by side: structure from judge.yaml, words from the language's file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast, get_args

from adjudge.core.judge import (
    Criterion,
    Derived,
    Field,
    FieldType,
    Judge,
    Layout,
    Operation,
    Output,
    ReplyForm,
    Role,
)
from adjudge.spec.criteria import STAGED, CriteriaReader
from adjudge.spec.shape import OutputReader
from adjudge.spec.strict import Block, suggestion
from adjudge.spec.template import paragraphs, slots, stray

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TOP = ("judge", "version", "reply", "layout", "languages", "staged", "fields", "criteria", "derived", "output")
_TEXT = ("title", "about", "instructions", "item", "fields", "criteria", "derived")


class Reader:
    """One reading of a judge in one language; `judge` gives the result or a SpecError with file, line, key and hint."""

    def __init__(self, top: Block, text: Block, lang: str, langs: tuple[str, ...]) -> None:
        self.top, self.text, self.lang, self.langs = top, text, lang, langs

    def judge(self) -> Judge:
        name = self.top.text("judge")
        if not _NAME.fullmatch(name):
            raise self.top.error(f"`{name}` is not a judge's name", "judge", "small letters, digits, - and _")
        layout = cast(Layout, self.top.choice("layout", get_args(Layout)))
        self.top.only(_TOP)
        self.text.only((*_TEXT, "merge") if layout == "batch" else _TEXT)
        version = self.top.whole("version", 1)
        reply = cast(ReplyForm, self.top.choice("reply", get_args(ReplyForm), "json"))
        fields = self._fields(layout)
        criteria = CriteriaReader(self.top, self.text, layout).read()
        derived = self._derived(layout, criteria)
        output = self._output(layout, criteria, derived)
        self._form(reply, layout, criteria)
        self._possible(layout, fields, criteria)
        return Judge(
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
            reply=reply,
            staged=self.top.flag("staged", False),
        )

    def _form(self, reply: ReplyForm, layout: Layout, criteria: tuple[Criterion, ...]) -> None:
        """A reply in prose can state one thing: one rating, in the layout that the form is for."""
        if reply == "json":
            return
        needed = "single" if reply in ("number", "letter") else "compare"
        if layout != needed:
            raise self.top.error(f"a reply of form {reply} needs the layout {needed}", "reply")
        scored = [criterion for criterion in criteria if criterion.scored]
        if len(scored) != 1 or scored[0].kind != "rating" or scored[0].checks or scored[0].evidence:
            raise self.top.error(f"a reply of form {reply} can state one rating only", "reply", "use reply: json")
        scale = scored[0].scale
        if reply == "letter" and scale and (not scale.whole or scale.max - scale.min > 25):
            raise self.top.error("letters stand for whole points, 26 at most", "reply", "use reply: number")
        if reply == "preference" and scale and (scale.max - scale.min) % 4:
            raise self.top.error(
                "a preference has five degrees, which the scale must be able to show",
                "reply",
                "min: 0, max: 4, or 1 to 5",
            )

    def _possible(self, layout: Layout, fields: tuple[Field, ...], criteria: tuple[Criterion, ...]) -> None:
        """Only claims and questions are listed and then checked, and only what has a source can be quoted from."""
        if "staged" in self.top and not any(criterion.kind in STAGED for criterion in criteria):
            known = f"kinds that have: {', '.join(STAGED)}"
            raise self.top.error("no criterion of this judge has stages", "staged", known)
        if any(one.evidence for one in criteria) and not any(field.role == "source" for field in fields):
            raise self.top.error("a criterion asks for evidence, and no field has the role source", "fields")
        judged = [field.type for field in fields if field.role == "output"]
        if any(one.kind == "spans" for one in criteria) and judged != ["text"]:
            raise self.top.error(
                "errors are marked in one judged text, so exactly one field of type text must have the role output",
                "fields",
                "text: {type: text, role: output}",
            )
        if not any(one.long for one in criteria):
            return
        if layout != "single" or [field.type for field in fields if field.role == "source"] != ["text"]:
            raise self.top.error(
                "`long` is for the single layout with a source of type text",
                "criteria",
                "remove `long`, or give the source `type: text`",
            )
        if any(one.long == "claims" for one in criteria) and judged != ["text"]:
            raise self.top.error(
                "`long: claims` lists the claims of one judged text, so exactly one field of type text must have the "
                "role output",
                "fields",
                "text: {type: text, role: output}",
            )

    def _fields(self, layout: Layout) -> tuple[Field, ...]:
        titles = self.text.block("fields")
        fields: list[Field] = []
        seen: set[str] = set()
        for name, block in self.top.blocks("fields"):
            if not _WORD.fullmatch(name) or name in ("id", "criteria", "format"):
                raise block.error(
                    f"a field can't be called `{name}`", hint="small letters, digits and _; `id` is always there"
                )
            block.only(("type", "role", "required", "also"))
            field = Field(
                name=name,
                type=cast(FieldType, block.choice("type", get_args(FieldType), "text")),
                required=block.flag("required", True),
                aliases=block.words("also"),
                role=cast(Role, block.choice("role", get_args(Role), "other")),
                title=titles.text(name, name),
            )
            for word in (name, *field.aliases):
                if word in seen or word == "id":
                    raise block.error(f"the column `{word}` stands for two fields", hint="take it out of one of them")
                seen.add(word)
            fields.append(field)
        if not fields:
            raise self.top.error("a judge needs at least one field", "fields", "fields: {text: {role: output}}")
        titles.only(field.name for field in fields)
        if sum(field.role == "source" for field in fields) > 1:
            raise self.top.error("two fields have the role source", "fields", "sources are cited by number: keep one")
        answers = [field for field in fields if field.type == "answers"]
        if layout == "compare" and (len(answers) != 1 or not answers[0].required):
            raise self.top.error(
                "the compare layout needs exactly one required field of type answers",
                "fields",
                "answers: {type: answers, role: output}",
            )
        if layout != "compare" and answers:
            raise self.top.error(f"the {layout} layout takes no field of type answers", "fields", "use layout: compare")
        return tuple(fields)

    def _derived(self, layout: Layout, criteria: tuple[Criterion, ...]) -> tuple[Derived, ...]:
        titles = self.text.block("derived") if "derived" in self.text else None
        derived: list[Derived] = []
        for name, block in self.top.blocks("derived"):
            if not _WORD.fullmatch(name) or name in [criterion.name for criterion in criteria]:
                raise block.error(
                    f"a derived value can't be called `{name}`",
                    hint="small letters, digits and _, and not the name of a criterion",
                )
            operation, of = self._operation(layout, block, criteria, derived)
            derived.append(
                Derived(name=name, operation=operation, of=of, title=titles.text(name, name) if titles else name)
            )
        if titles:
            titles.only(value.name for value in derived)
        return tuple(derived)

    @staticmethod
    def _operation(
        layout: Layout, block: Block, criteria: tuple[Criterion, ...], derived: list[Derived]
    ) -> tuple[Operation, tuple[str, ...]]:
        block.only(get_args(Operation))
        operations = [operation for operation in get_args(Operation) if operation in block]
        if len(operations) != 1:
            raise block.error(
                "say one operation",
                hint="mean, sum or percent of criteria, or winner of a sum: {mean: [coverage, accuracy]}",
            )
        operation = cast(Operation, operations[0])
        scales = {criterion.name: criterion.scale for criterion in criteria if criterion.scale}
        if operation == "winner":
            of: tuple[str, ...] = (block.text("winner"),)
            known = [value.name for value in derived if value.operation in ("sum", "mean")]
            if layout != "compare":
                raise block.error("`winner` needs the compare layout", "winner", "use layout: compare")
        else:
            of, known = block.words(operation), list(scales)
        for word in of:
            if word not in known:
                raise block.error(
                    f"`{word}` is not something to take the {operation} of", operation, suggestion(word, known)
                )
        if not of or len(set(of)) < len(of):
            raise block.error(
                "the list is empty or names a criterion twice", operation, f"{operation}: [{', '.join(known)}]"
            )
        if operation in ("mean", "sum") and len({scales[word].better for word in of}) > 1:
            raise block.error(
                f"the {operation} of criteria where high is good and criteria where low is good says nothing",
                operation,
                "use percent: it counts every criterion from worst to best",
            )
        return operation, of

    def _output(
        self, layout: Layout, criteria: tuple[Criterion, ...], derived: tuple[Derived, ...]
    ) -> Mapping[str, Output]:
        return OutputReader(layout, criteria, derived).read(self.top)

    def _template(self, key: str, known: tuple[str, ...], needs: tuple[str, ...] = ()) -> str:
        text = self.text.text(key)
        if at := stray(text):
            raise self.text.error(
                f"`{at}` opens no slot",
                key,
                "a slot is {{name}}, in small letters; single braces are plain text",
            )
        found = slots(text)
        for name in found:
            if name not in known:
                raise self.text.error(f"no field fills the slot {{{{{name}}}}}", key, suggestion(name, known))
        for name in needs:
            if found.count(name) != 1:
                raise self.text.error(
                    f"the slot {{{{{name}}}}} must stand here once", key, f"it stands {found.count(name)} times"
                )
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
        required = {field.name for field in fields if field.required}
        for part in paragraphs(text):
            optional = [name for name in slots(part) if name not in required]
            if optional and not required.isdisjoint(slots(part)):
                raise self.text.error(
                    f"the paragraph with {{{{{optional[0]}}}}} is left out when that field is absent, "
                    "and a required field stands in it too",
                    "item",
                    "put a blank line between them",
                )
        return text
