"""What all pages of one server share: the store, and whether it is there for one run's labels alone."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.api.stored import StoredRun, open_run
from adjudge.core.errors import ConfigError
from adjudge.report.words import Words, words
from adjudge.web.message import Refused, Request


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """`store` is its URL; `labelling` is the run that `adjudge label` was started for, and "" for `adjudge serve`.

    `lang` is the language of pages that belong to no run; "" takes the browser's. `items` is how many of the run's
    items people are to label, 0 for all.
    """

    store: str
    labelling: str = ""
    lang: str = ""
    items: int = 0
    annotator: str = ""

    def run(self, request: Request) -> StoredRun:
        """The run that the address names by its id."""
        return self.named(request.params["run"])

    def named(self, name: str) -> StoredRun:
        """A run by its id or its name; while one is labelled, it alone, by its id: names tell of others."""
        if self.labelling and name != self.labelling:
            raise Refused(404, "that run is not the one to be labelled here", hint="begin at /")
        try:
            return open_run(name, store=self.store)
        except ConfigError as error:
            raise Refused(404, error.what, hint=error.hint or "") from None

    def say(self, request: Request) -> Words:
        """The words of pages that belong to no run."""
        wanted = self.lang or request.headers.get("accept-language", "")[:2].lower()
        return words(wanted)
