"""The judges and their exact prompts."""

from __future__ import annotations

from adjudge.web.router import Route

ROUTES: tuple[Route, ...] = ()
