"""The settings, all of them, read once from the environment and checked."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

MEBIBYTE = 1024 * 1024
DAY = 24 * 3600

MOST_THREADS = 64
"""So many threads have room for all that one interpreter gets done."""

_ENDPOINTS = ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")

_MOST_DIGITS = 18


class SettingError(ValueError):
    """A setting has a value that cannot be used; the sentence names the setting."""


@dataclass(frozen=True)
class Settings:
    """How one installation runs; every value has a default that suits a first try.

    ``body_limit`` and ``upload_limit`` are in bytes. ``base_url`` is empty when
    absolute addresses follow the Host that the caller used.
    ``trusted_proxies`` are the addresses whose ``X-Forwarded-*`` headers are believed;
    ``cors_origins`` those of pages elsewhere that may read answers, ``*`` being all. ``durability``
    is ``full`` when what was answered must outlive a failure of the power. A body has
    ``body_seconds``, a request that reads ``read_seconds``, 0 being for ever; a token, login or address
    has ``requests_per_minute``, 0 being any number. ``threads`` is 0 where it follows the database.
    A guest, who is a member of neither the project nor the account, may send ``guest_daily_bytes`` of
    texts and files in a day, and all guests together ``guest_project_daily_bytes`` to a project, 0 being
    any number.
    Without ``metrics_token`` the figures are for callers on the same machine.
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
    metrics_token: str = ""
    threads: int = 0

    @property
    def database(self) -> str:
        """Return the database's address: the one that is set, else SQLite inside the data folder."""
        file = str(self.data.absolute() / "skerry.sqlite3")
        # The folder may have any name, and in an address these two are no part of one.
        return self.database_url or f"sqlite:///{file.replace('%', '%25').replace('?', '%3F')}"

    @property
    def is_embedded(self) -> bool:
        """Return whether the database works inside the process: SQLite does."""
        return self.database.startswith("sqlite")

    @property
    def threads_for_database(self) -> int:
        """The number of threads of a worker that ask the database.

        SQLite works inside the process, where more would hinder each other; PostgreSQL is waited for.
        """
        return self.threads or (4 if self.is_embedded else 8)

    @property
    def connections(self) -> int:
        """The number of connections to the database that a worker may have."""
        return self.threads_for_database + 4


def load(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings from the environment.

    Raises SettingError with a sentence that names the first setting that cannot be used.
    """
    database_url = _database_url(environment.get("SKERRY_DATABASE_URL", ""))
    return Settings(
        data=Path(environment.get("SKERRY_DATA") or "data"),
        database_url=database_url,
        base_url=_address(environment, "SKERRY_BASE_URL"),
        dialect=_one_of(environment, "SKERRY_DIALECT", ("skerry", "original")),
        body_limit=_bytes(environment, "SKERRY_BODY_LIMIT", Settings.body_limit),
        upload_limit=_bytes(environment, "SKERRY_UPLOAD_LIMIT", Settings.upload_limit),
        blobs=_bucket(environment),
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
        metrics_token=environment.get("SKERRY_METRICS_TOKEN", ""),
        threads=_number(environment, "SKERRY_THREADS", 0, least=0, most=MOST_THREADS),
        log_format=_one_of(environment, "SKERRY_LOG", ("text", "json")),
    )


def _database_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not url:
        return ""
    if _is_postgresql(url):
        return _server(rest, "SKERRY_DATABASE_URL")
    if scheme == "sqlite" and separator:
        return _database_file(url, rest)
    # The value may hold a password, so the sentence does not repeat it.
    raise SettingError("SKERRY_DATABASE_URL must begin with sqlite:/// or postgresql://")


def _database_file(url: str, place: str) -> str:
    """A database in memory would be another one in each process."""
    if not place.removeprefix("/") or "?" in place or place.startswith("/:memory:"):
        raise SettingError("SKERRY_DATABASE_URL must name a file behind sqlite:///, and nothing else")
    return url


def _server(place: str, name: str) -> str:
    # A name of a user may have one; nothing behind it needs another one than that before the host.
    if place.partition(":")[2].count("@") > 1:
        # Whoever tries to reach what is taken for the host then says a piece of the password with its name.
        raise SettingError(f"{name} must have an @ in the password as %40")
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


def _parts(value: str) -> SplitResult | None:
    """Return the parts of a URL, None if it is not one; it goes into headers, which are ASCII."""
    with suppress(ValueError):
        parts = urlsplit(value)
        # A port is looked at only when somebody asks for it.
        if parts.netloc and parts.port != 0 and value.isascii() and value.isprintable() and " " not in value:
            return parts
    return None


def _words(environment: Mapping[str, str], name: str) -> list[str]:
    return environment.get(name, "").replace(",", " ").split()


def _proxy(value: str) -> str:
    """Return the address of a proxy in the form in which peers of requests are written."""
    try:
        shortest = str(ip_address(value))
    except ValueError as error:
        raise SettingError(
            f"SKERRY_TRUSTED_PROXIES must be addresses such as 10.0.0.1, no names or networks, not {value!r}"
        ) from error
    # Not every Python writes those of IPv4 within IPv6 with points, as the server does.
    return value.lower() if "." in value else shortest


def _origin(value: str) -> str:
    """Return an origin as browsers write it."""
    parts = _parts(value)
    whole = parts and parts.scheme and not (parts.path or parts.query or parts.fragment)
    if value != "*" and not whole:
        raise SettingError(
            f"SKERRY_CORS_ORIGINS must be * or origins such as https://example.org, no paths, not {value!r}"
        )
    return value.lower()


def _bucket(environment: Mapping[str, str]) -> str:
    place = environment.get("SKERRY_BLOBS", "")
    if not place:
        return ""
    parts = None
    with suppress(ValueError):
        # A prefix may be of any letters: it is no part of what headers hold.
        parts = urlsplit(place)
    if not parts or parts.scheme != "s3" or not parts.netloc or parts.query or parts.fragment:
        raise SettingError(f"SKERRY_BLOBS must be s3://bucket or s3://bucket/prefix, not {place!r}")
    for name in _ENDPOINTS:
        # What calls the bucket does not survive any other, nor an empty one.
        if name in environment and not _address(environment, name):
            raise SettingError(f"{name} must be an http or https address, not ''")
    return place.rstrip("/")


def _one_of(environment: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    value = environment.get(name) or choices[0]
    if value not in choices:
        raise SettingError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return value


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
    return value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS
