"""The settings of OpenID Connect providers, read from the environment."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

START = "SKERRY_OIDC_"

ROLES = ("member", "administrator", "owner")
"""The roles that groups can give, the least first."""

_SCOPES = "openid profile email"
_PROMPTS = ("login", "select_account")
PARTS = (
    *("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "CLIENT_SECRET_FILE", "LABEL", "SCOPES"),
    *("PROMPT", "DOMAINS", "HOSTS", "GROUPS_CLAIM", "ROLES"),
)
_NAME = re.compile(rf"{START}([A-Z0-9]{{1,32}})_([A-Z_]+)")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?")


@dataclass(frozen=True)
class ProviderSettings:
    """A provider with which people sign in; ``name`` is its name in URLs.

    - ``label`` is what people read on the button.
    - ``domains`` are the domains of addresses for which new people are added.
    - ``hosts`` are the hosts of the accounts where it is offered; all of them if it is empty.
    - ``prompt`` is what is asked of it for people who want to use another account than before.
    - ``roles`` maps groups in the claim ``groups_claim`` to roles; without any, it says nothing about roles.
    """

    name: str
    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    label: str = ""
    scopes: str = _SCOPES
    prompt: str = "login"
    domains: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    groups_claim: str = "groups"
    roles: Mapping[str, str] = field(default_factory=dict)

    def is_at(self, host: str) -> bool:
        """Return whether it is offered at a host."""
        return not self.hosts or host.lower() in self.hosts

    def role_for(self, groups: Iterable[str]) -> str | None:
        """Return the highest role that some groups give."""
        given = [self.roles[group] for group in groups if group in self.roles]
        return max(given, key=ROLES.index, default=None)


def offered_at(host: str, providers: Iterable[ProviderSettings]) -> tuple[ProviderSettings, ...]:
    """Return the providers that are offered at a host."""
    return tuple(each for each in providers if each.is_at(host))


def providers(environment: Mapping[str, str]) -> tuple[ProviderSettings, ...]:
    """Return the providers in the environment, by name; raises ValueError with a message."""
    parts: dict[str, dict[str, str]] = {}
    for variable, value in environment.items():
        if not variable.startswith(START):
            continue
        match = _NAME.fullmatch(variable)
        if not match or match[2] not in PARTS:
            raise ValueError(f"{variable} is no setting; a provider has {START}NAME_ISSUER and others")
        if value.strip():
            parts.setdefault(match[1], {})[match[2]] = value.strip()
    return tuple(_provider(name, parts[name]) for name in sorted(parts))


def _provider(name: str, parts: Mapping[str, str]) -> ProviderSettings:
    start = f"{START}{name}_"
    for needed in ("ISSUER", "CLIENT_ID"):
        if needed not in parts:
            raise ValueError(f"{start}{needed} must be set")
    label = parts.get("LABEL", name.capitalize())
    if not label.isprintable() or len(label) > 50:  # noqa: PLR2004 - what fits on a button
        raise ValueError(f"{start}LABEL must have at most 50 printable characters")
    return ProviderSettings(
        name=name.lower(),
        issuer=_issuer(parts["ISSUER"], f"{start}ISSUER"),
        client_id=parts["CLIENT_ID"],
        client_secret=_secret(parts, start),
        label=label,
        prompt=_prompt(parts.get("PROMPT", "login"), f"{start}PROMPT"),
        scopes=_scopes(parts.get("SCOPES", _SCOPES), f"{start}SCOPES"),
        domains=_domains(parts, f"{start}DOMAINS", "DOMAINS"),
        hosts=_domains(parts, f"{start}HOSTS", "HOSTS"),
        groups_claim=parts.get("GROUPS_CLAIM", "groups"),
        roles=_roles(parts.get("ROLES", ""), f"{start}ROLES"),
    )


def _issuer(value: str, called: str) -> str:
    """Return an issuer exactly as it is written, because providers compare it as a text."""
    if not is_safe(value) or urlsplit(value).query or urlsplit(value).fragment:
        raise ValueError(
            f"{called} must be an https address such as https://login.example.org, not {value!r}"
        )
    return value


def is_safe(url: str) -> bool:
    """Return whether a URL is https, or http on this machine, where tests have their providers."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    is_whole = bool(host) and url.isascii() and url.isprintable() and " " not in url and not parts.username
    return is_whole and (parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host)))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _secret(parts: Mapping[str, str], start: str) -> str:
    file = parts.get("CLIENT_SECRET_FILE")
    if not file:
        return parts.get("CLIENT_SECRET", "")
    if "CLIENT_SECRET" in parts:
        raise ValueError(f"Set either {start}CLIENT_SECRET or {start}CLIENT_SECRET_FILE")
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise ValueError(f"{start}CLIENT_SECRET_FILE cannot be read") from error


def _scopes(value: str, called: str) -> str:
    words = value.replace(",", " ").split()
    if "openid" not in words:
        raise ValueError(f"{called} must contain openid")
    return " ".join(words)


def _prompt(value: str, called: str) -> str:
    if value not in _PROMPTS:
        raise ValueError(f"{called} must be {' or '.join(_PROMPTS)}, not {value!r}")
    return value


def _domains(parts: Mapping[str, str], called: str, part: str) -> frozenset[str]:
    words = parts.get(part, "").lower().replace(",", " ").split()
    for word in words:
        if not _DOMAIN.fullmatch(word):
            raise ValueError(f"{called} must be names such as example.org, not {word!r}")
    return frozenset(words)


def _roles(value: str, called: str) -> dict[str, str]:
    """Return the roles of groups, written as ``group=role`` and separated by commas."""
    found = {}
    for piece in filter(None, (each.strip() for each in value.split(","))):
        group, _, role = (each.strip() for each in piece.rpartition("="))
        if not group or role not in ROLES:
            raise ValueError(f"{called} must be pairs such as staff=member, admins=administrator")
        found[group] = role
    return found
