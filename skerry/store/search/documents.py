"""The words of tickets, read from their texts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import bindparam, select

from skerry.chunks import chunks
from skerry.database.statements import OneOf, Row, Statement, in_project, in_ticket
from skerry.database.transactions import Transaction
from skerry.store.tables import tickets, versions
from skerry.text import words


@dataclass(frozen=True)
class Document:
    """The words of a ticket: of its title, its opening text, and its comments with words, oldest first.

    ``room`` is how many bytes of further words fit.
    """

    project_id: int
    number: int
    updated_at: int
    title: list[str]
    body: list[str]
    comments: list[list[str]]
    room: int


_READ = select(
    tickets.c.project_id, tickets.c.number, tickets.c.updated_at, tickets.c.title, tickets.c.body
).where(in_project(tickets))

_ONE = Statement(_READ.where(tickets.c.number == bindparam("number")))

_SEVERAL = Statement(_READ.where(OneOf(tickets.c.number, "numbers")))

_LIST = itemgetter(2, 1)
"""The time of a ticket's last change, and its number."""

_WITH_WORDS = (versions.c.version > 1, versions.c.body != "")

_comments = select(versions.c.body).where(in_ticket(versions), *_WITH_WORDS).order_by(versions.c.version)

_COMMENTS = Statement(_comments)

_EARLIER_COMMENTS = Statement(_comments.where(versions.c.version < bindparam("version")))

_COMMENTS_OF_SEVERAL = Statement(
    select(versions.c.number, versions.c.body)
    .where(in_project(versions), OneOf(versions.c.number, "numbers"), *_WITH_WORDS)
    .order_by(versions.c.number, versions.c.version)
)

_AT_ONCE = 200
"""The number of tickets whose texts are in memory at a time."""


def one(transaction: Transaction, project_id: int, number: int) -> Iterator[Document]:
    """Yield the present words of a ticket, if it exists."""
    row = transaction.one(_ONE, project_id=project_id, number=number)
    if row is not None:
        comments = transaction.all(_COMMENTS, project_id=project_id, number=number)
        yield _made(row, [comment for (comment,) in comments])


def opened(transaction: Transaction, key: tuple[int, int], title: str, body: str) -> Document:
    """Return the words of a ticket that this transaction opened."""
    return _made((*key, transaction.now, title, body), [])


def changed(
    transaction: Transaction, key: tuple[int, int, int], title: str, body: str, newest: str
) -> Document:
    """Return the words of a ticket that this transaction changed by a version, whose text may be empty."""
    comments = [comment for (comment,) in transaction.all(_EARLIER_COMMENTS, **_version(key))]
    return _made((*key[:2], transaction.now, title, body), [*comments, newest] if newest else comments)


def _version(key: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip(("project_id", "number", "version"), key, strict=True))


def several(transaction: Transaction, project_id: int, numbers: Iterable[int]) -> Iterator[Document]:
    """Yield the present words of some tickets of a project, with few statements.

    Each batch is in the order of the list.
    """
    for some in chunks(numbers, _AT_ONCE):
        comments: dict[int, list[str]] = {}
        for number, body in transaction.all(_COMMENTS_OF_SEVERAL, project_id=project_id, numbers=some):
            comments.setdefault(number, []).append(body)
        rows = transaction.all(_SEVERAL, project_id=project_id, numbers=some)
        for row in sorted(rows, key=_LIST):
            yield _made(row, comments.get(row[1], []))


def _made(row: Row, comments: list[str]) -> Document:
    project_id, number, updated_at, title, body = row
    (in_title, in_body, *in_comments), room = words.kept([title, body, *comments])
    some = [comment for comment in in_comments if comment]
    return Document(project_id, number, updated_at, in_title, in_body, some, room)
