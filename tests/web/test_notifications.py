"""Notifications and the inbox."""

from datetime import UTC, datetime, timedelta

import pytest

from skerry.database.transactions import DAY
from skerry.store.notifications import notifications as store
from tests.support.readers import read_events

INBOX = "/notifications"


@pytest.fixture
def inbox(world):
    """Return what somebody's inbox holds once all events are read: the tickets with the reasons."""

    def held(client, query=""):
        read_events(world)
        return [(each["ticket"]["number"], each["reason"]) for each in client.get(f"{INBOX}{query}").items]

    return held


@pytest.fixture
def tomorrow():
    """The time a day from now, as formats show it."""
    return f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"


def opened(client, tickets, **fields):
    made = client.post(tickets, {"ticket": {"title": "Leak", **fields}})
    assert made.status == 201, made.body
    return f"{tickets}/{made.item['number']}"


def says(client, ticket, body="It drips"):
    assert client.put(ticket, {"ticket": {"body": body}}).status == 200


def wants(client, project, level):
    settings = {"notification_settings": {"level": level}}
    assert client.put(f"/projects/{project}/notification_settings", settings).item["level"] == level


def test_watchers_assignees_and_mentioned_people_are_notified_except_of_their_own_changes(
    world, ada, ben, roof, tickets, inbox
):
    eve, flo = world.person("eve"), world.person("flo")
    for client in (eve, flo):
        world.join(roof, client)
    ticket = opened(ada, tickets, assigned_user_id=ben.user_id)
    says(eve, ticket, "@flo knows")
    assert inbox(ada) == [(1, "watched")]
    assert inbox(ben) == [(1, "assigned")]
    assert inbox(flo) == [(1, "mention")]
    assert inbox(eve) == []


@pytest.mark.matrix("both")
def test_a_ticket_has_one_line_with_the_last_event_and_the_strongest_reason_while_it_is_unread(
    ada, ben, tickets, inbox
):
    ticket = opened(ada, tickets, body="@ben")
    assert inbox(ben) == [(1, "mention")]
    says(ada, ticket, "Once more")
    assert inbox(ben) == [(1, "mention")]
    (told,) = ben.get(INBOX).items
    assert (told["read"], told["event"]["type"], told["event"]["version"]) == (False, "ticket.updated", 2)
    assert (told["event"]["user_name"], told["ticket"]["title"]) == ("Ada", "Leak")
    ben.put(f"{INBOX}/{told['id']}", {"notification": {"read": True}})
    says(ada, ticket, "And again")
    assert inbox(ben) == [(1, "watched")]
    assert [each["id"] for each in ben.get(INBOX).items] == [told["id"]]


@pytest.mark.matrix("both")
def test_notifications_are_read_one_by_one_up_to_an_event_or_all(ada, ben, tickets, inbox):
    for _ in range(4):
        opened(ada, tickets, assigned_user_id=ben.user_id)
    assert [number for number, _ in inbox(ben)] == [4, 3, 2, 1]
    newest, *_, oldest = ben.get(INBOX).items
    done = ben.put(f"{INBOX}/{newest['id']}", {"notification": {"read": True}})
    assert (done.status, done.item) == (200, {**newest, "read": True})
    assert ben.get(f"{INBOX}/{newest['id']}").item == done.item
    assert [number for number, _ in inbox(ben)] == [3, 2, 1, 4]
    assert ben.post(f"{INBOX}/read?up_to={oldest['event']['number']}").status == 200
    assert [number for number, _ in inbox(ben, "?unread=true")] == [3, 2]
    ben.put(f"{INBOX}/{newest['id']}", {"notification": {"read": False}})
    assert inbox(ben, "?unread=true&limit=1") == [(4, "assigned")]
    assert ben.get(f"{INBOX}?unread=true&limit=1").headers["x-total-count"] == "3"
    ben.post(f"{INBOX}/read")
    assert inbox(ben, "?unread=true") == []
    assert len(inbox(ben)) == 4


@pytest.mark.matrix("both")
def test_a_list_of_notifications_is_whole_unless_a_page_is_requested(ada, ben, tickets, inbox):
    for _ in range(35):
        opened(ada, tickets, assigned_user_id=ben.user_id)
    assert len(inbox(ben)) == 35
    assert "link" not in ben.get(INBOX).headers
    assert (len(inbox(ben, "?page=1")), len(inbox(ben, "?limit=7"))) == (30, 7)


