"""Locks on whole projects: many write in one beside each other, and who changes it itself is alone.

A change of a ticket reads the project's states before it holds anything, and writes down later what
came of them. SQLite has one writer at a time anyway.
"""

from typing import Any

from sqlalchemy import BigInteger, Integer, bindparam, cast, func, select

from skerry.store.statements import Statement
from skerry.store.transactions import Transaction

# A lock is named by two numbers of 32 bits; that two projects may share a name only costs time.
_NUMBERS = 2**31


def _locked_by(function: Any) -> Statement:
    names = [bindparam(name, type_=BigInteger) for name in ("account_id", "project_id")]
    return Statement(select(function(*[cast(func.mod(name, _NUMBERS), Integer) for name in names])))


_SHARE = _locked_by(func.pg_advisory_xact_lock_shared)
_BE_ALONE = _locked_by(func.pg_advisory_xact_lock)


def share(transaction: Transaction, project_id: int) -> None:
    """Let nobody be alone in a project until the end; who is so now is waited for.

    Whatever is read for a change is to be read after this. An error of it is raised by what comes next.
    Who only reads, or has said so before, says nothing.
    """
    _lock(transaction, _SHARE, project_id)


def be_alone(transaction: Transaction, project_id: int) -> None:
    """Let nobody else write in a project until the end; who does so now is waited for.

    It is asked for before anything is held, so that nobody waits in a ring. Errors are raised as above.
    """
    _lock(transaction, _BE_ALONE, project_id)


def _lock(transaction: Transaction, statement: Statement, project_id: int) -> None:
    if transaction.writes and project_id not in transaction.locked:
        transaction.locked.add(project_id)
        if transaction.dialect.name == "postgresql":
            transaction.run(statement, project_id=project_id)
