"""Quotas: how many bytes a guest, and all guests of a project, may send in a day (UTC).

A guest has a login, but is a member of neither the project nor the account.
"""

from collections.abc import Iterator
from typing import NamedTuple

from skerry import sizes
from skerry.errors import TooLarge, TooManyRequests
from skerry.store.auth import guest_bytes
from skerry.store.engine.database import Database
from skerry.store.engine.transactions import DAY, Transaction
from skerry.tracker.context import Context, Params

SECOND = 1_000_000


class Quotas(NamedTuple):
    """The bytes per day that one guest may send, and all guests to one project; 0 means no limit."""

    person: int
    project: int


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

    Raises TooLarge for more than a day's quota, TooManyRequests if it is used up.
    """
    for kind, owner_id, quota in _counted(context, quotas):
        size = _size(params)
        before = guest_bytes.add(context.transaction, kind, owner_id, size) - size
        _check(context.transaction, kind, quota, before, size)


def remove_old(database: Database) -> int:
    """Remove counts from before today; return the number of rows."""
    with database.write() as transaction:
        return guest_bytes.remove_old(transaction)


def _counted(context: Context, quotas: Quotas) -> Iterator[tuple[str, int, int]]:
    principal = context.principal
    if principal is None or context.entered is None or context.member or principal.role is not None:
        return
    # Always in this order, to prevent deadlocks.
    if quotas.person:
        yield "person", principal.user_id, quotas.person
    if quotas.project:
        yield "project", context.project_id, quotas.project


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
