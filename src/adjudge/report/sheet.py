"""An answer to a question about runs: what is said first, the tables behind it, what must be known with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from adjudge.report.draw import Ink, drawn_section, flow
from adjudge.report.element import Child, element
from adjudge.report.html import page, sections_drawn
from adjudge.report.markdown import escape, section_lines
from adjudge.report.markdown import prose as markdown_prose
from adjudge.report.overview import people_drawn, warnings_drawn
from adjudge.report.page import Place, prose
from adjudge.report.people import Against
from adjudge.report.plain import fit, wrap
from adjudge.report.tables import Section
from adjudge.report.words import words


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """`answers` are the sentences that a hurried reader needs; `facts` say of what; `data` is the JSON.

    `signatures` are those of the runs that the figures come from; `people` is drawn where there is a page to draw on.
    """

    title: str
    lang: str
    facts: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    warnings: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    people: tuple[Against, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    def text(self, *, width: int = 80, colour: bool = False) -> str:
        """Lines of at most `width` columns."""
        columns, ink = max(width, 40), Ink(colour)
        head = [ink.bold(fit(self.title, columns)), *map(ink.dim, flow(self.facts, " · ", columns))]
        said = [line for answer in self.answers for line in wrap(answer, columns)]
        tables = [list(drawn_section(section, columns, ink)) for section in self.sections]
        warned = [ink.yellow(line) for one in self.warnings for line in wrap(f"! {one}", columns, indent="  ")]
        signed = [ink.dim(line) for one in self.signatures for line in flow(one.split("|"), "|", columns)]
        parts = (head, said, *tables, warned, signed)
        return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in parts if lines) + "\n"

    def markdown(self) -> str:
        """For pull requests and papers."""
        say = words(self.lang)
        lines = [f"# {escape(self.title)}", "", *(f"- {escape(fact)}" for fact in self.facts), ""]
        for answer in self.answers:
            lines += [markdown_prose(answer), ""]
        for section in self.sections:
            lines += [*section_lines(section), ""]
        if self.warnings:
            lines += [f"**{say('warnings')}**", "", *(f"- {markdown_prose(one)}" for one in self.warnings), ""]
        for one in self.signatures:
            # In a code span nothing is markup but the backtick that would end it.
            lines += [f"{say('signature')}: `{fit(one, 10_000).replace('`', chr(39))}`", ""]
        return "\n".join(lines)

    def html(self) -> Iterator[str]:
        """One page that needs no script and asks nothing of any network."""
        yield from page(self.title, words(self.lang), self.drawn())

    def drawn(self, place: Place = lambda _: None) -> list[Child]:
        """What stands on the page; `place` is where an item is."""
        say = words(self.lang)
        return [
            element("h1", self.title),
            element("p", " · ".join(self.facts), class_="sub") if self.facts else None,
            [element("p", prose(answer), class_="verdict") for answer in self.answers],
            warnings_drawn(self.warnings, say),
            people_drawn(self.people, say),
            sections_drawn(self.sections, place),
            element(
                "footer",
                [
                    element("p", say("signature"), ": ", element("code", one), class_="soft small")
                    for one in self.signatures
                ],
            ),
        ]
