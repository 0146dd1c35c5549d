"""A connection to the SMTP server."""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from skerry.mail_settings import SmtpServer

SECONDS = 30
"""The timeout for each response of the server, in seconds."""

_PERMANENT = 500
_CLOSING = 421


class MailRefused(Exception):
    """The server refused one mail; unless that is ``permanent``, it may accept it later."""

    def __init__(self, reason: str, *, permanent: bool) -> None:
        super().__init__(reason)
        self.permanent = permanent


class ServerDown(Exception):
    """The server accepts no mail at the moment, regardless of the recipient.

    ``dropped`` says that it closed the connection in the middle of a mail without a response.
    """

    def __init__(self, reason: str, *, dropped: bool = False) -> None:
        super().__init__(reason)
        self.dropped = dropped


class SmtpConnection:
    """An open connection, encrypted and authenticated according to the settings."""

    def __init__(self, smtp: smtplib.SMTP) -> None:
        """Create a connection from one that is open."""
        self._smtp = smtp

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        """Send one mail; raises MailRefused or ServerDown."""
        try:
            self._smtp.sendmail(sender, [recipient], message)
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            raise _problem(code, said) from error
        except smtplib.SMTPDataError as error:
            raise _problem(error.smtp_code, error.smtp_error) from error
        except (smtplib.SMTPServerDisconnected, OSError) as error:
            raise ServerDown(_in_words(error), dropped=True) from error
        except smtplib.SMTPException as error:
            raise ServerDown(_in_words(error)) from error
        # The connection can still be used after a refusal.

    def reset(self) -> None:
        """Reset the connection after a refused mail; raises ServerDown."""
        try:
            self._smtp.rset()
        except (smtplib.SMTPException, OSError) as error:
            raise ServerDown(_in_words(error)) from error


@contextmanager
def connect(server: SmtpServer, seconds: float = SECONDS) -> Iterator[SmtpConnection]:
    """Connect to a server; raises ServerDown."""
    try:
        smtp = _opened(server, seconds)
    except (smtplib.SMTPException, OSError) as error:
        raise ServerDown(_in_words(error)) from error
    try:
        yield SmtpConnection(smtp)
    finally:
        with suppress(smtplib.SMTPException, OSError):
            smtp.quit()
        smtp.close()


def _opened(server: SmtpServer, seconds: float) -> smtplib.SMTP:
    if server.security == "tls":
        smtp: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.port, timeout=seconds, context=ssl.create_default_context()
        )
    else:
        smtp = smtplib.SMTP(server.host, server.port, timeout=seconds)
    try:
        if server.security == "starttls":
            smtp.starttls(context=ssl.create_default_context())
        if server.user:
            smtp.login(server.user, server.password)
        smtp.ehlo_or_helo_if_needed()
    except BaseException:
        smtp.close()
        raise
    return smtp


def _problem(code: int, said: bytes | str) -> Exception:
    reason = f"{code} {_text(said)}"
    return ServerDown(reason) if code == _CLOSING else MailRefused(reason, permanent=code >= _PERMANENT)


def _in_words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPSenderRefused):
        return f"The sender was refused: {error.smtp_code} {_text(error.smtp_error)}"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    return str(error) or type(error).__name__


def _text(said: bytes | str) -> str:
    return (said.decode("utf-8", "replace") if isinstance(said, bytes) else said)[:500]
