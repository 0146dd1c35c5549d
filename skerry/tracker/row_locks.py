"""Locks on rows that are compared with what the client saw, so that they cannot change in between."""

from collections.abc import Callable, Mapping
from typing import Any

from skerry.database import locks
from skerry.resources.accounts import Account
from skerry.resources.auth import Invitation, Passkey, SetUp, Token, Welcome
from skerry.resources.bins import TicketBin
from skerry.resources.bulk_edits import AccountBulkEdit, BulkEdit
from skerry.resources.changesets import Changeset
from skerry.resources.claims import Claim
from skerry.resources.forges import Forge
from skerry.resources.links import TicketLink
from skerry.resources.lists import ListSettings
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.people import Membership, Person, Preferences, User
from skerry.resources.projects import Project, ProjectSettings
from skerry.resources.sending import Delivery, Hook, Sending
from skerry.resources.texts import EarlierText
from skerry.resources.tickets import Ticket, Version
from skerry.store import accounts, bulk_edits, forges, messages, milestones, tickets
from skerry.store.people import users
from skerry.store.table_rows import Rows
from skerry.tracker import bins, earlier_texts, projects
from skerry.tracker.context import Context, Params
from skerry.tracker.sending import hooks
from skerry.wire.record import Record

Lock = Callable[[Context, Params], object]


def locked(context: Context, kind: type[Record], params: Params, *, removes: bool) -> Context:
    """Return the context with the request's rows locked until the end of the transaction.

    With ``removes``, everything removed with the row is locked too. For a kind that is not listed here the
    whole project is locked, so changes of that kind must lock the project too.
    """
    hold = (_TO_REMOVE.get(kind) if removes else None) or LOCKS.get(kind, _hold_project)
    entered = hold(context, params)
    return entered if isinstance(entered, Context) else context


def lock_lists(context: Context) -> None:
    """Lock a list outside projects, so that nothing is added while it is compared."""
    accounts.lock(context.transaction)


def _lock_ticket(context: Context, params: Params) -> None:
    tickets.lock(context.transaction, context.project_id, params.ids["number"])


def _lock_account(context: Context, _params: Params) -> None:
    accounts.lock(context.transaction)


def _lock_caller(context: Context, _params: Params) -> None:
    users.lock(context.transaction, context.author.user_id)


def _lock_row_of(rows: Rows[Any]) -> Lock:
    return lambda context, params: rows.lock(context.transaction, context.project_id, params.ids["id"])


def _hold_project(context: Context, _params: Params) -> Context:
    return projects.locked(context)


def _lock_nothing(_context: Context, _params: Params) -> None:
    """Do nothing: rows that never change need no lock."""


LOCKS: Mapping[type[Record], Lock] = {
    Account: _lock_account,
    AccountBulkEdit: _lock_account,
    BulkEdit: _lock_row_of(bulk_edits.ROWS),
    Changeset: _lock_nothing,
    Claim: _lock_ticket,
    Delivery: hooks.lock,
    EarlierText: earlier_texts.lock,
    Forge: _lock_row_of(forges.ROWS),
    Hook: hooks.lock,
    Invitation: _lock_nothing,
    ListSettings: _lock_caller,
    Membership: _lock_nothing,
    Message: lambda context, params: messages.lock(context.transaction, context.project_id, params.ids["id"]),
    Milestone: _lock_row_of(milestones.ROWS),
    Passkey: _lock_caller,
    Person: _lock_account,
    Preferences: _lock_caller,
    Project: _hold_project,
    ProjectSettings: _hold_project,
    Sending: _lock_account,
    SetUp: _lock_nothing,
    Ticket: _lock_ticket,
    TicketBin: lambda context, _params: bins.lock(context),
    Token: _lock_nothing,
    User: _lock_caller,
    TicketLink: lambda context, _params: locks.lock_links(context.transaction),
    Version: _lock_ticket,
    Welcome: _lock_nothing,
}
"""The lock for each kind of resource that supports preconditions."""

_TO_REMOVE: Mapping[type[Record], Lock] = {
    Milestone: lambda context, params: milestones.lock_with_tickets(
        context.transaction, context.project_id, params.ids["id"]
    )
}
