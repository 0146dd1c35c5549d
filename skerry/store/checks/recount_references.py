"""References between rows that no constraint of the database enforces."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, bindparam, exists, func, literal, select, text, tuple_, union_all

from skerry.database import rows
from skerry.database.statements import Row, Statement
from skerry.database.transactions import Transaction
from skerry.store.counts.counters import COUNTED, KINDS
from skerry.store.tables import (
    accounts,
    attachments,
    counters,
    events,
    invitations,
    messages,
    metadata,
    milestones,
    projects,
    taggings,
    tickets,
    users,
    watchers,
)
from skerry.text.states import read_states
from skerry.text.tags import read_tags

_KEPT = Statement(select(counters.c.account_id, counters.c.name, counters.c.value), across_accounts=True)

_ACCOUNTS = Statement(select(accounts.c.id).order_by(accounts.c.id), across_accounts=True)


def _largest(*columns: ColumnElement[int], of_service: bool = False) -> Statement:
    """Return the largest value of some columns in each account; the service has the number 0."""
    pairs = (
        select((literal(0) if of_service else each.table.c.account_id).label("account_id"), each.label("id"))
        for each in columns
    )
    ids = union_all(*pairs).subquery()
    largest = select(ids.c.account_id, func.max(ids.c.id)).group_by(ids.c.account_id)
    return Statement(largest, across_accounts=True)


_OF_SERVICE = {"accounts": accounts.c.id, "users": users.c.id}
_LARGEST_IDS = {
    **{kind: _largest(*(table.c.id for table in several)) for kind, several in COUNTED.items()},
    "events": _largest(events.c.number),
    **{kind: _largest(column, of_service=True) for kind, column in _OF_SERVICE.items()},
}


def ids_given(transaction: Transaction) -> Iterator[str]:
    """Yield a message for each counter that would reuse an id."""
    account_ids = [row[0] for row in transaction.all(_ACCOUNTS)]
    largest = {(account_id, kind): 0 for account_id in account_ids for kind in KINDS}
    for kind, statement in _LARGEST_IDS.items():
        largest |= {(account_id, kind): value for account_id, value in transaction.all(statement)}
    kept = {(account_id, kind): value for account_id, kind, value in transaction.all(_KEPT)}
    for (account_id, kind), least in largest.items():
        value = kept.get((account_id, kind))
        if value is None:
            yield f"Account {account_id} does not count its {kind}"
        elif value < least:
            yield f"The counter of {kind} of account {account_id} is {value} and should be at least {least}"


# The link that sets up a new service comes from nobody, which is the number 0.
_OR_NOBODY = {invitations.c.creator_id}


def _named(column: Any, other: Any, *more: tuple[Any, Any]) -> tuple[str, Statement]:
    """Return a query that counts the rows in which a column, together with ``more``, names a missing row."""
    names_one = column != 0 if column in _OR_NOBODY else column.is_not(None)
    there = [(column, other), *more]
    if "account_id" in other.table.c:
        there.append((column.table.c.account_id, other.table.c.account_id))
    named = exists().where(*(here == elsewhere for here, elsewhere in there))
    counted = select(func.count()).select_from(column.table).where(names_one, ~named)
    return f"{column.table.name} have a {column.name}", Statement(counted, across_accounts=True)


_parents = messages.alias("parents")

# People belong to the server, everything else to an account, so there is no foreign key.
_PEOPLE = [
    column
    for table in metadata.sorted_tables
    for column in table.c
    if column.name in ("user_id", "creator_id", "uploader_id") and not column.foreign_keys
]

_NAMED = (
    _named(projects.c.default_milestone_id, milestones.c.id, (projects.c.id, milestones.c.project_id)),
    _named(tickets.c.milestone_id, milestones.c.id, (tickets.c.project_id, milestones.c.project_id)),
    _named(messages.c.parent_id, _parents.c.id, (messages.c.project_id, _parents.c.project_id)),
    _named(attachments.c.message_id, messages.c.id, (attachments.c.project_id, messages.c.project_id)),
    _named(attachments.c.number, tickets.c.number, (attachments.c.project_id, tickets.c.project_id)),
    *(_named(column, users.c.id) for column in _PEOPLE),
)


# SQLite enforces these only for connections that enabled foreign keys.
_UNHELD = Statement(
    text('SELECT "table", parent, COUNT(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2'),
    across_accounts=True,
)


def names(transaction: Transaction) -> Iterator[str]:
    """Yield a message for each column or table whose rows name a missing row."""
    for what, statement in _NAMED:
        if count := transaction.value(statement):
            yield f"Rows of {what} that is not there: {count}"
    if transaction.dialect.name == "sqlite":
        for of_table, parent, count in transaction.all(_UNHELD):
            yield f"Rows of {of_table} that belong to {parent} that are not there: {count}"


_KEY = ("account_id", "project_id", "number")


def _beyond(table: Any, name: str) -> Any:
    """Return the ticket key of a table's rows, and a bound key (``NAME_part``) to compare it with."""
    return tuple_(*(table.c[part] for part in _KEY)), tuple_(*(bindparam(f"{name}_{part}") for part in _KEY))


