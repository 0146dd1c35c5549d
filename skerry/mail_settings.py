"""The settings of mail that goes out, read from what stands in the environment."""

from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import getaddresses
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

_PORTS = {"none": 25, "starttls": 587, "tls": 465}
_LOCAL = ("localhost", "127.0.0.1", "::1")
_WRONG = "must be smtp://host, smtp://host?starttls=yes or smtps://host, with user:password@ if needed"


@dataclass(frozen=True)
class SmtpServer:
    """The server that takes mails. ``security`` is ``none``, ``starttls`` or ``tls``."""

    host: str
    port: int
    security: str
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class MailSettings:
    """How mails go out, and from whom.

    ``base_url`` stands in front of the addresses in mails of accounts that have none of their own.
    ``reply_host`` stands in the addresses at which answers come in; empty if none do.
    """

    server: SmtpServer
    sender: Address
    base_url: str = ""
    reply_host: str = ""


def smtp_server(url: str) -> SmtpServer:
    """Return the server of a URL; raise ValueError with a sentence, which does not repeat a password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"SKERRY_SMTP_URL {_WRONG}") from error
    if parts.netloc.count("@") > 1:
        raise ValueError("SKERRY_SMTP_URL must have an @ in the user or the password as %40")
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or port == 0 or not url.isascii():
        raise ValueError(f"SKERRY_SMTP_URL {_WRONG}")
    if parts.path not in ("", "/") or parts.fragment:
        raise ValueError(f"SKERRY_SMTP_URL {_WRONG}")
    security = _security(parts)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise ValueError("SKERRY_SMTP_URL must have both a user and a password, or neither")
    if user and security == "none" and parts.hostname not in _LOCAL:
        raise ValueError(
            "SKERRY_SMTP_URL would send the password for all to read; use smtps:// or ?starttls=yes"
        )
    return SmtpServer(parts.hostname, port or _PORTS[security], security, user, password)


def _security(parts: SplitResult) -> str:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    starttls = options.pop("starttls", "no")
    if options or starttls not in ("yes", "no") or (parts.scheme == "smtps" and "starttls" in parts.query):
        raise ValueError(f"SKERRY_SMTP_URL {_WRONG}")
    if parts.scheme == "smtps":
        return "tls"
    return "starttls" if starttls == "yes" else "none"


def sender(text: str) -> Address:
    """Return the address that mails come from; raise ValueError with a sentence if it cannot be one."""
    (name, address), *others = getaddresses([text])
    try:
        found = Address(name, addr_spec=address)
    except (ValueError, IndexError) as error:
        raise ValueError(_WRONG_SENDER) from error
    if not found.domain or not found.username or not address.isascii() or not text.isprintable() or others:
        raise ValueError(_WRONG_SENDER)
    return found


_WRONG_SENDER = "SKERRY_MAIL_FROM must be an address such as Skerry <skerry@example.org>"
