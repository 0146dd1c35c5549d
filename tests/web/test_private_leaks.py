"""What others learn of a private ticket: nothing, at any address."""

import re
from dataclasses import dataclass

import pytest

from skerry.database.transactions import Executor
from skerry.store import links, private_tickets, projects
from skerry.store.events import event_reading
from skerry.store.private_tickets import OF_THE_SEARCH, SIGHTS
from skerry.store.tables import metadata
from skerry.web.routes.table import ROUTES
from tests.conftest import build_world, untroubled
from tests.support import matrix, private_site
from tests.support.isolation import ask, seen
from tests.support.private_site import COLLEAGUE, OUTSIDERS, WORD
from tests.support.resources import MISSING
from tests.support.route_matrix import STRANGER, body_for, name_of

# The tables of which nobody who is not a member reads a row that says anything of tickets, and why.
ELSEWHERE = {
    "audit_entries": "read by administrators, and says nothing of tickets",
    "bulk_edit_tickets": "read with its bulk edit",
    "deliveries": "read by members and administrators",
    "held_texts": "read by members, and by those who wrote them",
    "removed_things": "read in the background",
    "events": "its readers look at the tickets: tracker/events/event_access.py",
}

# What is read before it is known whether anything is hidden, and facts about events for all readers.
FACTS = {
    private_tickets._GUARDED,
    projects._SEEN_ONE,
    links._OF_TICKETS,
    *event_reading._PRESENT.values(),
}
NAMES = SIGHTS.keys() - OF_THE_SEARCH

# What lies below a ticket in an address, and the ticket itself.
BELOW = [
    route
    for route in ROUTES
    if "/tickets/{number}" in route.path
    or route.path.startswith(("/attachments/", "/notifications/{", "/projects/{project_id}/bulk_edits/{"))
]


@dataclass
class Walk:
    """The site, and what others saw before there was a private ticket, and after that."""

    place: private_site.PrivateSite
    before: dict
    after: dict


@pytest.fixture(scope="module", params=matrix.BOTH, ids="-".join)
def walk(request):
    database, form = request.param
    instance, log = request.getfixturevalue(f"{database}_instance")
    with untroubled(log):
        place = private_site.build(build_world(instance, log, form))
        before = {who: private_site.looked(place, who) for who in OUTSIDERS}
        place.hide()
        yield Walk(place, before, {who: private_site.looked(place, who) for who in OUTSIDERS})


def test_every_table_that_belongs_to_tickets_is_seen_in_part_by_others():
    named = {
        table.name
        for table in metadata.tables.values()
        if table.name in SIGHTS
        or any(key.column.table.name == "tickets" for key in table.foreign_keys)
        or {"project_id", "number"} <= {*table.c.keys()}
        or {"ticket", "tickets_count"} & {*table.c.keys()}
    }
    named |= {name for name in metadata.tables if "ticket" in name}
    assert named - {"ticket_templates"} <= SIGHTS.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("who", OUTSIDERS)
def test_nothing_that_others_see_changes_with_a_private_ticket(walk, who):
    before, after = walk.before[who], walk.after[who]
    assert before.keys() == after.keys()
    for address, answer in after.items():
        assert answer == before[address], difference(before[address], answer)


def difference(before, after):
    """Return where two answers differ first."""
    (was, old), (now, new) = before, after
    at = next((at for at, pair in enumerate(zip(old, new, strict=False)) if len({*pair}) > 1), 0)
    return was, now, old[max(0, at - 60) : at + 60], new[max(0, at - 60) : at + 60]


@pytest.mark.parametrize("who", OUTSIDERS)
def test_a_private_ticket_and_a_missing_one_look_the_same(walk, who):
    hidden, client, place = walk.place.hidden, walk.place.clients[who], walk.place
    numbers = (*{*hidden.values.values()} - {*place.site.values.values()}, *MISSING.values())
    missing = {name: MISSING[name] for name in (*private_site.OF_THE_TICKET, "bulk_edits")}
    for route in BELOW:
        for method in {route.method, "GET"}:
            data = body_for(route, place.site) if method == route.method else None
            pair = [
                ask(client, method, each.path(route, **values), data)
                for each, values in ((hidden, {}), (hidden, missing))
            ]
            assert seen(pair[0], *numbers) == seen(pair[1], *numbers), (method, name_of(route))
            assert WORD not in pair[0].body.decode().lower(), name_of(route)


@pytest.mark.parametrize("who", OUTSIDERS)
def test_no_answer_to_others_holds_a_word_of_a_private_ticket(walk, who):
    known = {*private_site.reads(walk.place.site)}
    for path, accept in private_site.reads(walk.place.hidden):
        if (path, accept) not in known:
            answer = private_site.get(walk.place.clients[who], path, accept)
            text = (
                answer.body.decode(errors="replace")
                .lower()
                .replace(f"q={path.partition('q=')[2].lower()}", "")
            )
            assert WORD not in text, (path, text)


def test_no_query_of_others_reads_a_table_as_it_is(walk, monkeypatch):
    whole, bound = set(), Executor._bound

    def noted(executor, statement, values):
        text, ordered = bound(executor, statement, values)
        if executor.account_id and statement not in FACTS and reads_tickets(text):
            whole.add(text)
        return text, ordered

    monkeypatch.setattr(Executor, "_bound", noted)
    for who in (STRANGER, COLLEAGUE):
        private_site.looked(walk.place, who)
    assert whole == set()


def reads_tickets(text):
    """Return whether a query names a table that others see in part, and sees all of it."""
    is_query = text.lstrip().startswith(("SELECT", "WITH"))
    return (
        is_query
        and "hidden_tickets" not in text
        and any(re.search(rf"\b{each}\b(?!\.)", text) for each in NAMES)
    )
