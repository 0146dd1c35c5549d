"""Users: the public profiles of people, which they change themselves."""

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.people import User
from skerry.store import accounts
from skerry.store.auth import logins
from skerry.store.people import people
from skerry.store.people import users as store
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type


def get(context: Context, params: Params) -> User:
    """Return a person visible to the caller; raises NotFound."""
    return one_visible(context, params.ids["id"])


def one_visible(context: Context, user_id: int) -> User:
    """Return a person visible to the caller: the caller, and everyone with whom they share something.

    That is the account with all its projects, including people who belong to nothing but are named there
    because they wrote something or watch a ticket. For the token of a project it is that project alone.
    Raises NotFound.
    """
    if user_id == context.author.user_id:
        user = store.one(context.transaction, user_id)
    else:
        user = store.met(context.transaction, user_id) if _meets(context, user_id) else None
    if user is None:
        raise NotFound("There is no such user")
    return user


def sees_others(context: Context) -> bool:
    """Return whether the caller can see other people, as everybody in the account or its projects can."""
    principal = context.author
    return bool(principal.role) or context.member or _belongs(context, principal.user_id)


def known(context: Context, user_id: int) -> User:
    """Return a person, whether or not the caller may see them; raises NotFound."""
    user = store.one(context.transaction, user_id)
    if user is None:
        raise NotFound("There is no such user")
    return user


def _meets(context: Context, user_id: int) -> bool:
    principal = context.author
    if principal.token_project:
        return {user_id, principal.user_id} <= people.worker_ids(context.transaction, principal.token_project)
    return _belongs(context, principal.user_id)


def _belongs(context: Context, user_id: int) -> bool:
    return store.of_account(context.transaction, user_id) is not None


def profile(context: Context, _params: Params) -> User:
    """Return the caller."""
    return one_visible(context, context.author.user_id)


def update(context: Context, params: Params) -> User:
    """Change the caller's public profile.

    Raises NotFound for a person not visible to the caller, Forbidden for anybody else.
    """
    one_visible(context, params.ids["id"])
    if params.ids["id"] != context.author.user_id:
        raise Forbidden("Only the person themselves may change this")
    return update_profile(context, params)


def update_profile(context: Context, params: Params) -> User:
    """Change the caller's public profile.

    Raises Forbidden as ``check_may_change`` does, Invalid for an invalid value.
    """
    check_may_change(context)
    store.lock(context.transaction, context.author.user_id)
    before = profile(context, params)
    after = params.draft_of(User).over(before)
    if not after.name.isprintable():
        raise Invalid("Name must contain only printable characters")
    store.change(
        context.transaction, context.author.user_id, name=after.name, job=after.job, website=after.website
    )
    return events.record_change(context, Type.USER_UPDATED, before, profile(context, params))


def check_may_change(context: Context) -> None:
    """Raise Forbidden if the caller may not change a profile, which other accounts show as well.

    That is with the token of one project, or with a login whose password is valid in this account alone.
    """
    if context.author.token_project:
        raise Forbidden("A token that is limited to one project cannot change its owner's profile")
    refuse_account_password(context)


def refuse_account_password(context: Context) -> None:
    """Raise Forbidden if the password is valid in this account alone, but the login in other accounts too."""
    login = logins.of_user(context.transaction, context.author.user_id)
    is_foreign = login is not None and login.account_id == 0 and login.has_own_password
    if is_foreign and len(accounts.list_all(context.transaction)) > 1:
        raise Forbidden(
            "Your password was set by a link that others could read, so it cannot change what other accounts "
            "show. Ask the operator for a new password"
        )
