"""An incoming message, as the rules see it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MailFile:
    """A file attached to a message."""

    filename: str
    content_type: str
    content: bytes


@dataclass(frozen=True)
class IncomingMail:
    """An incoming message; fields that could not be read are empty.

    ``sender`` is the one address in ``From``, in lower case, and ``sender_name`` the name beside it.
    ``recipients`` are all recipient addresses. ``text`` is the text of the sender, without quotes and
    signatures. ``automatic`` says why it seems to be sent by a program, and ``problem`` why it cannot be
    read. ``proof`` is the result of the trusted mail server for the sender: ``pass``, ``fail`` or empty.
    """

    sender: str = ""
    sender_name: str = ""
    recipients: tuple[str, ...] = ()
    subject: str = ""
    message_id: str = ""
    references: tuple[str, ...] = ()
    text: str = ""
    files: tuple[MailFile, ...] = ()
    automatic: str = ""
    proof: str = ""
    problem: str = ""
