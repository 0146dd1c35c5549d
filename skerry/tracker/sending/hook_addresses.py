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

_NAT64 = ip_network("64:ff9b::/96")

# The special-purpose address registries of IANA, multicast, what is reserved, and the addresses at which
# providers keep the secrets of machines. Each version of Python knows another part of them.
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
            *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"),
            # Of IPv6, only 2000::/3 is public: everything else is local, reserved or multicast.
            *("::/3", "4000::/2", "8000::/1"),
            *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
        ),
    )
)
_PUBLIC_PARTS = tuple(
    map(
        ip_network,
        (
            *("192.0.0.9/32", "192.0.0.10/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128"),
            *("2001:3::/32", "2001:4:112::/48", "2001:20::/28", "2001:30::/28"),
        ),
    )
)

# Old notations of IPv4 that the system accepts too: 127.1, 2130706433, 0x7f.0.0.1, 0177.0.0.1.
_OLD_FORM = re.compile(r"(0[xX][0-9a-fA-F]*|[0-9]+)(\.(0[xX][0-9a-fA-F]*|[0-9]+)){0,3}\.?")

_LOCAL = re.compile(r"(.*\.)?localhost(\.localdomain)?\.?|ip6-(localhost|loopback)")

# Clients take such a host for an IPv4 address.
_ENDS_IN_NUMBER = re.compile(r"([^:]*\.)?([0-9]+|0x[0-9a-f]*)\.?")

_NO_URL = "URL must be an address such as https://example.org/hook"

_MAX_HOST_LENGTH = 253

_SHOWN = 4


def may_reach(address: Address, allowed: Networks) -> bool:
    """Return whether hooks may contact an address."""
    address = _unwrapped(address)
    return is_within(address, allowed) or _is_public(address)


def is_within(address: Address, networks: Networks) -> bool:
    """Return whether an address is in one of the networks, including IPv4 embedded in IPv6."""
    address = _unwrapped(address)
    return any(address.version == network.version and address in network for network in networks)


def _unwrapped(address: Address) -> Address:
    """Return the IPv4 address that a mapped or translated IPv6 address stands for, or else the address."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _is_public(address: Address) -> bool:
    return is_within(address, _PUBLIC_PARTS) or not is_within(address, _NOT_PUBLIC)


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
        raise Invalid(f"URL must not lead to {host}, which is not a public address")
    if _ENDS_IN_NUMBER.fullmatch(host) and host != str(address):
        raise Invalid(f"URL must write {host} as {address}" if address else _NO_URL)
    if parts.scheme == "http" and not (allowed and (address is None or is_within(address, allowed))):
        raise Invalid("URL must begin with https://")


def masked(url: str) -> str:
    """Return a URL as readers see it, because the URL of a chat is itself a credential.

    What follows the host is reduced to its last four characters. No valid URL looks like that.
    """
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    rest = url.removeprefix(origin)
    return url if len(rest) <= _SHOWN + 1 else f"{origin}/{masked_text(rest[1:])}"


def masked_text(text: str) -> str:
    """Return the last four characters of a secret, after an ellipsis if there are more."""
    return text if len(text) <= _SHOWN else f"…{text[-_SHOWN:]}"


def _parts(url: str) -> SplitResult:
    """Return the parts of a URL; raises Invalid if it is not a possible URL of a hook."""
    try:
        parts = urlsplit(url)
        is_whole = parts.port != 0 and parts.scheme in ("http", "https")
        is_whole = is_whole and _is_host(parts.hostname or "", in_brackets="[" in parts.netloc)
    except ValueError:
        is_whole = False
    if not is_whole or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise Invalid(_NO_URL)
    if parts.username is not None or parts.password is not None:
        raise Invalid("URL must not contain a user name or password")
    if parts.fragment:
        raise Invalid("URL must not have a fragment (#)")
    return parts


def _is_host(host: str, *, in_brackets: bool) -> bool:
    if in_brackets or ":" in host:
        return ":" in host and "%" not in host and literal(host) is not None
    # A trailing dot is allowed only for numbers, which are refused below with a better message.
    labels = (host.removesuffix(".") if _ENDS_IN_NUMBER.fullmatch(host) else host).split(".")
    return len(host) <= _MAX_HOST_LENGTH and all(
        re.fullmatch(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)", each) for each in labels
    )
