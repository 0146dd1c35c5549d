"""Password resets by a mailed link."""

from collections.abc import Callable
from functools import partial

from skerry.database.transactions import HOUR
from skerry.errors import NotFound, TooManyRequests
from skerry.resources.auth import ChosenPassword, PasswordReset
from skerry.resources.people import User
from skerry.store.mail import mailed_links, mails
from skerry.store.mail.mailed_links import MailedLink
from skerry.store.people import people as people_store
from skerry.tracker import secrets
from skerry.tracker.auth import mail_limits, passwords
from skerry.tracker.auth.mail_limits import MailLimits
from skerry.tracker.context import Context, Params
from skerry.tracker.mail import queue
from skerry.tracker.people import people, users
from skerry.tracker.people.single_sign_on import NO_PASSWORD

KIND = mailed_links.PASSWORD_RESET

GONE = "This link was already used or has expired. Ask for a new one"

MAX_WAITING = 100
"""How many requests of an account may be queued at the same time."""

LIMITS = MailLimits("new passwords", account=1000, network=10, address=5, address_period=HOUR)
"""How often one can ask for a new password: in an account, from a network and for an address in an hour."""


def new(_context: Context, _params: Params) -> PasswordReset:
    """Return the empty form of a password reset."""
    return PasswordReset()


def ask(context: Context, params: Params) -> None:
    """Mail a password link, if the address belongs to a login of the account.

    This is checked when the mail is sent, so that neither the response nor its timing reveals it. Raises
    Conflict if no mail is sent, TooManyRequests after too many requests.
    """
    email = params.draft_of(PasswordReset).new.email.strip().lower()
    transaction = context.transaction
    queue.check_on(transaction)
    mail_limits.count(transaction, LIMITS, people.checked_email(email))
    if mails.count_of(transaction, KIND) >= MAX_WAITING:
        raise TooManyRequests("Too many new passwords are being requested. Try again in a minute", 60)
    if not mails.is_waiting(transaction, KIND, email=email):
        queue.put(transaction, KIND, {}, email=email)


def get(context: Context, params: Params) -> ChosenPassword:
    """Return the address of the login whose password a link changes; raises NotFound for an invalid link."""
    link = _link(context, params)
    kept = passwords.kept(context.transaction, link.user_id, mailed=True)
    return ChosenPassword(email=link.email, **kept._asdict())


def hashed(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that replaces the password of a request with its hash.

    Raises NotFound for an invalid link; the function raises Invalid for an unacceptable password.
    """
    known = passwords.known_of(context.transaction, _link(context, params).user_id)
    return partial(passwords.hashed, params, params.draft_of(ChosenPassword), ChosenPassword.password, known)


def finish(context: Context, params: Params) -> User:
    """Change the password, sign out every browser and use up the link; raises NotFound if it is invalid."""
    link, new = _link(context, params), params.draft_of(ChosenPassword).new
    passwords.set_by_link(context, link.user_id, new.password, new, mailed=True)
    return users.known(context, link.user_id)


def _link(context: Context, params: Params) -> MailedLink:
    link = mailed_links.with_hash(context.transaction, KIND, secrets.hash_token(params.texts["code"]))
    person = people_store.person(context.transaction, link.user_id) if link else None
    # The login may be disabled, or have another address, by now.
    if link is None or person is None or person.disabled or person.email != link.email:
        raise NotFound(GONE)
    if passwords.login_of(context.transaction, link.user_id).needs_provider:
        raise NotFound(NO_PASSWORD)
    return link
