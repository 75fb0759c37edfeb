"""Every error adjudge raises, in one place.

AdjudgeError
  UserError        change something and try again; exit 2
    SpecError        a judge's files
    DataError        a dataset or a row of it
    ConfigError      an option, a model name, a key
  ModelError       talking to a model; becomes a Failure
    Transient        RateLimited  TimedOut  Unreachable  ServerFailed
    Permanent        NotAuthorised  BadRequest  NotFound  ContextTooLong  Refused  NoOdds
                     ProgramFailed
  ReplyError       the reply is unusable; becomes a Failure
                     NoVerdict  Ambiguous  Malformed  OutOfScale  Missing  Truncated  TooLarge  Empty
  StoreError         Busy  Corrupt  SchemaTooNew  Conflict
  BudgetSpent      stops cleanly, resumable
    Paused           the server gives no more for now: it asks for too long a wait, or the credit is used up
    Enough           the question of --until is answered; the run is complete
  GateFailed       a threshold was missed; exit 1
"""

from __future__ import annotations

import re


class AdjudgeError(Exception):
    """The root of everything adjudge raises on purpose. What was tried is noted for the Failure it may become."""

    attempts: int = 1
    calls: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The error's name as it appears in failures and exports, e.g. `out_of_scale`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()


class UserError(AdjudgeError):
    """Something the user must change: what happened, where, and what to do."""

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(f"{where}: {what}" if where else what)

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  hint: {self.hint}" if self.hint else head


class SpecError(UserError):
    """A judge's files are wrong."""


class DataError(UserError):
    """A dataset, or one row of it, is wrong."""


class ConfigError(UserError):
    """An option, a model name or a key is wrong or absent."""


class ModelError(AdjudgeError):
    """Talking to a model went wrong; `final` where trying again was given up for the whole run."""

    final: bool = False
    #: Tokens in and out of an answer that was paid for and held no reply, as far as the server says.
    used: tuple[int, int] | None = None
    #: The whole text of such an answer where it could not be read: it is kept, and asked for again once only.
    paid: str | None = None
    #: Whether the credit or quota of the key is used up, so that no other call would be answered either.
    no_credit: bool = False


class Transient(ModelError):
    """Worth trying again."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimited(Transient):
    pass


class TimedOut(Transient):
    pass


class Unreachable(Transient):
    pass


class ServerFailed(Transient):
    pass


class Permanent(ModelError):
    """Trying again would give the same."""


class NotAuthorised(Permanent):
    pass


class BadRequest(Permanent):
    pass


class NotFound(Permanent):
    """The server knows no such address, or no such model."""


class ContextTooLong(Permanent):
    pass


class Refused(Permanent):
    pass


class NoOdds(Permanent):
    """The server states no token probabilities, and the question can't be read without."""


class ProgramFailed(Permanent):
    """A candidate's program could not be started, or ended with an error."""


class ReplyError(AdjudgeError):
    """A reply holds no usable verdict; the raw text is kept, no number is made of it."""


class NoVerdict(ReplyError):
    pass


class Ambiguous(ReplyError):
    pass


class Malformed(ReplyError):
    pass


class OutOfScale(ReplyError):
    pass


class Missing(ReplyError):
    pass


class Truncated(ReplyError):
    pass


class TooLarge(ReplyError):
    pass


class Empty(ReplyError):
    """A candidate was asked and said nothing."""


class StoreError(AdjudgeError):
    """The store cannot be used as asked."""


class Busy(StoreError):
    pass


class Corrupt(StoreError):
    pass


class SchemaTooNew(StoreError):
    pass


class Conflict(StoreError):
    pass


class BudgetSpent(AdjudgeError):
    """The run's ceiling is reached; what was judged is kept and the run can be resumed."""


class Paused(BudgetSpent):
    """The server gives no more for now; what was judged is kept and the run can be resumed later."""


class Enough(BudgetSpent):
    """The question of the run is answered, and nothing more is asked; no call is begun that is not needed."""


class GateFailed(AdjudgeError):
    """A bound set by the user was missed."""
