"""Moments as texts: read generously, written in one way."""

import re
from datetime import UTC, datetime, timedelta, timezone

_MOMENT = re.compile(
    r"""
    (?P<year>[0-9]{4}) (?P<dash>-?) (?P<month>[0-9]{2}) (?P=dash) (?P<day>[0-9]{2})
    (?:
        (?:[T]|[ ]+)
        (?P<hour>[0-9]{2}) (?P<colon>:?) (?P<minute>[0-9]{2})
        (?: (?P=colon) (?P<second>[0-9]{2}) (?:[.,](?P<fraction>[0-9]+))? )?
        [ ]* (?: Z | UTC | GMT | (?P<sign>[+-]) (?P<hours>[0-9]{2}) :? (?P<minutes>[0-9]{2})? )?
    )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SENTENCE = "This is not a date such as 2007-01-15 or 2007-01-15T08:13:09Z"


def read_moment(text: str) -> datetime:
    """Give the moment that an ISO 8601 text names, aware and in UTC.

    The offset may be missing (then it is UTC), the fraction too, and the whole time (then it is
    midnight). Raises ValueError with a sentence for any other text, and for moments outside the
    years 1 to 9999 of UTC.
    """
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        raise ValueError(_SENTENCE)
    try:
        return (_clock(match) - _offset(match)).replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError(_SENTENCE) from None


def _clock(match: re.Match[str]) -> datetime:
    """Give what calendar and clock on the wall show. Raises ValueError for the 31st of June."""
    day = datetime(int(match["year"]), int(match["month"]), int(match["day"]))  # noqa: DTZ001
    microsecond = int((match["fraction"] or "")[:6].ljust(6, "0"))
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    return day.replace(hour=hour, minute=minute, second=second, microsecond=microsecond)


def _offset(match: re.Match[str]) -> timedelta:
    """Give how far the wall is ahead of UTC. Raises ValueError from 24 hours on."""
    offset = timedelta(hours=int(match["hours"] or 0), minutes=int(match["minutes"] or 0))
    timezone(offset)
    return -offset if match["sign"] == "-" else offset


def write_moment(moment: datetime) -> str:
    """Give a moment in UTC and whole seconds, ``2007-01-15T08:13:09Z``; a naive one is UTC."""
    if moment.tzinfo not in (None, UTC):
        moment = moment.astimezone(UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
