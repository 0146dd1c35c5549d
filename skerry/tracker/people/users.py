"""Users: the public profiles of people, which they change themselves."""

from urllib.parse import urlsplit

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.people.users import User
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
        found = store.one(context.transaction, user_id)
    else:
        found = store.met(context.transaction, user_id) if _meets(context, user_id) else None
    if found is None:
        raise NotFound("There is no such user")
    return found


def sees_others(context: Context) -> bool:
    """Return whether the caller can see other people, as everybody in the account or its projects can."""
    principal = context.author
    return bool(principal.role) or context.member or _belongs(context, principal.user_id)


def known(context: Context, user_id: int) -> User:
    """Return a person regardless of the caller; raises NotFound."""
    found = store.one(context.transaction, user_id)
    if found is None:
        raise NotFound("There is no such user")
    return found


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

    Raises Forbidden for the token of a project, Invalid for an invalid value.
    """
    refuse_project_token(context)
    store.lock(context.transaction, context.author.user_id)
    before = profile(context, params)
    after = params.draft_of(User).over(before)
    website = after.website.strip()
    if not after.name.isprintable():
        raise Invalid("Name must contain only printable characters")
    if website and not is_address(website):
        raise Invalid("Website must be an http or https address")
    store.change(context.transaction, context.author.user_id, name=after.name, job=after.job, website=website)
    after = profile(context, params)
    events.record(context, Type.USER_UPDATED, after.id, changes=events.compared(before, after))
    return after


def refuse_project_token(context: Context) -> None:
    """Raise Forbidden if the caller uses the token of one project."""
    if context.author.token_project:
        raise Forbidden("A token that is limited to one project cannot change its owner's profile")


def is_address(text: str) -> bool:
    """Return whether a text is an http or https URL that a page may link to."""
    if not text.isprintable() or any(character in text for character in ' "<>\\'):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
