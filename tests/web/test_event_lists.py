"""Lists of events: in order, and only those that the reader may see now."""

import pytest

from skerry.database.transactions import DAY
from skerry.store.events import events
from skerry.tracker.context import Context, Principal
from skerry.tracker.events.events import Type, record
from tests.conftest import PASSWORD
from tests.support.client import basic


@pytest.fixture
def open_roof(ada, roof):
    """A project that everybody may see."""
    ada.put(f"/projects/{roof}", {"project": {"name": "Roof", "public": True}})
    return roof


def types(client, path="/events"):
    """Return the types of all events that somebody reads, page by page."""
    answer = client.get(f"{path}?limit=100")
    assert answer.status == 200
    return [event["type"] for event in answer.items]


def last(client):
    return int(client.get("/events?after=now").headers["x-last-event-id"])


@pytest.mark.matrix("both")
def test_events_of_a_project_are_listed_the_oldest_first(world, ada, ben, tickets, roof):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "It drips"}})
    ben.put(f"{tickets}/1", {"ticket": {"state": "open", "body": "I look"}})
    found = ben.get(f"/projects/{roof}/events").items
    assert [event["number"] for event in found] == sorted(event["number"] for event in found)
    event = found[-1]
    assert (event["type"], event["subject_kind"], event["subject_id"]) == ("ticket.updated", "ticket", 1)
    assert (event["user_id"], event["user_name"], event["version"]) == (ben.user_id, "Ben", 2)
    assert event["changes"] == {"state": ["new", "open"], "body": None}
    assert event["url"] == f"http://{world.host}{tickets}/1"


@pytest.mark.matrix("both")
def test_a_reader_continues_after_what_it_has_read(ada, tickets):
    after = last(ada)
    for title in ("One", "Two", "Three"):
        ada.post(tickets, {"ticket": {"title": title}})
    first = ada.get(f"/events?after={after}&limit=2")
    assert len(first.items) == 2
    assert f'after={after + 2}>; rel="next"' in first.headers["link"]
    rest = ada.get(f"/events?after={first.headers['x-last-event-id']}")
    assert [event["changes"]["title"] for event in rest.items] == [[None, "Three"]]
    assert "link" not in rest.headers


@pytest.mark.matrix("both")
def test_hidden_events_count_as_examined(ada, ben, tickets, hull):
    after = last(ada)
    ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": "Elsewhere"}})
    answer = ben.get(f"/events?after={after}")
    assert (answer.items, answer.headers["x-last-event-id"]) == ([], str(after + 1))


@pytest.mark.parametrize("after", ["x", "-1", "1.5", "9" * 5000, "%D9%A3", "bm90aGluZw"])
def test_an_invalid_cursor_is_refused(ada, after):
    assert ada.get(f"/events?after={after}").status in (410, 422)


def test_a_cursor_from_the_future_is_from_another_database(ada):
    assert ada.get(f"/events?after={last(ada) + 1}").status == 410


@pytest.mark.matrix("both")
def test_events_that_are_not_kept_are_gone(world, ada, tickets, monkeypatch):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    now, kept = world.database.clock(), last(ada)
    monkeypatch.setattr(world.database, "clock", lambda: now + 8 * DAY)
    ada.put(f"{tickets}/1", {"ticket": {"body": "Still"}})
    events.remove_old(world.database, 7)
    gone = ada.get(f"/events?after={kept - 1}")
    assert (gone.status, gone.headers["x-oldest-event"]) == (410, str(kept + 1))
    assert str(kept + 1) in gone.errors[0]
    for query in ("", f"?after={kept}"):
        assert [event["number"] for event in ada.get(f"/events{query}").items] == [kept + 1]


def test_events_that_went_with_their_project_make_no_cursor_old(ada, tickets, roof):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    ada.delete(f"/projects/{roof}")
    answer = ada.get("/events?after=0")
    assert answer.items[-1]["type"] == "project.deleted"


