"""Removing and restoring people of projects and of the account, over HTTP."""

import pytest

from skerry.store import removals
from tests.conftest import PASSWORD
from tests.support.client import basic


@pytest.fixture
def admin(ada):
    return ada.speaking(**basic(ada.email, PASSWORD))


@pytest.fixture
def dee(world):
    return world.person("dee", "administrator")


def a_ticket(client, project, assignee, **fields):
    ticket = {"title": "It leaks", "assigned_user_id": assignee.user_id, **fields}
    return client.post(f"/projects/{project}/tickets", {"ticket": ticket}).item["number"]


def assignee_of(client, project, number):
    return client.get(f"/projects/{project}/tickets/{number}").item["assigned_user_id"]


def assign_by_default(client, project, user_id):
    settings = {"settings": {"default_assigned_user_id": user_id}}
    assert client.put(f"/projects/{project}/settings", settings).status == 200


def default_of(client, project):
    return client.get(f"/projects/{project}").item["default_assigned_user_id"]


def membership_of(client, project, somebody):
    items = client.get(f"/projects/{project}/memberships").items
    return next(item["id"] for item in items if item["user_id"] == somebody.user_id)


@pytest.mark.matrix("databases")
def test_a_removed_member_can_be_restored_as_before(ada, ben, roof):
    members = f"/projects/{roof}/memberships"
    before, number = ada.get(members).items, membership_of(ada, roof, ben)
    assign_by_default(ada, roof, ben.user_id)
    assert ada.delete(f"{members}/{number}").status == 200
    assert (ben.get(f"/projects/{roof}").status, default_of(ada, roof)) == (404, None)
    assert ada.post(f"{members}/{number}/restore").item["user_id"] == ben.user_id
    assert (ada.get(members).items, default_of(ben, roof)) == (before, ben.user_id)
    # They are a member already.
    assert ada.post(f"{members}/{number}/restore").item["user_id"] == ben.user_id


@pytest.mark.matrix("databases")
def test_the_successor_of_a_member_gets_the_open_tickets_and_the_new_ones(ada, ben, roof):
    opened, closed = a_ticket(ada, roof, ben), a_ticket(ada, roof, ben, state="resolved")
    assign_by_default(ada, roof, ben.user_id)
    number = membership_of(ada, roof, ben)
    path = f"/projects/{roof}/memberships/{number}?successor_id={ada.user_id}"
    assert ada.delete(path).status == 200
    assert [assignee_of(ada, roof, each) for each in (opened, closed)] == [ada.user_id, ben.user_id]
    assert default_of(ada, roof) == ada.user_id
    (removal,) = ada.get(f"/projects/{roof}/removals").items
    assert (removal["successor_name"], removal["reassigned_count"]) == ("Ada", 1)
    assert ada.post(f"/projects/{roof}/memberships/{number}/restore").status == 200
    assert (assignee_of(ada, roof, opened), default_of(ada, roof)) == (ben.user_id, ben.user_id)


def test_undoing_a_removal_keeps_later_decisions(ada, ben, dee, roof):
    first, second = a_ticket(ada, roof, ben), a_ticket(ada, roof, ben)
    assign_by_default(ada, roof, ben.user_id)
    number = membership_of(ada, roof, ben)
    ada.delete(f"/projects/{roof}/memberships/{number}?successor_id={ada.user_id}")
    ada.put(f"/projects/{roof}/tickets/{first}", {"ticket": {"assigned_user_id": dee.user_id}})
    assign_by_default(ada, roof, dee.user_id)
    assert ada.post(f"/projects/{roof}/memberships/{number}/restore").status == 200
    assert [assignee_of(ada, roof, each) for each in (first, second)] == [dee.user_id, ben.user_id]
    assert default_of(ada, roof) == dee.user_id


@pytest.mark.parametrize(
    ("successor", "sentence"),
    [
        ("cy", "Successor is not a member of the project Roof"),
        ("ben", "Successor is the person who is removed"),
        ("soon", "Successor must be a whole number"),
    ],
)
def test_a_successor_who_cannot_be_one_stops_a_removal(ada, ben, cy, roof, successor, sentence):
    named = {"cy": cy.user_id, "ben": ben.user_id}.get(successor, successor)
    path = f"/projects/{roof}/memberships/{membership_of(ada, roof, ben)}?successor_id={named}"
    answer = ada.delete(path)
    assert (answer.status, answer.errors) == (422, [sentence])
    assert ben.get(f"/projects/{roof}").status == 200


