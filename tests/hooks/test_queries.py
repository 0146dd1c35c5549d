"""Hooks with a query get events of tickets that may have matched before or after a change."""

import pytest

pytestmark = pytest.mark.matrix("databases")


@pytest.fixture
def told(ada, tickets, desk, hook, receiver):
    """Return what changes a ticket, and gives the types of events of which a hook with a query hears."""

    def change(query, fields, *changes, at_once=False):
        hook(query=query)
        path = f"{tickets}/{ada.post(tickets, {'ticket': fields}).item['number']}"
        for values in changes:
            if not at_once:
                desk.send()
            assert ada.put(path, {"ticket": values}).status == 200
        desk.send()
        return receiver.types

    return change


@pytest.fixture
def moved(ada, tickets, desk, hook, receiver):
    """Return what moves a ticket, and gives the types of events of which a hook with a query hears."""

    def move(query, values, command):
        ada.post("/projects", {"project": {"name": "Hull"}})
        ada.post(tickets, {"ticket": {"title": "Roof", **values}})
        hook(query=query, events=["ticket.moved"])
        edit = {"query": "#1", "command": f"project:hull {command}"}
        assert ada.post(tickets.replace("tickets", "bulk_edit"), {"bulk_edit": edit}).status == 200
        desk.send()
        return receiver.types

    return move


@pytest.mark.parametrize(
    ("query", "matching", "other"),
    [
        ("state:open", {"state": "open"}, {"state": "resolved"}),
        ("-state:closed", {"state": "new"}, {"state": "invalid"}),
        ("state:resolved", {"state": "resolved"}, {"state": "new"}),
        ("importance:>5", {"importance": 7}, {"importance": 5}),
        ("importance:none", {"importance": 0}, {"importance": 1}),
        ("importance:high", {"importance": 3}, {"importance": 1}),
        ("importance:>high", {"importance": 4}, {"importance": 3}),
        ("due:2027-01-31", {"due_on": "2027-01-31"}, {"due_on": "2027-02-01"}),
        ("due:<2027-02-01", {"due_on": "2027-01-31"}, {"due_on": None}),
        ("due:none", {"due_on": None}, {"due_on": "2027-01-31"}),
        ("-due:2027-01-01..2027-01-31", {"due_on": "2027-02-01"}, {"due_on": "2027-01-31"}),
        ("tagged:wet", {"tag": "roof wet"}, {"tag": "roof"}),
        ("not-tagged:'two words'", {"tag": "two"}, {"tag": '"two words"'}),
        ("title:leak*", {"title": "A leaking roof"}, {"title": "A roof"}),
        ("title:'leaking roof'", {"title": "A leaking roof"}, {"title": "A roof leaking"}),
        ("is:private", {"private": True}, {"private": False}),
        ("-is:(private,blocked)", {"private": False}, {"private": True}),
        ("state:open importance:>5", {"state": "open", "importance": 7}, {"state": "resolved"}),
        ("tagged:wet OR importance:9", {"tag": "wet"}, {"tag": "dry"}),
    ],
)
def test_a_hook_with_a_query_gets_tickets_that_enter_or_leave_it_and_no_others(told, query, matching, other):
    base = {"title": "Roof"}
    left = told(query, {**base, **matching}, other, {"body": "Still", "importance": 3, **other})
    assert left == ["ticket.created", "ticket.updated"]


@pytest.mark.parametrize("query", ["state:open importance:>5", "title:leak", "tagged:wet -state:closed"])
def test_a_ticket_that_never_matched_is_not_told_whatever_changes(told, query):
    assert told(query, {"title": "Roof"}, {"title": "Gable"}, {"importance": 3}, {"state": "open"}) == []


def test_a_former_assignee_is_known_by_name(told, ada, ben):
    assert told(
        "responsible:Ben", {"title": "Roof", "assigned_user_id": ben.user_id}, {"assigned_user_id": None}
    ) == [
        "ticket.created",
        "ticket.updated",
    ]


def test_a_milestone_that_a_ticket_left_is_known_by_name(told, ada, roof):
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Spring"}})
    moved = told(
        "milestone:spring", {"title": "Roof", "milestone_id": 1}, {"milestone_id": None}, {"state": "open"}
    )
    assert moved == ["ticket.created", "ticket.updated"]


@pytest.mark.parametrize(
    ("query", "values", "command", "is_told"),
    [
        ("tagged:wet", {"tag": "wet"}, "not-tagged:wet", True),
        ("-tagged:wet", {}, "tagged:wet", True),
        ("importance:3", {"importance": 3}, "importance:none", True),
        ("due:2027-01-31", {"due_on": "2027-01-31"}, "due:none", True),
        ("-is:private", {}, "private:true", True),
        ("-has:comments", {}, "", True),
        ("title:gable", {"tag": "wet"}, "not-tagged:wet", False),
        ("tagged:wet gable", {"tag": "wet"}, "not-tagged:wet", False),
    ],
)
def test_a_ticket_that_may_have_left_a_query_while_it_moved_is_told(moved, query, values, command, is_told):
    assert moved(query, values, command) == ["ticket.moved"] * is_told


def test_a_ticket_that_changed_again_is_sent_unless_it_certainly_did_not_match(told):
    changes = ({"importance": 9}, {"importance": 1})
    assert told("importance:9", {"title": "Roof"}, *changes, at_once=True) == ["ticket.updated"] * 2


def test_the_deletion_of_a_ticket_that_may_have_matched_is_told(ada, tickets, desk, hook, receiver):
    hook(query="importance:>5 number:1")
    for title in ("One", "Two"):
        ada.post(tickets, {"ticket": {"title": title, "importance": 7}})
    desk.send()
    ada.delete(f"{tickets}/1")
    ada.delete(f"{tickets}/2")
    desk.send()
    assert receiver.types == ["ticket.created", "ticket.deleted"]


@pytest.mark.parametrize("is_moved", [True, False])
def test_nobody_knows_whether_a_ticket_matched_that_left_before_its_events_were_sent(
    ada, tickets, desk, hook, receiver, is_moved
):
    hook(query="tagged:wet", events=["ticket.created", "ticket.updated"])
    ada.post("/projects", {"project": {"name": "Hull"}})
    ada.post(tickets, {"ticket": {"title": "Roof"}})
    ada.put(f"{tickets}/1", {"ticket": {"tag": "wet"}})
    if is_moved:
        edit = {"query": "1", "command": "project:hull"}
        ada.post(tickets.replace("tickets", "bulk_edit"), {"bulk_edit": edit})
    else:
        ada.delete(f"{tickets}/1")
    desk.send()
    assert receiver.types == ["ticket.created", "ticket.updated"]
