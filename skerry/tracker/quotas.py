"""Quotas of guests: bytes in a day (UTC), and tickets, comments and files in an hour.

A guest has a login, but is a member of neither the project nor the account.
"""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from skerry import sizes
from skerry.database.database import Database
from skerry.database.transactions import DAY, HOUR, SECOND, Transaction
from skerry.errors import TooLarge, TooManyRequests
from skerry.store.auth import guest_bytes
from skerry.tracker.context import Context, Params

# A request with one of these makes a ticket or a comment.
_TEXTS = ("title", "body")


class Quotas(NamedTuple):
    """The bytes per day that one guest may send, and all guests to one project; 0 means no limit.

    ``things`` are the tickets, comments and files that one guest may send to one project in an hour.
    """

    person: int
    project: int
    things: int = 0


def check(context: Context, quotas: Quotas, size: int) -> None:
    """Raise TooLarge or TooManyRequests if a guest could not send about ``size`` bytes now.

    Nothing is counted.
    """
    for kind, owner_id, quota in _counted(context, quotas):
        _check(
            context.transaction, kind, quota, guest_bytes.of_today(context.transaction, kind, owner_id), size
        )


def take(context: Context, quotas: Quotas, params: Params) -> None:
    """Count the texts and files that a guest sends.

    Raises TooLarge for more than a day's or an hour's quota, TooManyRequests if it is used up.
    """
    _take_things(context, quotas.things, params)
    for kind, owner_id, quota in _counted(context, quotas):
        size = _size(params)
        before = guest_bytes.add(context.transaction, kind, owner_id, size) - size
        _check(context.transaction, kind, quota, before, size)


def _take_things(context: Context, quota: int, params: Params) -> None:
    things = len(params.files) + any(params.draft.get(name) for name in _TEXTS)
    if not (quota and things and _is_guest(context)):
        return
    transaction, principal = context.transaction, context.author
    kind = f"things in project {context.project_id} in hour {transaction.now % DAY // HOUR}"
    before = guest_bytes.add(transaction, kind, principal.user_id, things) - things
    rule = f"People who are not members may send at most {quota} comments and files an hour to a project"
    if things > quota:
        raise TooLarge(rule)
    if before + things > quota:
        wait = (HOUR - transaction.now % HOUR) // SECOND + 1
        raise TooManyRequests(f"{rule}; try again in {ceil(wait / 60)} minutes", wait)


def remove_old(database: Database) -> int:
    """Remove counts from before today; return the number of rows."""
    with database.write() as transaction:
        return guest_bytes.remove_old(transaction)


def _counted(context: Context, quotas: Quotas) -> Iterator[tuple[str, int, int]]:
    if not _is_guest(context):
        return
    # Always in this order, to prevent deadlocks.
    if quotas.person:
        yield "person", context.author.user_id, quotas.person
    if quotas.project:
        yield "project", context.project_id, quotas.project


def _is_guest(context: Context) -> bool:
    principal = context.principal
    return not (principal is None or context.entered is None or context.member or principal.role is not None)


def _size(params: Params) -> int:
    texts = [
        value for value in (*params.draft.values(), *params.extra_params.values()) if isinstance(value, str)
    ]
    return sum(len(each.encode("utf-8", "replace")) for each in texts) + sum(
        file.size for file in params.files
    )


def _check(transaction: Transaction, kind: str, quota: int, before: int, size: int) -> None:
    most = sizes.exact(quota)
    if kind == "person":
        rule = f"People who are not members may send at most {most} of text and files a day"
    else:
        rule = f"This project accepts at most {most} of text and files a day from people who are not members"
    if size > quota:
        raise TooLarge(rule)
    if before + size > quota:
        raise TooManyRequests(
            f"{rule}; try again after midnight UTC", (DAY - transaction.now % DAY) // SECOND + 1
        )
