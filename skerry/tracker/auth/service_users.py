"""Service users: programs of the account, which have tokens and no login, and their tokens."""

from skerry.database.transactions import Transaction
from skerry.errors import Invalid, NotFound
from skerry.resources.auth import Token
from skerry.resources.people import ServiceUser
from skerry.store.auth import tokens as token_store
from skerry.store.events.decoding import Changes
from skerry.store.people import people as store
from skerry.store.people import users as user_store
from skerry.store.people.person import StoredPerson
from skerry.text.words import having_words
from skerry.tracker.auth import tokens
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import people
from skerry.wire.record import UNSET

ROLES = ("member", "administrator")
"""The roles of service users; an owner is a person."""


def list_all(context: Context, _params: Params) -> ResultPage[ServiceUser]:
    """Return the service users of the account and of its projects, by name."""
    users = everybody(context.transaction)
    return ResultPage(ServiceUser, [_as_shown(context.transaction, each) for each in users])


def everybody(transaction: Transaction) -> list[StoredPerson]:
    """Return the service users of the account and of its projects, by name."""
    return people.by_name(each for each in store.of_account(transaction) if each.service)


def filter_by_name(context: Context, search_text: str) -> list[ServiceUser]:
    """Return the service users whose name contains the searched words, by name."""
    users = having_words(everybody(context.transaction), lambda each: each.name, search_text)
    return [_as_shown(context.transaction, each) for each in users]


def get(context: Context, params: Params) -> ServiceUser:
    """Return a service user; raises NotFound."""
    return _as_shown(context.transaction, _owner(context, params))


def one(transaction: Transaction, user_id: int) -> StoredPerson:
    """Return a service user of the account; raises NotFound."""
    for each in everybody(transaction):
        if each.id == user_id:
            return each
    raise NotFound("There is no such service user in this account")


def _as_shown(transaction: Transaction, found: StoredPerson) -> ServiceUser:
    return ServiceUser(
        id=found.id,
        name=found.name,
        role=found.role or "",
        disabled=found.disabled,
        tokens_count=len(token_store.of_user(transaction, found.id)),
    )


def create(context: Context, params: Params) -> ServiceUser:
    """Create a service user; raises Invalid for an invalid value."""
    new = params.draft_of(ServiceUser).new
    user_id = add(context, new.name, new.role)
    return _as_shown(context.transaction, one(context.transaction, user_id))


def add(context: Context, name: str, role: str) -> int:
    """Create a service user with a role in the account, and return the id; raises Invalid."""
    people.check_name(name)
    _check_role(role)
    user_id = store.add_service_user(context.transaction, name)
    store.join_account(context.transaction, user_id, role)
    changes: Changes = {"role": ["", role], "service": [None, True]}
    events.record(context, Type.PERSON_ADDED, user_id, changes=changes)
    return user_id


def update(context: Context, params: Params) -> ServiceUser:
    """Change the name or the role of a service user; raises NotFound, Invalid."""
    before = get(context, params)
    draft = params.draft_of(ServiceUser)
    new, transaction = draft.over(before), context.transaction
    people.check_name(new.name)
    user = user_store.one(transaction, params.ids["user_id"])
    if user is None:
        raise NotFound
    user_store.change(transaction, params.ids["user_id"], name=new.name, job=user.job, website=user.website)
    if draft.get(ServiceUser.role) is not UNSET and new.role != before.role:
        _check_role(new.role)
        store.change_role(transaction, params.ids["user_id"], new.role)
    return events.record_change(context, Type.PERSON_UPDATED, before, get(context, params))


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise Invalid(f"Role is not one of {', '.join(ROLES)}")


def list_tokens(context: Context, params: Params) -> ResultPage[Token]:
    """Return the valid tokens of a service user without their values, the newest first."""
    return ResultPage(Token, tokens.of_owner(context, _owner(context, params).id))


def token(context: Context, params: Params) -> Token:
    """Return a valid token of a service user without its value; raises NotFound."""
    return tokens.one_of_owner(context, _owner(context, params).id, params)


def create_token(context: Context, params: Params) -> Token:
    """Create a token for a service user; raises NotFound, Invalid as for a token of one's own."""
    return tokens.create_for(context, _owner(context, params), params)


def replace_token(context: Context, params: Params) -> Token:
    """Replace a token of a service user; raises NotFound, Invalid as for a token of one's own."""
    return tokens.replace_for(context, _owner(context, params), params)


def revoke_token(context: Context, params: Params) -> None:
    """Revoke a token of a service user at once; raises NotFound."""
    tokens.remove_for(context, _owner(context, params).id, params)


def _owner(context: Context, params: Params) -> StoredPerson:
    return one(context.transaction, params.ids["user_id"])
