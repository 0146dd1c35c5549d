"""What private tickets leave behind: bulk edits, and notifications of those who do not see them any more."""

import pytest

from skerry.store.sending import feeds
from skerry.tracker.secrets import hash_token
from skerry.tracker.sending.feeds import KINDS
from skerry.tracker.spam import spam_batches
from tests.conftest import PASSWORD
from tests.support.client import basic
from tests.support.forms import KIND, field, file, form
from tests.support.readers import read_events
from tests.web.test_private_commands import opened
from tests.web.test_spam import Lease

pytestmark = pytest.mark.matrix("both")


def edited(client, leaks, query, command):
    address = leaks.replace("tickets", "bulk_edit")
    made = client.post(address, {"bulk_edit": {"query": query, "command": command}})
    assert made.status == 200, made.body
    return f"{address}s/{made.item['id']}"


def told(client, leaks):
    """The types of the events of a project that a client sees."""
    return {each["type"] for each in client.get(leaks.replace("tickets", "events")).items}


def test_a_bulk_edit_stays_hidden_when_its_private_ticket_is_deleted(ada, ben, cy, nobody, leaks):
    ticket = opened(ada, leaks, private=True)
    edit = edited(ada, leaks, "leak", "tagged:wet")
    assert ada.delete(ticket).status < 300
    for client in (cy, nobody):
        assert client.get(edit).status == 404
        assert "bulk_edit.done" not in told(client, leaks)
    assert (ben.get(edit).status, "bulk_edit.done" in told(ben, leaks)) == (200, True)
    other = edited(ada, leaks, opened(ada, leaks) and "leak", "tagged:dry")
    assert (cy.get(other).status, cy.get(edit).status) == (200, 404)


def test_a_bulk_edit_stays_hidden_when_its_private_ticket_is_removed_as_spam(world, ada, ben, cy, leaks):
    opened(ben, leaks, private=True)
    edit, in_person = edited(ben, leaks, "leak", "tagged:wet"), world.client(**basic(ada.email, PASSWORD))
    assert in_person.delete(f"/people/{ben.user_id}").status < 300
    assert in_person.put(f"/spam-removals/{ben.user_id}").status == 200
    spam_batches.send(world.database, Lease(world.account_id))
    assert (ada.get(f"{leaks}/1").status, ada.get(edit).status, cy.get(edit).status) == (404, 200, 404)


def test_a_bulk_edit_stays_hidden_when_its_private_ticket_moves_on(ada, ben, cy, leaks):
    opened(ada, leaks, private=True)
    edits = [edited(ada, leaks, "leak", "tagged:wet")]
    hull, mast = (
        ada.post("/projects", {"project": {"name": name, "public": True}}).item["id"]
        for name in ("Hull", "Mast")
    )
    edits.append(edited(ada, leaks, "leak", f"project:{hull}"))
    edits.append(edited(ada, f"/projects/{hull}/tickets", "leak", f"project:{mast}"))
    ticket = f"/projects/{mast}/tickets/1"
    assert ada.get(ticket).item["private"] is True
    assert [cy.get(edit).status for edit in edits] == [404, 404, 404]
    ada.delete(ticket)
    assert [cy.get(edit).status for edit in edits] == [404, 404, 404]
    assert [ada.get(edit).status for edit in edits] == [200, 200, 200]


def test_marking_all_as_read_counts_what_is_seen(world, ada, cy, leaks):
    hidden, seen = opened(ada, leaks), opened(ada, leaks)
    for ticket in (hidden, seen):
        assert cy.put(ticket, {"ticket": {"body": "Mine too"}}).status == 200
        ada.put(ticket, {"ticket": {"body": "It drips"}})
    read_events(world)
    assert len(cy.get("/notifications?unread=true").items) == 2
    ada.put(hidden, {"ticket": {"private": True}})
    assert len(cy.get("/notifications?unread=true").items) == 1
    marked = cy.post("/notifications/read").item
    assert marked["count"] == 1
    assert cy.post(f"/notifications/read/{marked['id']}/undo").item["count"] == 1
    ada.put(hidden, {"ticket": {"private": False}})
    assert len(cy.get("/notifications?unread=true").items) == 2


def test_a_link_to_a_hidden_ticket_tells_only_those_who_see_it(world, ada, ben, cy, leaks):
    seen, *_ = (opened(ada, leaks, private=private) for private in (False, False, True))
    for client in (ben, cy):
        assert client.put(seen, {"ticket": {"body": "Mine too"}}).status == 200
    for number, people in ((3, [ben]), (2, [ben, cy])):
        ada.post(f"{seen}/links", {"link": {"kind": "relates-to", "ticket": number}})
        read_events(world)
        for client in (ben, cy):
            assert bool(client.get("/notifications?unread=true").items) is (client in people), number


