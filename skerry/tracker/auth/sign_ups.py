"""Sign-up: strangers become guests of public projects, after they have proved their address.

Whoever asks always gets the same answer. What the address is, a login or nothing, is looked up when the mail
is sent, so that neither an answer nor its time says it.
"""

from collections.abc import Callable
from functools import partial

from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Forbidden, Invalid, NotFound
from skerry.languages import LANGUAGES
from skerry.resources.auth import APPROVAL, CHOICES, OFF, JoiningPerson, SignUp
from skerry.store import accounts
from skerry.store.auth import sign_ups as store
from skerry.store.auth.sign_ups import StoredSignUp
from skerry.store.mail import mails
from skerry.tracker import secrets
from skerry.tracker.auth import applicants, mail_limits, passwords
from skerry.tracker.auth.mail_limits import MailLimits
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.people import people

KIND = "sign_up"
"""The kind of mail that answers whoever asks."""

LIMITS = MailLimits("sign-ups", account=100, network=10, address=3)
"""How often one can sign up: in an account and from a network in an hour, with an address in a day."""

NEEDS_MAIL = "Sign up needs mail, because a mailed link proves the address. Ask the operator to set it up"

OFF_HERE = "Nobody can sign up here. Ask an administrator for an invitation"

GONE = "This link was already used or has expired. Sign up again"

SIGN_IN = "This address has a login here by now. Sign in with it"


def is_on(transaction: Transaction) -> bool:
    """Return whether strangers can sign up in the account."""
    return accounts.sign_up_of(transaction) != OFF and queue.is_on(transaction)


def check_choice(transaction: Transaction, choice: str) -> None:
    """Raise Invalid unless an account may make this choice about sign-up."""
    if choice not in CHOICES:
        raise Invalid(f"Sign up is not one of {', '.join(CHOICES)}")
    if choice != OFF and not queue.is_on(transaction):
        raise Invalid(NEEDS_MAIL)


def _check_on(transaction: Transaction) -> None:
    if not is_on(transaction):
        raise Forbidden(OFF_HERE)


def new(_context: Context, _params: Params) -> SignUp:
    """Return the empty form of a sign-up."""
    return SignUp()


def ask(context: Context, params: Params) -> None:
    """Mail an address a link with which its owner signs up, or that they have a login already.

    Raises Forbidden if nobody can sign up, Invalid for an invalid value, TooManyRequests after too many.
    """
    wanted, transaction = params.draft_of(SignUp).new, context.transaction
    _check_on(transaction)
    email, name = people.checked_email(wanted.email), wanted.name.strip()
    people.check_name(name)
    if wanted.language and wanted.language not in LANGUAGES:
        raise Invalid(f"Language is not one of {', '.join(LANGUAGES)}")
    mail_limits.count(transaction, LIMITS, email)
    if not mails.is_waiting(transaction, KIND, email=email):
        queue.put(transaction, KIND, {"name": name, "language": wanted.language}, email=email)


def get(context: Context, params: Params) -> JoiningPerson:
    """Return who signs up with a link; raises NotFound if it is not valid."""
    kept = _with_code(context, params)
    return JoiningPerson(email=kept.email, name=kept.name)


def _with_code(context: Context, params: Params) -> StoredSignUp:
    _check_on(context.transaction)
    kept = store.with_hash(context.transaction, secrets.hash_token(params.texts["code"]))
    if kept is None:
        raise NotFound(GONE)
    return kept


def hashed(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that replaces the password of a request with its hash.

    Raises NotFound for an invalid link; the function raises Invalid for an unacceptable password.
    """
    kept, draft = _with_code(context, params), params.draft_of(JoiningPerson)
    return partial(
        passwords.hashed, params, draft, JoiningPerson.password, (kept.email, draft.new.name or kept.name)
    )


def finish(context: Context, params: Params) -> JoiningPerson:
    """Let the owner of an address join, or wait for approval, with the chosen password; a link works once.

    Raises NotFound if the link is not valid, Invalid for an invalid name, Conflict if the address has a login
    by now.
    """
    transaction = context.transaction
    accounts.lock(transaction)
    kept, wanted = _with_code(context, params), params.draft_of(JoiningPerson).new
    name = wanted.name.strip() or kept.name
    people.check_name(name)
    if applicants.login_here(transaction, kept.email):
        raise Conflict(SIGN_IN)
    proved = kept._replace(name=name, password_hash=wanted.password)
    if accounts.sign_up_of(transaction) == APPROVAL:
        applicants.add(context, proved)
        return JoiningPerson(email=kept.email, name=name, state="waiting")
    user_id = applicants.join(context, proved)
    events.record(context, Type.SIGN_UP_PROVED, kept.id, user_id=user_id)
    return JoiningPerson(id=user_id, email=kept.email, name=name, state="joined")
