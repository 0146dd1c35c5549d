"""Permissions, which are the only way to reach a row.

``admit`` checks what a route requires of its caller in the account, ``enter`` what it requires in a project.
Code gets a project only from ``enter``, so the check cannot be forgotten.
"""

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import TypeVar

from skerry.database import locks
from skerry.database.transactions import HOUR, Transaction
from skerry.errors import FactorNeeded, Forbidden, NotFound, SignInAgain, Unauthenticated
from skerry.resources.projects import Project
from skerry.store import private_tickets, settings
from skerry.store import projects as store
from skerry.store.people import guests, memberships
from skerry.store.projects import SeenIds, Visibility, VisibleProject
from skerry.tracker.context import Context, Principal

T = TypeVar("T")

ARCHIVED = "This project is archived; it can be read, but not changed"

NOT_ADMITTED = "Only people who were invited or signed up here may write in this project"
"""The answer to a login of another account of the server."""


class Permission(Enum):
    """The permission that a route requires of its caller, checked by ``admit`` or ``enter``."""

    PUBLIC = auto()
    """Reading requires nothing, and returns only what the caller may see; changes require signing in."""
    CAPABILITY_LINK = auto()
    """Nothing, even for changes: a code in the URL, in a mail or a signature shows who may."""
    SIGNED_IN = auto()
    """Signing in."""
    CREATE_PROJECT = auto()
    """The permission to create projects in the account."""
    IN_PERSON = auto()
    """A person with a password or a session, never a token."""
    ADMINISTER = auto()
    """The permission to administer the account; changes require a person, never a token."""
    CONNECT = auto()
    """The permission to connect the account with other programs: administrators, also with a token."""
    VIEW = auto()
    """The permission to see the project."""
    COMMENT = auto()
    """The permission to create tickets and to comment in the project."""
    CONTRIBUTE = auto()
    """Membership in the project."""
    CUSTOMIZE = auto()
    """Signing in and the permission to see the project, even when it is archived, for one's own settings."""
    UNARCHIVE = auto()
    """Membership in the project, even when it is archived."""


_SIGNED_IN_PERMISSIONS = (
    Permission.SIGNED_IN,
    Permission.CREATE_PROJECT,
    Permission.IN_PERSON,
    Permission.ADMINISTER,
    Permission.CONNECT,
)
_PROJECT_PERMISSIONS = (
    Permission.VIEW,
    Permission.COMMENT,
    Permission.CONTRIBUTE,
    Permission.CUSTOMIZE,
    Permission.UNARCHIVE,
)


def admit(context: Context, permission: Permission, *, writes: bool) -> None:
    """Check that a caller may enter the account.

    Raises Unauthenticated if the caller must sign in, Forbidden if the caller's token or role
    does not suffice.
    """
    see_as(context)
    principal = context.principal
    if principal is None:
        if permission in _SIGNED_IN_PERMISSIONS or (writes and permission is not Permission.CAPABILITY_LINK):
            raise Unauthenticated
        return
    if writes and permission not in _PROJECT_PERMISSIONS:
        refuse_read_only(principal)
    if permission is Permission.CREATE_PROJECT and (principal.role is None or principal.token_project):
        raise Forbidden("Only members of the account may create projects")
    if permission in (Permission.ADMINISTER, Permission.CONNECT) and (
        not principal.administrator or principal.token_project
    ):
        raise Forbidden("Only administrators of the account may do this")
    # A token that could create tokens or invite people could gain permissions beyond its own.
    if principal.token_id and (
        permission is Permission.IN_PERSON or (permission is Permission.ADMINISTER and writes)
    ):
        raise Forbidden("Tokens cannot be used for this; sign in with a password")


def check_scopes(principal: Principal, accepted: frozenset[str] | None) -> None:
    """Raise Forbidden if the caller's token is limited to scopes, and none of them is ``accepted``.

    None means that any token suffices.
    """
    if accepted is not None and not principal.scopes & accepted:
        scopes = " and ".join(sorted(principal.scopes))
        raise Forbidden(f"This token is limited to {scopes}, which excludes this")


def refuse_old_session(context: Context) -> None:
    """Raise SignInAgain if the caller signed in more than an hour ago in this browser.

    Whoever finds an unlocked computer must not be able to stay.
    """
    principal = context.principal
    if principal and principal.signed_in_at and context.transaction.now - principal.signed_in_at > HOUR:
        raise SignInAgain


def refuse_without_factor(principal: Principal) -> None:
    """Raise FactorNeeded if the account demands a second factor, and the caller has none."""
    if principal.needs_factor:
        raise FactorNeeded


def refuse_read_only(principal: Principal) -> None:
    """Raise Forbidden if the caller's token may only read."""
    if principal.read_only:
        raise Forbidden("This token is read-only")


def visibility(principal: Principal | None) -> Visibility:
    """Return the visibility of projects for a caller."""
    return (
        Visibility(principal.user_id, int(principal.administrator), principal.token_project)
        if principal
        else Visibility()
    )