@pytest.mark.matrix("both")
def test_a_snoozed_notification_comes_back_at_its_time(
    world, ada, ben, tickets, inbox, tomorrow, monkeypatch
):
    opened(ada, tickets, assigned_user_id=ben.user_id)
    opened(ada, tickets, assigned_user_id=ben.user_id)
    assert len(inbox(ben)) == 2
    at = f"{INBOX}/{ben.get(INBOX).items[0]['id']}"
    ben.put(at, {"notification": {"read": True}})
    snoozed = ben.put(at, {"notification": {"snoozed_until": tomorrow}}).item
    assert (snoozed["snoozed_until"], snoozed["read"]) == (tomorrow, False)
    assert inbox(ben) == inbox(ben, "?unread=true") == [(1, "assigned")]
    assert inbox(ben, "?snoozed=true") == [(2, "assigned")]
    clock = world.database.clock
    monkeypatch.setattr(world.database, "clock", lambda: clock() + 2 * DAY)
    assert inbox(ben, "?unread=true") == [(2, "assigned"), (1, "assigned")]
    assert (inbox(ben, "?snoozed=true"), ben.get(at).item["snoozed_until"]) == ([], None)


@pytest.mark.matrix("both")
def test_a_snoozed_notification_comes_back_with_the_next_event(ada, ben, tickets, inbox, tomorrow):
    ticket = opened(ada, tickets, assigned_user_id=ben.user_id)
    inbox(ben)
    at = f"{INBOX}/{ben.get(INBOX).items[0]['id']}"
    ben.put(at, {"notification": {"snoozed_until": tomorrow}})
    assert inbox(ben) == []
    says(ada, ticket)
    assert inbox(ben, "?unread=true") == [(1, "assigned")]
    ben.put(at, {"notification": {"snoozed_until": tomorrow}})
    ben.put(at, {"notification": {"snoozed_until": None}})
    assert inbox(ben, "?unread=true") == [(1, "assigned")]
    ben.put(at, {"notification": {"snoozed_until": tomorrow}})
    done = ben.put(at, {"notification": {"read": True}}).item
    assert (done["read"], done["snoozed_until"]) == (True, None)


def test_marking_everything_leaves_what_is_snoozed(ada, ben, tickets, inbox, tomorrow):
    opened(ada, tickets, assigned_user_id=ben.user_id)
    inbox(ben)
    ben.put(f"{INBOX}/{ben.get(INBOX).items[0]['id']}", {"notification": {"snoozed_until": tomorrow}})
    assert ben.post(f"{INBOX}/read").item["count"] == 0
    assert inbox(ben, "?snoozed=true") == [(1, "assigned")]


@pytest.mark.matrix("both")
def test_the_inbox_is_filtered_by_project_and_reason(ada, ben, tickets, harbour, inbox):
    opened(ada, tickets, assigned_user_id=ben.user_id)
    opened(ada, tickets, body="@ben")
    opened(ada, f"/projects/{harbour}/tickets", body="@ben")
    roof = int(tickets.split("/")[2])
    assert len(inbox(ben)) == 3
    assert inbox(ben, f"?project_id={roof}") == [(2, "mention"), (1, "assigned")]
    assert inbox(ben, f"?project_id={roof}&reason=mention&unread=true") == [(2, "mention")]
    assert ben.post(f"{INBOX}/read?project_id={roof}&reason=mention").item["count"] == 1
    assert inbox(ben, "?unread=true&reason=mention") == [(1, "mention")]
    assert ben.get(f"{INBOX}?reason=boredom").errors == ["Reason is not one of watched, assigned, mention"]
    assert ben.get(f"{INBOX}?project_id=roof").errors == ["Project must be a whole number"]


