"""Set-up of a new service in a browser, with a link that works once, before the first login."""

from collections.abc import Callable
from functools import partial

from skerry.database.transactions import Transaction
from skerry.errors import NotFound
from skerry.resources.auth import SetUp
from skerry.resources.people import User
from skerry.store import accounts as account_store
from skerry.store.auth import invitations as store
from skerry.store.people import people as people_store
from skerry.tracker import accounts, secrets
from skerry.tracker.auth import passwords
from skerry.tracker.auth.invitations import LIFETIME
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import people, users

GONE = "This server is already set up, or it was restarted and printed a newer link"

# All links have the same address, so that a new link replaces the old one.
_WHOEVER = ""
_NOBODY = 0


def waits(transaction: Transaction) -> bool:
    """Return whether there is no user yet, so that the service waits for its set-up."""
    return not people_store.anybody(transaction)


def open_link(transaction: Transaction) -> str:
    """Return the code of a new link that sets up the transaction's account; earlier links stop working."""
    code = secrets.new_token()
    store.add(
        transaction,
        secrets.hash_token(code),
        email=_WHOEVER,
        name="",
        role="owner",
        project_id=None,
        user_id=None,
        creator_id=_NOBODY,
        expires_at=transaction.now + LIFETIME,
    )
    return code


def _with_code(context: Context, params: Params) -> store.StoredInvitation:
    kept = store.with_hash(context.transaction, secrets.hash_token(params.texts["code"]))
    if kept is None or kept.creator_id != _NOBODY or not waits(context.transaction):
        raise NotFound(GONE)
    return kept


def get(context: Context, params: Params) -> SetUp:
    """Return the set-up form; raises NotFound if the code is not valid."""
    _with_code(context, params)
    return SetUp(account=account_store.name_of(context.transaction))


def hashed(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that replaces the request's password with its hash.

    Raises NotFound if the code is not valid; the function raises Invalid for an unacceptable password.
    """
    _with_code(context, params)
    draft = params.draft_of(SetUp)
    return partial(passwords.hashed, params, draft, SetUp.password, (draft.new.email, draft.new.name))


def finish(context: Context, params: Params) -> User:
    """Name the account and create its owner with the chosen password; the code works once.

    Raises NotFound if the code is not valid, Invalid for an invalid value.
    """
    kept, new = _with_code(context, params), params.draft_of(SetUp).new
    if not store.use(context.transaction, kept.id):
        raise NotFound(GONE)
    account, name, email = (each.strip() for each in (new.account, new.name, new.email))
    accounts.check_name(account)
    account_store.rename(context.transaction, account)
    user_id = people.add(
        context.transaction, email=email, name=name, password_hash=new.password, role="owner"
    )
    events.record(context, Type.ACCOUNT_CREATED, context.transaction.account_id, user_id=user_id)
    return users.known(context, user_id)
