"""A connection to the server that takes mails."""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage

from skerry.mail_settings import SmtpServer

SECONDS = 30
"""How long the server may take for each answer."""

_PERMANENT = 500
_CLOSING = 421


class Refused(Exception):
    """The server refused one mail. If it is not ``permanent``, it may take it later."""

    def __init__(self, reason: str, *, permanent: bool) -> None:
        """Keep what the server said."""
        super().__init__(reason)
        self.permanent = permanent


class ServerDown(Exception):
    """The server takes no mails at the moment, whoever they are for.

    ``dropped`` says that it ended the connection in the middle of a mail, without a word.
    """

    def __init__(self, reason: str, *, dropped: bool = False) -> None:
        """Keep what happened."""
        super().__init__(reason)
        self.dropped = dropped


class Connection:
    """A connection that has been opened and, if the settings say so, encrypted and authenticated."""

    def __init__(self, smtp: smtplib.SMTP) -> None:
        """Use an open connection."""
        self._smtp = smtp

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        """Hand over one mail; raise Refused or ServerDown."""
        try:
            self._smtp.send_message(message, sender, [recipient])
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            raise _problem(code, said) from error
        except smtplib.SMTPDataError as error:
            raise _problem(error.smtp_code, error.smtp_error) from error
        except smtplib.SMTPNotSupportedError as error:
            raise Refused(str(error), permanent=True) from error
        except (smtplib.SMTPServerDisconnected, OSError) as error:
            raise ServerDown(_in_words(error), dropped=True) from error
        except smtplib.SMTPException as error:
            raise ServerDown(_in_words(error)) from error
        # A connection that was refused something is still good for the next mail.

    def reset(self) -> None:
        """Forget a mail that was refused; raise ServerDown."""
        try:
            self._smtp.rset()
        except (smtplib.SMTPException, OSError) as error:
            raise ServerDown(_in_words(error)) from error


@contextmanager
def connected(server: SmtpServer, seconds: float = SECONDS) -> Iterator[Connection]:
    """Connect to a server; raise ServerDown."""
    try:
        smtp = _opened(server, seconds)
    except (smtplib.SMTPException, OSError) as error:
        raise ServerDown(_in_words(error)) from error
    try:
        yield Connection(smtp)
    finally:
        with suppress(smtplib.SMTPException, OSError):
            smtp.quit()
        smtp.close()


def _opened(server: SmtpServer, seconds: float) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.security == "tls":
        smtp: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=seconds, context=context)
    else:
        smtp = smtplib.SMTP(server.host, server.port, timeout=seconds)
    try:
        if server.security == "starttls":
            smtp.starttls(context=context)
        if server.user:
            smtp.login(server.user, server.password)
        smtp.ehlo_or_helo_if_needed()
    except BaseException:
        smtp.close()
        raise
    return smtp


def _problem(code: int, said: bytes | str) -> Exception:
    reason = f"{code} {_text(said)}"
    return ServerDown(reason) if code == _CLOSING else Refused(reason, permanent=code >= _PERMANENT)


def _in_words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPSenderRefused):
        return f"The sender was refused: {error.smtp_code} {_text(error.smtp_error)}"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    return str(error) or type(error).__name__


def _text(said: bytes | str) -> str:
    return (said.decode("utf-8", "replace") if isinstance(said, bytes) else said)[:500]
