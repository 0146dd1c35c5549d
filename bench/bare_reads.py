"""What the bare program reads."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from bench import bare_pages
from bench.connections import Connections
from bench.operations import LIST, PER_PAGE, READ_PROJECT, THREE_KEYS, TICKET, WORD, WRITTEN_PROJECT
from bench.sql_capture import Overheard, Said
from skerry.resources.tickets import Attachment, Ticket, Version
from skerry.store import accounts, attachments, search
from skerry.store.engine.database import Database
from skerry.store.search import Scope
from skerry.store.ticket_rows import whole_tickets
from skerry.text.queries.query import parse
from skerry.wire import xml

Reading = Callable[[str], bytes]
Row = Sequence[Any]

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode
from_timestamp = datetime.fromtimestamp


def _places(kind: type[msgspec.Struct], *names: str) -> tuple[int, ...]:
    return tuple(kind.__struct_fields__.index(name) for name in names)


CLOSED, CREATED, UPDATED, WATCHERS, NUMBER, URL, ORIGINAL = _places(
    Ticket, "closed", "created_at", "updated_at", "watchers_ids", "number", "url", "original_body"
)
V_CLOSED, V_CREATED, V_UPDATED, V_WATCHERS, V_DIFF, V_URL = _places(
    Version, "closed", "created_at", "updated_at", "watchers_ids", "diffable_attributes", "url"
)


def readings(database: Database, connections: Connections, base: str) -> dict[str, Reading]:
    """Return what answers each name; the statements are the product's, overheard here."""
    said = _overheard(database)
    cursor = connections.cursor
    address = f"{base}{LIST}/"
    address_of_any = f"{base}/projects/{WRITTEN_PROJECT}/tickets/"

    def listed(page: Said) -> list[Ticket]:
        return [ticket(row, address) for row in cursor().execute(page.text, page.values[0]).fetchall()]

    def as_json(page: Said) -> Reading:
        return lambda _: encode({"tickets": [{"ticket": each} for each in listed(page)]})

    def with_versions(wrap: Callable[[Attachment], Any], number: str = "") -> Ticket:
        asked = {"project_id": WRITTEN_PROJECT, "number": int(number)} if number else {}
        row, texts, files = (
            cursor().execute(each.text, _with(each, asked)).fetchall() for each in said["get"]
        )
        original = row[0][ORIGINAL]
        shown = ticket(row[0][:ORIGINAL], address_of_any if number else address)
        first = shown.body if original is None else original
        found = [version(each, shown.url) for each in texts]
        return msgspec.structs.replace(
            shown,
            original_body=first,
            latest_body=first,
            versions=found,
            attachments=[wrap(Attachment(*each)) for each in files],
        )

    def searching(name: str) -> Reading:
        asked, page = said[name], said[f"{name}-page"][0]

        def searched(_: str) -> bytes:
            for each in asked:
                cursor().execute(each.text, each.values[0]).fetchall()
            return encode({"tickets": [{"ticket": each} for each in listed(page)]})

        return searched

    return {
        "list-json": as_json(said["first"][0]),
        "list-xml": lambda _: xml.items(Ticket, listed(said["first"][0])),
        "page-200": as_json(said["page-200"][0]),
        "get-json": lambda _: encode({"ticket": with_versions(lambda file: {"attachment": file})}),
        "get-any": lambda number: encode(
            {"ticket": with_versions(lambda file: {"attachment": file}, number)}
        ),
        "get-xml": lambda _: xml.item(with_versions(lambda file: file)),
        "search-word": searching("search-word"),
        "search-keys": searching("search-keys"),
    }


def _with(said: Said, others: Mapping[str, Any]) -> Row:
    return [others.get(name, value) for name, value in zip(said.names, said.values[0], strict=True)]


def ticket(row: Row, address: str) -> Ticket:
    """Make a ticket of a row of the product's statement."""
    values = list(row)
    values[CLOSED] = bool(values[CLOSED])
    values[CREATED] = from_timestamp(values[CREATED] // 1_000_000, UTC)
    values[UPDATED] = from_timestamp(values[UPDATED] // 1_000_000, UTC)
    values[WATCHERS] = [int(each) for each in values[WATCHERS].split(",") if each]
    values[URL] = f"{address}{values[NUMBER]}"
    return Ticket(*values)


def version(row: Row, url: str | None) -> Version:
    """Make a version of a row of the product's statement."""
    values = list(row)
    values[V_CLOSED] = bool(values[V_CLOSED])
    values[V_CREATED] = from_timestamp(values[V_CREATED] // 1_000_000, UTC)
    values[V_UPDATED] = from_timestamp(values[V_UPDATED] // 1_000_000, UTC)
    values[V_WATCHERS] = [int(each) for each in values[V_WATCHERS].split(",") if each]
    values[V_DIFF] = decode(values[V_DIFF])
    values[V_URL] = url
    return Version(*values)


def _overheard(database: Database) -> dict[str, list[Said]]:
    found: dict[str, list[Said]] = {}
    with database.read() as transaction:
        transaction.account_id = accounts.list_all(transaction)[0].id

        def hear(name: str, work: Callable[[Any], object]) -> Any:
            through = Overheard(transaction)
            result = work(through)
            found[name] = through.heard
            return result

        for name, page in (("first", 1), ("page-200", 200)):
            offset = (page - 1) * PER_PAGE
            page_of = {"project_id": READ_PROJECT, "limit": PER_PAGE, "offset": offset}
            hear(name, lambda t, asked=page_of: t.all(bare_pages.PAGE, **asked))
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
        search.count(through, parse(query), scope)
    through.all(bare_pages.THOSE, project_id=READ_PROJECT, numbers=[number for _, number in keys])
