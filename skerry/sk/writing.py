"""Commands that change tickets."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from skerry.client import BulkEdit, Record, Ticket
from skerry.sk import editor, output, people
from skerry.sk.failures import Failure
from skerry.sk.options import common_options, connected
from skerry.sk.reading import NUMBER

if TYPE_CHECKING:
    from skerry.client import Client

_SHOWN = 10


def _text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    text = click.option("--text", "-t", help="The text, in Markdown.")
    file = click.option("--file", "-F", metavar="FILE", help="A file with the text; - is standard input.")
    return text(file(command))


def _value_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--milestone", metavar="TITLE|ID", help="The milestone, or none."),
        click.option("--assign", metavar="NAME|me", help="Who is responsible, or none."),
        click.option(
            "--tag", "tags", metavar="TAG", multiple=True, help="A tag; may be given several times."
        ),
        click.option("--state", help="The state."),
    ):
        command = option(command)
    return command


def _values(
    client: "Client", state: str | None, tags: tuple[str, ...], **named: str | None
) -> dict[str, object]:
    """Return what the options set."""
    values: dict[str, object] = {"state": state} if state else {}
    if tags:
        values["tag"] = " ".join(f'"{tag}"' if " " in tag else tag for tag in tags)
    if named.get("assign") is not None:
        values["assigned_user_id"] = people.person_id(client, str(named["assign"]))
    if named.get("milestone") is not None:
        values["milestone_id"] = people.milestone_id(client, str(named["milestone"]))
    return values


@click.command()
@click.argument("title", required=False)
@_text_options
@_value_options
@common_options
def new(title: str | None, text: str | None, file: str | None, **values: Any) -> None:
    """Open a ticket with a TITLE.

    Without one, the editor or standard input gives it in the first line, and the text below.
    """
    body = editor.given(text, file)
    if title is None:
        body = body or editor.asked("", "The first line is the title, the rest the text, in Markdown.")
        title, _, body = body.strip().partition("\n")
    with editor.draft("new", f"{title}\n\n{body or ''}".strip()), connected() as client:
        fields = {"title": title, "body": (body or "").strip(), **_values(client, **values)}
        made = client.create(Ticket, fields)
    _tell(made, "Opened", made.number)


@click.command()
@click.argument("number", type=NUMBER)
@_text_options
@common_options
def comment(number: int, text: str | None, file: str | None) -> None:
    """Comment on the ticket with a NUMBER; without --text, from the editor or standard input."""
    body = editor.given(text, file)
    if body is None:
        body = editor.asked("", f"The comment on #{number}, in Markdown.")
    with editor.draft(f"comment-{number}", body), connected() as client:
        changed = client.update(Ticket, number, {"body": body.rstrip()})
    _tell(changed, "Commented on", number)


@click.command()
@click.argument("number", type=NUMBER)
@click.argument("commands", nargs=-1)
@click.option("--title", help="The new title.")
@click.option("--comment", "-m", "said", help="A comment on the change.")
@_text_options
@_value_options
@common_options
def edit(
    number: int,
    commands: tuple[str, ...],
    title: str | None,
    said: str | None,
    text: str | None,
    file: str | None,
    **values: Any,
) -> None:
    """Change the ticket with a NUMBER by COMMANDS such as 'state:resolved', or by options.

    Without any of them, or with --text or --file, it is the text of the ticket that is edited.
    """
    words = " ".join(commands)
    if words.startswith("state:") and len(commands) == 1 and not values["state"]:
        # A server of the original's interface knows the field, but no commands.
        words, values["state"] = "", words.removeprefix("state:").strip("\"'")
    if not (words or title or said or any(values.values())):
        _edit_text(number, text, file)
        return
    with connected() as client:
        fields = (
            _values(client, **values) | ({"title": title} if title else {}) | ({"body": said} if said else {})
        )
        changed = client.update(Ticket, number, fields) if fields else None
        if words:
            client.create(BulkEdit, {"query": f"number:{number}", "command": words})
            changed = None
        if changed is None and output.is_json():
            changed = client.get(Ticket, number)
    _tell(changed, "Changed", number)


def _edit_text(number: int, text: str | None, file: str | None) -> None:
    """Replace the text with which a ticket was opened, unless somebody else does meanwhile."""

    class Text(Record):
        """The first version of the ticket, whose text is that of the ticket."""

        kind, path = "version", f"tickets/{number}/versions"
        body: str = ""

    body = editor.given(text, file)
    with connected() as client:
        before = client.get(Text, 1)
    if body is None:
        body = editor.asked(before.body, f"The text of #{number}, in Markdown.")
    if body.strip() == before.body.strip():
        raise Failure("The text is the same, so nothing was sent")
    with editor.draft(f"text-{number}", body), connected() as client:
        client.update(Text, 1, {"body": body.rstrip()}, if_match=before.etag)
    _tell(None, "Changed the text of", number)


@click.command()
@click.argument("query")
@click.argument("commands", nargs=-1, required=True)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", "-n", is_flag=True, help="Only show what would change.")
@common_options
def bulk(query: str, commands: tuple[str, ...], yes: bool, dry_run: bool) -> None:
    """Apply COMMANDS to all tickets that a QUERY finds: shows them first, and asks."""
    edit_ = {"query": query, "command": " ".join(commands)}
    with connected() as client:
        done = client.create(BulkEdit, {**edit_, "dry_run": True})
        is_asked = not (yes or dry_run)
        if is_asked or not output.is_json():
            _show_tickets(client, query, done.numbers, to_stderr=output.is_json())
        if not done.count and not output.is_json():
            return
        if is_asked and not (
            sys.stdin.isatty() and click.confirm(f"Change {_tickets(done.count)}?", err=True)
        ):
            raise Failure("Nothing was changed" if sys.stdin.isatty() else "Nothing was changed; add --yes")
        if not dry_run:
            done = client.create(BulkEdit, edit_)
    if output.is_json():
        output.print_json(done.raw)
    elif not dry_run:
        undo = f"sk api POST '/projects/{{project}}/bulk_edits/{done.id}/undo'"
        click.echo(f"Changed {_tickets(done.count)}; to undo it: {undo}")


def _show_tickets(client: "Client", query: str, numbers: list[int], *, to_stderr: bool) -> None:
    first = f"({query}) number:({','.join(map(str, numbers[:_SHOWN]))})"
    titles = {ticket.number: ticket.title for ticket in client.list(Ticket, q=first)} if numbers else {}
    for number in numbers[:_SHOWN]:
        click.echo(f"#{number} {output.one_line(titles.get(number, ''))}", err=to_stderr)
    if left := len(numbers) - _SHOWN:
        click.echo(f"and {left} more" if left > 0 else "", nl=left > 0, err=to_stderr)
    if not numbers:
        click.echo("No ticket would change", err=to_stderr)


def _tickets(count: int) -> str:
    return "1 ticket" if count == 1 else f"{count} tickets"


def _tell(changed: Ticket | None, done: str, number: int) -> None:
    """Print the ticket as JSON, or one line with its address."""
    if output.is_json():
        output.print_json(changed.raw if changed else {"number": number})
        return
    if changed and "kind" in changed.raw:
        # A text of a newcomer, which is no ticket and no comment yet.
        click.echo("Sent. A member of the project has to release it before others see it")
        return
    place = f" {changed.url}" if changed and changed.url else ""
    click.echo(f"{done} #{number}{place}")