@pytest.mark.matrix("both")
def test_marking_everything_as_read_can_be_undone(ada, ben, tickets, inbox):
    first = opened(ada, tickets, assigned_user_id=ben.user_id)
    for _ in range(3):
        opened(ada, tickets, assigned_user_id=ben.user_id)
    inbox(ben)
    ids = {each["ticket"]["number"]: each["id"] for each in ben.get(INBOX).items}
    ben.put(f"{INBOX}/{ids[4]}", {"notification": {"read": True}})
    marking = ben.post(f"{INBOX}/read").item
    assert marking["count"] == 3
    says(ada, first)
    inbox(ben)
    ben.put(f"{INBOX}/{ids[2]}", {"notification": {"read": False}})
    ben.put(f"{INBOX}/{ids[2]}", {"notification": {"read": True}})
    undone = ben.post(f"{INBOX}/read/{marking['id']}/undo").item
    assert undone == {"count": 1, "id": marking["id"]}
    assert sorted(inbox(ben, "?unread=true")) == [(1, "assigned"), (3, "assigned")]
    assert ada.post(f"{INBOX}/read/{marking['id']}/undo").item["count"] == 0


def test_invalid_parameters_of_the_inbox_are_refused(ada, ben, roof, tickets, inbox):
    opened(ada, tickets, assigned_user_id=ben.user_id)
    inbox(ben)
    number = ben.get(INBOX).items[0]["id"]
    assert ben.get(f"{INBOX}?unread=perhaps").errors == ["Unread must be true or false"]
    assert ben.post(f"{INBOX}/read?up_to=soon").errors == ["Up to must be a whole number"]
    assert ben.put(f"{INBOX}/1", {"notification": {"read": True}}).status == 404
    assert ada.put(f"{INBOX}/{number}", {"notification": {"read": True}}).status == 404
    refused = ben.put(f"/projects/{roof}/notification_settings", {"notification_settings": {"level": "some"}})
    assert refused.errors == ["Level is not one of everything, watched, mentions, nothing"]
    assert inbox(ben, "?unread=true") == [(1, "assigned")]


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("everything", [(3, "watched"), (2, "mention"), (1, "assigned")]),
        ("watched", [(2, "mention"), (1, "assigned")]),
        ("mentions", [(2, "mention")]),
        ("nothing", []),
    ],
)
def test_each_person_chooses_for_each_project(ada, ben, roof, tickets, inbox, level, told):
    assert ben.get(f"/projects/{roof}/notification_settings").item == {"level": "watched", "project_id": roof}
    wants(ben, roof, level)
    opened(ada, tickets, assigned_user_id=ben.user_id)
    opened(ada, tickets, body="@ben")
    opened(ada, tickets)
    assert inbox(ben) == told


def test_nobody_is_notified_of_a_muted_ticket(ada, ben, roof, tickets, inbox):
    ticket = opened(ada, tickets, assigned_user_id=ben.user_id)
    muted = ben.put(f"{ticket}/mute", {"mute": {"muted": True}}).item
    assert muted == ben.get(f"{ticket}/mute").item == {"muted": True, "number": 1, "project_id": roof}
    says(ada, ticket, "@ben")
    assert inbox(ben) == []
    ben.put(f"{ticket}/mute", {"mute": {"muted": False}})
    says(ada, ticket, "@ben")
    assert inbox(ben) == [(1, "mention")]


def test_an_edited_text_tells_only_those_whom_it_mentions_now(ada, ben, tickets, inbox):
    ticket = opened(ben, tickets, body="It drips")
    opened(ada, tickets, body="It rusts")
    says(ben, f"{tickets}/2", "Indeed")
    for number, body in ((1, "It leaks"), (2, "It rusts, @ben")):
        assert ada.put(f"{tickets}/{number}/versions/1", {"version": {"body": body}}).status == 200
    assert inbox(ben) == [(2, "mention")]
    assert ada.delete(ticket).status == 200


@pytest.mark.matrix("both")
def test_notifications_of_a_ticket_are_hidden_from_those_who_cannot_see_it(
    world, ada, ben, roof, tickets, inbox
):
    ticket = opened(ada, tickets, assigned_user_id=ben.user_id)
    assert inbox(ben) == [(1, "assigned")]
    number = ben.get(INBOX).items[0]["id"]
    (membership,) = [
        each["id"]
        for each in ada.get(f"/projects/{roof}/memberships").items
        if each["user_id"] == ben.user_id
    ]
    assert ada.delete(f"/projects/{roof}/memberships/{membership}").status == 200
    says(ada, ticket)
    assert inbox(ben) == []
    assert ben.get(INBOX).headers["x-total-count"] == "0"
    assert ben.get(f"{INBOX}/{number}").status == 404
    world.join(roof, ben)
    assert [each["event"]["version"] for each in ben.get(INBOX).items] == [1]


