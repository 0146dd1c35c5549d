"""All settings, read once from the environment and validated."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from skerry import mail_settings, oidc_settings
from skerry.mail_settings import Mailbox, MailSettings
from skerry.oidc_settings import ProviderSettings
from skerry.prefixes import is_prefix
from skerry.sealing import key_ring
from skerry.sealing.key_ring import KeyRing

MEBIBYTE = 1024 * 1024
DAY = 24 * 3600

MAX_THREADS = 64
"""More threads would not increase the throughput of one interpreter."""

MAX_EVENTS_DAYS = 3650
MAX_SESSION_DAYS = 400
MAX_TOKEN_DAYS = 3650
"""Browsers keep no cookie longer."""

_ENDPOINTS = ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")

_MAX_DIGITS = 18
_MAIL_ADDRESS = re.compile(r"[!-?A-~]{1,64}@[!-?A-~]{1,255}")
_HOST_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?")


class SettingError(ValueError):
    """A setting has an invalid value; the message names the setting."""


@dataclass(frozen=True)
class Settings:
    """The settings of one installation; every default suits a first try.

    - ``body_limit`` and ``upload_limit`` are in bytes.
    - ``base_url`` is the start of every link; if it is empty, links use the Host of the request. It may end
      with the path below which the service lives.
    - ``trusted_proxies`` are the addresses whose ``X-Forwarded-*`` headers are trusted.
    - ``cors_origins`` are the origins whose pages can read responses, ``*`` for all.
    - ``durability`` is ``full`` if acknowledged writes must survive a power failure.
    - ``body_seconds`` limits receiving a body, ``read_seconds`` a read from the database (0: no limit).
    - ``requests_per_minute`` limits a token, login or address (0: no limit).
    - ``guest_daily_bytes`` limits the texts and files of a guest, who is a member of neither the project nor
      the account; ``guest_project_daily_bytes`` limits those of all guests in a project (0: no limit).
    - ``guest_things`` limits the tickets, comments and files of a guest in a project per hour (0: no limit).
    - ``events_days`` is the number of days for which events are kept.
    - ``metrics_token`` gives access to the metrics; without it, only clients on the same machine have it.
    - ``threads`` is the number of threads for the database (0: four).
    - ``hooks_allow`` are the networks that hooks may reach although they are not public.
    - ``read_only`` refuses every change from outside, for a public demonstration.
    - ``mail_host`` is the domain of addresses for incoming mail; without it, none are shown.
    - ``mail_in`` is the URL of a mailbox to fetch mail from, or the address at which LMTP is served.
    - ``mcp`` says whether agents can use the tools at ``/mcp``.
    - ``security_contact`` is the address to which vulnerabilities of this installation are reported.
    - ``audit_days`` is the number of days for which the log of security events is kept.
    - ``session_unused_days`` ends a session without use, ``session_days`` every session.
    - ``token_days`` is the number of days for which new tokens are valid at most (0: no limit).
    - ``admin_factors`` says whether administrators of accounts need a second factor.
    - ``secret_key`` are the keys that encrypt secrets in the database, separated by commas; without them, a
      file in the data folder has the key.
    - ``mail_authserv`` is the name of the trusted mail server in its ``Authentication-Results``.
    - ``providers`` are the OpenID Connect providers with which people can sign in.
    """

    data: Path = Path("data")
    database_url: str = ""
    base_url: str = ""
    dialect: str = "skerry"
    body_limit: int = 10 * MEBIBYTE
    upload_limit: int = 100 * MEBIBYTE
    blobs: str = ""
    trusted_proxies: frozenset[str] = field(default_factory=frozenset)
    log_format: str = "text"
    cors_origins: frozenset[str] = field(default_factory=frozenset)
    durability: str = "full"
    body_seconds: int = 30
    read_seconds: int = 20
    requests_per_minute: int = 0
    guest_daily_bytes: int = 20 * MEBIBYTE
    guest_project_daily_bytes: int = 100 * MEBIBYTE
    guest_things: int = 50
    events_days: int = 90
    metrics_token: str = ""
    threads: int = 0
    read_only: bool = False
    hooks_allow: tuple[IPv4Network | IPv6Network, ...] = ()
    smtp_url: str = field(default="", repr=False)
    mail_from: str = ""
    mail_host: str = ""
    mail_in: str = field(default="", repr=False)
    mail_authserv: str = ""
    mcp: bool = False
    security_contact: str = ""
    audit_days: int = 365
    session_unused_days: int = 30
    session_days: int = 90
    token_days: int = 0
    admin_factors: bool = False
    secret_key: str = field(default="", repr=False)
    providers: tuple[ProviderSettings, ...] = ()

    @property
    def database(self) -> str:
        """Return the URL of the database, by default of SQLite in the data folder."""
        file = str(self.data.absolute() / "skerry.sqlite3")
        # In the URL, these two characters of a folder's name must be escaped.
        return self.database_url or f"sqlite:///{file.replace('%', '%25').replace('?', '%3F')}"

    @property
    def keys(self) -> KeyRing:
        """Return the keys that encrypt secrets in the database."""
        return KeyRing(self.secret_key, self.data)

    @property
    def is_embedded(self) -> bool:
        """Return whether the database runs inside the process, as SQLite does."""
        return self.database.startswith("sqlite")

    @property
    def threads_for_database(self) -> int:
        """Return the number of threads of a worker that query the database.

        More threads would compete for the interpreter: with eight, PostgreSQL answers a fifth fewer requests.
        """
        return self.threads or 4

    @property
    def mail(self) -> MailSettings | None:
        """Return the settings of outgoing mail; None if no mail is sent."""
        if not self.smtp_url:
            return None
        server, sender = mail_settings.smtp_server(self.smtp_url), mail_settings.sender(self.mail_from)
        return MailSettings(server, sender, self.base_url, self.mail_host)

    @property
    def lmtp(self) -> str:
        """Return the path or ``host:port`` at which LMTP is served; empty if it is not."""
        return mail_settings.lmtp_place(self.mail_in)

    @property
    def mailbox(self) -> Mailbox | None:
        """Return the mailbox from which mail is fetched; None if there is none."""
        return mail_settings.mailbox(self.mail_in)

    @property
    def connections(self) -> int:
        """Return the maximum number of database connections of a worker."""
        return self.threads_for_database + 4


def load(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings in the environment.

    Raises SettingError with a message that names the first invalid setting.
    """
    settings = Settings(
        data=Path(environment.get("SKERRY_DATA") or "data"),
        database_url=_database_url(environment.get("SKERRY_DATABASE_URL", "")),
        base_url=_base_url(environment),
        dialect=_one_of(environment, "SKERRY_DIALECT", ("skerry", "original")),
        body_limit=_bytes(environment, "SKERRY_BODY_LIMIT", Settings.body_limit),
        upload_limit=_bytes(environment, "SKERRY_UPLOAD_LIMIT", Settings.upload_limit),
        blobs=bucket(environment.get("SKERRY_BLOBS", ""), "SKERRY_BLOBS", environment),
        trusted_proxies=frozenset(map(_proxy, _words(environment, "SKERRY_TRUSTED_PROXIES"))),
        cors_origins=frozenset(map(_origin, _words(environment, "SKERRY_CORS_ORIGINS"))),
        durability=_one_of(environment, "SKERRY_DURABILITY", ("full", "normal")),
        body_seconds=_number(environment, "SKERRY_BODY_SECONDS", Settings.body_seconds, most=DAY),
        read_seconds=_number(environment, "SKERRY_READ_SECONDS", Settings.read_seconds, least=0, most=DAY),
        requests_per_minute=_number(environment, "SKERRY_REQUESTS_PER_MINUTE", 0, least=0),
        guest_daily_bytes=_number(
            environment, "SKERRY_GUEST_DAILY_BYTES", Settings.guest_daily_bytes, least=0
        ),
        guest_project_daily_bytes=_number(
            environment, "SKERRY_GUEST_PROJECT_DAILY_BYTES", Settings.guest_project_daily_bytes, least=0
        ),
        guest_things=_number(environment, "SKERRY_GUEST_THINGS", Settings.guest_things, least=0),
        events_days=_number(environment, "SKERRY_EVENTS_DAYS", Settings.events_days, most=MAX_EVENTS_DAYS),
        metrics_token=environment.get("SKERRY_METRICS_TOKEN", ""),
        threads=_number(environment, "SKERRY_THREADS", 0, least=0, most=MAX_THREADS),
        read_only=_one_of(environment, "SKERRY_READ_ONLY", ("no", "yes")) == "yes",
        mail_host=_name(environment, "SKERRY_MAIL_HOST"),
        mail_in=environment.get("SKERRY_MAIL_IN", "").strip(),
        mail_authserv=_name(environment, "SKERRY_MAIL_AUTHSERV"),
        mcp=_mcp(environment),
        security_contact=_contact(environment),
        audit_days=_number(environment, "SKERRY_AUDIT_DAYS", Settings.audit_days, most=MAX_EVENTS_DAYS),
        session_unused_days=_number(
            environment, "SKERRY_SESSION_UNUSED_DAYS", Settings.session_unused_days, most=MAX_SESSION_DAYS
        ),
        session_days=_number(
            environment, "SKERRY_SESSION_DAYS", Settings.session_days, most=MAX_SESSION_DAYS
        ),
        token_days=_number(environment, "SKERRY_TOKEN_DAYS", 0, least=0, most=MAX_TOKEN_DAYS),
        admin_factors=_one_of(environment, "SKERRY_ADMIN_FACTORS", ("no", "yes")) == "yes",
        secret_key=_keys(environment),
        log_format=_one_of(environment, "SKERRY_LOG", ("text", "json")),
        hooks_allow=tuple(map(_network, _words(environment, "SKERRY_HOOKS_ALLOW"))),
        smtp_url=environment.get("SKERRY_SMTP_URL", ""),
        mail_from=environment.get("SKERRY_MAIL_FROM", ""),
        providers=_providers(environment),
    )
    _check_mail(settings)
    return settings


