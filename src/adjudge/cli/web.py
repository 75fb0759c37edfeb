"""What `serve` and `label` share: where to listen, who may come in, and the server itself."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import click

from adjudge.cli.output import emit_json
from adjudge.core.errors import ConfigError
from adjudge.web.site import Site

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
        click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Another name of this server."),
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
    from adjudge.web.guard import LOCAL, Guard, is_loopback
    from adjudge.web.server import Server

    if not is_loopback(host) and not token:
        raise ConfigError(
            f"{host} can be reached from other machines, and there is no token",
            hint="set ADJUDGE_TOKEN to a long random text, or listen on 127.0.0.1",
        )
    guard = Guard(hosts={*LOCAL, *(name.lower() for name in names)}, token=token)
    try:
        server = Server((host, port), partial(answer, router(site), site, guard))
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host}:{port}: {error.strerror}", hint="give another --port; 0 takes a free one"
        ) from None
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{server.server_port}{path}"
    if as_json:
        emit_json({"url": address, "token": bool(token)})
        sys.stdout.flush()
    else:
        click.echo(f"adjudge is at {address} (Ctrl+C ends it)", err=True)
    if opened:
        webbrowser.open(f"{address}?token={quote(token)}" if token else address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    finally:
        server.server_close()
