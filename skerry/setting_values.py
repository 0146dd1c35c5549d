"""Values of settings, checked and in the form in which the program uses them.

Every function raises SettingError with a message that names the setting.
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from skerry.prefixes import is_prefix
from skerry.sealing import key_ring

_ENDPOINTS = ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
_MAX_DIGITS = 18
_MAIL_ADDRESS = re.compile(r"[!-?A-~]{1,64}@[!-?A-~]{1,255}")
_HOST_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?")


class SettingError(ValueError):
    """A setting has an invalid value; the message names the setting."""


def database_url(url: str) -> str:
    """Return the URL of the database for its driver; empty for the default."""
    scheme, separator, rest = url.partition("://")
    if not url:
        return ""
    if _is_postgresql(url):
        return _server(rest)
    if scheme == "sqlite" and separator:
        return _database_file(url, rest)
    # The value may contain a password, so the message does not repeat it.
    raise SettingError("SKERRY_DATABASE_URL must begin with sqlite:/// or postgresql://")


def _database_file(url: str, place: str) -> str:
    """Return the URL of a database file; a database in memory would differ in each process."""
    if not place.removeprefix("/") or "?" in place or place.startswith("/:memory:"):
        raise SettingError("SKERRY_DATABASE_URL must be sqlite:/// followed by the path of a file")
    return url


def _server(place: str) -> str:
    # The user's name may have an @; after it, only the one before the host is needed.
    if place.partition(":")[2].count("@") > 1:
        # Otherwise part of the password would be taken for the host, and appear in error messages.
        raise SettingError("SKERRY_DATABASE_URL must encode an @ in the password as %40")
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


def base_url(environment: Mapping[str, str]) -> str:
    """Return the start of every link: a host, perhaps with a path."""
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


def host_name(environment: Mapping[str, str], name: str) -> str:
    """Return a host name."""
    value = environment.get(name, "").strip().lower()
    if value and not _HOST_NAME.fullmatch(value):
        raise SettingError(f"{name} must be a name such as mail.example.org, not {value!r}")
    return value


def words(environment: Mapping[str, str], name: str) -> list[str]:
    """Return the words of a value, which blanks or commas separate."""
    return environment.get(name, "").replace(",", " ").split()


def proxy(value: str) -> str:
    """Return the address of a proxy in the form in which the server reports peers."""
    try:
        shortest = str(ip_address(value))
    except ValueError as error:
        raise SettingError(
            f"SKERRY_TRUSTED_PROXIES must be IP addresses such as 10.0.0.1, not {value!r}"
        ) from error
    # Not every version of Python writes IPv4-mapped addresses with dots, as the server does.
    return value.lower() if "." in value else shortest


def network(value: str) -> IPv4Network | IPv6Network:
    """Return a network; an address is a network of its own."""
    try:
        return ip_network(value)
    except ValueError as error:
        raise SettingError(
            f"SKERRY_HOOKS_ALLOW must be networks such as 10.0.0.0/8 or addresses, not {value!r}"
        ) from error


def origin(value: str) -> str:
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


def one_of(environment: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    """Return one of several words, the first by default."""
    value = environment.get(name) or choices[0]
    if value not in choices:
        raise SettingError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return value


def secret_keys(environment: Mapping[str, str]) -> str:
    """Return the keys; the message never repeats one."""
    value = environment.get("SKERRY_SECRET_KEY", "").strip()
    try:
        key_ring.keys_in(value)
    except ValueError as error:
        raise SettingError(
            f"SKERRY_SECRET_KEY: {error}; 'openssl rand -hex 32' creates one. Separate several with commas"
        ) from error
    return value


def contact(environment: Mapping[str, str]) -> str:
    """Return the contact as a URL; it is a line of a file, so it must not hold another."""
    name = "SKERRY_SECURITY_CONTACT"
    value = environment.get(name, "").strip()
    if value.startswith("https://"):
        return _address(environment, name)
    contact = value.removeprefix("mailto:")
    if value and not _MAIL_ADDRESS.fullmatch(contact):
        raise SettingError(f"{name} must be a mail address or an https address, not {value!r}")
    return f"mailto:{contact}" if value else ""


def mcp(environment: Mapping[str, str]) -> bool:
    """Return whether agents can use the tools, for which a package must be installed."""
    is_on = one_of(environment, "SKERRY_MCP", ("no", "yes")) == "yes"
    if is_on and find_spec("mcp") is None:
        raise SettingError("SKERRY_MCP needs a package that is not installed: install skerry[mcp]")
    return is_on


def number(
    environment: Mapping[str, str], name: str, default: int, least: int = 1, most: int | None = None
) -> int:
    """Return a whole number within limits."""
    value = environment.get(name) or str(default)
    if not _is_number(value) or int(value) < least:
        raise SettingError(f"{name} must be a whole number of at least {least}, not {value!r}")
    if most is not None and int(value) > most:
        raise SettingError(f"{name} must be at most {most}, not {value!r}")
    return int(value)


def size(environment: Mapping[str, str], name: str, default: int) -> int:
    """Return a number of bytes of at least one."""
    value = environment.get(name) or str(default)
    if not _is_number(value) or int(value) == 0:
        raise SettingError(f"{name} must be a whole number of bytes, not {value!r}")
    return int(value)


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS
