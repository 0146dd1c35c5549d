"""Networks of clients."""

from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address


@lru_cache(maxsize=1024)
def network_of(address: str) -> str:
    """Return the network that counts as one client: with IPv6, a /64."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or IPv6Network((int(parsed), 64), strict=False))
