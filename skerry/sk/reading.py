"""Commands that show tickets."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

import click

from skerry.client import Bin, Ticket
from skerry.client.records import Version
from skerry.sk import output
from skerry.sk.failures import Failure
from skerry.sk.options import common_options, connected

if TYPE_CHECKING:
    from skerry.client import Client

_HEADINGS = ("#", "Title", "State", "Assigned to", "Tags", "Updated")
NUMBER = click.IntRange(min=1)
# Errors say "is not a valid number", not "integer range".
NUMBER.name = "number"


@click.command("list")
@click.argument("query", nargs=-1)
@click.option(
    "--limit", "-n", type=click.IntRange(1, 10_000), default=30, help="At most so many; default: 30."
)
@click.option("--bin", "-b", "bin_name", metavar="NAME", help="Those of a saved query.")
@common_options
def list_tickets(query: tuple[str, ...], limit: int, bin_name: str | None) -> None:
    """List the tickets that a QUERY finds, such as 'state:open responsible:me'."""
    with connected() as client:
        words = [_query_of(client, bin_name)] if bin_name else []
        asked = {"q": found} if (found := " ".join([*words, *query])) else {}
        # One more tells whether there are more.
        found_tickets = [*islice(client.list(Ticket, limit=min(limit + 1, 100), **asked), limit + 1)]
    tickets = found_tickets[:limit]
    if output.is_json():
        output.print_json([ticket.raw for ticket in tickets])
    else:
        output.print_table(_HEADINGS, map(_row, tickets))
    if len(found_tickets) > limit:
        click.echo(f"sk: There are more than these {limit}; see more with --limit", err=True)


def _query_of(client: "Client", name: str) -> str:
    """Return the query of a bin; raises Failure."""
    for one in client.list(Bin):
        if name.casefold() in (one.name.casefold(), str(one.id)):
            return one.query
    raise Failure(f"There is no saved query {name}")


def _row(ticket: Ticket) -> tuple[object, ...]:
    updated = ticket.updated_at.date() if ticket.updated_at else ""
    assigned = ticket.assigned_user_name or ticket.assigned_user_id or ""
    return ticket.number, ticket.title, ticket.state, assigned, ticket.tag, updated


@click.command("show")
@click.argument("number", type=NUMBER)
@common_options
def show(number: int) -> None:
    """Show the ticket with a NUMBER and its conversation."""
    with connected() as client:
        ticket = client.get(Ticket, number)
    if output.is_json():
        output.print_json(ticket.raw)
    else:
        output.show("\n".join(_lines(ticket)))


def _lines(ticket: Ticket) -> Iterator[str]:
    number, title = (
        click.style(f"#{ticket.number}", dim=True),
        click.style(output.one_line(ticket.title), bold=True),
    )
    yield f"{number} {title}"
    state = click.style(output.one_line(ticket.state), fg="green" if ticket.closed else "cyan")
    yield "".join((state, *_values(ticket)))
    if ticket.url:
        yield click.style(output.one_line(ticket.url), dim=True)
    first = ticket.body or (ticket.versions[0].body if ticket.versions else "")
    yield f"\n{output.plain(first)}" if first else ""
    known = _known_names(ticket)
    for version in ticket.versions[1:]:
        yield from _version(version, known)


def _values(ticket: Ticket) -> Iterator[str]:
    assigned = ticket.assigned_user_name or ticket.assigned_user_id
    for word, value in (
        ("assigned to", assigned),
        ("milestone", ticket.milestone_title or ticket.milestone_id),
        ("due", ticket.due_on),
        ("tags", ticket.tag),
        ("by", ticket.creator_name),
    ):
        if value:
            yield f" · {word} {output.one_line(value)}"


def _known_names(ticket: Ticket) -> dict[tuple[str, object], object]:
    """Return the names of people and milestones by kind and id, as far as the versions tell them."""
    kinds = (("assigned_user", "assigned_user_name"), ("milestone", "milestone_title"))
    raws = [version.raw for version in ticket.versions]
    return {(kind, raw.get(f"{kind}_id")): raw.get(name) for raw in raws for kind, name in kinds}


def _version(version: Version, known: Mapping[tuple[str, object], object]) -> Iterator[str]:
    when = f"{version.created_at:%Y-%m-%d %H:%M}" if version.created_at else ""
    author = output.one_line(version.user_name or version.raw.get("user_id"))
    yield f"{click.style(f'── {author}', bold=True)} {click.style(when, dim=True)}"
    for name, old in version.diffable_attributes.items():
        new = version.raw.get(name, version.raw.get(f"{name}_id"))
        before, after = (output.one_line(known.get((name, value)) or value) or "none" for value in (old, new))
        yield click.style(f"{output.one_line(name.replace('_', ' '))}: {before} → {after}", dim=True)
    yield f"{output.plain(version.body)}\n" if version.body else ""


@click.command("open")
@click.argument("number", type=NUMBER, required=False)
@common_options
def open_page(number: int | None) -> None:
    """Open the ticket with a NUMBER, or the list, in the browser; prints the address."""
    with connected() as client:
        at = f"{client.url}/projects/{client.project_id()}/tickets"
    address = f"{at}/{number}" if number else at
    click.echo(address)
    import webbrowser  # noqa: PLC0415 - slow to load

    # Where there is no browser, the address has to do.
    with suppress(webbrowser.Error):
        webbrowser.get().open(address)
