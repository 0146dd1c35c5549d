"""Memberships: who belongs to the account and to its projects."""

from skerry.errors import Forbidden
from skerry.resources.memberships import Membership
from skerry.store import memberships as store
from skerry.tracker import users
from skerry.tracker.visit import Ask, Listing, Visit


def of_user(visit: Visit, ask: Ask) -> Listing:
    """Give what somebody belongs to, the account first; the token of a project shows that project alone.

    Raises Missing for somebody whom the caller does not see, Forbidden for anybody but himself
    unless he administers the account.
    """
    caller, user_id = visit.author, ask.ids["id"]
    users.seen(visit, user_id)
    only = caller.token_project
    if user_id != caller.user_id and (only or not caller.administrator):
        raise Forbidden("Only the user himself and administrators may see this")
    in_account = [] if only else store.in_account(visit.transaction, user_id)
    return Listing(Membership, [*in_account, *store.in_projects(visit.transaction, user_id, only=only)])


def of_project(visit: Visit, _ask: Ask) -> Listing:
    """Give the members of the project that was entered."""
    return Listing(Membership, store.of_project(visit.transaction, visit.project_id))
