"""The settings of outgoing and incoming mail, read from the environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import getaddresses
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

_LOCAL = ("localhost", "127.0.0.1", "::1")
_LMTP = re.compile(r"lmtp:(?:/[^\0]{1,100}|(?:[A-Za-z0-9.-]{1,250}|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5}))")


@dataclass(frozen=True)
class _Kind:
    """The kind of a server: the schemes of its protocol, and the ports without and with encryption."""

    setting: str
    protocol: str
    ports: Mapping[str, int]
    wrong: str


_SMTP = _Kind(
    "SKERRY_SMTP_URL",
    "smtp",
    {"none": 25, "starttls": 587, "tls": 465},
    "SKERRY_SMTP_URL must be smtp://host, smtp://host?starttls=yes or smtps://host, "
    "with user:password@ if needed",
)
_IMAP = _Kind(
    "SKERRY_MAIL_IN",
    "imap",
    {"none": 143, "starttls": 143, "tls": 993},
    "SKERRY_MAIL_IN must be lmtp:/path/of/a.sock, lmtp:host:port or imaps://user:password@host/folder",
)


@dataclass(frozen=True)
class SmtpServer:
    """The SMTP server for outgoing mail. ``security`` is ``none``, ``starttls`` or ``tls``."""

    host: str
    port: int
    security: str
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class Mailbox:
    """The mailbox folder from which mail is fetched. ``security`` is as in ``SmtpServer``."""

    host: str
    port: int
    security: str
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"

    @property
    def place(self) -> str:
        """Return the folder and the server, without the password."""
        return f"{self.folder} at {self.host}:{self.port}"


@dataclass(frozen=True)
class MailSettings:
    """The settings of outgoing mail.

    ``base_url`` is the base URL of links in mail of accounts that have none of their own. ``reply_host`` is
    the host of reply addresses; empty if replies are not received.
    """

    server: SmtpServer
    sender: Address
    base_url: str = ""
    reply_host: str = ""


def smtp_server(url: str) -> SmtpServer:
    """Return the server in a URL; raises ValueError with a message that does not contain a password."""
    parts = _parts(url, _SMTP)
    if parts.path not in ("", "/"):
        raise ValueError(_SMTP.wrong)
    host, port, security, user, password = _server(parts, _SMTP)
    return SmtpServer(host, port, security, user, password)


def lmtp_place(value: str) -> str:
    """Return the path or ``host:port`` at which LMTP is served; empty if mail is fetched.

    Raises ValueError with a message if the value is neither.
    """
    match = _LMTP.fullmatch(value)
    if value and not value.startswith(("imap:", "imaps:")) and not (match and _is_port(match[1])):
        raise ValueError(_IMAP.wrong)
    return value.removeprefix("lmtp:") if value.startswith("lmtp:") else ""


def _is_port(text: str | None) -> bool:
    return text is None or 0 < int(text) <= 65535  # noqa: PLR2004 - the largest


def mailbox(value: str) -> Mailbox | None:
    """Return the mailbox from which mail is fetched, or None if it arrives by LMTP; raises ValueError."""
    if not value.startswith(("imap:", "imaps:")):
        return None
    parts = _parts(value, _IMAP)
    host, port, security, user, password = _server(parts, _IMAP)
    folder = unquote(parts.path.removeprefix("/")) or "INBOX"
    if not user:
        raise ValueError(_IMAP.wrong)
    if not all(text.isascii() and text.isprintable() for text in (user, password, folder)):
        raise ValueError("SKERRY_MAIL_IN must use only ASCII in user, password and folder")
    return Mailbox(host, port, security, user, password, folder)


def _parts(url: str, kind: _Kind) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(kind.wrong) from error
    if parts.netloc.count("@") > 1:
        raise ValueError(f"{kind.setting} must encode an @ in the user or the password as %40")
    schemes = (kind.protocol, f"{kind.protocol}s")
    if parts.scheme not in schemes or not parts.hostname or port == 0 or not url.isascii() or parts.fragment:
        raise ValueError(kind.wrong)
    return parts


def _server(parts: SplitResult, kind: _Kind) -> tuple[str, int, str, str, str]:
    """Return host, port, security, user and password."""
    host, security = parts.hostname or "", _security(parts, kind)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise ValueError(f"{kind.setting} must have both a user and a password, or neither")
    if user and security == "none" and host not in _LOCAL:
        safe = f"{kind.protocol}s:// or ?starttls=yes"
        raise ValueError(f"{kind.setting} would send the password unencrypted; use {safe}")
    return host, parts.port or kind.ports[security], security, user, password


def _security(parts: SplitResult, kind: _Kind) -> str:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    is_safe = parts.scheme == f"{kind.protocol}s"
    starttls = options.pop("starttls", "no")
    if options or starttls not in ("yes", "no") or (is_safe and "starttls" in parts.query):
        raise ValueError(kind.wrong)
    if is_safe:
        return "tls"
    return "starttls" if starttls == "yes" else "none"


def sender(text: str) -> Address:
    """Return the sender address of mail; raises ValueError with a message if it is invalid."""
    (name, address), *others = getaddresses([text])
    try:
        parsed = Address(name, addr_spec=address)
    except (ValueError, IndexError) as error:
        raise ValueError(_WRONG_SENDER) from error
    if not parsed.domain or not parsed.username or not address.isascii() or not text.isprintable() or others:
        raise ValueError(_WRONG_SENDER)
    return parsed


_WRONG_SENDER = 'SKERRY_MAIL_FROM must be an address such as "Skerry <skerry@example.org>"'
