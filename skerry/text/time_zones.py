"""Time zones by name."""

import re
from datetime import UTC, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,64}")


def is_zone(name: str) -> bool:
    """Return whether this is the name of a time zone, such as ``Europe/Berlin``."""
    return _ZONE.fullmatch(name) is not None and name in _zones()


def zone_named(name: str) -> tzinfo:
    """Return the time zone with a name, or UTC if there is none."""
    return ZoneInfo(name) if is_zone(name) else UTC


@cache
def _zones() -> frozenset[str]:
    """Return the names of all time zones, cached because hundreds of files are read."""
    return frozenset(available_timezones())