def test_links_to_hidden_tickets_answer_no_query_of_others(ada, cy, nobody, leaks):
    seen, parent, child = (opened(ada, leaks, private=private) for private in (False, True, True))
    for ticket, kind, other in ((parent, "blocks", 1), (seen, "parent", 2), (child, "parent", 1)):
        made = ada.post(f"{ticket}/links", {"link": {"kind": kind, "ticket": other}})
        assert made.status == 201, made.body
    for client, found in ((ada, {1}), (cy, set()), (nobody, set())):
        for query in ("is:blocked", "blocked-by:%232", "parent:%232", "has:children -is:private"):
            for place in (leaks, "/tickets"):
                assert {each["number"] for each in client.get(f"{place}?q={query}").items} == found, query
    assert [each["number"] for each in cy.get(f"{leaks}?q=is:ready").items] == [1]
    assert "csv" in (table := cy.get(f"{leaks}.csv!")).headers["content-type"]
    assert table.body.count(b"Leak") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_no_feed_of_others_shows_a_hidden_ticket(world, ada, cy, harbour, leaks, kind):
    opened(ada, leaks, private=True, title="Hushword", body="Hushword", due_on="2027-05-01")
    for client, is_shown in ((ada, kind in ("tickets", "due_dates", "activity")), (cy, False)):
        for place in (harbour, None) if KINDS[kind].across_projects else (harbour,):
            secret = f"{client.user_id}{place or 0}".zfill(40)
            feed = {"kind": kind, "project_id": place, "query": "", "note": ""}
            with world.write() as transaction:
                feeds.ROWS.insert(transaction, client.user_id, hash=hash_token(secret), **feed)
            read = world.client().get(f"/feeds/{secret}.{KINDS[kind].extension}!")
            assert (read.status, b"Hushword" in read.body) == (200, is_shown)


def test_people_known_only_from_private_tickets_are_not_suggested_to_strangers(world, ada, leaks):
    opened(world.person("ivy"), leaks, private=True)
    ticket = opened(ada, leaks)
    for client, is_known in ((world.person("gil", "member"), False), (ada, True)):
        client.put(ticket, {"ticket": {"body": "Ask @ivy"}})
        said = ada.get(ticket).item["versions"][-1]["body_html"]
        assert ("/users/" in said) is is_known
        assert bool(client.get(f"{leaks.replace('tickets', 'mentions/suggest')}?q=iv").items) is is_known


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_conditions_tell_no_hidden_ticket_from_a_missing_one(ada, cy, leaks, method):
    content = form(field("ticket[title]", "Leak"), file(b"Rain", "rain.txt"))
    number = ada.send("POST", leaks, raw=content, kind=KIND).item["number"]
    ticket, attached = f"{leaks}/{number}", ada.get(f"{leaks}/{number}").item["attachments"][0]["id"]
    places = {ticket: f"{leaks}/99", f"/attachments/{attached}/rain.txt!": "/attachments/99/rain.txt!"}
    known = {each: cy.raw(each).headers["etag"] for each in places}
    assert ada.put(ticket, {"ticket": {"private": True}}).status == 200
    data = {"ticket": {"body": "Hm"}} if method == "PUT" else None
    for hidden, missing in places.items():
        conditions = {"If-None-Match": ("*", known[hidden]), "If-Match": ('"x"', known[hidden])}
        for name, value in [(name, value) for name, values in conditions.items() for value in values]:
            sent = {name: value, "Range": "bytes=0-1"}
            first, second = (cy.send(method, each, data, **sent) for each in (hidden, missing))
            assert (first.status, first.body) == (second.status, second.body), (hidden, sent)
            assert first.status in (403, 404, 405)
    assert cy.get(f"/attachments/{attached}/other.txt!").status == 404


def test_the_count_of_a_saved_view_is_that_of_who_asks(world, ada, cy, nobody, leaks):
    bins = leaks.replace("tickets", "bins")
    view = {"name": "Hidden", "query": "is:private", "shared": True}
    at = f"{bins}/{ada.post(bins, {'ticket_bin': view}).item['id']}"
    opened(ada, leaks, private=True)
    opened(cy, leaks, private=True)
    for _ in range(2):
        read_events(world)
        for client, count in ((ada, 2), (cy, 1), (nobody, 0), (world.people["ben"], 2)):
            assert (client.get(at).item["tickets_count"], client.get(bins).items[0]["tickets_count"]) == (
                count,
                count,
            )
        ada.put(f"{leaks}/1", {"ticket": {"title": "Drip"}})
