"""Lists of tickets as tables for spreadsheets: CSV (RFC 4180) in UTF-8."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from skerry.resources.tickets import Ticket
from skerry.wire import formats

MAX = 10_000
"""The maximum number of tickets in a table."""

CSV = replace(formats.JSON, name="csv", content_type="text/csv; charset=utf-8")
"""The format of tables; errors are in XML, as in feeds."""

_COLUMNS = (
    *("project_id", "number", "title", "state", "closed", "assigned_user_name", "milestone_title"),
    *("importance", "due_on", "tag", "creator_name", "created_at", "updated_at", "url"),
)

# What spreadsheets would read as a formula.
_RISKY = ("=", "+", "-", "@", "\t", "\r")


def write(tickets: Sequence[Ticket]) -> bytes:
    """Return tickets as a table that begins with a byte order mark, without which Excel expects no UTF-8.

    If there are more than ``MAX``, a last line says that the rest is missing.
    """
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(_COLUMNS)
    rows.writerows([_cell(getattr(ticket, name)) for name in _COLUMNS] for ticket in tickets[:MAX])
    if len(tickets) > MAX:
        rows.writerow([f"There are more tickets; this file has the first {MAX}"])
    return table.getvalue().encode("utf-8-sig")


def _cell(value: object) -> object:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(_RISKY) else value
