"""What `serve` and `label` share: where to listen, who may come in, and the server itself."""

from __future__ import annotations

import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import click

from adjudge.cli.output import emit_json
from adjudge.core.errors import ConfigError
from adjudge.core.limits import WEB_TOKEN_CHARS, WEB_TOKEN_DIFFERENT
from adjudge.web.site import Site

if TYPE_CHECKING:
    from adjudge.web.guard import Guard

F = TypeVar("F", bound=Callable[..., Any])


def web_options(command: F) -> F:
    """Options for a command with the parameters host, port, token, names, opened and lang."""
    options: tuple[Callable[[F], F], ...] = (
        click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen."),
        click.option(
            "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one."
        ),
        click.option(
            "--token",
            envvar="ADJUDGE_TOKEN",
            default="",
            metavar="TEXT",
            help="Who has it may come in; needed for any address but this machine's own. Better in ADJUDGE_TOKEN.",
        ),
        click.option(
            "--allow-host",
            "names",
            multiple=True,
            metavar="NAME[:PORT]",
            help="Another name of this server; repeatable.",
        ),
        click.option("--open/--no-open", "opened", default=False, help="Open the page in a browser."),
        click.option(
            "--lang", type=click.Choice(["en", "ru"]), help="Of pages that belong to no run [default: the browser's]."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def serve(
    site: Site, host: str, port: int, *, token: str, names: Sequence[str], opened: bool, as_json: bool, path: str = "/"
) -> None:
    """Listen and answer until interrupted; nothing listens where strangers could come in without a token."""
    from adjudge.web.app import answer, router
    from adjudge.web.server import Server

    host = host.removeprefix("[").removesuffix("]")
    token = _checked(token)
    guard, routes = _guard(host, token, names), router(site)
    # not by a name that a file of the machine could point elsewhere
    listening = "127.0.0.1" if host == "localhost" else host
    try:
        server = Server((listening, port), partial(answer, routes, site, guard))
    except (OSError, UnicodeError) as error:  # the latter where a name cannot be one
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"cannot listen on {host}:{port}: {why}", hint="another --port; 0 takes a free one") from None
    try:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        shown = f"[{host}]" if ":" in host else host or "0.0.0.0"  # noqa: S104 (for people)
        address = f"http://{shown}:{server.server_port}{path}"
        _announce(address, token, as_json=as_json)
        if opened:
            webbrowser.open(f"{address}?token={quote(token, safe='')}" if token else address)
        server.serve_forever()
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    finally:
        server.server_close()


def _guard(host: str, token: str, names: Sequence[str]) -> Guard:
    """Who may come in; an error where that would be anybody."""
    from adjudge.web.guard import LOCAL, Guard, is_loopback

    if not is_loopback(host) and not token:
        raise ConfigError(
            f"`{host}` can be reached from other machines, and there is no token",
            hint="set ADJUDGE_TOKEN to a long random text, or listen on 127.0.0.1",
        )
    return Guard(hosts={*LOCAL, host.lower()}, allowed={name.lower() for name in names}, token=token)


def _checked(given: str) -> str:
    """The token without blanks around it; an error where it could be guessed."""
    token, what = given.strip(), ""
    if given and len(token) < WEB_TOKEN_CHARS:
        what = f"the token has {len(token)} characters, and {WEB_TOKEN_CHARS} is the least"
    elif given and len(set(token)) < WEB_TOKEN_DIFFERENT:
        what = f"the token has {len(set(token))} different characters, and {WEB_TOKEN_DIFFERENT} is the least"
    if what:
        raise ConfigError(what, hint="python -c 'import secrets; print(secrets.token_urlsafe())' makes a good one")
    return token


def _announce(address: str, token: str, *, as_json: bool) -> None:
    if as_json:
        emit_json({"url": address, "token": bool(token)})
        sys.stdout.flush()
    else:
        entry = "; put ?token=… behind it" if token else ""
        click.echo(f"adjudge is at {address} (Ctrl+C ends it{entry})", err=True)