@pytest.mark.matrix("both")
def test_people_from_outside_are_told_of_what_they_watch_in_public_projects(ben, cy, harbour, inbox):
    ticket = opened(cy, f"/projects/{harbour}/tickets")
    says(ben, ticket)
    assert inbox(cy) == [(1, "watched")]
    assert cy.get(INBOX).items[0]["event"]["number"] is None
    assert inbox(ben) == []
    # By asking up to which number theirs is read, they would find out how many events there are.
    refused = cy.post(f"{INBOX}/read?up_to=1000")
    assert (refused.status, inbox(cy, "?unread=true")) == (422, [(1, "watched")])
    assert cy.post(f"{INBOX}/read").status == 200
    assert inbox(cy, "?unread=true") == []


@pytest.mark.matrix("both")
def test_notifications_go_with_their_ticket_and_move_with_it(ada, ben, roof, tickets, inbox):
    other = ada.post("/projects", {"project": {"name": "Shed", "public": True}}).item["id"]
    for _ in range(2):
        opened(ada, tickets, assigned_user_id=ben.user_id)
    assert inbox(ben) == [(2, "assigned"), (1, "assigned")]
    assert ada.delete(f"{tickets}/1").status == 200
    move = {"bulk_edit": {"query": "number:2", "command": f"project:{other}"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", move).status == 200
    assert inbox(ben) == [(1, "assigned")]
    (told,) = ben.get(INBOX).items
    assert (told["ticket"]["project_id"], told["event"]["type"]) == (other, "ticket.moved")


def test_a_token_for_one_project_sees_and_reads_what_is_of_that_project(
    world, ada, ben, roof, harbour, inbox
):
    for project in (roof, harbour):
        opened(ada, f"/projects/{project}/tickets", assigned_user_id=ben.user_id)
    assert len(inbox(ben)) == 2
    narrow = world.client(**{"X-ServiceToken": world.token(ben.user_id, project_id=roof)})
    assert [each["ticket"]["project_id"] for each in narrow.get(INBOX).items] == [roof]
    narrow.post(f"{INBOX}/read")
    assert [each["ticket"]["project_id"] for each in ben.get(f"{INBOX}?unread=true").items] == [harbour]


@pytest.mark.matrix("both")
def test_read_notifications_are_kept_for_90_days_and_so_many_of_all(
    world, ada, ben, tickets, inbox, monkeypatch
):
    for _ in range(3):
        opened(ada, tickets, assigned_user_id=ben.user_id)
    inbox(ben)
    ben.put(f"{INBOX}/{ben.get(INBOX).items[0]['id']}", {"notification": {"read": True}})
    store.remove_old(world.database)
    assert [number for number, _ in inbox(ben)] == [2, 1, 3]
    clock = world.database.clock
    monkeypatch.setattr(world.database, "clock", lambda: clock() + 91 * DAY)
    store.remove_old(world.database)
    assert [number for number, _ in inbox(ben)] == [2, 1]
    monkeypatch.setattr(store, "MAX", 1)
    store.remove_old(world.database)
    assert [number for number, _ in inbox(ben)] == [2]


def test_a_bulk_edit_notifies_about_each_ticket(ada, ben, roof, tickets, inbox):
    for _ in range(2):
        opened(ada, tickets, assigned_user_id=ben.user_id)
    inbox(ben)
    ben.post(f"{INBOX}/read")
    edit = {"bulk_edit": {"query": "state:open", "command": "tagged:wet"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", edit).status == 200
    assert inbox(ben, "?unread=true") == [(2, "assigned"), (1, "assigned")]


def test_many_changes_at_once_are_one_notification_of_the_last(ada, ben, tickets, inbox):
    ticket = opened(ada, tickets, assigned_user_id=ben.user_id)
    for number in range(1, 61):
        assert ada.put(ticket, {"ticket": {"importance": number}}).status == 200
    assert inbox(ben) == [(1, "assigned")]
    assert ben.get(INBOX).items[0]["event"]["changes"]["importance"] == [59, 60]
