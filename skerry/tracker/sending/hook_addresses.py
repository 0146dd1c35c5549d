"""Addresses that hooks may contact: public ones, and those in networks listed in the settings.

Otherwise the creator of a hook could reach services behind the server's firewall.
"""

import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from skerry.errors import Invalid
from skerry.tracker.context import Networks

Address = IPv4Address | IPv6Address

# IPv4 embedded in IPv6: in the last bytes (mapped, compatible, NAT64), or after the prefix (6to4).
_AT_THE_END = (ip_network("::/96"), ip_network("64:ff9b::/96"))
_6TO4 = ip_network("2002::/16")

# Tunnels, local networks and documentation networks, not all of which every Python treats as not public.
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        ("192.88.99.0/24", "64:ff9b:1::/48", "2001::/32", "3fff::/20", "fec0::/10"),
    )
)

# Old notations of IPv4 that the system accepts too: 127.1, 2130706433, 0x7f.0.0.1, 0177.0.0.1.
_OLD_FORM = re.compile(r"(0[xX][0-9a-fA-F]*|[0-9]+)(\.(0[xX][0-9a-fA-F]*|[0-9]+)){0,3}\.?")

_LOCAL = re.compile(r"(.*\.)?localhost(\.localdomain)?\.?|ip6-(localhost|loopback)")

_MAX_HOST_LENGTH = 253


def may_reach(address: Address, allowed: Networks) -> bool:
    """Return whether hooks may contact an address."""
    address = _unwrapped(address)
    return is_within(address, allowed) or _is_public(address)


def is_within(address: Address, networks: Networks) -> bool:
    """Return whether an address is in one of the networks, including IPv4 embedded in IPv6."""
    address = _unwrapped(address)
    return any(address.version == network.version and address in network for network in networks)


def _unwrapped(address: Address) -> Address:
    """Return the IPv4 address embedded in an IPv6 address, or else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if any(address in network for network in _AT_THE_END) and int(address) > 1:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _6TO4:
        return IPv4Address((int(address) >> 80) & 0xFFFFFFFF)
    return address


def _is_public(address: Address) -> bool:
    is_special = address.is_multicast or address.is_reserved or is_within(address, _NOT_PUBLIC)
    return address.is_global and not is_special


def literal(host: str) -> Address | None:
    """Return the address if a host is an IP address in any notation, or None for a name."""
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        pass
    if _OLD_FORM.fullmatch(host):
        try:
            return IPv4Address(socket.inet_aton(host.removesuffix(".")))
        except OSError:
            return None
    return None


def check(url: str, allowed: Networks) -> None:
    """Raise Invalid for an invalid URL of a hook, or a literal address that hooks may not contact.

    Names are resolved only when something is sent.
    """
    parts = _parts(url)
    host = (parts.hostname or "").lower()
    address = literal(host)
    if address is None and _LOCAL.fullmatch(host):
        address = IPv4Address("127.0.0.1")
    if address is not None and not may_reach(address, allowed):
        raise Invalid(f"Url must not lead to {host}, which is not a public address")
    if parts.scheme == "http" and not (allowed and (address is None or is_within(address, allowed))):
        raise Invalid("Url must begin with https://")


def _parts(url: str) -> SplitResult:
    """Return the parts of a URL; raises Invalid if it is not a possible URL of a hook."""
    try:
        parts = urlsplit(url)
        is_whole = parts.port != 0 and parts.scheme in ("http", "https")
        is_whole = is_whole and _is_host(parts.hostname or "", in_brackets="[" in parts.netloc)
    except ValueError:
        is_whole = False
    if not is_whole or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise Invalid("Url must be an address such as https://example.org/hook")
    if parts.username is not None or parts.password is not None:
        raise Invalid("Url must not contain a user name or password")
    if parts.fragment:
        raise Invalid("Url must not have a fragment (#)")
    return parts


def _is_host(host: str, *, in_brackets: bool) -> bool:
    if in_brackets or ":" in host:
        return ":" in host and literal(host) is not None
    labels = host.removesuffix(".").split(".")
    return len(host) <= _MAX_HOST_LENGTH and all(
        re.fullmatch(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)", each) for each in labels
    )