def test_a_stranger_reads_what_is_there_in_an_open_project(ada, cy, nobody, open_roof):
    tickets = f"/projects/{open_roof}/tickets"
    for title in ("Leak", "Draught"):
        ada.post(tickets, {"ticket": {"title": title}})
    ada.delete(f"{tickets}/1")
    for client in (cy, nobody):
        for path in ("/events", f"/projects/{open_roof}/events"):
            found = client.get(path).items
            assert [event["type"] for event in found] == [
                "project.created",
                "project.updated",
                "ticket.created",
            ]
            assert found[-1]["changes"]["title"] == [None, "Draught"]
            assert {(event["number"], event["batch_id"]) for event in found} == {(None, None)}
    assert "ticket.deleted" in types(ada)


def test_a_stranger_learns_which_fields_of_a_message_changed_and_no_old_value(ada, cy, open_roof):
    messages = f"/projects/{open_roof}/messages"
    number = ada.post(messages, {"message": {"title": "Sale of the house", "body": "Soon"}}).item["id"]
    ada.put(f"{messages}/{number}", {"message": {"title": "News"}})
    assert cy.get("/events").items[-1]["changes"] == {"title": None}
    assert ada.get("/events").items[-1]["changes"] == {"title": ["Sale of the house", "News"]}


def test_a_visitor_who_sees_nothing_is_asked_to_sign_in(nobody, cy, roof):
    assert [nobody.get("/events").status, cy.get("/events").status] == [401, 200]
    assert types(cy) == []
    assert cy.get(f"/projects/{roof}/events").status == 404


@pytest.mark.matrix("both")
def test_the_former_place_of_a_ticket_is_shown_to_those_who_can_see_it(world, ada, ben, tickets, roof, hull):
    ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": "Leak", "body": "Water"}})
    move = {"bulk_edit": {"query": "number:2", "command": f"project:{roof}"}}
    assert ada.post(f"/projects/{hull}/bulk_edit", move).status == 200
    told = {
        client.email[:3]: client.get(f"/projects/{roof}/events").items[-1]["changes"] for client in (ada, ben)
    }
    assert {"project_id", "number"} <= set(told["ada"])
    assert not {"project_id", "number"} & set(told["ben"])
    before = [
        event for event in ada.get(f"/projects/{hull}/events").items if event["subject_kind"] == "ticket"
    ]
    assert not [event for event in before if event["type"] != "ticket.moved" and event["changes"]][1:]


def test_a_bulk_edit_that_moved_tickets_hides_where_to(ada, ben, tickets, roof, hull):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "all", "command": f"project:{hull}"}})
    path = f"/projects/{roof}/events"
    assert "bulk_edit.done" in types(ada, path)
    assert "bulk_edit.done" not in types(ben, path)


def test_a_private_view_belongs_to_one_person(ada, ben, roof):
    bins = f"/projects/{roof}/bins"
    before = types(ada).count("bin.created")
    made = ben.post(bins, {"ticket_bin": {"name": "Mine", "query": "all", "shared": False}}).item["id"]
    assert types(ada).count("bin.created") == before
    assert ben.get("/events").items[-1]["changes"]["name"] == ["", "Mine"]
    ben.delete(f"{bins}/{made}")
    assert "bin.deleted" not in types(ada)
    assert ben.get("/events").items[-1]["type"] == "bin.deleted"


def test_a_shared_view_that_is_deleted_is_told_to_the_members(ada, ben, cy, open_roof):
    bins = f"/projects/{open_roof}/bins"
    made = ada.post(bins, {"ticket_bin": {"name": "Ours", "query": "all", "shared": True}}).item["id"]
    ada.delete(f"{bins}/{made}")
    assert types(ben)[-1] == "bin.deleted"
    assert "bin.deleted" not in types(cy)


