"""Private tickets: who sees them, who makes them, and what is told of them."""

import pytest

from skerry.hooks import payloads
from skerry.store.events import event_reading
from skerry.store.sending import feeds
from skerry.tracker import access
from skerry.tracker.context import Context, Principal
from skerry.tracker.events.event_access import EventPermissions, EventReader, Extent
from skerry.tracker.secrets import hash_token
from tests.support.readers import read_events

pytestmark = pytest.mark.matrix("both")


def opened(client, leaks, **fields):
    made = client.post(leaks, {"ticket": {"title": "Leak", "private": True, **fields}})
    assert made.status == 201, made.body
    assert made.item["private"] is True
    return f"{leaks}/{made.item['number']}"


def numbers(client, address):
    answer = client.get(address)
    assert int(answer.headers["x-total-count"]) == len(answer.items)
    return {each["number"] for each in answer.items}


def test_members_see_a_private_ticket_and_others_do_not(world, ada, ben, cy, nobody, leaks):
    ada.post(leaks, {"ticket": {"title": "Open"}})
    ticket = opened(ben, leaks)
    for client, seen in (
        (ada, {1, 2}),
        (ben, {1, 2}),
        (cy, {1}),
        (nobody, {1}),
        (world.person("gil", "member"), {1}),
    ):
        assert (
            numbers(client, leaks)
            == numbers(client, "/tickets")
            == numbers(client, f"{leaks}?q=leak OR open")
            == seen
        )
        assert client.get(ticket).status == (200 if 2 in seen else 404)


def test_its_author_sees_a_private_ticket_and_comments_on_it(ada, cy, nobody, leaks):
    ticket = opened(cy, leaks)
    assert cy.put(ticket, {"ticket": {"body": "It drips"}}).status == 200
    assert numbers(cy, leaks) == numbers(cy, f"{leaks}?q=drips") == {1}
    assert [each["body"] for each in cy.get(ticket).item["versions"]] == ["", "It drips"]
    assert ada.get(ticket).status == 200
    assert nobody.get(ticket).status == 404


def test_its_assignee_sees_a_private_ticket_also_when_he_is_no_member_any_more(
    world, ada, ben, leaks, harbour
):
    ticket = opened(ada, leaks, assigned_user_id=ben.user_id)
    other = opened(ada, leaks)
    membership = next(
        each["id"]
        for each in ada.get(f"/projects/{harbour}/memberships").items
        if each["user_id"] == ben.user_id
    )
    assert ada.delete(f"/projects/{harbour}/memberships/{membership}").status < 300
    assert numbers(ben, leaks) == {1}
    assert (ben.get(ticket).status, ben.get(other).status) == (200, 404)


def test_private_tickets_are_found_by_those_who_see_them(ada, cy, nobody, leaks):
    ada.post(leaks, {"ticket": {"title": "Open"}})
    opened(ada, leaks)
    opened(cy, leaks, tag="own")
    found = {
        "is:private": {2, 3},
        "-is:private": {1},
        "is:private -tagged:own": {2},
        "is:(private,ready)": {1, 2, 3},
    }
    for client, hidden in ((ada, set()), (cy, {2}), (nobody, {2, 3})):
        for query, expected in found.items():
            assert numbers(client, f"{leaks}?q={query}") == expected - hidden, query
            assert numbers(client, f"/tickets?q={query}") == expected - hidden, query


def test_only_members_change_who_sees_a_ticket(ada, ben, cy, leaks):
    ticket = opened(cy, leaks)
    assert cy.put(ticket, {"ticket": {"private": False}}).status == 403
    assert ben.put(ticket, {"ticket": {"private": False}}).item["private"] is False
    assert cy.put(ticket, {"ticket": {"private": True}}).status == 403
    assert ben.put(ticket, {"ticket": {"private": True}}).item["private"] is True
    versions = ada.get(ticket).item["versions"]
    assert [each["private"] for each in versions] == [True, False, True]
    assert versions[1]["diffable_attributes"]["private"] is True


def test_in_a_project_for_its_members_all_of_them_see_a_private_ticket(world, ada, ben, cy, roof):
    ticket = opened(ada, f"/projects/{roof}/tickets")
    assert ben.get(ticket).status == 200
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    assert (ben.get(ticket).status, cy.get(ticket).status) == (200, 404)