def _providers(environment: Mapping[str, str]) -> tuple[ProviderSettings, ...]:
    try:
        return oidc_settings.providers(environment)
    except ValueError as error:
        raise SettingError(str(error)) from error


def _check_mail(settings: Settings) -> None:
    if settings.mail_in and settings.read_only:
        raise SettingError("SKERRY_MAIL_IN cannot be set if SKERRY_READ_ONLY is yes: mail changes tickets")
    if settings.smtp_url and not settings.mail_from:
        raise SettingError("SKERRY_MAIL_FROM must be set if SKERRY_SMTP_URL is set")
    try:
        _ = settings.mail, settings.lmtp, settings.mailbox
    except ValueError as error:
        raise SettingError(str(error)) from error


def _database_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not url:
        return ""
    if _is_postgresql(url):
        return _server(rest, "SKERRY_DATABASE_URL")
    if scheme == "sqlite" and separator:
        return _database_file(url, rest)
    # The value may contain a password, so the message does not repeat it.
    raise SettingError("SKERRY_DATABASE_URL must begin with sqlite:/// or postgresql://")


def _database_file(url: str, place: str) -> str:
    """Return the URL of a database file; a database in memory would differ in each process."""
    if not place.removeprefix("/") or "?" in place or place.startswith("/:memory:"):
        raise SettingError("SKERRY_DATABASE_URL must be sqlite:/// followed by the path of a file")
    return url


