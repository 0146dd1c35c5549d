"""References between rows that no constraint of the database enforces."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Table, bindparam, exists, func, select, text, tuple_, union_all

from skerry.store.counts.counters import COUNTED, KINDS
from skerry.store.engine import rows
from skerry.store.engine.statements import Row, Statement
from skerry.store.engine.tables import (
    account_members,
    accounts,
    attachments,
    bins,
    bulk_edits,
    changesets,
    counters,
    events,
    messages,
    milestones,
    project_members,
    projects,
    removals,
    sessions,
    taggings,
    tickets,
    tokens,
    users,
    versions,
    watchers,
)
from skerry.store.engine.transactions import Transaction
from skerry.text.states import read_states
from skerry.text.tags import read_tags

_OF_THE_SERVICE = {"accounts": accounts, "users": users}

_KEPT = Statement(select(counters.c.account_id, counters.c.name, counters.c.value), across_accounts=True)

_ACCOUNTS = Statement(select(accounts.c.id).order_by(accounts.c.id), across_accounts=True)


def _largest(several: tuple[Table, ...]) -> Statement:
    ids = union_all(*(select(each.c.account_id, each.c.id) for each in several)).subquery()
    largest = select(ids.c.account_id, func.max(ids.c.id)).group_by(ids.c.account_id)
    return Statement(largest, across_accounts=True)


_MAX_SIZE = {kind: _largest(several) for kind, several in COUNTED.items()}
_MAX_SIZE["events"] = Statement(
    select(events.c.account_id, func.max(events.c.number)).group_by(events.c.account_id),
    across_accounts=True,
)
_MAX_SIZE_OF_THE_SERVICE = {
    kind: Statement(select(func.max(each.c.id)), across_accounts=True)
    for kind, each in _OF_THE_SERVICE.items()
}


def ids_given(transaction: Transaction) -> Iterator[str]:
    """Yield a message for each counter that would reuse an id."""
    kept = {(account_id, name): value for account_id, name, value in transaction.all(_KEPT)}
    for (account_id, kind), largest in _largest_ids(transaction).items():
        value = kept.get((account_id, kind))
        if value is None:
            yield f"Account {account_id} does not count its {kind}"
        elif value < largest:
            yield f"The counter of {kind} of account {account_id} is {value} and should be at least {largest}"


def _largest_ids(transaction: Transaction) -> dict[tuple[int, str], int]:
    account_ids = [row[0] for row in transaction.all(_ACCOUNTS)]
    if not account_ids:
        return {}
    found = {(account_id, kind): 0 for account_id in account_ids for kind in KINDS}
    for kind, statement in _MAX_SIZE.items():
        found.update({(account_id, kind): largest for account_id, largest in transaction.all(statement)})
    for kind, statement in _MAX_SIZE_OF_THE_SERVICE.items():
        found[0, kind] = transaction.value(statement) or 0
    return found


def _named(column: Any, other: Any, *more: tuple[Any, Any]) -> tuple[str, Statement]:
    """Count the rows in which a column, together with ``more``, names a missing row."""
    there = [(column, other), *more]
    if "account_id" in other.table.c:
        there.append((column.table.c.account_id, other.table.c.account_id))
    found = exists().where(*(here == elsewhere for here, elsewhere in there))
    counted = select(func.count()).select_from(column.table).where(column.is_not(None), ~found)
    return f"{column.table.name} have a {column.name}", Statement(counted, across_accounts=True)


_parents = messages.alias("parents")

# People belong to the server, everything else to an account, so there is no foreign key.
_OF_SOMEBODY = (
    account_members,
    project_members,
    removals,
    sessions,
    tokens,
    bins,
    bulk_edits,
    changesets,
    tickets,
    versions,
    milestones,
    messages,
    watchers,
)

_NAMED = (
    _named(projects.c.default_milestone_id, milestones.c.id, (projects.c.id, milestones.c.project_id)),
    _named(tickets.c.milestone_id, milestones.c.id, (tickets.c.project_id, milestones.c.project_id)),
    _named(tickets.c.creator_id, users.c.id),
    *(_named(each.c.user_id, users.c.id) for each in _OF_SOMEBODY),
    _named(attachments.c.uploader_id, users.c.id),
    _named(messages.c.parent_id, _parents.c.id, (messages.c.project_id, _parents.c.project_id)),
    _named(attachments.c.message_id, messages.c.id, (attachments.c.project_id, messages.c.project_id)),
    _named(attachments.c.number, tickets.c.number, (attachments.c.project_id, tickets.c.project_id)),
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
