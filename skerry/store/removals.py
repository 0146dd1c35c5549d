"""Removals of people, with the data to undo them."""

import json
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from sqlalchemy import Select, bindparam, delete, exists, func, insert, or_, select, update

from skerry.database import rows
from skerry.database.statements import Row, Statement, in_account, matching
from skerry.database.transactions import Transaction
from skerry.resources.removals import Removal
from skerry.store.people import single_sign_on
from skerry.store.people.people import JOIN_ACCOUNT, JOIN_PROJECT
from skerry.store.projects import LATER
from skerry.store.tables import account_members, project_members, projects, removals, tickets, users

UNDO_PERIOD = 7 * 86_400_000_000
"""How long a removal can be undone, in microseconds."""

_HERE = in_account(removals)
_FRESH = removals.c.created_at > bindparam("since")


@dataclass
class FormerRoles:
    """The memberships and responsibilities of a person before their removal, and the reassignments.

    ``role`` and ``joined_at`` describe the membership in the account. ``projects`` lists the person's
    projects, each with the id and the time of the membership. ``defaults`` are the projects that assigned new
    tickets to them. ``bulk_edits`` reassigned their tickets, one in each project.
    """

    role: str | None = None
    membership_id: int | None = None
    joined_at: int = 0
    projects: list[tuple[int, int, int]] = field(default_factory=list)
    defaults: list[int] = field(default_factory=list)
    bulk_edits: list[tuple[int, int]] = field(default_factory=list)
    reassigned: int = 0


class Load(NamedTuple):
    """The number of open tickets of a project that are assigned to a person."""

    project_id: int
    name: str
    archived: bool
    open_tickets: int


class StoredRemoval(NamedTuple):
    """What a removal stored, and the successor."""

    former: FormerRoles
    successor_id: int | None


_IN_ACCOUNT = Statement(
    select(account_members.c.role, account_members.c.id, account_members.c.created_at).where(
        in_account(account_members), account_members.c.user_id == bindparam("user_id")
    )
)

# 0 stands for every project.
_IN_PROJECTS = Statement(
    select(project_members.c.project_id, project_members.c.id, project_members.c.created_at)
    .where(
        in_account(project_members),
        project_members.c.user_id == bindparam("user_id"),
        or_(bindparam("of_project") == 0, project_members.c.project_id == bindparam("of_project")),
    )
    .order_by(project_members.c.project_id),
    across_projects="administration",
)

_BY_DEFAULT = (
    in_account(projects),
    projects.c.default_assigned_user_id == bindparam("of_user"),
    or_(bindparam("of_project") == 0, projects.c.id == bindparam("of_project")),
)
_DEFAULTS = Statement(
    select(projects.c.id).where(*_BY_DEFAULT).order_by(projects.c.id), across_projects="administration"
)

_REASSIGN_DEFAULT = Statement(
    update(projects)
    .where(*_BY_DEFAULT)
    .values(default_assigned_user_id=bindparam("successor_id"), updated_at=LATER),
    across_projects="administration",
)

# Defaults that were set since stay.
_RESTORE_DEFAULT = Statement(
    update(projects)
    .where(
        in_account(projects),
        projects.c.id == bindparam("project_id"),
        func.coalesce(projects.c.default_assigned_user_id, 0).in_((0, bindparam("present"))),
    )
    .values(default_assigned_user_id=bindparam("of_user"), updated_at=LATER)
)

_LOADS = Statement(
    select(projects.c.id, projects.c.name, projects.c.archived, func.count())
    .select_from(tickets.join(projects, matching(projects, tickets, id="project_id")))
    .where(
        in_account(tickets),
        tickets.c.assigned_user_id == bindparam("of_user"),
        tickets.c.closed == 0,
        or_(bindparam("of_project") == 0, tickets.c.project_id == bindparam("of_project")),
    )
    .group_by(projects.c.id, projects.c.name, projects.c.archived)
    .order_by(projects.c.id),
    across_projects="administration",
)

_INSERT = Statement(insert(removals))

# A removal from the account replaces those from its projects.
_FORGET = Statement(
    delete(removals).where(
        _HERE,
        or_(
            ~_FRESH,
            (removals.c.user_id == bindparam("of_user"))
            & or_(bindparam("of_project") == 0, removals.c.project_id == bindparam("of_project")),
        ),
    ),
    across_projects="administration",
)

# 0 stands for the account.
_PLACE = (_HERE, _FRESH, removals.c.project_id == bindparam("project_id"))


def _listed(of: Select[tuple[int]]) -> Statement:
    """Select the removals from a project or the account of people who have not returned in another way."""
    person, creator, successor = users.alias("person"), users.alias("creator"), users.alias("successor")
    joined = (
        removals.join(person, person.c.id == removals.c.user_id)
        .outerjoin(creator, creator.c.id == removals.c.creator_id)
        .outerjoin(successor, successor.c.id == removals.c.successor_id)
    )
    return Statement(
        select(
            removals.c.user_id,
            person.c.name,
            removals.c.membership_id,
            removals.c.successor_id,
            successor.c.name,
            removals.c.creator_id,
            creator.c.name,
            removals.c.created_at,
            removals.c.kept,
        )
        .select_from(joined)
        .where(*_PLACE, ~exists(of))
        .order_by(removals.c.created_at.desc(), removals.c.user_id)
    )