def test_counts_are_those_of_who_asks(ada, cy, harbour, leaks):
    milestone = ada.post(f"/projects/{harbour}/milestones", {"milestone": {"title": "Dry"}}).item
    ada.post(leaks, {"ticket": {"title": "Open", "tag": "wet", "milestone_id": milestone["id"]}})
    opened(ada, leaks, tag="wet moist", milestone_id=milestone["id"])
    place = f"/projects/{harbour}"
    for client, count, tags in ((ada, 2, {"wet": 2, "moist": 1}), (cy, 1, {"wet": 1})):
        shown = client.get(f"{place}/milestones/{milestone['id']}").item
        assert shown["tickets_count"] == shown["open_tickets_count"] == count
        assert client.get(place).item["open_tickets_count"] == count
        assert sum(each["tickets_count"] for each in client.get(f"{place}/states").items) == count
        assert {each["name"]: each["tickets_count"] for each in client.get(f"{place}/tags").items} == tags


def test_a_private_ticket_leaves_the_time_of_its_milestone(world, ada, harbour, leaks):
    path = f"/projects/{harbour}/milestones"
    milestone = ada.post(path, {"milestone": {"title": "Dry"}}).item
    account = f"account_id = {world.account_id}"
    with world.database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE milestones SET updated_at = 0 WHERE {account}")
    before = ada.get(f"{path}/{milestone['id']}").item["updated_at"]
    opened(ada, leaks, milestone_id=milestone["id"])
    assert ada.get(f"{path}/{milestone['id']}").item["updated_at"] == before


def test_only_those_are_notified_who_see_the_ticket(world, ada, ben, cy, leaks):
    gil = world.person("gil", "member")
    ticket = opened(cy, leaks)
    assert ben.put(ticket, {"ticket": {"body": "@gil and @cy"}}).status == 200
    read_events(world)
    assert [each["ticket"]["number"] for each in cy.get("/notifications").items] == [1]
    assert gil.get("/notifications").items == []


def test_a_ticket_that_becomes_private_is_gone_for_others(world, ada, ben, cy, leaks):
    ticket = f"{leaks}/{ada.post(leaks, {'ticket': {'title': 'Leak'}}).item['number']}"
    for client in (cy, ben):
        assert client.put(ticket, {"ticket": {"body": "It drips"}}).status == 200
    read_events(world)
    assert len(cy.get("/notifications").items) == 1
    assert "ticket.created" in told(cy)
    ben.put(ticket, {"ticket": {"private": True}})
    assert (cy.get(ticket).status, numbers(cy, leaks)) == (404, set())
    assert cy.get("/notifications").items == []
    assert told(cy) == {"project.created"}
    assert cy.post(f"{ticket}/versions", {"version": {"body": "Why?"}}).status == 404


def told(client):
    return {each["type"] for each in client.get("/events").items}


def test_links_lead_only_to_tickets_that_the_reader_sees(ada, cy, leaks):
    ada.post(leaks, {"ticket": {"title": "Open"}})
    opened(ada, leaks)
    ada.post(f"{leaks}/1/links", {"link": {"kind": "blocks", "ticket": 2}})
    assert len(ada.get(f"{leaks}/1").item["links"]) == 1
    shown = cy.get(f"{leaks}/1").item
    assert not shown.get("links")
    assert "link_changes" not in shown["versions"][-1]


def test_bulk_edits_and_moves_keep_who_sees_a_ticket(world, ada, ben, cy, leaks):
    opened(ada, leaks)
    place = leaks.removesuffix("/tickets")
    edit = {"bulk_edit": {"query": "leak", "command": "tagged:wet"}}
    made = ada.post(f"{place}/bulk_edit", edit).item
    assert cy.get(f"{place}/bulk_edits/{made['id']}").status == 404
    ada.post("/projects", {"project": {"name": "Hull", "public": True}})
    moved = ada.post(f"{place}/bulk_edit", {"bulk_edit": {"query": "leak", "command": "project:hull"}}).item
    there = f"/projects/{moved['moved_to']}/tickets/1"
    assert ada.get(there).item["private"] is True
    assert (cy.get(there).status, cy.get(f"{leaks}/1").status) == (404, 404)
    assert ada.get(f"{leaks}/1").status == 301


