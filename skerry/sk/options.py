"""The options that every command has, and the client that they choose."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from skerry.sk import servers
from skerry.sk.failures import NOT_SIGNED_IN, Failure, code_of

if TYPE_CHECKING:
    from skerry.client import Client

Command = Callable[..., Any]


def _note(context: click.Context, option: click.Parameter, value: object) -> None:
    if value:
        context.find_root().meta[str(option.name)] = value


def _names(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    return [name for name in servers.load().servers if name.startswith(begun)]


def _projects(context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    # A name without blanks needs no quotes in any shell.
    from skerry.client import Project  # noqa: PLC0415 - slow to load

    with suppress(Failure), context.scope(), connected() as client:
        names = [one.permalink for one in client.list(Project)]
        return [name for name in names if name.startswith(begun.casefold())]
    return []


def common_options(command: Command) -> Command:
    """Add the options that stand in any position: the server, the project, JSON."""
    server = click.option(
        "--server",
        metavar="NAME|URL",
        expose_value=False,
        callback=_note,
        shell_complete=_names,
        help="A server that you signed in to; default: SKERRY_URL, or the chosen one.",
    )
    project = click.option(
        "--project",
        "-p",
        metavar="NAME|ID",
        expose_value=False,
        callback=_note,
        shell_complete=_projects,
        help="The project; default: SKERRY_PROJECT, or the only one.",
    )
    as_json = click.option(
        "--json",
        is_flag=True,
        expose_value=False,
        callback=_note,
        help="Print what the server sends, as JSON.",
    )
    return server(project(as_json(command)))


def chosen(name: str) -> Any:
    """Return the value of a common option, or None."""
    return click.get_current_context().find_root().meta.get(name)


@contextmanager
def connected() -> "Iterator[Client]":
    """Yield a client of the chosen server; what the client raises becomes a failure with its exit code."""
    server = servers.load().server(chosen("server"))
    if not server.url:
        raise Failure("Sign in first: sk login https://tracker.example", NOT_SIGNED_IN)
    with client_of(server) as client:
        yield client


@contextmanager
def client_of(server: servers.Server) -> "Iterator[Client]":
    """Yield a client of a server, and turn its errors into failures."""
    from skerry.client import Client, ClientError  # noqa: PLC0415 - slow to load

    project = chosen("project") or os.environ.get("SKERRY_PROJECT") or None
    try:
        with Client(server.url, server.token, project, repeats=server.knows_keys) as client:
            yield client
    except ClientError as error:
        code = code_of(error.status)
        raise Failure(f"{error}{_way_in(server) if code == NOT_SIGNED_IN else ''}", code) from error


def _way_in(server: servers.Server) -> str:
    """Return how to sign in to a server that refused its token."""
    is_given = server.token and server.token == os.environ.get("SKERRY_TOKEN")
    first = "set SKERRY_TOKEN to another one, or unset it and " if is_given else ""
    return f"; {first}sign in with: sk login {server.url}"