_STILL_IN_ACCOUNT = select(account_members.c.user_id).where(
    in_account(account_members), account_members.c.user_id == removals.c.user_id
)
_STILL_IN_PROJECT = select(project_members.c.user_id).where(
    in_account(project_members),
    project_members.c.project_id == removals.c.project_id,
    project_members.c.user_id == removals.c.user_id,
)
_OF_ACCOUNT, _OF_PROJECT = _listed(_STILL_IN_ACCOUNT), _listed(_STILL_IN_PROJECT)

# A concurrent restoration waits for this lock, and then finds the person restored.
_LOCK = Statement(
    select(removals.c.kept, removals.c.successor_id)
    .where(*_PLACE, removals.c.user_id == bindparam("of_user"))
    .with_for_update()
)

_PROJECT = Statement(
    select(projects.c.id).where(in_account(projects), projects.c.id == bindparam("project_id"))
)


def read_roles(transaction: Transaction, user_id: int, project_id: int = 0) -> FormerRoles:
    """Return a person's memberships and defaults in a project, or in the account with all its projects."""
    former = FormerRoles()
    if not project_id:
        row = transaction.one(_IN_ACCOUNT, user_id=user_id)
        former.role, former.membership_id, former.joined_at = row or (None, None, 0)
    rows = transaction.all(_IN_PROJECTS, user_id=user_id, of_project=project_id)
    former.projects = [(project, membership, joined_at) for project, membership, joined_at in rows]
    former.defaults = [row[0] for row in transaction.all(_DEFAULTS, of_user=user_id, of_project=project_id)]
    return former


def loads(transaction: Transaction, user_id: int, project_id: int = 0) -> list[Load]:
    """Return the number of a person's open tickets, by project, in one project or in all."""
    rows = transaction.all(_LOADS, of_user=user_id, of_project=project_id)
    return [Load(project, name, bool(archived), count) for project, name, archived, count in rows]


def reassign_default(transaction: Transaction, user_id: int, successor_id: int, project_id: int) -> None:
    """Replace a person by their successor as the default assignee of a project."""
    transaction.run(
        _REASSIGN_DEFAULT,
        of_user=user_id,
        successor_id=successor_id,
        of_project=project_id,
        now=transaction.now,
    )


def add(
    transaction: Transaction,
    user_id: int,
    former: FormerRoles,
    *,
    creator_id: int,
    successor_id: int | None,
    project_id: int,
) -> None:
    """Add a removal, and delete those that can no longer be undone."""
    transaction.run(_FORGET, of_user=user_id, of_project=project_id, since=transaction.now - UNDO_PERIOD)
    transaction.run(
        _INSERT,
        user_id=user_id,
        project_id=project_id,
        membership_id=former.projects[0][1] if project_id else former.membership_id,
        successor_id=successor_id,
        creator_id=creator_id,
        created_at=transaction.now,
        kept=json.dumps(asdict(former)),
    )


def list_all(transaction: Transaction, project_id: int = 0) -> list[Removal]:
    """Return the removals from a project or from the account that can be undone, the latest first."""
    statement = _OF_PROJECT if project_id else _OF_ACCOUNT
    rows = transaction.all(statement, project_id=project_id, since=transaction.now - UNDO_PERIOD)
    return [_removal(row, project_id) for row in rows]


def _removal(row: Row, project_id: int) -> Removal:
    user_id, name, membership_id, successor_id, successor, creator_id, creator, created_at, former = row
    return Removal(
        created_at=rows.timestamp(created_at),
        creator_id=creator_id,
        creator_name=creator,
        expires_at=rows.timestamp(created_at + UNDO_PERIOD),
        membership_id=membership_id,
        project_id=project_id or None,
        reassigned_count=_read(former).reassigned,
        successor_id=successor_id,
        successor_name=successor,
        user_id=user_id,
        user_name=name,
    )


def pop(transaction: Transaction, user_id: int, project_id: int = 0) -> StoredRemoval | None:
    """Return what a removal stored, and delete it; None if there is none that can be undone."""
    since = transaction.now - UNDO_PERIOD
    row = transaction.one(_LOCK, of_user=user_id, project_id=project_id, since=since)
    if row is None:
        return None
    transaction.run(_FORGET, of_user=user_id, of_project=project_id, since=since)
    return StoredRemoval(_read(row[0]), row[1])


def _read(text: str) -> FormerRoles:
    return FormerRoles(**json.loads(text))


def restore_memberships(transaction: Transaction, user_id: int, former: FormerRoles) -> None:
    """Restore a person's memberships in projects that still exist, unless they are a member."""
    if former.role and not transaction.one(_IN_ACCOUNT, user_id=user_id):
        membership = {"id": former.membership_id, "created_at": former.joined_at}
        transaction.run(JOIN_ACCOUNT, user_id=user_id, role=former.role, **membership)
    for project_id, membership_id, joined_at in former.projects:
        there = transaction.one(_PROJECT, project_id=project_id)
        if there and not transaction.one(_IN_PROJECTS, user_id=user_id, of_project=project_id):
            membership = {"id": membership_id, "created_at": joined_at}
            transaction.run(JOIN_PROJECT, project_id=project_id, user_id=user_id, **membership)
    single_sign_on.end_other_sessions(transaction, user_id)


def restore_default(
    transaction: Transaction, user_id: int, successor_id: int | None, project_id: int
) -> None:
    """Restore a person as the default assignee of a project, unless that was changed since."""
    present = successor_id or 0
    transaction.run(
        _RESTORE_DEFAULT, of_user=user_id, project_id=project_id, present=present, now=transaction.now
    )