def _server(place: str, name: str) -> str:
    # The user's name may have an @; after it, only the one before the host is needed.
    if place.partition(":")[2].count("@") > 1:
        # Otherwise part of the password would be taken for the host, and appear in error messages.
        raise SettingError(f"{name} must encode an @ in the password as %40")
    return f"postgresql+psycopg://{place}"


def _is_postgresql(url: str) -> bool:
    return url.startswith(("postgres://", "postgresql://", "postgresql+psycopg://"))


def _address(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "").rstrip("/")
    parts = _parts(value)
    whole = parts and parts.scheme in ("http", "https") and not parts.query and not parts.fragment
    if value and not whole:
        raise SettingError(f"{name} must be an http or https address, not {value!r}")
    return value


def _base_url(environment: Mapping[str, str]) -> str:
    value = _address(environment, "SKERRY_BASE_URL")
    parts = urlsplit(value)
    is_whole = value.partition("://")[2] == f"{parts.netloc}{parts.path}"
    if not (is_whole and is_prefix(parts.path)):
        raise SettingError(
            "SKERRY_BASE_URL must be a host, or a host and a path such as /tracker, which no page of "
            f"Skerry has, not {value!r}"
        )
    return value


def _parts(value: str) -> SplitResult | None:
    """Return the parts of a URL, None if it is invalid; it is used in headers, so it must be ASCII."""
    with suppress(ValueError):
        parts = urlsplit(value)
        # The port is only parsed when it is read.
        if parts.netloc and parts.port != 0 and value.isascii() and value.isprintable() and " " not in value:
            return parts
    return None


