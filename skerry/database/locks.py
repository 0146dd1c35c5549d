"""Locks on whole projects, and on logins; on SQLite nothing is needed, because it has one writer at a time.

Changes within a project share its lock; changes of the project itself take it exclusively: a change of a
ticket first reads the project's states, and later writes results that depend on them.

A sign-in locks its password against changes. Row locks are not used for that: if tables are distributed,
every machine has a copy of the logins, and all would have to be asked.
"""

from typing import Any

from sqlalchemy import BigInteger, Integer, String, bindparam, cast, func, select

from skerry.database.statements import Statement
from skerry.database.transactions import Transaction

# Advisory locks are named by two 32-bit numbers; a collision between projects only costs time.
_NUMBERS = 2**31


def _locked_by(function: Any) -> Statement:
    names = [bindparam(name, type_=BigInteger) for name in ("account_id", "project_id")]
    return Statement(select(function(*[cast(func.mod(name, _NUMBERS), Integer) for name in names])))


# A lock with a single 64-bit name never collides with one of two 32-bit numbers.
_LOGIN = func.hashtextextended(bindparam("email", type_=String), 0)
_SHARE_LOGIN, _LOCK_LOGIN = (
    Statement(select(function(_LOGIN)), across_accounts=True)
    for function in (func.pg_advisory_xact_lock_shared, func.pg_advisory_xact_lock)
)

_LOCK_SHARED = _locked_by(func.pg_advisory_xact_lock_shared)
_LOCK_EXCLUSIVE = _locked_by(func.pg_advisory_xact_lock)

_LINKS = 0
"""Stands for the links of all projects; no project has this id."""


def lock_shared(transaction: Transaction, project_id: int) -> None:
    """Take the shared lock of a project until the end of the transaction.

    Read everything that a change depends on after this call. An error of this statement is raised by the next
    one. Does nothing in a read-only transaction, or if the lock is already held.
    """
    _lock(transaction, _LOCK_SHARED, project_id)


def lock_exclusive(transaction: Transaction, project_id: int) -> None:
    """Take the exclusive lock of a project until the end of the transaction.

    It must be taken before any other lock, to prevent deadlocks. Errors are raised as above.
    """
    _lock(transaction, _LOCK_EXCLUSIVE, project_id)


def lock_links(transaction: Transaction) -> None:
    """Take the lock of an account's links between tickets until the end of the transaction.

    Only with it can links be checked for circles. It must be taken before any ticket is locked.
    """
    _lock(transaction, _LOCK_EXCLUSIVE, _LINKS)


def _lock(transaction: Transaction, statement: Statement, project_id: int) -> None:
    if transaction.writes and project_id not in transaction.locked:
        transaction.locked.add(project_id)
        if transaction.dialect.name == "postgresql":
            transaction.run(statement, project_id=project_id)


def lock_login_shared(transaction: Transaction, email: str) -> None:
    """Take the shared lock of a login until the end of the transaction."""
    _lock_login(transaction, _SHARE_LOGIN, email)


def lock_login(transaction: Transaction, email: str) -> None:
    """Take the exclusive lock of a login until the end of the transaction."""
    _lock_login(transaction, _LOCK_LOGIN, email)


def _lock_login(transaction: Transaction, statement: Statement, email: str) -> None:
    if transaction.dialect.name == "postgresql":
        transaction.run(statement, email=email)
