"""A message that came in, as far as the rules have to know it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MailFile:
    """A file that came with a message."""

    filename: str
    content_type: str
    content: bytes


@dataclass(frozen=True)
class IncomingMail:
    """A message that came in; what could not be read of it is empty.

    ``sender`` is the one address in ``From``, in small letters, and ``sender_name`` the name beside it.
    ``recipients`` are all addresses that name somebody it was for. ``text`` is what its sender wrote, without
    quotes and signatures. ``automatic`` says why it seems to be sent by a program, and ``problem`` why it
    cannot be read. ``proof`` is what the trusted mail server found out about the sender: ``pass``, ``fail``
    or nothing.
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