@pytest.mark.matrix("databases")
def test_a_person_removed_from_the_account_can_be_restored_as_before(admin, ada, ben, roof, harbour):
    memberships = ada.get(f"/users/{ben.user_id}/memberships").items
    number = a_ticket(ada, roof, ben)
    assign_by_default(ada, harbour, ben.user_id)
    assert admin.delete(f"/people/{ben.user_id}?successor_id={ada.user_id}").status == 200
    assert ben.get("/projects").status == 401
    assert (assignee_of(ada, roof, number), default_of(ada, harbour)) == (ada.user_id, ada.user_id)
    (removal,) = ada.get("/removals").items
    assert (removal["user_name"], removal["project_id"], removal["reassigned_count"]) == ("Ben", None, 1)
    answer = admin.post(f"/people/{ben.user_id}/restore")
    assert (answer.status, answer.item["role"]) == (200, "member")
    assert ada.get(f"/users/{ben.user_id}/memberships").items == memberships
    assert (assignee_of(ada, roof, number), default_of(ada, harbour)) == (ben.user_id, ben.user_id)
    # Tokens stay ended.
    assert ben.get("/projects").status == 401
    assert ada.get("/removals").items == []


def test_a_successor_works_in_every_project_that_has_something_for_them(
    world, admin, ada, ben, roof, harbour
):
    eve = world.person("eve", "member")
    world.join(harbour, eve)
    a_ticket(ada, roof, ben)
    path = f"/people/{ben.user_id}?successor_id={eve.user_id}"
    assert admin.delete(path).errors == ["Successor is not a member of the project Roof"]
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert admin.delete(path).status == 200


@pytest.mark.matrix("databases")
def test_undoing_a_removal_ignores_archived_and_deleted_projects(admin, ada, ben, roof, harbour):
    number = a_ticket(ada, roof, ben)
    a_ticket(ada, harbour, ben)
    admin.delete(f"/people/{ben.user_id}?successor_id={ada.user_id}")
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert ada.delete(f"/projects/{harbour}").status == 200
    assert admin.post(f"/people/{ben.user_id}/restore").status == 200
    assert membership_of(ada, roof, ben)
    assert assignee_of(ada, roof, number) == ada.user_id


def test_a_person_who_returned_in_another_way_is_no_longer_listed(ada, ben, roof):
    number = membership_of(ada, roof, ben)
    ada.delete(f"/projects/{roof}/memberships/{number}")
    assert [each["user_id"] for each in ada.get(f"/projects/{roof}/removals").items] == [ben.user_id]
    ada.post(f"/projects/{roof}/memberships", {"membership": {"user_id": ben.user_id}})
    assert ada.get(f"/projects/{roof}/removals").items == []
    assert ada.post(f"/projects/{roof}/memberships/{number}/restore").status == 404


def test_members_bring_nobody_back_whom_administrators_removed_since(admin, ada, ben, roof):
    number = membership_of(ada, roof, ben)
    ada.delete(f"/projects/{roof}/memberships/{number}")
    admin.delete(f"/people/{ben.user_id}")
    assert ada.get(f"/projects/{roof}/removals").items == []
    assert ada.post(f"/projects/{roof}/memberships/{number}/restore").status == 404


def test_only_an_owner_brings_back_an_owner(world, admin):
    olga, eve = world.person("olga", "owner"), world.person("eve", "owner")
    owner = olga.speaking(**basic(olga.email, PASSWORD))
    assert owner.delete(f"/people/{eve.user_id}").status == 200
    assert admin.post(f"/people/{eve.user_id}/restore").status == 403
    assert owner.post(f"/people/{eve.user_id}/restore").item["role"] == "owner"


@pytest.mark.matrix("databases")
def test_after_a_week_a_removal_cannot_be_undone(ada, ben, roof, monkeypatch):
    number = membership_of(ada, roof, ben)
    ada.delete(f"/projects/{roof}/memberships/{number}")
    monkeypatch.setattr(removals, "UNDO_PERIOD", 0)
    assert ada.get(f"/projects/{roof}/removals").items == []
    assert ada.post(f"/projects/{roof}/memberships/{number}/restore").status == 404
