"""The declarations of outgoing and incoming mail."""

from datetime import datetime

from skerry.wire.record import Record


class Mail(Record, frozen=True):
    """A mail that is waiting to be sent, or that the mail server rejected permanently (``set_aside_at``).

    ``due_at`` says when it is tried again. ``failure`` is the last response of the server. A mail that waits
    because the server accepts no mail at all has the failure of the server.
    """

    singular, plural = "mail", "mails"

    created_at: datetime | None = None
    due_at: datetime | None = None
    email: str = ""
    failure: str = ""
    id: int | None = None
    kind: str = ""
    set_aside_at: datetime | None = None
    tries: int = 0
    user_id: int | None = None


class Subscription(Record, frozen=True):
    """What an unsubscribe link ends: mail about a ``ticket``, a ``digest``, or all ``notifications`` by mail.

    ``reminders`` of due dates end by a link, too.

    ``mail`` is how often notifications are mailed: ``at_once``, ``daily``, ``weekly`` or ``none``. ``title``,
    ``number`` and ``project_id`` are those of the ticket.
    """

    singular, plural = "subscription", "subscriptions"

    ended: bool = False
    ends: str = "notifications"
    mail: str = ""
    number: int | None = None
    project_id: int | None = None
    title: str | None = None


class IncomingMailResult(Record, frozen=True):
    """The result of an incoming mail: ``comment``, ``ticket``, ``ignored`` or ``refused``.

    ``reason`` says why it was ignored or refused, and ``answered`` whether the sender gets a reply that says
    so.
    """

    singular, plural = "mail", "incoming_mails"

    answered: bool = False
    message_id: str = ""
    number: int | None = None
    project_id: int | None = None
    reason: str = ""
    result: str = ""
    version: int | None = None


class UnusedMail(Record, frozen=True):
    """A mail that was ``refused`` or ``ignored`` (``result``), with the reason.

    ``email`` is the address that its sender claims, ``answered`` says whether Skerry replied to it.
    """

    singular, plural = "unused_mail", "unused_mails"

    answered: bool = False
    created_at: datetime | None = None
    email: str = ""
    reason: str = ""
    result: str = ""
    subject: str = ""
