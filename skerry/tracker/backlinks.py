"""Backlinks: the tickets whose texts name a ticket, found by a reader of events.

Writing a text costs nothing more; what it names is shown on the other ticket a moment later.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from skerry.chunks import chunks
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.store import backlinks as store
from skerry.store.events.decoding import StoredEvent
from skerry.store.search.index import numbers_in_order
from skerry.store.ticket_rows import batches, moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.rendered_html import tickets_linked
from skerry.tracker import access
from skerry.tracker.context import Context
from skerry.tracker.events.events import Type

NAME = "backlinks"
"""The name under which the reader's position is stored."""

SHOWN = 50
"""How many tickets that name a ticket are shown."""

MAX_NAMED = 200
"""How many tickets the texts of one ticket can name."""

_NEW_TEXT = frozenset({Type.TICKET_CREATED, Type.TICKET_UPDATED})
_CHANGED_TEXT = frozenset({Type.VERSION_UPDATED, Type.VERSION_DELETED})

_AT_ONCE = 100


def of_ticket(context: Context, number: int) -> tuple[list[store.Mention], int]:
    """Return the tickets that the caller sees and whose texts name a ticket, and how many there are."""
    place, visibility = Place(context.project_id, number), access.visibility(context.principal)
    return store.of(context.transaction, place, visibility, SHOWN)


def read(transaction: Transaction, events: Sequence[StoredEvent]) -> None:
    """Find anew what the tickets name whose texts were written, changed or removed."""
    for place in dict.fromkeys(_written(transaction, events)):
        _find(transaction, place)


def _written(transaction: Transaction, events: Iterable[StoredEvent]) -> Iterable[Place]:
    for event in events:
        is_new = event.type in _NEW_TEXT and "body" in event.changes
        if event.project_id and (is_new or event.type in _CHANGED_TEXT):
            place = moved_tickets.present(transaction, event.project_id, int(event.subject_id))
            if not is_new or store.names_others(transaction, place, event.version or 0):
                yield place


def find_in(database: Database, account_id: int, project_id: int) -> None:
    """Find what the tickets of an imported project name."""
    with database.read(account_id) as transaction:
        numbers = numbers_in_order(transaction, project_id)
    for some in chunks(numbers, _AT_ONCE):
        with database.write(account_id) as transaction:
            for number in store.naming(transaction, project_id, some):
                _find(transaction, Place(project_id, number))


def _find(transaction: Transaction, place: Place) -> None:
    """Store which tickets the texts of a ticket name, unless it is gone."""
    if not batches.look(transaction, place.project_id, [place.number]):
        return
    named = {Place(*each) for html in store.htmls(transaction, place) for each in tickets_linked(html)}
    kept = _existing(transaction, sorted(named)[:MAX_NAMED])
    store.replace(transaction, place, sorted(kept - {place}))


def _existing(transaction: Transaction, named: Iterable[Place]) -> set[Place]:
    """Return the present places of the tickets that exist."""
    by_project = defaultdict[int, set[int]](set)
    for each in named:
        by_project[each.project_id].add(each.number)
    places: set[Place] = set()
    for project_id, numbers in by_project.items():
        places.update(moved_tickets.moved(transaction, project_id, numbers).values())
        present = batches.look(transaction, project_id, numbers)
        places.update(Place(project_id, each.number) for each in present)
    return places
