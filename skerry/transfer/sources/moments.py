"""Moments and days as other trackers write them: in ISO 8601, or as programs print them."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from skerry.database.transactions import microseconds

# Jira writes offsets without a colon, old versions of Redmine slashes in days.
_OFFSET = re.compile(r"([+-]\d\d)(\d\d)$")
_MAX_LENGTH = 80


def instant(text: str) -> int | None:
    """Return a moment in microseconds since 1970, or None if it is no moment; without an offset, in UTC."""
    said = text.strip()
    if len(said) > _MAX_LENGTH:
        return None
    # GitLab of some versions writes "2026-02-28 12:30:00 UTC".
    said = said.removesuffix(" UTC").replace(" +", "+").replace(" -", "-").replace("/", "-")
    try:
        if said[:1].isalpha():
            # "Wed Mar 01 2023 14:00:23 GMT+0000 (GMT)" is what browsers print.
            moment = parsedate_to_datetime(said.replace("GMT+", "+").replace("GMT-", "-"))
        else:
            moment = datetime.fromisoformat(_OFFSET.sub(r"\1:\2", said) if ":" in said else said)
        return microseconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def day(text: str) -> str | None:
    """Return a day such as ``2026-05-01`` of a day or a moment, or None if it is neither."""
    try:
        return date.fromisoformat(text.strip()[:10].replace("/", "-")).isoformat()
    except ValueError:
        return None
