"""Mails that came in, and what became of them."""

from typing import ClassVar

from skerry.wire.record import Record


class IncomingMailResult(Record, frozen=True):
    """What a mail has done: ``result`` is ``comment``, ``ticket``, ``ignored`` or ``refused``.

    The reason says why it was ignored or refused, and ``answered`` whether its sender is told by mail.
    """

    singular: ClassVar[str] = "mail"
    plural: ClassVar[str] = "mails"

    answered: bool = False
    message_id: str = ""
    number: int | None = None
    project_id: int | None = None
    reason: str = ""
    result: str = ""
    version: int | None = None
