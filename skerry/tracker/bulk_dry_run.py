"""Dry runs of bulk edits: a preview of the changes."""

from dataclasses import dataclass

from skerry.errors import Invalid, PreconditionFailed
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.projects import Project
from skerry.resources.tickets import Ticket
from skerry.store.ticket_rows import ticket_lists
from skerry.text.actions import commands_in_comment
from skerry.text.commands import COMMANDS
from skerry.tracker import bulk_edits, edit_conflicts
from skerry.tracker import tickets as ticket_rules
from skerry.tracker.changes import moves as moving_tickets
from skerry.tracker.changes.name_resolver import NameResolver
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context, Params
from skerry.wire.record import changed

MAX_SHOWN = 50
"""How many tickets a preview shows, those with the lowest numbers."""


OTHER_TICKETS = "The query now finds different tickets. Review them before you change them"


@dataclass(frozen=True)
class DryRun:
    """The preview of a bulk edit in a project; ``tickets`` are the first tickets, before and after.

    ``moved_to`` is the name of the target project, empty if the tickets stay.
    """

    project: Project
    numbers: list[int]
    tickets: list[tuple[Ticket, Ticket]]
    moved_to: str


@dataclass(frozen=True)
class Preview:
    """The preview of a bulk edit: that in each project.

    ``mark`` is a digest of the tickets, so it differs if the query finds others.
    """

    dry_runs: list[DryRun]
    mark: str

    @property
    def count(self) -> int:
        """The number of tickets."""
        return sum(len(each.numbers) for each in self.dry_runs)

    @property
    def more(self) -> int:
        """The number of tickets that are not shown."""
        return self.count - sum(len(each.tickets) for each in self.dry_runs)

    @property
    def moves(self) -> bool:
        """Whether the tickets move to another project."""
        return any(each.moved_to for each in self.dry_runs)


def preview(context: Context, query: str, command: str) -> Preview:
    """Return the preview of a bulk edit, without locks.

    Raises Invalid and Forbidden as the edit itself would, but only for the tickets that it shows.
    """
    numbers = sorted(bulk_edits.find_numbers(context, query))
    return Preview([in_project(context, numbers, command)], edit_conflicts.mark(numbers))


def in_project(context: Context, numbers: list[int], command: str, at_most: int = MAX_SHOWN) -> DryRun:
    """Return the preview of a bulk edit of some tickets of the project; raises as ``preview`` does."""
    wanted = bulk_edits.read_commands(command)
    target = moving_tickets.target(context, wanted)
    resolver = NameResolver(target or context, looking=True)
    links = bulk_edits.links_of(context, wanted, numbers, looking=True)
    change = bulk_edits.all_of(resolver, wanted, links)
    fit = moving_tickets.fitting(target) if target else None
    tickets: list[tuple[Ticket, Ticket]] = []
    for ticket in some(context, numbers, at_most):
        values = bulk_edits.changed_by(ticket.number or 0, change, ticket, fit)
        tickets.append((ticket, _as_it_would_be(ticket, values, resolver)))
    return DryRun(context.project, numbers, tickets, target.project.name if target else "")


def some(context: Context, numbers: list[int], at_most: int = MAX_SHOWN) -> list[Ticket]:
    """Return the first of these tickets of the project."""
    keys = [(context.project_id, number) for number in numbers[:at_most]]
    return ticket_lists.with_keys(context.transaction, keys)


def _as_it_would_be(ticket: Ticket, values: Values, resolver: NameResolver) -> Ticket:
    assignee, milestone = values.assigned_user_id, values.milestone_id
    # The resolver does not know people who left the project but are still assigned.
    kept_name = ticket.assigned_user_name if assignee == ticket.assigned_user_id else None
    kept_title = ticket.milestone_title if milestone == ticket.milestone_id else None
    return changed(
        values,
        assigned_user_name=kept_name or resolver.name(assignee),
        milestone_title=kept_title or resolver.title(milestone),
        importance_name=resolver.level_name(values.importance),
    )


def check_command(context: Context, number: int, text: str) -> None:
    """Raise Invalid unless a text consists of commands, in brackets or not, for a ticket; or NotFound.

    A comment skips commands that cannot be applied; a request without a comment is rejected.
    """
    inside = text.strip().removeprefix("[").removesuffix("]")
    wanted = bulk_edits.read_commands(inside)
    if any(COMMANDS[command.key].only_in_bulk for command in wanted):
        raise Invalid("Only a bulk edit moves tickets to another project")
    if commands_in_comment(f"[{inside}]") != wanted:
        # In brackets, commas separate commands.
        raise Invalid("A value with a comma must be in quotes")
    links = bulk_edits.links_of(context, wanted, [number], looking=True)
    change = bulk_edits.all_of(NameResolver(context, looking=True), wanted, links)
    bulk_edits.changed_by(number, change, ticket_rules.one(context, number), None)


def check(context: Context, params: Params, seen: str) -> None:
    """Raise PreconditionFailed if a bulk edit would change other tickets than the preview showed."""
    numbers = bulk_edits.find_numbers(context, params.draft_of(BulkEdit).new.query)
    if edit_conflicts.mark(sorted(numbers)) != seen:
        raise PreconditionFailed(OTHER_TICKETS)
