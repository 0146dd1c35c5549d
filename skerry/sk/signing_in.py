"""Commands for the servers and who is signed in there."""

import sys
from dataclasses import replace
from http import HTTPStatus

import click

from skerry.client import ClientError, Profile
from skerry.sk import output, servers
from skerry.sk.failures import NOT_SIGNED_IN, USAGE, Failure
from skerry.sk.options import chosen, client_of, common_options
from skerry.sk.servers import Server

_HERE = ("localhost", "127.0.0.1", "[::1]")


def _address(word: str) -> str:
    """Return the address of a server, with https unless it is on this machine."""
    if "://" in word:
        return word.rstrip("/")
    host = word.split("/", maxsplit=1)[0].rsplit(":", 1)[0]
    return f"{'http' if host in _HERE else 'https'}://{word.rstrip('/')}"


@click.command()
@click.argument("url", required=False)
@click.option("--with-token", is_flag=True, help="Ask for a token, or read it from standard input.")
@common_options
def login(url: str | None, with_token: bool) -> None:
    """Sign in to the server at a URL, which is the one that is used from then on."""
    known = servers.load()
    name = (url or chosen("server") or known.default).strip()
    if not name:
        raise Failure("Name the server, such as: sk login https://tracker.example", USAGE)
    found = known.found(name)
    server = Server(found.url if found else _address(name))
    token = _typed(server) if with_token or not sys.stdin.isatty() else _from_browser(server)
    server = _checked(replace(server, token=token))
    key = servers.name_of(server.url)
    known.servers[key], known.default = servers.keep(server), key
    servers.save(known)
    where = "the keyring" if known.servers[key].in_keyring else servers.path()
    click.echo(f"Signed in to {key} as {output.one_line(server.user)}; the token is in {where}")


def _typed(server: Server) -> str:
    """Return a token that is typed, or on standard input; raises Failure if there is none."""
    if sys.stdin.isatty():
        click.echo(f"Make a token at {server.url}/profile/tokens", err=True)
        token = str(click.prompt("Token", hide_input=True, err=True))
    else:
        token = sys.stdin.readline()
    if not token.strip():
        raise Failure("There is no token on standard input", USAGE)
    return token.strip()


def _from_browser(server: Server) -> str:
    """Return a token from the browser, or one that is typed where there is none or the server has no page."""
    from skerry.sk import hand_over  # noqa: PLC0415 - slow to load

    if hand_over.has_browser() and _status_of_events(replace(server, token="")) != HTTPStatus.NOT_FOUND:
        with client_of(replace(server, token="")) as client:
            return hand_over.token_from_browser(client)
    return _typed(server)


def _status_of_events(server: Server) -> int:
    """Return how a server answers a question for its events, which the original's interface does not have."""
    with client_of(server) as client:
        try:
            return client.request("GET", "/events", params={"after": "now", "limit": 1}).status_code
        except ClientError as error:
            if not error.status:
                raise
            return error.status


def _checked(server: Server) -> Server:
    """Return a server with the name of whose token it is, and whether it knows keys; raises Failure."""
    with client_of(server) as client:
        name = client.get(Profile).name
    # The original's interface has neither events nor keys.
    knows = _status_of_events(server) in (HTTPStatus.OK, HTTPStatus.FORBIDDEN)
    return replace(server, user=name, knows_keys=knows)


@click.command()
@common_options
def logout() -> None:
    """Forget the token of the server; revoke it on the page of your profile."""
    known = servers.load()
    found = known.found(chosen("server") or known.default)
    if found is None:
        raise Failure("You are not signed in", NOT_SIGNED_IN)
    servers.forget(found)
    key = servers.name_of(found.url)
    del known.servers[key]
    known.default = known.default if known.default != key else next(iter(known.servers), "")
    servers.save(known)
    click.echo(f"The token of {key} is forgotten here; revoke it at {found.url}/profile/tokens")


@click.command("servers")
@click.argument("use", metavar="[NAME]", required=False)
@common_options
def servers_(use: str | None) -> None:
    """List the servers that you signed in to; a NAME is the one that is used from then on."""
    known = servers.load()
    if use:
        found = known.found(use)
        if found is None:
            raise Failure(f"There is no server {use}; see: sk servers", USAGE)
        known.default = servers.name_of(found.url)
        servers.save(known)
    if output.is_json():
        output.print_json([_shown(key, server, known.default) for key, server in known.servers.items()])
        return
    rows = [(key, one.user, "used" if key == known.default else "") for key, one in known.servers.items()]
    output.print_table(("Server", "Signed in as", ""), rows)


def _shown(key: str, server: Server, default: str) -> dict[str, object]:
    return {"name": key, "url": server.url, "user": server.user, "used": key == default}