@pytest.mark.parametrize("is_author", [True, False], ids=["author", "stranger"])
def test_only_those_who_see_a_private_ticket_are_told_where_it_went(world, ada, ben, leaks, is_author):
    opened(ben if is_author else ada, leaks)
    assert ben.put(f"{leaks}/1", {"ticket": {"body": "It drips"}}).status == 200
    harbour = int(leaks.split("/")[2])
    hull = ada.post("/projects", {"project": {"name": "Hull", "public": True}}).item["id"]
    for title in ("First", "Second"):
        ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": title}})
    edit = {"bulk_edit": {"query": "leak", "command": "project:hull"}}
    edit_id = ada.post(f"/projects/{harbour}/bulk_edit", edit).item["id"]
    places = {"project_id": [harbour, hull], "number": [1, 3]}
    assert departures(ada, harbour) == [places]
    assert departures(ben, harbour) == [places if is_author else {}]
    assert ben.get(f"{leaks}/1").status == (301 if is_author else 404)
    read_events(world)
    if not is_author:
        assert ben.get(f"/projects/{harbour}/bulk_edits/{edit_id}").status == 404
        assert ben.get("/notifications").items == []
        assert "Leak" not in {each["title"] for each in ben.get("/activity").items}
    with world.write() as transaction:
        for named in event_reading.of_project(transaction, harbour, 0, 100):
            if named.event.type == "ticket.moved":
                assert b'"changes":{}' in (payloads.event(transaction, harbour, named) or b"")
    ada.put(f"/projects/{hull}/tickets/3", {"ticket": {"private": False}})
    assert departures(ben, harbour) == [places]
    ada.put(f"/projects/{hull}/tickets/3", {"ticket": {"private": True}})
    world.join(hull, ben)
    assert departures(ben, harbour) == [places]


def departures(client, project_id):
    """What the events of moves out of a project say has changed."""
    addresses = (f"/projects/{project_id}/events", "/events")
    here, everywhere = (
        [
            each["changes"] or {}
            for each in client.get(f"{address}?limit=100").items
            if each["type"] == "ticket.moved" and each["project_id"] == project_id
        ]
        for address in addresses
    )
    assert here == everywhere
    return here


def test_a_feed_holds_what_its_owner_sees(world, ada, cy, harbour, leaks):
    ada.post(leaks, {"ticket": {"title": "Open"}})
    opened(ada, leaks)
    for project_id in (harbour, None):
        secret = f"{project_id or 0:040x}"
        feed = {"kind": "tickets", "project_id": project_id, "query": "", "note": ""}
        with world.write() as transaction:
            feeds.ROWS.insert(transaction, cy.user_id, hash=hash_token(secret), **feed)
        read = world.client().get(f"/feeds/{secret}.atom!").body.decode()
        assert "Open [#1]" in read
        assert "Leak" not in read


def test_readers_of_one_stream_of_events_are_told_what_each_sees(world, ada, ben, cy, leaks):
    gil = world.person("gil", "member")
    opened(cy, leaks)
    ben.put(f"{leaks}/1", {"ticket": {"body": "It drips"}})
    with world.write() as transaction:
        access.see_as(Context(transaction, None))
        events = [
            each
            for each in event_reading.of_account(transaction, 0, 100)
            if each.event.subject_kind == "ticket"
        ]
        roles = ((ada, "administrator"), (ben, "member"), (cy, None), (gil, "member"))
        readers = {each.user_id: EventReader(Principal(each.user_id, "", role)) for each, role in roles}
        anonymous = EventReader(None)
        facts = EventPermissions(transaction, events, [*readers.values(), anonymous])
        for client, is_told in ((ada, True), (ben, True), (cy, True), (gil, False)):
            extents = {facts.extent(readers[client.user_id], each.event) for each in events}
            assert (extents != {Extent.NOTHING}) is is_told
        assert {facts.extent(anonymous, each.event) for each in events} == {Extent.NOTHING}


def test_members_work_as_ever_where_another_project_hides_tickets(ada, ben, harbour, leaks):
    hull = ada.post("/projects", {"project": {"name": "Hull", "public": True}}).item["id"]
    hidden = opened(ada, f"/projects/{hull}/tickets")
    milestone = ben.post(f"/projects/{harbour}/milestones", {"milestone": {"title": "Dry"}}).item["id"]
    ticket = opened(ben, leaks, milestone_id=milestone, tag="wet")
    assert ben.put(ticket, {"ticket": {"body": "See hull#1", "tag": "dry"}}).item["private"] is True
    edit = {"bulk_edit": {"query": "tagged:dry", "command": "importance:2"}}
    assert ben.post(f"/projects/{harbour}/bulk_edit", edit).item["count"] == 1
    refused = ben.post(f"{ticket}/links", {"link": {"kind": "blocks", "ticket": "hull#1"}})
    assert refused.errors == ["There is no ticket hull#1"]
    assert ben.get(f"/projects/{harbour}/milestones/{milestone}").item["tickets_count"] == 1
    assert ben.delete(f"/projects/{harbour}/milestones/{milestone}").status < 300
    assert (ben.get(ticket).item["importance"], ben.get(hidden).status) == (2, 404)
    assert ben.delete(ticket).status < 300
    assert numbers(ben, leaks) == set()
