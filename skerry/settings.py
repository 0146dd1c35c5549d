"""All settings, read once from the environment and validated."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

from skerry import mail_settings, oidc_settings
from skerry import setting_values as values
from skerry.mail_settings import Mailbox, MailSettings
from skerry.oidc_settings import ProviderSettings
from skerry.sealing.key_ring import KeyRing
from skerry.setting_values import SettingError

MEBIBYTE = 1024 * 1024
DAY = 24 * 3600

MAX_THREADS = 64
"""More threads would not increase the throughput of one interpreter."""

MAX_EVENTS_DAYS = 3650
MAX_TOKEN_DAYS = 3650

MAX_SESSION_DAYS = 400
"""Browsers keep no cookie longer."""


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
    number, size = partial(values.number, environment), partial(values.size, environment)
    one_of, words = partial(values.one_of, environment), partial(values.words, environment)
    settings = Settings(
        data=Path(environment.get("SKERRY_DATA") or "data"),
        database_url=values.database_url(environment.get("SKERRY_DATABASE_URL", "")),
        base_url=values.base_url(environment),
        dialect=one_of("SKERRY_DIALECT", ("skerry", "original")),
        body_limit=size("SKERRY_BODY_LIMIT", Settings.body_limit),
        upload_limit=size("SKERRY_UPLOAD_LIMIT", Settings.upload_limit),
        blobs=values.bucket(environment.get("SKERRY_BLOBS", ""), "SKERRY_BLOBS", environment),
        trusted_proxies=frozenset(map(values.proxy, words("SKERRY_TRUSTED_PROXIES"))),
        cors_origins=frozenset(map(values.origin, words("SKERRY_CORS_ORIGINS"))),
        durability=one_of("SKERRY_DURABILITY", ("full", "normal")),
        body_seconds=number("SKERRY_BODY_SECONDS", Settings.body_seconds, most=DAY),
        read_seconds=number("SKERRY_READ_SECONDS", Settings.read_seconds, least=0, most=DAY),
        requests_per_minute=number("SKERRY_REQUESTS_PER_MINUTE", 0, least=0),
        guest_daily_bytes=number("SKERRY_GUEST_DAILY_BYTES", Settings.guest_daily_bytes, least=0),
        guest_project_daily_bytes=number(
            "SKERRY_GUEST_PROJECT_DAILY_BYTES", Settings.guest_project_daily_bytes, least=0
        ),
        guest_things=number("SKERRY_GUEST_THINGS", Settings.guest_things, least=0),
        events_days=number("SKERRY_EVENTS_DAYS", Settings.events_days, most=MAX_EVENTS_DAYS),
        metrics_token=environment.get("SKERRY_METRICS_TOKEN", ""),
        threads=number("SKERRY_THREADS", 0, least=0, most=MAX_THREADS),
        read_only=one_of("SKERRY_READ_ONLY", ("no", "yes")) == "yes",
        mail_host=values.host_name(environment, "SKERRY_MAIL_HOST"),
        mail_in=environment.get("SKERRY_MAIL_IN", "").strip(),
        mail_authserv=values.host_name(environment, "SKERRY_MAIL_AUTHSERV"),
        mcp=values.mcp(environment),
        security_contact=values.contact(environment),
        audit_days=number("SKERRY_AUDIT_DAYS", Settings.audit_days, most=MAX_EVENTS_DAYS),
        session_unused_days=number(
            "SKERRY_SESSION_UNUSED_DAYS", Settings.session_unused_days, most=MAX_SESSION_DAYS
        ),
        session_days=number("SKERRY_SESSION_DAYS", Settings.session_days, most=MAX_SESSION_DAYS),
        token_days=number("SKERRY_TOKEN_DAYS", 0, least=0, most=MAX_TOKEN_DAYS),
        admin_factors=one_of("SKERRY_ADMIN_FACTORS", ("no", "yes")) == "yes",
        secret_key=values.secret_keys(environment),
        log_format=one_of("SKERRY_LOG", ("text", "json")),
        hooks_allow=tuple(map(values.network, words("SKERRY_HOOKS_ALLOW"))),
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
