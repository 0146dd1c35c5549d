"""Setting a new service up in a browser: by a link that works once, and only while nobody is there."""

from collections.abc import Callable
from functools import partial

from skerry.errors import NotFound
from skerry.resources.set_ups import SetUp
from skerry.resources.users import User
from skerry.store import accounts as account_store
from skerry.store import people as people_store
from skerry.store.auth import invitations as store
from skerry.store.engine.transactions import Transaction
from skerry.tracker import accounts, events, people, users
from skerry.tracker.auth import passwords, secrets
from skerry.tracker.auth.invitations import LIFETIME
from skerry.tracker.context import Context, Params
from skerry.tracker.events import Type

GONE = "This server is already set up, or it was restarted and printed a newer link"

# The invitation of nobody in particular, so that a new one takes the place of the old.
_WHOEVER = ""
_NOBODY = 0


def waits(transaction: Transaction) -> bool:
    """Return whether nobody can sign in yet."""
    return not people_store.anybody(transaction)


def open_link(transaction: Transaction) -> str:
    """Return the code of a link that sets up the transaction's account; earlier ones end."""
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


def _with_code(context: Context, params: Params) -> store.Invitation:
    kept = store.with_hash(context.transaction, secrets.hash_token(params.texts["code"]))
    if kept is None or kept.creator_id != _NOBODY or not waits(context.transaction):
        raise NotFound(GONE)
    return kept


def get(context: Context, params: Params) -> SetUp:
    """Return what a new service is set up with; raises NotFound if the code opens nothing."""
    _with_code(context, params)
    return SetUp(account=account_store.name_of(context.transaction))


def hashed(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that replaces the request's password by its hash.

    Raises NotFound if the code opens nothing; the function raises Invalid if the password cannot be used.
    """
    _with_code(context, params)
    return partial(passwords.hashed, params, params.draft_of(SetUp), SetUp.password)


def finish(context: Context, params: Params) -> User:
    """Name the account and make its owner, with the password that was chosen; the code is used up.

    Raises NotFound if the code opens nothing, Invalid if a value cannot be used.
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