def test_events_of_the_account_are_for_administrators(world, ada, ben, cy):
    after = last(ada)
    ada.post("/invitations", {"invitation": {"email": "dora@example.org", "role": "member"}})
    in_person = ada.speaking(**_signed_in(ada))
    in_person.put("/account", {"account": {"name": "Harbour"}})
    in_person.post("/invitations", {"invitation": {"email": "dora@example.org", "role": "member"}})
    assert types(ada)[-2:] == ["account.updated", "invitation.created"]
    assert last(ada) == after + 2
    assert [types(ben), types(cy)] == [[], []]


def _signed_in(client):
    return basic(client.email, PASSWORD)


def test_a_token_is_visible_only_to_its_owner(ada, ben):
    in_person = ben.speaking(**_signed_in(ben))
    in_person.post("/profile/tokens", {"token": {"note": "Robot"}})
    assert types(in_person) == ["token.created"]
    assert [types(client) for client in (ada, ben)] == [[], []]


def test_a_token_of_one_project_reads_no_other(world, ada, tickets, roof, hull):
    ada.post(tickets, {"ticket": {"title": "Leak"}})
    robot = world.client(**{"X-ServiceToken": world.token(ada.user_id, project_id=roof)})
    assert {event["project_id"] for event in robot.get("/events").items} == {roof}
    assert robot.get(f"/projects/{hull}/events").status == 404


def test_events_do_not_say_whom_a_text_mentions(ada, ben, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "@Ben please look"}})
    assert set(ada.get("/events").items[-1]["changes"]) >= {"title", "body"}
    assert "mentions" not in ada.get("/events").items[-1]["changes"]


def test_the_cursor_of_a_stranger_reveals_nothing_and_is_valid_for_nothing_else(ada, cy, open_roof, hull):
    seen = [cy.get("/events?after=now") for _ in range(2)]
    ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": "Secret"}})
    seen.append(cy.get("/events?after=now"))
    cursors = [answer.headers["x-last-event-id"] for answer in seen]
    # No two are alike, whether something happened between them or not, and none is longer than another.
    assert (len(set(cursors)), len(set(map(len, cursors)))) == (3, 1)
    assert len({answer.body for answer in seen}) == 1
    for cursor in cursors:
        assert cy.get(f"/events?after={cursor}").items == []
        forged = cursor[:-1] + ("A" if cursor[-1] != "A" else "Q")
        assert cy.get(f"/events?after={forged}").status == 422
    assert cy.get(f"/events?after={last(ada) - 1}").status == 422
    assert cy.get("/events?after=0").body == cy.get("/events").body


@pytest.mark.matrix("both")
def test_hidden_events_do_not_shorten_the_pages_of_a_stranger(ada, cy, open_roof, hull):
    for number in range(3):
        ada.post(f"/projects/{open_roof}/tickets", {"ticket": {"title": f"Leak {number}"}})
        for _ in range(3):
            ada.post(f"/projects/{hull}/tickets", {"ticket": {"title": "Secret"}})
    found, path = [], "/events?limit=2"
    while path:
        answer = cy.get(path)
        assert len(answer.items) == (2 if "link" in answer.headers else 1)
        found += [event["type"] for event in answer.items]
        link = answer.headers.get("link", "")
        path = link.partition(">")[0].partition(".example")[2]
    assert found == ["project.created", "project.updated", *["ticket.created"] * 3]
    assert path == ""


def test_private_events_of_a_person_are_hidden_from_others(world, ada, ben):
    with world.write() as transaction:
        principal = Principal(ben.user_id, "Ben", "member")
        record(Context(transaction, principal), Type.USER_UPDATED, ben.user_id)
        record(Context(transaction, principal), Type.FEED_CREATED, 1)
        record(
            Context(transaction, principal), Type.USER_UPDATED, ben.user_id, changes={"job": ["", "Tiler"]}
        )
    assert types(ada) == ["user.updated"]
    assert types(ben) == ["user.updated", "user.updated"]
    assert types(ben.speaking(**_signed_in(ben))) == ["user.updated", "feed.created", "user.updated"]
