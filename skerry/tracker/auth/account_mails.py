"""Mail about the recipient's own account: sign-in links and alerts.

A link is created when the mail is sent, so that its code is stored only in the mail.
"""

from collections.abc import Callable, Mapping

from skerry.database.rows import timestamp
from skerry.database.transactions import DAY, Transaction
from skerry.store import accounts
from skerry.store.auth import invitations as invitation_store
from skerry.store.auth import logins, sign_ups
from skerry.store.mail import mailed_links
from skerry.store.mail.mailed_links import PASSWORD_RESET, MailedLink
from skerry.store.mail.mails import QueuedMail
from skerry.store.people import users
from skerry.tracker import secrets
from skerry.tracker.auth import invitations
from skerry.tracker.mail import answers, queue
from skerry.tracker.mail.letters import Letter, Recipient, reader

VERIFICATION = "verification"
INVITATION, ALERT = "invitation", "alert"

LIFETIMES = {VERIFICATION: DAY, PASSWORD_RESET: DAY // 24}
"""How long a link is valid, in microseconds."""


RESETS_APART = DAY // 24 // 6
"""The minimum interval between password links mailed to a user, regardless of who requests them."""


def _verification(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    owner = reader(transaction, mail.user_id or 0, verified=False)
    if owner is None or reader(transaction, owner.user_id):
        return None
    login = logins.of_user(transaction, owner.user_id)
    if login is None or not login.is_proven:
        if login and login.needs_provider:
            return None
        return _new_password(transaction, owner, proves=True)
    return _letter(transaction, VERIFICATION, owner, link=_link(transaction, VERIFICATION, owner))


def _password_reset(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    """Return a mail with a link, if the address is that of a login of the account.

    That is a login of somebody who belongs to it, or who signed up. Whoever made it has given the address.
    """
    login = logins.with_email(transaction, mail.email or "")
    if login is None or login.needs_provider or not _is_here(transaction, login.user_id):
        return None
    owner = reader(transaction, login.user_id, verified=False)
    last = mailed_links.last(transaction, PASSWORD_RESET, login.user_id)
    if owner is None or (last is not None and transaction.now < last + RESETS_APART):
        return None
    return _new_password(transaction, owner, proves=not login.is_proven)


def _is_here(transaction: Transaction, user_id: int) -> bool:
    return users.of_account(transaction, user_id) is not None or sign_ups.has_joined(transaction, user_id)


def _new_password(transaction: Transaction, to: Recipient, *, proves: bool) -> Letter:
    link = _link(transaction, PASSWORD_RESET, to)
    return _letter(transaction, PASSWORD_RESET, to, link=link, proves=proves)


def _invitation(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    kept = invitations.still_given(transaction, int(str(mail.content["invitation_id"])))
    if kept is None:
        return None
    code = secrets.new_token()
    invitation_store.note_mailed(transaction, kept.id, secrets.hash_token(code))
    creator = reader(transaction, kept.creator_id, verified=False)
    known = reader(transaction, kept.user_id, verified=False) if kept.user_id else None
    language = (known or creator or Recipient("")).language
    return _letter(
        transaction,
        INVITATION,
        Recipient(kept.email, kept.name, language=language),
        link=f"{queue.secret_base_url(transaction)}/welcome/{code}",
        inviter=creator.name if creator else "",
        is_known=known is not None,
    )


def _alert(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    administrator = reader(transaction, mail.user_id or 0)
    happened_at = timestamp(mail.created_at)
    if administrator is None:
        return None
    return _letter(transaction, ALERT, administrator, happened_at=happened_at, **mail.content)


COMPOSERS: Mapping[str, Callable[[Transaction, QueuedMail], Letter | None]] = {
    VERIFICATION: _verification,
    PASSWORD_RESET: _password_reset,
    INVITATION: _invitation,
    ALERT: _alert,
    answers.KIND: answers.composed,
}
"""The function that composes each kind of mail, in a write transaction; None means that it is obsolete."""


def _letter(transaction: Transaction, kind: str, to: Recipient, **values: object) -> Letter:
    base = queue.secret_base_url(transaction)
    return Letter(kind, to, accounts.name_of(transaction), base, values)


def _link(transaction: Transaction, kind: str, to: Recipient) -> str:
    code = secrets.new_token()
    link = MailedLink(kind, to.user_id, to.email)
    mailed_links.add(transaction, secrets.hash_token(code), link, transaction.now + LIFETIMES[kind])
    return f"{queue.secret_base_url(transaction)}/{kind.replace('_', '-')}/{code}"
