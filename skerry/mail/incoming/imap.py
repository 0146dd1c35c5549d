"""An IMAP connection from which mail is fetched (RFC 3501)."""

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from imaplib import IMAP4, IMAP4_SSL
from typing import Any

from skerry.mail_settings import Mailbox

SECONDS = 30
"""The timeout for each response of the server, in seconds."""

SEEN, FLAGGED = r"(\Seen)", r"(\Seen \Flagged)"

_SIZE = re.compile(rb"(?=.*\bUID (\d+)).*\bRFC822\.SIZE (\d+)")
_ERRORS = (IMAP4.error, OSError, ValueError)
_MAX_SENTENCE_LENGTH = 500


class MailboxDown(Exception):
    """The mailbox cannot be read at the moment."""


class ImapConnection:
    """A connection with a selected folder."""

    def __init__(self, imap: IMAP4, mailbox: Mailbox) -> None:
        """Create a connection from one that is open."""
        self._imap, self._mailbox = imap, mailbox

    def waiting(self) -> list[int]:
        """Return the UIDs of the unread mails, oldest first; raises MailboxDown."""
        numbers = b" ".join(item for item in self._send("SEARCH", "UNSEEN") if isinstance(item, bytes))
        return sorted(int(number) for number in numbers.split() if number.isdigit())

    def sizes(self, uids: list[int]) -> dict[int, int]:
        """Return the size in bytes of each mail that still exists; raises MailboxDown."""
        answers = self._send("FETCH", ",".join(map(str, uids)), "(UID RFC822.SIZE)") if uids else []
        matches = [_SIZE.search(answer) for answer in answers if isinstance(answer, bytes)]
        sizes = {int(match[1]): int(match[2]) for match in matches if match}
        return {uid: sizes[uid] for uid in uids if uid in sizes}

    def beginning(self, uid: int, most: int) -> bytes:
        """Return the first ``most`` bytes of a mail, without marking it as read; raises MailboxDown."""
        answers = self._send("FETCH", str(uid), f"(BODY.PEEK[]<0.{most}>)")
        content: bytes = next((answer[1] for answer in answers if isinstance(answer, tuple)), b"")
        return content[:most]

    def mark(self, uid: int, flags: str) -> None:
        """Set flags on a mail; raises MailboxDown."""
        self._send("STORE", str(uid), "+FLAGS.SILENT", flags)

    def _send(self, *command: str) -> list[Any]:
        try:
            state, answers = self._imap.uid(*command)
        except _ERRORS as error:
            raise MailboxDown(_in_words(error, self._mailbox)) from error
        if state != "OK":
            raise MailboxDown(_in_words(IMAP4.error(*answers), self._mailbox))
        return answers


@contextmanager
def connect(
    mailbox: Mailbox, seconds: float = SECONDS, *, only_look: bool = False
) -> Iterator[ImapConnection]:
    """Connect to a server and select the folder; raises MailboxDown.

    With ``only_look`` the folder is opened read-only.
    """
    try:
        imap = _connected(mailbox, seconds)
    except _ERRORS as error:
        raise MailboxDown(_in_words(error, mailbox)) from error
    try:
        _open(imap, mailbox, only_look=only_look)
        yield ImapConnection(imap, mailbox)
    finally:
        with suppress(*_ERRORS):
            imap.logout()
        # The logout fails if the server no longer responds.
        with suppress(OSError):
            imap.shutdown()


def _connected(mailbox: Mailbox, seconds: float) -> IMAP4:
    if mailbox.security == "tls":
        context = ssl.create_default_context()
        return IMAP4_SSL(mailbox.host, mailbox.port, ssl_context=context, timeout=seconds)
    return IMAP4(mailbox.host, mailbox.port, timeout=seconds)


def _open(imap: IMAP4, mailbox: Mailbox, *, only_look: bool) -> None:
    try:
        if mailbox.security == "starttls":
            imap.starttls(ssl_context=ssl.create_default_context())
        # The library quotes only the password.
        imap.login(_quoted(mailbox.user), mailbox.password)
        state, answers = imap.select(_quoted(mailbox.folder), readonly=only_look)
    except _ERRORS as error:
        raise MailboxDown(_in_words(error, mailbox)) from error
    if state != "OK":
        raise MailboxDown(_in_words(IMAP4.error(*answers), mailbox))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _in_words(error: Exception, mailbox: Mailbox) -> str:
    """Return the error in one line, without the password, which a server may echo."""
    said = error.args[0] if len(error.args) == 1 else str(error)
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    line = " ".join(text.replace(mailbox.password, "***").split())[:_MAX_SENTENCE_LENGTH]
    return line or type(error).__name__
