"""The command for the files of a ticket: list, attach, fetch."""

import secrets
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

import click

from skerry.client import Record
from skerry.sk import output
from skerry.sk.failures import USAGE, Failure
from skerry.sk.options import common_options, connected
from skerry.sk.reading import NUMBER

if TYPE_CHECKING:
    from skerry.client import Client

_FIELD = "ticket[attachment][]"


class _File(Record):
    """A file attached to a ticket."""

    kind = "attachment"

    filename: str = ""
    size: int = 0


class _Ticket(Record):
    """A ticket with its files."""

    kind, path = "ticket", "tickets"

    attachments: list[_File] = []


@click.command()
@click.argument("number", type=NUMBER)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--text", "-t", help="A comment with the files.")
@click.option("--get", "-g", "names", metavar="NAME|ID", multiple=True, help="Fetch this file.")
@click.option("--all", "-a", "gets_all", is_flag=True, help="Fetch all files.")
@click.option("--output", "-o", "to", metavar="FOLDER|-", default=".", help="Where to; - is standard output.")
@common_options
def attach(
    number: int, files: tuple[Path, ...], text: str | None, names: tuple[str, ...], gets_all: bool, to: str
) -> None:
    """Attach FILES to the ticket with a NUMBER, fetch its files, or list them."""
    if files and (names or gets_all):
        raise Failure("Use either files or --get and --all", USAGE)
    if text and not files:
        raise Failure("Name the files that belong to the text, or use: sk comment", USAGE)
    with connected() as client:
        if files:
            _attach(client, number, files, text or "")
        found = client.get(_Ticket, number).attachments
        if names or gets_all:
            for file in found if gets_all else [_named(found, name) for name in names]:
                _fetch(client, file, to)
            return
    if output.is_json():
        output.print_json([file.raw for file in found])
    elif files:
        click.echo(f"Attached {', '.join(file.name for file in files)} to #{number}")
    else:
        rows = ((file.id, file.filename, file.size, file.created_at) for file in found)
        output.print_table(("Id", "Name", "Bytes", "Attached"), rows)


def _attach(client: "Client", number: int, files: tuple[Path, ...], text: str) -> None:
    """Send files in a form, which is read from the disk while it is sent."""
    kind = f"multipart/form-data; boundary={secrets.token_hex(16)}"
    with ExitStack() as opened:
        sent = [(_FIELD, (file.name, opened.enter_context(file.open("rb")))) for file in files]
        client.request(
            "PUT",
            client.path(_Ticket, number, client.project_id()),
            data={"ticket[body]": text},
            files=sent,
            headers={"Content-Type": kind},
        )


def _named(found: list[_File], name: str) -> _File:
    """Return the newest file with a name, or the one with an id; raises Failure."""
    fits = [file for file in found if name in (file.filename, str(file.id))]
    if not fits:
        known = ", ".join(output.one_line(file.filename) for file in found) or "none"
        raise Failure(f"There is no file {name}; the ticket has {known}")
    return fits[-1]


def _fetch(client: "Client", file: _File, to: str) -> None:
    """Write a file to a folder, where it replaces nothing, or to standard output."""
    if to == "-":
        _receive(client, file, sys.stdout.buffer)
        return
    # The name is the server's, and must not lead to another folder.
    name = output.one_line(file.filename).replace("/", "_").replace("\\", "_")
    path = Path(to) / (name if name.strip(".") else f"attachment-{file.id}")
    with path.open("xb") as written:
        try:
            _receive(client, file, written)
        except BaseException:
            path.unlink()
            raise
    click.echo(str(path))


def _receive(client: "Client", file: _File, to: BinaryIO) -> None:
    """Write what the server sends, as it comes."""
    import httpx  # noqa: PLC0415 - slow to load

    from skerry.client.exchange import checked  # noqa: PLC0415 - the same

    address = f"{client.url}/attachments/{file.id}/{quote(file.filename, safe='')}"
    try:
        with (
            httpx.Client(**client.options) as http,
            http.stream("GET", address, headers={"Accept": "*/*"}) as answer,
        ):
            if not answer.is_success:
                answer.read()
            to.writelines(checked(answer).iter_bytes())
    except httpx.TransportError as error:
        checked(error)
