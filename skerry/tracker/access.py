"""Who may do what: permission is the way a row is reached.

``admit`` checks what a route needs of its caller in the account, ``enter`` what it needs in a project.
Code gets a project only from ``enter``, so that it cannot forget the check.
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import TypeVar

from skerry.errors import Forbidden, NotFound, Unauthenticated
from skerry.resources.projects import Project
from skerry.store import locks
from skerry.store import projects as store
from skerry.store.projects import Sight
from skerry.store.transactions import Transaction
from skerry.tracker.visit import Caller, Visit

T = TypeVar("T")


class Permission(Enum):
    """What a route needs from its caller."""

    PUBLIC = auto()
    """Nothing to read: everybody sees what they may see. To change something, somebody signed in."""
    CAPABILITY_LINK = auto()
    """Nothing, even to change something: the address itself holds a secret code."""
    SIGNED_IN = auto()
    """Somebody signed in."""
    CREATE_PROJECT = auto()
    """The right to make projects in the account."""
    IN_PERSON = auto()
    """Somebody in person: with a password or at a browser, never with a token."""
    ADMINISTER = auto()
    """The right to administer the account; what changes it, in person."""
    VIEW = auto()
    """That the caller may see the project."""
    COMMENT = auto()
    """The right to open tickets and to comment in the project."""
    CONTRIBUTE = auto()
    """Membership in the project."""
    UNARCHIVE = auto()
    """Membership in the project, even when it is archived."""


_SIGNED_IN_PERMISSIONS = (
    Permission.SIGNED_IN,
    Permission.CREATE_PROJECT,
    Permission.IN_PERSON,
    Permission.ADMINISTER,
)
_PROJECT_PERMISSIONS = (Permission.VIEW, Permission.COMMENT, Permission.CONTRIBUTE, Permission.UNARCHIVE)


def admit(visit: Visit, permission: Permission, *, writes: bool) -> None:
    """Check that a caller may enter the account.

    Raises Unauthenticated if somebody must be signed in, Forbidden if the caller's token or role
    does not suffice.
    """
    caller = visit.caller
    if caller is None:
        if permission in _SIGNED_IN_PERMISSIONS or (writes and permission is not Permission.CAPABILITY_LINK):
            raise Unauthenticated
        return
    if writes and permission not in _PROJECT_PERMISSIONS:
        refuse_read_only(caller)
    if permission is Permission.CREATE_PROJECT and (caller.role is None or caller.token_project):
        raise Forbidden("Only members of the account may create projects")
    if permission is Permission.ADMINISTER and (not caller.administrator or caller.token_project):
        raise Forbidden("Only administrators of the account may do this")
    # A token that could make tokens, or invite somebody, would open more than it was made for.
    if caller.token_id and (
        permission is Permission.IN_PERSON or (permission is Permission.ADMINISTER and writes)
    ):
        raise Forbidden("Tokens may not do this; sign in with a password")


def refuse_read_only(caller: Caller) -> None:
    """Raise Forbidden if the caller's token may only read."""
    if caller.read_only:
        raise Forbidden("This token is read-only")


def sight(caller: Caller | None) -> Sight:
    """Return what decides which projects are visible to a caller."""
    return Sight(caller.user_id, int(caller.administrator), caller.token_project) if caller else Sight()


def enter(visit: Visit, project_id: int, permission: Permission, *, writes: bool) -> Visit:
    """Return the context inside a project, if the caller has the permission.

    With ``writes`` the project's lock is shared until the end of the transaction. Raises NotFound if the
    caller may not see the project, Unauthenticated if nobody is signed in (missing and hidden projects
    look the same), Forbidden if the caller sees it but may not do this.
    """
    caller = visit.caller
    if writes:
        locks.share(visit.transaction, project_id)
    found = store.seen_one(visit.transaction, project_id, sight(caller))
    if found is None:
        raise NotFound("There is no such project") if caller else Unauthenticated
    member = caller is not None and (found.member or caller.administrator)
    if writes:
        _check_write(caller, found.project, permission, member=member)
    elif permission is not Permission.VIEW:
        # What shows how to do something, such as the form for a new ticket, needs the same right.
        _check_right(caller, permission, member=member)
    return visit.inside(found.project, member=member)


def _check_write(caller: Caller | None, project: Project, permission: Permission, *, member: bool) -> None:
    if caller is None:
        raise Unauthenticated
    refuse_read_only(caller)
    _check_right(caller, permission, member=member)
    if project.archived and permission is not Permission.UNARCHIVE:
        raise Forbidden("This project is archived")


def refuse_archived(project: Project, permission: Permission) -> None:
    """Raise Forbidden for who comes to change something in an archived project."""
    if project.archived and permission in (Permission.COMMENT, Permission.CONTRIBUTE):
        raise Forbidden("This project is archived: it can be read, and nothing in it changes")


def _check_right(caller: Caller | None, permission: Permission, *, member: bool) -> None:
    if caller is None:
        raise Unauthenticated
    if not member and permission is not Permission.COMMENT:
        raise Forbidden("Only members of the project may do this")


def seen_projects(visit: Visit) -> list[int]:
    """Return the ids of the projects visible to the caller; raises as ``in_sight`` does."""
    return in_sight(visit, store.seen_ids)


def in_sight(visit: Visit, find: Callable[[Transaction, Sight], list[T]]) -> list[T]:
    """Return what ``find`` finds in the projects visible to the caller.

    Raises Unauthenticated if nobody is signed in and nothing is public.
    """
    found = find(visit.transaction, sight(visit.caller))
    if not found and visit.caller is None:
        raise Unauthenticated
    return found