def enter(context: Context, project_id: int, permission: Permission, *, writes: bool) -> Context:
    """Return the context inside a project, if the caller has the permission.

    With ``writes`` a shared lock on the project is held until the end of the transaction. Raises NotFound if
    the caller may not see the project, Unauthenticated if nobody is signed in (missing and hidden projects
    look the same), Forbidden if the caller sees it but lacks the permission.
    """
    principal = context.principal
    if writes:
        locks.lock_shared(context.transaction, project_id)
    visible = _visible(context, project_id)
    if visible is None:
        raise NotFound("There is no such project") if principal else Unauthenticated
    member = principal is not None and (visible.member or principal.administrator)
    if writes:
        refuse_read_only(context.author)
        _check_right(context, permission, member=member)
        refuse_archived(visible.project, permission)
    elif permission is not Permission.VIEW:
        # Reading the defaults for a change, such as those of a new ticket, requires the same permission.
        _check_right(context, permission, member=member)
    return context.inside(visible.project, member=member, tickets_count=visible.tickets_count)


def see_as(context: Context) -> None:
    """Limit the transaction to the tickets that the caller may see.

    ``admit`` and ``enter`` do it; code that reads on somebody's behalf without them must call this.
    """
    principal = context.principal
    if principal and principal.administrator:
        context.transaction.sight = None
    else:
        private_tickets.see(context.transaction, principal.user_id if principal else None)


def _visible(context: Context, project_id: int) -> VisibleProject | None:
    """Return a project that the caller sees; the transaction then sees no more tickets than they do."""
    transaction, seen = context.transaction, visibility(context.principal)
    # Read with all its tickets first: mostly none are hidden, and nothing is read differently.
    with transaction.seeing(None):
        visible = store.one_visible(transaction, project_id, seen)
    see_as(context)
    if visible is None or transaction.sight is None:
        return visible
    if not visible.hides_any:
        transaction.sight = None
        return visible
    return store.one_visible(transaction, project_id, seen)


def enter_by_mail(context: Context, project_id: int) -> Context:
    """Return the context inside a project in which anybody may open tickets by mail.

    Raises Forbidden if the project does not allow it or is archived.
    """
    locks.lock_shared(context.transaction, project_id)
    see_as(context)
    visible = store.one_visible(context.transaction, project_id, Visibility(0, 1, 0))
    if visible is None or not settings.takes_mail_from_anyone(context.transaction, project_id):
        raise Forbidden("This project does not accept mail from this address")
    refuse_archived(visible.project, Permission.COMMENT)
    return context.inside(visible.project, member=False, tickets_count=visible.tickets_count)


def refuse_unchangeable(context: Context, permission: Permission) -> None:
    """Raise Forbidden if the caller's token may only read, or the project of the context is archived."""
    if context.principal:
        refuse_read_only(context.principal)
    if context.entered:
        refuse_archived(context.project, permission)


def refuse_archived(project: Project, permission: Permission) -> None:
    """Raise Forbidden for a change to an archived project."""
    if project.archived and permission in (Permission.COMMENT, Permission.CONTRIBUTE):
        raise Forbidden(ARCHIVED)


def _check_right(context: Context, permission: Permission, *, member: bool) -> None:
    if context.principal is None:
        raise Unauthenticated
    if member or permission is Permission.CUSTOMIZE:
        return
    if permission is not Permission.COMMENT:
        raise Forbidden("Only members of the project may do this")
    if not is_admitted(context):
        raise Forbidden(NOT_ADMITTED)


def is_admitted(context: Context) -> bool:
    """Return whether the caller may be a guest of public projects; logins of other accounts may not."""
    principal = context.author
    return principal.role is not None or guests.is_admitted(context.transaction, principal.user_id)


def changeable(context: Context, projects: Iterable[Project]) -> set[int]:
    """Return the ids of those of some visible projects in which the caller may change tickets."""
    principal = context.principal
    if principal is None or principal.read_only:
        return set()
    own = {project.id or 0 for project in projects if not project.archived}
    return (
        own
        if principal.administrator
        else own & memberships.joined_ids(context.transaction, principal.user_id)
    )


def visible_project_ids(context: Context) -> SeenIds:
    """Return the ids of the projects visible to the caller; raises as ``in_visible_projects`` does."""
    return SeenIds(tuple(in_visible_projects(context, store.visible_ids)))


def listed_project_ids(context: Context) -> SeenIds:
    """Return the id of the current project, or else those of all projects visible to the caller."""
    return SeenIds((context.project_id,)) if context.entered else visible_project_ids(context)


def ids_of(projects: Iterable[Project]) -> SeenIds:
    """Return the ids of projects that the caller sees."""
    return SeenIds(tuple(project.id or 0 for project in projects))


def in_visible_projects(context: Context, find: Callable[[Transaction, Visibility], list[T]]) -> list[T]:
    """Return the result of ``find`` for the projects visible to the caller.

    Raises Unauthenticated if nobody is signed in and nothing is public.
    """
    records = find(context.transaction, visibility(context.principal))
    if not records and context.principal is None:
        raise Unauthenticated
    return records
