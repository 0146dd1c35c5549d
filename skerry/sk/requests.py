"""The command that sends any request."""

import json
import sys
from functools import partial
from pathlib import Path

import click

from skerry.sk.failures import USAGE, Failure
from skerry.sk.options import common_options, connected

_METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS")
_PROJECT = "{project}"


def _pair(_context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    if any(not between for _, between, _ in pairs):
        raise click.BadParameter("Write name=value", param=option)
    return {name: value for name, _, value in pairs}


_pairs = partial(click.option, metavar="NAME=VALUE", multiple=True, callback=_pair)


@click.command()
@click.argument("method", type=click.Choice(_METHODS, case_sensitive=False))
@click.argument("path")
@click.option("--data", "-d", metavar="JSON|@FILE|-", help="The body: JSON, a file, or standard input.")
@_pairs("--field", "-f", "fields", help="A text of the body.")
@_pairs("--query", "-q", "params", help="A parameter of the address.")
@_pairs("--header", "-H", "headers", help="A header.")
@click.option("--include", "-i", is_flag=True, help="Print the status and the headers, too.")
@common_options
def api(
    method: str,
    path: str,
    data: str | None,
    fields: dict[str, str],
    params: dict[str, str],
    headers: dict[str, str],
    include: bool,
) -> None:
    """Send a request to a PATH such as /projects/{project}/tickets, and print the answer as it comes."""
    if data is not None and fields:
        raise Failure("Use either --data or --field", USAGE)
    content = json.dumps(fields).encode() if fields else _body(data)
    with connected() as client:
        if _PROJECT in path:
            path = path.replace(_PROJECT, str(client.project_id()))
        path = path if path.startswith("/") else f"/{path}"
        answer = client.request(method.upper(), path, content=content, params=params or None, headers=headers)
    if include:
        click.echo(f"{answer.status_code} {answer.reason_phrase}")
        click.echo("".join(f"{name}: {value}\n" for name, value in answer.headers.items()))
    if answer.content:
        click.echo(answer.content, nl=sys.stdout.isatty() or not answer.content.endswith(b"\n"))


def _body(data: str | None) -> bytes | None:
    if data == "-":
        return sys.stdin.buffer.read()
    if data is not None and data.startswith("@"):
        return Path(data[1:]).read_bytes()
    return None if data is None else data.encode()
