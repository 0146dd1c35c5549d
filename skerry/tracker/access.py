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


class Need(Enum):
    """What a route needs from its caller."""

    OPEN = auto()
    """Nothing to read: everybody sees what they may see. To change something, somebody signed in."""
    GUEST = auto()
    """Nothing, even to change something: the address itself holds a secret code."""
    KNOWN = auto()
    """Somebody signed in."""
    FOUND = auto()
    """The right to make projects in the account."""
    SELF = auto()
    """Somebody in person: with a password or at a browser, never with a token."""
    ADMINISTER = auto()
    """The right to administer the account; what changes it, in person."""
    SEE = auto()
    """That the caller may see the project."""
    SPEAK = auto()
    """The right to open tickets and to comment in the project."""
    WORK = auto()
    """Membership in the project."""
    REVIVE = auto()
    """Membership in the project, even when it is archived."""


_KNOWN_NEEDS = (Need.KNOWN, Need.FOUND, Need.SELF, Need.ADMINISTER)
_PROJECT_NEEDS = (Need.SEE, Need.SPEAK, Need.WORK, Need.REVIVE)


def admit(visit: Visit, need: Need, *, writes: bool) -> None:
    """Check that a caller may enter the account.

    Raises Unauthenticated if somebody must be signed in, Forbidden if the caller's token or role
    does not suffice.
    """
    caller = visit.caller
    if caller is None:
        if need in _KNOWN_NEEDS or (writes and need is not Need.GUEST):
            raise Unauthenticated
        return
    if writes and need not in _PROJECT_NEEDS:
        refuse_read_only(caller)
    if need is Need.FOUND and (caller.role is None or caller.token_project):
        raise Forbidden("Only members of the account may create projects")
    if need is Need.ADMINISTER and (not caller.administrator or caller.token_project):
        raise Forbidden("Only administrators of the account may do this")
    # A token that could make tokens, or invite somebody, would open more than it was made for.
    if caller.token_id and (need is Need.SELF or (need is Need.ADMINISTER and writes)):
        raise Forbidden("Tokens may not do this; sign in with a password")


def refuse_read_only(caller: Caller) -> None:
    """Raise Forbidden if the caller's token may only read."""
    if caller.read_only:
        raise Forbidden("This token is read-only")


def sight(caller: Caller | None) -> Sight:
    """Return what decides which projects are visible to a caller."""
    return Sight(caller.user_id, int(caller.administrator), caller.token_project) if caller else Sight()


def enter(visit: Visit, project_id: int, need: Need, *, writes: bool) -> Visit:
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
        _check_write(caller, found.project, need, member=member)
    elif need is not Need.SEE:
        # What shows how to do something, such as the form for a new ticket, needs the same right.
        _check_right(caller, need, member=member)
    return visit.inside(found.project, member=member)


def _check_write(caller: Caller | None, project: Project, need: Need, *, member: bool) -> None:
    if caller is None:
        raise Unauthenticated
    refuse_read_only(caller)
    _check_right(caller, need, member=member)
    if project.archived and need is not Need.REVIVE:
        raise Forbidden("This project is archived")


def refuse_archived(project: Project, need: Need) -> None:
    """Raise Forbidden for who comes to change something in an archived project."""
    if project.archived and need in (Need.SPEAK, Need.WORK):
        raise Forbidden("This project is archived: it can be read, and nothing in it changes")


def _check_right(caller: Caller | None, need: Need, *, member: bool) -> None:
    if caller is None:
        raise Unauthenticated
    if not member and need is not Need.SPEAK:
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
