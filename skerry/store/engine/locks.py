"""Locks on whole projects, and on logins; SQLite has one writer at a time anyway.

Many write in a project beside each other, and who changes it itself is alone: a change of a ticket reads
the project's states before it holds anything, and writes down later what came of them.

Who signs in keeps the password from being changed. The row cannot be locked for that: where tables are spread
over machines, logins are on each, and all of them would be asked.
"""

from typing import Any

from sqlalchemy import BigInteger, Integer, String, bindparam, cast, func, select

from skerry.store.engine.statements import Statement
from skerry.store.engine.transactions import Transaction

# A lock is named by two numbers of 32 bits; that two projects may share a name only costs time.
_NUMBERS = 2**31


def _locked_by(function: Any) -> Statement:
    names = [bindparam(name, type_=BigInteger) for name in ("account_id", "project_id")]
    return Statement(select(function(*[cast(func.mod(name, _NUMBERS), Integer) for name in names])))


# The one large number that names such a lock is never the two of a project.
_LOGIN = func.hashtextextended(bindparam("email", type_=String), 0)
_SHARE_LOGIN, _LOCK_LOGIN = (
    Statement(select(function(_LOGIN)), across_accounts=True)
    for function in (func.pg_advisory_xact_lock_shared, func.pg_advisory_xact_lock)
)

_LOCK_SHARED = _locked_by(func.pg_advisory_xact_lock_shared)
_LOCK_EXCLUSIVE = _locked_by(func.pg_advisory_xact_lock)


def lock_shared(transaction: Transaction, project_id: int) -> None:
    """Take the shared lock of a project until the end of the transaction.

    Read everything that a change depends on after this call. An error of this statement is raised by the next
    one. Does nothing in a read-only transaction, or if the lock is already held.
    """
    _lock(transaction, _LOCK_SHARED, project_id)


def lock_exclusive(transaction: Transaction, project_id: int) -> None:
    """Take the exclusive lock of a project until the end of the transaction.

    It is asked for before anything is held, so that nobody waits in a ring. Errors are raised as above.
    """
    _lock(transaction, _LOCK_EXCLUSIVE, project_id)


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
