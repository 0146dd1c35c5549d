"""Rows of imports, with their original ids and times."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Table, and_, bindparam, case, insert, select, update

from skerry.chunks import chunks
from skerry.database.statements import OneOf, Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store.counts.counters import COUNTED
from skerry.store.projects import IN_ACCOUNT, WITH_COUNTS
from skerry.store.tables import (
    account_members,
    attachments,
    bins,
    changesets,
    counters,
    default_bins,
    list_settings,
    logins,
    message_texts,
    messages,
    milestones,
    placeholder_members,
    placeholders,
    project_counters,
    project_members,
    projects,
    taggings,
    ticket_templates,
    tickets,
    unfinished_imports,
    users,
    version_texts,
    versions,
    watchers,
)

HIGHEST = 10**15
"""Higher ids are replaced: others must follow them, and clients are exact only up to 2**53."""

_AT_ONCE = 1000

SERVICE = "users"
"""The kind of people, who belong to the server rather than to an account."""

TABLES = (
    users,
    logins,
    placeholders,
    account_members,
    projects,
    project_counters,
    project_members,
    placeholder_members,
    milestones,
    bins,
    default_bins,
    list_settings,
    ticket_templates,
    messages,
    message_texts,
    changesets,
    tickets,
    versions,
    version_texts,
    watchers,
    taggings,
    attachments,
    unfinished_imports,
)
"""The tables of an import, each after those that it refers to."""


class Present(NamedTuple):
    """An existing project, identified by values that never change; the time is in microseconds."""

    id: int
    permalink: str
    created_at: int


def _insert(table: Table) -> Statement:
    values: dict[str, Any] = {column.key: bindparam(column.key) for column in table.c}
    return Statement(insert(table).values(values), across_accounts="account_id" not in values)


_INSERTS = {table.name: _insert(table) for table in TABLES}

# Columns that archives do not have, such as that a login is disabled, are empty. Nobody in one is a service
# user.
_EMPTY: dict[str, dict[str, int | None]] = {
    table.name: {column.name: None for column in table.c if column.nullable} for table in TABLES
}
_EMPTY["users"]["service"] = 0

_COUNTER = and_(counters.c.account_id == bindparam("of_account"), counters.c.name == bindparam("kind"))
_VALUE = Statement(select(counters.c.value).where(_COUNTER), across_accounts=True)
_RAISE = Statement(
    update(counters)
    .where(_COUNTER)
    .values(
        value=case((counters.c.value < bindparam("least"), bindparam("least")), else_=counters.c.value)
        + bindparam("more")
    )
    .returning(counters.c.value),
    across_accounts=True,
)


def _existing(table: Table) -> Statement:
    statement = select(table.c.id).where(OneOf(table.c.id, "ids"))
    if "account_id" not in table.c:
        return Statement(statement, across_accounts=True)
    return Statement(statement.where(in_account(table)), across_projects="upkeep")


_EXISTING = {
    **{kind: tuple(map(_existing, tables)) for kind, tables in COUNTED.items()},
    SERVICE: (_existing(users),),
}

_PROJECTS = Statement(
    select(projects.c.id, projects.c.permalink, projects.c.created_at)
    .select_from(WITH_COUNTS)
    .where(IN_ACCOUNT),
    across_projects="upkeep",
)
_IS_THERE = Statement(select(projects.c.id).where(IN_ACCOUNT, projects.c.id == bindparam("project_id")))


def present(transaction: Transaction) -> list[Present]:
    """Return the projects of the account, without those whose import has not ended."""
    return [Present(*row) for row in transaction.all(_PROJECTS)]


def is_there(transaction: Transaction, project_id: int) -> bool:
    """Return whether a project exists, whether or not its import has ended."""
    return transaction.one(_IS_THERE, project_id=project_id) is not None


def claim_ids(transaction: Transaction, kind: str, wanted: Iterable[int], beyond: int) -> Mapping[int, int]:
    """Return a mapping of the ids of one kind to themselves if they are free here, or else to new ones.

    The new ids are reserved, above ``beyond`` and all existing ones. A read-only transaction only returns
    what they would be.
    """
    ids = sorted(set(wanted))
    if not ids:
        return {}
    kept = [each for each in ids if 0 < each <= HIGHEST]
    # The counter is locked first: ids taken before are visible then, and none can be taken meanwhile.
    last = _counted(transaction, kind, max([*kept, beyond]), 0)
    taken = _existing_ids(transaction, kind, kept)
    new = [each for each in ids if each in taken or not 0 < each <= HIGHEST]
    first = _counted(transaction, kind, last, len(new)) - len(new) + 1 if new else 0
    return {**{each: each for each in kept}, **{each: first + place for place, each in enumerate(new)}}


def _counted(transaction: Transaction, kind: str, least: int, more: int) -> int:
    key = {"of_account": 0 if kind == SERVICE else transaction.account_id, "kind": kind}
    if transaction.writes:
        return int(transaction.value(_RAISE, least=least, more=more, **key))
    return max(int(transaction.value(_VALUE, **key)), least) + more


def _existing_ids(transaction: Transaction, kind: str, ids: list[int]) -> set[int]:
    return {
        row[0]
        for some in chunks(ids, _AT_ONCE)
        for statement in _EXISTING[kind]
        for row in transaction.all(statement, ids=some)
    }


def keep(transaction: Transaction, rows: Mapping[str, list[dict[str, Any]]]) -> None:
    """Add rows by table name; nullable columns can be omitted."""
    for table in TABLES:
        if table.name in rows:
            empty = _EMPTY[table.name]
            transaction.run_many(_INSERTS[table.name], [{**empty, **row} for row in rows[table.name]])


def room(transaction: Transaction, size: int) -> int:
    """Return how many bytes of disk the rows of a JSON file may need, with search index and log."""
    return 4 * size if transaction.dialect.name == "sqlite" else 0


def measure(transaction: Transaction) -> None:
    """Update PostgreSQL's statistics on tickets, without which it would choose the wrong index."""
    if transaction.dialect.name == "postgresql":
        transaction.adjust("ANALYZE tickets")
