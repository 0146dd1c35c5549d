"""The full-text index of tickets, which each database has in its own way.

Code that changes a ticket or one of its texts calls ``index`` in the same transaction. The words of a deleted
ticket are deleted with it.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import TypeAlias

from sqlalchemy import bindparam, func, or_, select, tuple_, update

from skerry.database import locks
from skerry.database.database import Database
from skerry.database.statements import Statement, in_account, in_project, inline_literal
from skerry.database.transactions import Transaction
from skerry.store import accounts, states, tags
from skerry.store.search import documents, postgresql, sqlite
from skerry.store.tables import projects, taggings, tickets
from skerry.store.ticket_rows import batches

InOrder = sqlite.FullText
"""Full-text search by an index in the order of the list, which therefore has pages of its own."""

FullText: TypeAlias = InOrder | postgresql.FullText
"""Full-text search: conditions on tickets, lists of them, and the upkeep of their words."""

Key = tuple[int, int, int]
"""The position of a ticket in the list: the time of its last change, its project, and its number."""

FIRST: Key = (-1, 0, 0)
"""The position before all tickets, if the list is read from its end."""

_LIST = (tickets.c.updated_at, tickets.c.project_id, tickets.c.number)
_NEXT = Statement(
    select(*_LIST)
    .where(
        in_account(tickets), tuple_(*_LIST) > tuple_(*(bindparam(f"after_{column.name}") for column in _LIST))
    )
    .order_by(*_LIST)
    .limit(inline_literal("limit")),
    across_projects="upkeep",
)

_OF_PROJECT = Statement(
    select(tickets.c.number).where(in_project(tickets)).order_by(tickets.c.updated_at, tickets.c.number)
)

_PROJECTS = Statement(
    select(projects.c.id).where(in_account(projects)).order_by(projects.c.id), across_projects="upkeep"
)


# Each tag repeats what searches combine with it, which must equal the values of its ticket.
_assigned = func.coalesce(tickets.c.assigned_user_id, 0)
_WRONGLY = (
    *(taggings.c[name] == tickets.c[name] for name in ("account_id", "project_id", "number")),
    or_(taggings.c.closed != tickets.c.closed, taggings.c.assigned_user_id != _assigned),
)
_TAGGED = (taggings.c.account_id, taggings.c.project_id, taggings.c.number)

_WRONG_TAGS = Statement(select(*_TAGGED).where(*_WRONGLY).distinct().order_by(*_TAGGED), across_accounts=True)

_MEND_TAGS = Statement(
    update(taggings).where(*_WRONGLY).values(closed=tickets.c.closed, assigned_user_id=_assigned),
    across_accounts=True,
)


def full_text(transaction: Transaction, project_ids: Sequence[int] = ()) -> FullText:
    """Return the full-text search in some projects of the transaction's account."""
    kind = InOrder if transaction.dialect.name == "sqlite" else postgresql.FullText
    return kind(transaction, project_ids)


def index(transaction: Transaction, project_id: int, number: int) -> None:
    """Index a ticket in its present state."""
    full_text(transaction).keep(documents.one(transaction, project_id, number))


def index_opened(transaction: Transaction, key: tuple[int, int], title: str, body: str) -> None:
    """Index a ticket that this transaction has opened; ``key`` is its project and number."""
    full_text(transaction).keep([documents.opened(transaction, key, title, body)])


def index_commented(transaction: Transaction, key: tuple[int, int], comment: str) -> None:
    """Index a comment, which may be empty, that this transaction has added to a ticket.

    The ticket's other words are not read again, because its title and other texts have not changed.
    """
    if not full_text(transaction).add(key, comment):
        index(transaction, *key)


def index_renamed(
    transaction: Transaction, key: tuple[int, int, int], title: str, texts: tuple[str, str]
) -> None:
    """Index a ticket whose title this transaction has changed; ``key`` names the version it created.

    ``texts`` are the opening text and that version's text; the texts of the versions before are read again.
    """
    full_text(transaction).keep([documents.changed(transaction, key, title, *texts)])


