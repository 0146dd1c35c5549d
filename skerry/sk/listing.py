"""Commands that list other things than tickets."""

from contextlib import suppress
from itertools import islice

import click

from skerry.client import Bin, Event, Milestone, Project
from skerry.sk import output
from skerry.sk.options import common_options, connected


@click.command()
@common_options
def bins() -> None:
    """List the saved queries of the project."""
    with connected() as client:
        bins_found = [*client.list(Bin)]
    if output.is_json():
        output.print_json([one.raw for one in bins_found])
    else:
        rows = ((one.id, one.name, one.query, one.tickets_count) for one in bins_found)
        output.print_table(("Id", "Name", "Query", "Tickets"), rows)


@click.command()
@common_options
def projects() -> None:
    """List the projects that you see."""
    with connected() as client:
        projects_found = [*client.list(Project)]
    if output.is_json():
        output.print_json([one.raw for one in projects_found])
    else:
        rows = (
            (one.id, one.name, one.open_tickets_count, "archived" if one.archived else "")
            for one in projects_found
        )
        output.print_table(("Id", "Name", "Open tickets", ""), rows)


@click.command()
@common_options
def milestones() -> None:
    """List the milestones of the project."""
    with connected() as client:
        milestones_found = [*client.list(Milestone)]
    if output.is_json():
        output.print_json([one.raw for one in milestones_found])
    else:
        rows = (
            (
                one.id,
                one.title,
                one.due_on.date() if one.due_on else "",
                one.open_tickets_count,
                one.tickets_count,
            )
            for one in milestones_found
        )
        output.print_table(("Id", "Title", "Due", "Open", "Tickets"), rows)


@click.command()
@click.option("--follow", "-f", is_flag=True, help="Wait for further events, until you stop it.")
@click.option(
    "--after", metavar="NUMBER", help="Begin after this event; default: the oldest, or now with --follow."
)
@click.option("--limit", "-n", type=click.IntRange(min=1), help="Stop after so many events.")
@common_options
def events(follow: bool, after: str | None, limit: int | None) -> None:
    """List what happened, the oldest first, or follow it; JSON has one event on each line."""
    with connected() as client:
        begin = after or ("now" if follow else "")
        # To interrupt it is how to end it.
        with suppress(KeyboardInterrupt):
            for event in islice(client.events(begin, follow=follow), limit):
                if output.is_json():
                    output.print_json(event.raw, lines=True)
                else:
                    click.echo("\t".join(map(output.one_line, _line(event))))


def _line(event: Event) -> tuple[object, ...]:
    subject = f"{event.subject_kind} {event.subject_id or event.raw.get('revision') or ''}"
    changes = ", ".join(event.changes)
    return event.happened_at, event.user_name, event.type, subject, changes
