"""What the bare program writes: the same rows as the product, with other numbers and moments.

The product's functions run once, what they write is overheard, and everything is undone.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any
from uuid import uuid4

import msgspec

from bench.connections import Connections
from bench.load import Request
from bench.operations import MEMBER, WRITTEN_PROJECT, operations
from bench.sql_capture import Overheard, Said
from skerry.database.database import Database
from skerry.resources.changesets import Changeset
from skerry.resources.tickets import Ticket
from skerry.store import accounts, projects
from skerry.store.people import people
from skerry.tracker import changesets, tickets
from skerry.tracker.context import Context, Params, Principal
from skerry.wire import drafts

Writing = Callable[[str], bytes]
Values = dict[str, Any]

MEANT = {
    "number": ("number", "number_held"),
    "version": ("version", "new_version", "last_version", "new_last_version"),
    "now": ("now", "created_at", "updated_at", "new_updated_at", "changed_at"),
    "revision": ("revision",),
    "place": ("place",),
    "old_place": ("old_place",),
}
"""What differs each time, and by which names the product's statements know it."""

_MEANING = {name: meaning for meaning, names in MEANT.items() for name in names}
_COUNTER = "UPDATE project_counters"
_LAST_VERSION = "SELECT last_version FROM tickets WHERE account_id = ? AND project_id = ? AND number = ?"
_PLACE = "SELECT place FROM search_places WHERE account_id = ? AND project_id = ? AND number = ?"
_NEXT_PLACE = "SELECT max(place) + 1 FROM search_places"


class _UndoneError(Exception):
    """Ends the transaction that was only overheard."""


def writings(database: Database, connections: Connections) -> dict[str, Writing]:
    """Return what writes under each name; the number in the path is that of the ticket to change."""
    works = {"create": (Ticket, tickets.create), "update": (Ticket, tickets.update)}
    requests = {each.name: each.request for each in operations("", 1)}
    found: dict[str, Writing] = {}
    for name, (kind, work) in {**works, "changeset": (Changeset, _commit)}.items():
        account_id, said = _overheard(database, requests[name], kind, work)
        found[name] = _Replay(connections, account_id, said, creates=name == "create")
    return found


def _commit(context: Context, ask: Params) -> Changeset:
    return changesets.create(context, changesets.prepare(context, ask)())


def _overheard(database: Database, request: Request, kind: Any, work: Any) -> tuple[int, list[Said]]:
    """Return the account and what one of the product's functions writes there."""
    tree = msgspec.json.decode(request.body.replace("@unique@", "overheard").replace("@number@", "1"))
    heard: list[Said] = []
    with suppress(_UndoneError), database.write() as transaction:
        transaction.account_id = accounts.list_all(transaction)[0].id
        through: Any = Overheard(transaction)
        draft = drafts.read(kind, tree, creating=request.method == "POST")
        work(_context(through), Params(ids={"number": 1}, draft=draft))
        heard = through.heard
        raise _UndoneError
    return transaction.account_id, [said for said in heard if said.changes]


def _context(through: Any) -> Context:
    person = people.with_email(through, MEMBER)
    project = projects.one(through, WRITTEN_PROJECT)
    if person is None or project is None:
        raise LookupError("This is not the sample data")
    return Context(through, Principal(person.id, person.name, person.role), project, member=True)


class _Replay:
    """Runs what was overheard again, for another ticket and at another moment."""

    def __init__(self, connections: Connections, account_id: int, said: list[Said], *, creates: bool) -> None:
        self._connections = connections
        self._said = [(each, _differing(each)) for each in said]
        self._creates = creates
        self._key = (account_id, WRITTEN_PROJECT)
        self._run, self._runs = uuid4().hex, count()
        self._last_version = _LAST_VERSION
        if not connections.is_sqlite:
            self._last_version = f"{_LAST_VERSION.replace('?', '%s')} FOR UPDATE"
        self._indexed = any("search_places" in each.text for each in said)

    def __call__(self, number: str) -> bytes:
        new: Values = {"revision": f"{self._run}{next(self._runs)}", "version": 1}
        with self._connections.transaction() as cursor:
            new["now"] = time.time_ns() // 1000
            new["old_place"] = None if self._creates else self._hold(cursor, int(number), new)
            if self._indexed:
                (new["place"],) = cursor.execute(_NEXT_PLACE).fetchone()
            for said, differing in self._said:
                self._say(cursor, said, differing, new)
                if self._creates and said.text.startswith(_COUNTER):
                    (new["number"],) = cursor.fetchone()
        return b"{}"

    def _hold(self, cursor: Any, number: int, new: Values) -> int | None:
        """Take note of the ticket's number and next version; return its place in the index of words."""
        key = (*self._key, number)
        (last,) = cursor.execute(self._last_version, key).fetchone()
        new["number"], new["version"] = number, last + 1
        if not self._indexed:
            return None
        (place,) = cursor.execute(_PLACE, key).fetchone()
        return int(place)

    @staticmethod
    def _say(cursor: Any, said: Said, differing: Mapping[int, str], new: Values) -> None:
        rows = [list(values) for values in said.values]
        for row in rows:
            for place, meaning in differing.items():
                row[place] = new[meaning]
        if said.many:
            cursor.executemany(said.text, rows)
        else:
            cursor.execute(said.text, rows[0])


def _differing(said: Said) -> dict[int, str]:
    return {place: _MEANING[name] for place, name in enumerate(said.names) if name in _MEANING}