def _between(table: Any, column: Any) -> Statement:
    here, first = _beyond(table, "after")
    _, last = _beyond(table, "to")
    return Statement(
        select(*(table.c[part] for part in _KEY), column).where(here > first, here <= last),
        across_accounts=True,
    )


def _some_tickets() -> Statement:
    here, first = _beyond(tickets, "after")
    columns = (*(tickets.c[part] for part in _KEY), tickets.c.tag, tickets.c.watchers_ids)
    return Statement(
        select(*columns).where(here > first).order_by(*columns[:3]).limit(_AT_ONCE), across_accounts=True
    )


_AT_ONCE = 1000
_TICKETS = _some_tickets()
_TAGS = _between(taggings, taggings.c.tag)
_WATCHERS = _between(watchers, watchers.c.user_id)


def tags_and_watchers(transaction: Transaction) -> Iterator[str]:
    """Yield a message for each ticket whose tag or watcher rows differ from the ticket."""
    last: Row = (0, 0, 0)
    while some := transaction.all(_TICKETS, **_bound("after", last)):
        reach = {**_bound("after", last), **_bound("to", some[-1])}
        found_by_tag = _gathered(transaction.all(_TAGS, **reach))
        found_by_watcher = _gathered(transaction.all(_WATCHERS, **reach))
        for *key, tag, watchers_ids in some:
            place = "Ticket {2} of project {1} of account {0}".format(*key)
            if found_by_tag.get(tuple(key), set()) != set(read_tags(tag or "")):
                yield f"{place} is found by other tags than it shows"
            if found_by_watcher.get(tuple(key), set()) != set(rows.numbers(watchers_ids)):
                yield f"{place} is found by other watchers than it shows"
        last = some[-1]


def _bound(name: str, row: Row) -> dict[str, int]:
    return {f"{name}_{part}": value for part, value in zip(_KEY, row, strict=False)}


def _gathered(pairs: list[Row]) -> dict[Row, set[Any]]:
    gathered: dict[Row, set[Any]] = {}
    for *key, value in pairs:
        gathered.setdefault(tuple(key), set()).add(value)
    return gathered


_CLASSES = Statement(
    select(
        tickets.c.account_id, tickets.c.project_id, tickets.c.state, tickets.c.closed, func.count()
    ).group_by(tickets.c.account_id, tickets.c.project_id, tickets.c.state, tickets.c.closed),
    across_accounts=True,
)
_STATES = Statement(
    select(projects.c.account_id, projects.c.id, projects.c.open_states, projects.c.closed_states),
    across_accounts=True,
)


def classes(transaction: Transaction) -> Iterator[str]:
    """Yield a message for each state whose tickets are open although it is closed, or the reverse."""
    states = {row[:2]: read_states(*row[2:]) for row in transaction.all(_STATES)}
    for account_id, project_id, name, closed, count in transaction.all(_CLASSES):
        # A missing project is reported with the missing rows.
        known = states.get((account_id, project_id))
        state = known.find(name) if known else None
        if state and state.closed != bool(closed):
            place = f"project {project_id} of account {account_id}"
            yield f"Tickets of {place} that are {'closed' if closed else 'open'} in the state {name}: {count}"


def _wordless(table: str, wrong: str) -> Statement:
    return Statement(
        text(f"""
            SELECT t.account_id, t.project_id, t.number FROM tickets t LEFT JOIN {table} w
                ON w.account_id = t.account_id AND w.project_id = t.project_id AND w.number = t.number
            WHERE {wrong}
        """),  # noqa: S608 - our own words
        across_accounts=True,
    )


_WORDLESS = {
    "sqlite": _wordless("search_places", "w.number IS NULL OR w.updated_at <> t.updated_at"),
    # In the index, words follow the account's number and a colon.
    "postgresql": _wordless(
        "search_documents",
        "w.number IS NULL OR w.words <> '' AND NOT"
        " w.words @@ CAST(quote_literal(w.account_id || ':') || ':*' AS tsquery)",
    ),
}


def words(transaction: Transaction) -> Iterator[str]:
    """Yield a message for each ticket whose search index is out of date."""
    for row in transaction.all(_WORDLESS[transaction.dialect.name]):
        yield "Ticket {2} of project {1} of account {0} is not found by its words".format(*row)
