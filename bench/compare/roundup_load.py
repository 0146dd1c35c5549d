"""Fills a Roundup tracker with what bench/compare/beside_data.py told; run by the Python that has Roundup.

    python -m bench.compare.roundup_load TRACKER_HOME FILE

The login ``admin`` exists already. The standard output is a token of the second person: a JSON web token as
Roundup's documentation makes one, good for a day.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jwt
from roundup import instance
from roundup.date import Date
from roundup.password import Password

PRIORITIES = (None, "feature", "bug", "urgent")
DAY_SECONDS = 86_400


def load(home: str, file: Path) -> str:
    """Fill the tracker and return the second person's token."""
    database = instance.open(home).open("admin")
    with file.open() as lines:
        said = (json.loads(line) for line in lines)
        people = _people(database, next(said)["people"])
        places = _Places(database)
        for ticket in said:
            places.add(ticket, people)
    database.commit()
    token = _token(database.config, people[list(people)[1]])
    database.close()
    return token


def _people(database: Any, people: list[Mapping[str, str]]) -> dict[str, str]:
    """Make the people, their passwords with all rounds of the hash, and return their ids by login."""
    return {
        person["login"]: database.user.create(
            username=person["login"],
            address=person["login"],
            realname=person["name"],
            roles="User",
            password=Password(person["password"], config=database.config),
        )
        for person in people
    }


class _Places:
    """Adds tickets; makes states and tags that the tracker does not know yet."""

    def __init__(self, database: Any) -> None:
        self.database = database
        self.known: dict[tuple[str, str], str] = {}

    def _named(self, kind: str, name: str | None, **more: str) -> str | None:
        if name is None:
            return None
        if (kind, name) not in self.known:
            things = self.database.getclass(kind)
            try:
                self.known[kind, name] = things.lookup(name)
            except KeyError:
                self.known[kind, name] = things.create(name=name, **more)
        return self.known[kind, name]

    def add(self, ticket: Mapping[str, Any], people: Mapping[str, str]) -> None:
        """Add a ticket with its messages, as the person who opened it."""
        self.database.setCurrentUser(ticket["creator"])
        messages = list(self._messages(ticket, people))
        number = self.database.issue.create(
            title=ticket["title"],
            messages=messages,
            status=self._named("status", ticket["state"], order="9"),
            priority=self._named("priority", PRIORITIES[ticket["importance"]]),
            keyword=[self._named("keyword", tag) for tag in ticket["tags"]],
            assignedto=people.get(ticket["assignee"]),
            nosy=sorted({people[ticket[who]] for who in ("creator", "author", "assignee") if ticket[who]}),
        )
        if int(number) != ticket["number"]:
            raise SystemExit(f"Ticket {ticket['number']} became issue {number}; the tracker was not empty")
        self._dated("issue", number, ticket["opened"], ticket["changed"])

    def _messages(self, ticket: Mapping[str, Any], people: Mapping[str, str]) -> Iterator[str]:
        for message in ticket["messages"]:
            number = self.database.msg.create(
                author=people[message["author"]], date=_date(message["at"]), content=message["text"]
            )
            self._dated("msg", number, message["at"], message["at"])
            yield number

    def _dated(self, kind: str, number: str, opened: str, changed: str) -> None:
        """Set the moments, which creating always makes the present."""
        self.database.sql(
            f"UPDATE _{kind} SET _creation = ?, _activity = ? WHERE id = ?",  # noqa: S608 - one of two words
            (_date(opened).serialise(), _date(changed).serialise(), number),
        )


def _date(timestamp: str) -> Any:
    return Date(timestamp.replace("T", "."))


def _token(config: Any, person: str) -> str:
    now = int(time.time())
    web = config.TRACKER_WEB
    claim = {"sub": person, "iss": web, "aud": web, "roles": ["User"], "iat": now, "exp": now + DAY_SECONDS}
    return str(jwt.encode(claim, config.WEB_JWT_SECRET[0], algorithm="HS256"))


if __name__ == "__main__":
    print(load(sys.argv[1], Path(sys.argv[2])))
