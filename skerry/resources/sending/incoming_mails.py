"""Incoming mail, and its results."""

from typing import ClassVar

from skerry.wire.record import Record


class IncomingMailResult(Record, frozen=True):
    """The result of an incoming mail: ``comment``, ``ticket``, ``ignored`` or ``refused``.

    ``reason`` says why it was ignored or refused, and ``answered`` whether the sender gets a reply that says
    so.
    """

    singular: ClassVar[str] = "mail"
    plural: ClassVar[str] = "incoming_mails"

    answered: bool = False
    message_id: str = ""
    number: int | None = None
    project_id: int | None = None
    reason: str = ""
    result: str = ""
    version: int | None = None
