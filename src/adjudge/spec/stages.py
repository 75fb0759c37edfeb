"""The prompts of judging in stages: what is listed, how it is checked, and the judge of the other criteria."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from adjudge.core.judge import Criterion, Judge, only
from adjudge.core.records import Item, Prompt, Source
from adjudge.spec import contract
from adjudge.spec.prompt import fence, fenced_source, free_mark, texts
from adjudge.spec.template import split
from adjudge.spec.wording import words


def part_of(judge: Judge, names: Sequence[str]) -> Judge:
    """The judge of some of its criteria; its instructions say that the others are not asked for here."""
    return _part_of(judge, tuple(names))


@lru_cache(maxsize=64)
def _part_of(judge: Judge, names: tuple[str, ...]) -> Judge:
    if all(criterion.name in names for criterion in judge.criteria):
        return judge
    told = words(judge.lang).say("only")
    asked = _with_slots(judge.instructions, lambda name, slot: f"{told}\n\n{slot}" if name == "criteria" else slot)
    return replace(only(judge, names), instructions=asked)


@lru_cache(maxsize=64)
def without_source(judge: Judge, names: tuple[str, ...]) -> Judge:
    """The judge of some criteria that are judged by the text alone: in place of the source it says so."""
    return _instead(part_of(judge, names), lambda _: words(judge.lang).say("source_absent"), "without")


@lru_cache(maxsize=1024)
def of_part(judge: Judge, names: tuple[str, ...], n: int, of: int) -> Judge:
    """The judge of some criteria that are judged part by part of the source: before the part it says which it is."""
    told = words(judge.lang).say("source_part", n=n, of=of)
    return _instead(part_of(judge, names), lambda slot: f"{told}\n\n{slot}", f"{n}/{of}")


def _instead(judge: Judge, told: Callable[[str], str], mark: str) -> Judge:
    sources = {field.name for field in judge.with_role("source")}
    item = _with_slots(judge.item, lambda name, slot: told(slot) if name in sources else slot)
    return replace(judge, item=item, digest=f"{judge.digest}/{mark}")


def _with_slots(text: str, changed: Callable[[str, str], str]) -> str:
    """The text with each of its slots as it is, or as it is changed: a slot may be kept with words around it."""
    parts = split(text)
    parts[1::2] = [changed(name, f"{{{{{name}}}}}") for name in parts[1::2]]
    return "".join(parts)


def render_claims(judge: Judge, criterion: Criterion, key: str, text: str) -> Prompt:
    """The prompt that lists the claims of a judged text, from the text alone."""
    told, shape = words(judge.lang), contract.claim_list(judge.lang)
    asks = criterion.stages.get("list") or told.say("claims_list")
    mark = free_mark(key, text)
    (shown,) = judge.with_role("output")
    return Prompt(
        system=_system(judge, told.say("claims_head", asks=asks, language=told.language), shape),
        user="\n\n".join((told.say("fence", mark=mark), fence(mark, shown.name, text), told.say("claims_now"))),
        schema=shape,
    )


def render_support(
    judge: Judge,
    criterion: Criterion,
    key: str,
    item: Item,
    sources: Sequence[tuple[int, Source]],
    claims: Mapping[int, str],
    part: tuple[int, int] | None = None,
) -> Prompt:
    """The prompt that checks numbered claims against numbered sources, or against one part of all there are."""
    told, shape = words(judge.lang), contract.check_list(judge.lang)
    asks = criterion.stages.get("check") or told.say("claims_check")
    asked = [(field, item.text(field.name)) for field in judge.with_role("query") if field.name in item.fields]
    listed = "\n".join(f"{number}. {claim}" for number, claim in claims.items())
    mark = free_mark(key, "\n".join([*(text for _, text in asked), *texts([source for _, source in sources]), listed]))
    titles = " / ".join(field.title or field.name for field in judge.with_role("source"))
    paragraphs = [told.say("fence", mark=mark)]
    for field, text in asked:
        paragraphs += [f"# {field.title or field.name}", fence(mark, field.name, text)]
    paragraphs += [f"# {titles}", *([told.say("support_part", n=part[0], of=part[1])] if part else ())]
    paragraphs.append("\n".join(fenced_source(mark, number, source) for number, source in sources))
    paragraphs += [f"# {told.say('support_claims')}", fence(mark, "claims", listed), told.say("support_now")]
    return Prompt(
        system=_system(judge, told.say("support_head", asks=asks), shape), user="\n\n".join(paragraphs), schema=shape
    )


def _system(judge: Judge, head: str, shape: contract.Schema) -> str:
    return f"{head}\n\n{contract.stage_format(judge.lang, shape)}"
