"""The sample data told to another tracker: one line of JSON for each ticket, with its people by login."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from bench.data import PASSWORD
from bench.operations import PER_PAGE, READ_PROJECT, TICKET, WORD

Row = Sequence[Any]

LATER_PAGE = 20

PEOPLE = "SELECT u.id, l.email, u.name FROM users u JOIN logins l ON l.user_id = u.id ORDER BY u.id"
MILESTONES = "SELECT title FROM milestones WHERE project_id = ? ORDER BY id"
TAGS = "SELECT DISTINCT tag FROM taggings WHERE project_id = ? ORDER BY tag"
TICKETS = (
    "SELECT t.number, t.title, t.state, t.tag, t.importance, t.assigned_user_id, t.creator_id, t.user_id,"
    " t.created_at, t.updated_at, m.title FROM tickets t LEFT JOIN milestones m"
    " ON m.account_id = t.account_id AND m.id = t.milestone_id WHERE t.project_id = ? ORDER BY t.number"
)
VERSIONS = (
    "SELECT number, user_id, created_at, body FROM versions WHERE project_id = ? ORDER BY number, version"
)


@dataclass(frozen=True)
class Told:
    """What was told, and what right answers have: titles, how many tickets, and a last comment.

    The newest tickets are those changed last, the latest those opened last; ``later`` stands first on the
    later page.
    """

    people: int
    tickets: int
    newest: str
    later: str
    with_word: int
    newest_with_word: str
    latest_with_word: str
    comment: str

    @property
    def page(self) -> int:
        """Return the number of the later page: the twentieth, or the last that is full."""
        return _later_page(self.tickets)


def tell(database: Path, file: Path) -> Told:
    """Write what tickets refer to and then the tickets of a filled SQLite database to a file."""
    with closing(sqlite3.connect(database)) as connection, file.open("w") as lines:
        people = connection.execute(PEOPLE).fetchall()
        tickets = list(_tickets(connection, {row[0]: row[1] for row in people}))
        surroundings = {
            "people": [_person(row) for row in people],
            "milestones": _column(connection, MILESTONES),
            "tags": _column(connection, TAGS),
        }
        for said in (surroundings, *tickets):
            lines.write(json.dumps(said) + "\n")
    return _expected(len(people), tickets)


def _column(connection: sqlite3.Connection, statement: str) -> list[str]:
    return [row[0] for row in connection.execute(statement, (READ_PROJECT,))]


def _person(row: Row) -> dict[str, str]:
    return {"login": row[1], "name": row[2], "password": PASSWORD}


def _tickets(connection: sqlite3.Connection, logins: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    texts = groupby(connection.execute(VERSIONS, (READ_PROJECT,)), key=itemgetter(0))
    for row, (_, versions) in zip(connection.execute(TICKETS, (READ_PROJECT,)), texts, strict=True):
        yield ticket(row, list(versions), logins)


def ticket(row: Row, versions: Sequence[Row], logins: Mapping[int, str]) -> dict[str, Any]:
    """Tell one ticket with a message for each of its versions; moments as ``timestamp`` gives them."""
    number, title, state, tags, importance, assignee, creator, author, opened, changed, milestone = row
    return {
        "number": number,
        "title": title,
        "state": state,
        "tags": (tags or "").split(),
        "importance": importance,
        "milestone": milestone,
        "assignee": logins.get(assignee),
        "creator": logins[creator],
        "author": logins[author],
        "opened": timestamp(opened),
        "changed": timestamp(changed),
        "messages": [
            {"author": logins[who], "at": timestamp(at), "text": text} for _, who, at, text in versions
        ],
    }


def timestamp(microseconds: int) -> str:
    """Return a moment in UTC as ``2010-01-01T00:00:13.250``, without what is shorter than a millisecond."""
    return (
        datetime.fromtimestamp(microseconds / 1e6, UTC)
        .replace(tzinfo=None)
        .isoformat(timespec="milliseconds")
    )


def _expected(people: int, tickets: Sequence[Mapping[str, Any]]) -> Told:
    newest_first = sorted(tickets, key=itemgetter("changed"), reverse=True)
    found = [each for each in newest_first if WORD in each["messages"][0]["text"].split()]
    read = next(each for each in tickets if each["number"] == TICKET)
    return Told(
        people=people,
        tickets=len(tickets),
        newest=newest_first[0]["title"],
        later=newest_first[(_later_page(len(tickets)) - 1) * PER_PAGE]["title"],
        with_word=len(found),
        newest_with_word=found[0]["title"],
        latest_with_word=max(found, key=itemgetter("number"))["title"],
        comment=read["messages"][-1]["text"],
    )


def _later_page(tickets: int) -> int:
    return min(LATER_PAGE, tickets // PER_PAGE)