def _name(environment: Mapping[str, str], name: str) -> str:
    """Return a host name."""
    value = environment.get(name, "").strip().lower()
    if value and not _HOST_NAME.fullmatch(value):
        raise SettingError(f"{name} must be a name such as mail.example.org, not {value!r}")
    return value


def _words(environment: Mapping[str, str], name: str) -> list[str]:
    return environment.get(name, "").replace(",", " ").split()


def _proxy(value: str) -> str:
    """Return the address of a proxy in the form in which the server reports peers."""
    try:
        shortest = str(ip_address(value))
    except ValueError as error:
        raise SettingError(
            f"SKERRY_TRUSTED_PROXIES must be IP addresses such as 10.0.0.1, not {value!r}"
        ) from error
    # Not every version of Python writes IPv4-mapped addresses with dots, as the server does.
    return value.lower() if "." in value else shortest


def _network(value: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(value)
    except ValueError as error:
        raise SettingError(
            f"SKERRY_HOOKS_ALLOW must be networks such as 10.0.0.0/8 or addresses, not {value!r}"
        ) from error


def _origin(value: str) -> str:
    """Return an origin as browsers write it."""
    parts = _parts(value)
    whole = parts and parts.scheme and not (parts.path or parts.query or parts.fragment)
    if value != "*" and not whole:
        raise SettingError(
            f"SKERRY_CORS_ORIGINS must be * or origins such as https://example.org, not {value!r}"
        )
    return value.lower()


def bucket(place: str, called: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of a bucket, which may be empty; raises SettingError if it is another address.

    The addresses of the server in the environment are checked as well.
    """
    if not place:
        return ""
    parts = None
    with suppress(ValueError):
        # A prefix may contain any characters, because it is not sent in headers.
        parts = urlsplit(place)
    if not parts or parts.scheme != "s3" or not parts.netloc or parts.query or parts.fragment:
        raise SettingError(f"{called} must be s3://bucket or s3://bucket/prefix, not {place!r}")
    for name in _ENDPOINTS:
        # The S3 library fails on any other value, including an empty one.
        if name in environment and not _address(environment, name):
            raise SettingError(f"{name} must be an http or https address, not ''")
    return place.rstrip("/")


def _one_of(environment: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    value = environment.get(name) or choices[0]
    if value not in choices:
        raise SettingError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return value


def _keys(environment: Mapping[str, str]) -> str:
    """Return the keys; the message never repeats one."""
    value = environment.get("SKERRY_SECRET_KEY", "").strip()
    try:
        key_ring.keys_in(value)
    except ValueError as error:
        raise SettingError(
            f"SKERRY_SECRET_KEY: {error}; 'openssl rand -hex 32' makes one. Separate several by commas"
        ) from error
    return value


def _contact(environment: Mapping[str, str]) -> str:
    """Return the contact as a URL; it is a line of a file, so it must not hold another."""
    name = "SKERRY_SECURITY_CONTACT"
    value = environment.get(name, "").strip()
    if value.startswith("https://"):
        return _address(environment, name)
    contact = value.removeprefix("mailto:")
    if value and not _MAIL_ADDRESS.fullmatch(contact):
        raise SettingError(f"{name} must be a mail address or an https address, not {value!r}")
    return f"mailto:{contact}" if value else ""


def _mcp(environment: Mapping[str, str]) -> bool:
    is_on = _one_of(environment, "SKERRY_MCP", ("no", "yes")) == "yes"
    if is_on and find_spec("mcp") is None:
        raise SettingError("SKERRY_MCP needs a package that is not installed: install skerry[mcp]")
    return is_on


def _number(
    environment: Mapping[str, str], name: str, default: int, least: int = 1, most: int | None = None
) -> int:
    value = environment.get(name) or str(default)
    if not _is_number(value) or int(value) < least:
        raise SettingError(f"{name} must be a whole number of at least {least}, not {value!r}")
    if most is not None and int(value) > most:
        raise SettingError(f"{name} must be at most {most}, not {value!r}")
    return int(value)


def _bytes(environment: Mapping[str, str], name: str, default: int) -> int:
    value = environment.get(name) or str(default)
    if not _is_number(value) or int(value) == 0:
        raise SettingError(f"{name} must be a whole number of bytes, not {value!r}")
    return int(value)


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS
