"""Mail about sign-up: to applicants, to administrators while somebody waits, to approved applicants."""

from collections.abc import Callable, Mapping

from skerry.database.transactions import DAY, Transaction
from skerry.store import accounts
from skerry.store.auth import sign_ups as store
from skerry.store.mail.mails import QueuedMail
from skerry.tracker import secrets
from skerry.tracker.auth import applicants, sign_ups
from skerry.tracker.mail import queue
from skerry.tracker.mail.letters import Letter, Recipient, reader

LIFETIME = DAY
"""How long a link is valid, in microseconds."""


def _asked(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    email = mail.email or ""
    name, language = (str(mail.content.get(each) or "") for each in ("name", "language"))
    login = applicants.login_here(transaction, email)
    if login:
        owner = reader(transaction, login.user_id, verified=False)
        return _letter(transaction, sign_ups.KIND, owner, is_known=True, link="") if owner else None
    if not sign_ups.is_on(transaction) or store.was_refused(transaction, email):
        return None
    code = secrets.new_token()
    expires_at = transaction.now + LIFETIME
    store.add(transaction, secrets.hash_token(code), email=email, name=name, expires_at=expires_at)
    # The name is whatever a stranger typed, so it is not said to the owner of the address.
    to, link = Recipient(email, language=language), f"{queue.secret_base_url(transaction)}/sign-up/{code}"
    return _letter(transaction, sign_ups.KIND, to, is_known=False, link=link)


def _waiting(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    administrator, count = reader(transaction, mail.user_id or 0), store.count(transaction)
    if administrator is None or not count:
        return None
    return _letter(transaction, applicants.WAITING, administrator, count=count)


def _approved(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    person = reader(transaction, mail.user_id or 0)
    return _letter(transaction, applicants.APPROVED, person) if person else None


COMPOSERS: Mapping[str, Callable[[Transaction, QueuedMail], Letter | None]] = {
    sign_ups.KIND: _asked,
    applicants.WAITING: _waiting,
    applicants.APPROVED: _approved,
}
"""The function that composes each kind of mail, in a write transaction; None means that it is obsolete."""


def _letter(transaction: Transaction, kind: str, to: Recipient, **values: object) -> Letter:
    return Letter(kind, to, accounts.name_of(transaction), queue.secret_base_url(transaction), values)