def index_several(transaction: Transaction, project_id: int, numbers: Sequence[int]) -> None:
    """Index some tickets of a project in their present state."""
    full_text(transaction).keep(documents.several(transaction, project_id, numbers))


def index_new(transaction: Transaction, project_id: int, numbers: Sequence[int] | None = None) -> None:
    """Index the tickets of a new project, or the next batch of ``numbers_in_order``.

    Searches in several projects are in order only after ``put_in_order``.
    """
    wanted = numbers_in_order(transaction, project_id) if numbers is None else numbers
    full_text(transaction).append(documents.several(transaction, project_id, wanted))


def numbers_in_order(transaction: Transaction, project_id: int) -> list[int]:
    """Return the tickets of a project in the order of the list, from its end."""
    return [row[0] for row in transaction.all(_OF_PROJECT, project_id=project_id)]


def put_in_order(database: Database, account_id: int) -> Iterator[tuple[int, int]]:
    """Reorder the account's index like its list, if the database has an order there.

    Yields how many tickets have moved, and how many move together. Others can write in between. It may be
    interrupted at any time, and begins again the next time.
    """
    moving = None
    while True:
        with database.write(account_id) as transaction:
            texts = full_text(transaction)
            moving = texts.move_up(moving) if isinstance(texts, InOrder) else None
        if moving is None:
            return
        yield moving.count - moving.remaining, moving.count


def index_after(transaction: Transaction, last: Key, *, limit: int) -> list[Key]:
    """Index a number of changed tickets that follow a given one, and return them.

    They are locked until the end of the transaction, so that no concurrent change is lost.
    """
    after = dict(zip(("after_updated_at", "after_project_id", "after_number"), last, strict=True))
    keys: list[Key] = [(row[0], row[1], row[2]) for row in transaction.all(_NEXT, limit=limit, **after)]
    numbers: dict[int, list[int]] = {}
    for _, project, number in keys:
        numbers.setdefault(project, []).append(number)
    for project in sorted(numbers):
        batches.lock(transaction, project, numbers[project])
    words = chain.from_iterable(
        documents.several(transaction, project, some) for project, some in numbers.items()
    )
    full_text(transaction).append(sorted(words, key=attrgetter("updated_at", "project_id", "number")))
    return keys


def reindex(database: Database, *, at_once: int = 200) -> int:
    """Rebuild the words and tags of all tickets of all accounts; return the number of tickets.

    The counts of tags and states are rebuilt while nobody else writes in the project. Otherwise reads and
    writes go on, because each transaction covers only a limited number of tickets.
    """
    with database.write() as transaction:
        _mend_tags(transaction)
        if isinstance(texts := full_text(transaction), InOrder):
            texts.remove_lost()
        all_accounts = accounts.list_all(transaction)
    for account in all_accounts:
        _recount(database, account.id)
    return sum(_reindex(database, account.id, at_once) for account in all_accounts)


def _recount(database: Database, account_id: int) -> None:
    with database.read(account_id) as transaction:
        project_ids = [row[0] for row in transaction.all(_PROJECTS)]
    for project_id in project_ids:
        with database.write(account_id) as transaction:
            locks.lock_exclusive(transaction, project_id)
            states.COUNTS.recount(transaction, project_id)
            tags.COUNTS.recount(transaction, project_id)


def _reindex(database: Database, account_id: int, at_once: int) -> int:
    done, last = 0, FIRST
    while True:
        with database.write(account_id) as transaction:
            keys = index_after(transaction, last, limit=at_once)
        if not keys:
            break
        done, last = done + len(keys), keys[-1]
    for _ in put_in_order(database, account_id):
        pass
    return done


def tag_differences(transaction: Transaction) -> Iterator[str]:
    """Yield a message for each ticket, in all accounts, whose tag rows repeat wrong values."""
    for row in transaction.all(_WRONG_TAGS):
        yield "Ticket {2} of project {1} of account {0} is not searched by its tags".format(*row)


def _mend_tags(transaction: Transaction) -> None:
    """Correct the values that tag rows repeat from their tickets."""
    transaction.run(_MEND_TAGS)
