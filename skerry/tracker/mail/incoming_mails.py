"""An incoming message, as the rules see it, and the list of those that were not used."""

from dataclasses import dataclass

from skerry.database.transactions import HOUR, Transaction
from skerry.resources.mail import UnusedMail
from skerry.store.mail import incoming_mails as store
from skerry.text.rendered_html import shortened
from skerry.tracker.context import Context, Params, ResultPage


@dataclass(frozen=True)
class MailFile:
    """A file attached to a message."""

    filename: str
    content_type: str
    content: bytes


@dataclass(frozen=True)
class MailText:
    """A text: the sender's own, what was left out of it, and the part of it in which commands act."""

    own: str = ""
    quoted: str = ""
    commands: str = ""


@dataclass(frozen=True)
class IncomingMail:
    """An incoming message; fields that could not be read are empty.

    ``sender`` is the one address in ``From``, in lower case, and ``sender_name`` the name beside it.
    ``recipients`` are all recipient addresses. ``whole`` is the text, and ``reply`` the same without quotes
    and signatures, for a mail that is a reply. ``automatic`` says why it was sent by a program, ``bulk`` why
    it is no reply of a person, and ``problem`` why it cannot be read. ``proof`` is the result of the trusted
    mail server for the sender: ``pass``, ``fail`` or empty; ``trusted_server`` is its name, empty if none is
    trusted.
    """

    sender: str = ""
    sender_name: str = ""
    recipients: tuple[str, ...] = ()
    subject: str = ""
    message_id: str = ""
    references: tuple[str, ...] = ()
    whole: MailText = MailText()
    reply: MailText = MailText()
    files: tuple[MailFile, ...] = ()
    automatic: str = ""
    bulk: str = ""
    proof: str = ""
    trusted_server: str = ""
    problem: str = ""


MAX = 500
"""The maximum number of mails listed."""

_MAX_SUBJECT_LENGTH = 200


def list_all(context: Context, _params: Params) -> ResultPage[UnusedMail]:
    """Return the mail that was not used, the newest first."""
    return ResultPage(UnusedMail, store.list_unused(context.transaction, MAX))


def note(
    transaction: Transaction, key: str, mail: IncomingMail, result: str, reason: str, *, answered: bool
) -> None:
    """Record a mail that was not used, for the list of administrators."""
    subject = shortened(mail.subject, _MAX_SUBJECT_LENGTH)
    unused = UnusedMail(answered=answered, email=mail.sender, reason=reason, result=result, subject=subject)
    store.note_unused(transaction, key, unused)


def within_hour(transaction: Transaction) -> int:
    """Return how many mails were recorded within the last hour."""
    return store.count_unused(transaction, HOUR)
