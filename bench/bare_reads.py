"""What the bare program reads."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import msgspec

from bench import bare_pages
from bench.connections import Connections
from bench.operations import PER_PAGE, READ_PROJECT, THREE_KEYS, TICKET, WORD, WRITTEN_PROJECT
from bench.sql_capture import Overheard, Said
from skerry.database.database import Database
from skerry.database.rows import Shape
from skerry.resources.tickets import Ticket, Version
from skerry.store import accounts, attachments, search, tickets
from skerry.store.search import Scope
from skerry.store.ticket_rows import whole_tickets
from skerry.text.queries.query import parse
from skerry.wire import xml
from skerry.wire.record import changed

Reading = Callable[[str], bytes]

encode = msgspec.json.Encoder().encode


def _address_of_ticket(values: list[Any], place: Mapping[str, int], where: Any) -> None:
    of_ticket = f"projects/{values[place['project_id']]}/tickets/{values[place['number']]}"
    values[place["url"]] = f"{where.base}/{of_ticket}"


TICKETS = tickets.SHAPE
VERSIONS = Shape(Version, {}, finish=_address_of_ticket)
"""How rows of the product's statements become records."""


def readings(database: Database, connections: Connections, base: str) -> dict[str, Reading]:
    """Return what answers each name; the statements are the product's, overheard here."""
    said = _overheard(database)
    cursor = connections.cursor
    where: Any = SimpleNamespace(base=base)

    def listed(page: Said, number: str = "") -> list[Ticket]:
        asked = {"offset": (int(number) - 1) * PER_PAGE} if number else {}
        return TICKETS.records(cursor().execute(page.text, _with(page, asked)).fetchall(), where)

    def as_json(page: Said) -> Reading:
        return lambda number: encode({"tickets": [{"ticket": each} for each in listed(page, number)]})

    def whole(number: str) -> Ticket:
        asked = {"project_id": WRITTEN_PROJECT, "number": int(number)} if number else {}
        (row, *_), versions, _files = (
            cursor().execute(each.text, _with(each, asked)).fetchall() for each in said["get"]
        )
        shown, original = TICKETS.record(row[: len(TICKETS.place)], where), row[len(TICKETS.place)]
        opening = shown.body if original is None else original
        return changed(
            shown,
            original_body=opening,
            latest_body=opening,
            versions=VERSIONS.records(reversed(versions), where),
            # No ticket of the sample has any.
            links=[],
            attachments=[],
        )

    def searching(name: str) -> Reading:
        asked, page = said[name], said[f"{name}-page"][0]

        def searched(_: str) -> bytes:
            for each in asked:
                cursor().execute(each.text, each.values[0]).fetchall()
            return encode({"tickets": [{"ticket": each} for each in listed(page)]})

        return searched

    return {
        "list-json": as_json(said["list"][0]),
        "list-xml": lambda _: xml.items(Ticket, listed(said["list"][0])),
        "get-json": lambda _: encode({"ticket": whole("")}),
        "get-any": lambda number: encode({"ticket": whole(number)}),
        "get-xml": lambda _: xml.item(whole("")),
        "search-word": searching("search-word"),
        "search-keys": searching("search-keys"),
    }


def _with(said: Said, others: Mapping[str, Any]) -> list[Any]:
    return [others.get(name, value) for name, value in zip(said.names, said.values[0], strict=True)]


def _overheard(database: Database) -> dict[str, list[Said]]:
    found: dict[str, list[Said]] = {}
    with database.read() as transaction:
        transaction.account_id = accounts.list_all(transaction)[0].id

        def hear(name: str, work: Callable[[Any], object]) -> Any:
            through = Overheard(transaction)
            result = work(through)
            found[name] = through.heard
            return result

        first = {"project_id": READ_PROJECT, "limit": PER_PAGE, "offset": 0}
        hear("list", lambda t: t.all(bare_pages.PAGE, **first))
        hear("get", _read_one)
        for name, query in (("search-word", WORD), ("search-keys", THREE_KEYS)):
            hear(name, lambda t, q=query: _search(t, q))
            found[f"{name}-page"] = [found[name].pop()]
    return found


def _read_one(through: Any) -> None:
    whole_tickets.one(through, READ_PROJECT, TICKET)
    attachments.of_ticket(through, READ_PROJECT, TICKET)


def _search(through: Any, query: str) -> None:
    scope = Scope((READ_PROJECT,), None)
    keys = search.page(through, parse(query), scope, limit=PER_PAGE, offset=0)
    if len(keys) == PER_PAGE:
        search.count(through, parse(query), scope, at_most=search.COUNTED + 1)
    through.all(bare_pages.THOSE, project_id=READ_PROJECT, numbers=[number for _, number in keys])
