"""Memberships over HTTP."""

import pytest

from tests.conftest import build_world


@pytest.mark.matrix("both")
def test_a_person_sees_the_account_and_their_projects(ben, roof, harbour):
    base = f"http://{ben.host}"
    items = ben.get(f"/users/{ben.user_id}/memberships").items
    assert [set(item) for item in items] == [{"id", "user_id", "account"}] + [
        {"id", "user_id", "project"}
    ] * 2
    assert {item["user_id"] for item in items} == {ben.user_id}
    assert items[0]["account"] == base
    projects = [item["project"] for item in items[1:]]
    assert projects == [f"{base}/projects/{roof}", f"{base}/projects/{harbour}"]
    assert len({item["id"] for item in items}) == 3


@pytest.mark.matrix("both")
def test_the_bytes_of_both_formats_are_those_that_clients_know(ben):
    answer = ben.get(f"/users/{ben.user_id}/memberships")
    number, base = answer.items[0]["id"], f"http://{ben.host}"
    expected = {
        "xml": '<?xml version="1.0" encoding="UTF-8"?><memberships type="array"><membership>'
        f'<id type="integer">{number}</id><user-id type="integer">{ben.user_id}</user-id>'
        f"<account>{base}</account></membership></memberships>",
        "json": f'{{"memberships":[{{"membership":{{"id":{number},"user_id":{ben.user_id},'
        f'"account":"{base}"}}}}]}}',
    }
    assert answer.body.decode() == expected[ben.format]


def test_a_stranger_belongs_to_nothing(cy):
    assert cy.get(f"/users/{cy.user_id}/memberships").items == []


def test_administrators_see_what_anyone_belongs_to_and_members_only_their_own(ada, ben, cy, nobody, roof):
    assert [len(ada.get(f"/users/{client.user_id}/memberships").items) for client in (ada, ben)] == [2, 2]
    assert ben.get(f"/users/{ada.user_id}/memberships").status == 403
    assert ada.get(f"/users/{cy.user_id}/memberships").status == 404
    assert cy.get(f"/users/{ben.user_id}/memberships").status == 404
    assert nobody.get(f"/users/{ben.user_id}/memberships").status == 401


def test_the_token_of_a_project_shows_only_that_project(world, ada, ben, roof, harbour):
    for owner, other in ((ben, ada), (ada, ben)):
        key = owner.speaking(**{"X-ServiceToken": world.token(owner.user_id, project_id=roof)})
        items = key.get(f"/users/{owner.user_id}/memberships").items
        assert [item["project"] for item in items] == [f"http://{ben.host}/projects/{roof}"]
        assert key.get(f"/users/{other.user_id}/memberships").status == 403
        assert key.get(f"/projects/{harbour}/memberships").status == 404


@pytest.mark.matrix("both")
def test_a_project_lists_each_member_with_the_person(ada, ben, roof):
    ben.put("/profile", {"user": {"job": "Tiler", "website": "http://ben.example"}})
    items = ben.get(f"/projects/{roof}/memberships").items
    assert [item["user_id"] for item in items] == [ada.user_id, ben.user_id]
    assert set(items[1]) == {"id", "user_id", "project", "user"}
    assert items[1]["project"] == f"http://{ben.host}/projects/{roof}"
    assert items[1]["user"] == {
        "id": ben.user_id,
        "job": "Tiler",
        "name": "Ben",
        "website": "http://ben.example",
        "avatar_url": "",
    }


def test_an_administrator_who_is_no_member_is_not_listed(world, ben, roof):
    eve = world.person("eve", "administrator")
    assert eve.get(f"/projects/{roof}/memberships").status == 200
    listed = [item["user"]["name"] for item in ben.get(f"/projects/{roof}/memberships").items]
    assert listed == ["Ada", "Ben"]


def test_a_public_project_shows_its_members_to_anyone_without_their_addresses(cy, nobody, harbour, ben):
    for client in (cy, nobody):
        answer = client.get(f"/projects/{harbour}/memberships")
        assert [item["user"]["name"] for item in answer.items] == ["Ada", "Ben"]
        assert ben.email.encode() not in answer.body
        assert b"@" not in answer.body


def test_a_private_project_shows_its_members_to_nobody_else(cy, nobody, roof):
    assert cy.get(f"/projects/{roof}/memberships").status == 404
    assert nobody.get(f"/projects/{roof}/memberships").status == 401


def test_no_membership_is_made_beside_a_person(ada):
    answer = ada.post(f"/users/{ada.user_id}/memberships", {"membership": {"user_id": 1}})
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


@pytest.fixture
def dee(world):
    return world.person("dee", "member")


def let_in(client, project, somebody):
    return client.post(f"/projects/{project}/memberships", {"membership": {"user_id": somebody.user_id}})


@pytest.mark.matrix("both")
def test_a_member_lets_somebody_of_the_account_into_a_project(ben, dee, roof):
    assert dee.get(f"/projects/{roof}").status == 404
    answer = let_in(ben, roof, dee)
    assert answer.status == 201
    assert (answer.item["user_id"], answer.item["user"]["name"]) == (dee.user_id, "Dee")
    path = f"/projects/{roof}/memberships/{answer.item['id']}"
    assert answer.headers["location"] == f"http://{ben.host}{path}.{ben.format}"
    assert ben.get(path).item == answer.item == ben.get(f"/projects/{roof}/memberships").items[-1]
    assert dee.get(f"/projects/{roof}").status == 200


@pytest.mark.matrix("both")
def test_an_existing_member_stays_one(ada, ben, roof):
    before = ben.get(f"/projects/{roof}/memberships").items
    assert let_in(ada, roof, ben).item == before[1]
    assert ben.get(f"/projects/{roof}/memberships").items == before


def test_only_people_of_the_account_can_join_a_project(instance_and_log, ben, cy, roof):
    foreign = build_world(instance_and_log[0], instance_and_log[1]).people["ben"]
    for user_id in (cy.user_id, foreign.user_id, 987654):
        answer = ben.post(f"/projects/{roof}/memberships", {"membership": {"user_id": user_id}})
        assert (answer.status, answer.errors) == (422, ["User is not in this account"])
    answer = ben.post(f"/projects/{roof}/memberships", {"membership": {}})
    assert (answer.status, answer.errors) == (422, ["User can't be blank"])


def test_the_token_of_a_project_lets_in_only_who_works_there(world, ben, dee, roof):
    eve = world.person("eve", "administrator")
    key = ben.speaking(**{"X-ServiceToken": world.token(ben.user_id, project_id=roof)})
    assert let_in(key, roof, dee).status == 422
    assert let_in(key, roof, eve).status == 201


def test_a_removed_member_no_longer_sees_the_project(ada, ben, roof):
    number = ben.get(f"/projects/{roof}/memberships").items[1]["id"]
    assert ada.delete(f"/projects/{roof}/memberships/{number}").status == 200
    assert ben.get(f"/projects/{roof}").status == 404
    assert ada.delete(f"/projects/{roof}/memberships/{number}").status == 404


def test_a_membership_of_another_project_is_not_here(ada, roof, harbour):
    number = ada.get(f"/projects/{harbour}/memberships").items[0]["id"]
    assert ada.get(f"/projects/{roof}/memberships/{number}").status == 404
    assert ada.delete(f"/projects/{roof}/memberships/{number}").status == 404
    assert len(ada.get(f"/projects/{harbour}/memberships").items) == 2


@pytest.mark.matrix("both")
def test_a_member_may_leave_and_gets_no_new_tickets(ada, ben, roof, harbour):
    for project in (roof, harbour):
        settings = {"settings": {"default_assigned_user_id": ben.user_id}}
        assert ben.put(f"/projects/{project}/settings", settings).status == 200
    number = ben.get(f"/projects/{roof}/memberships").items[1]["id"]
    assert ben.delete(f"/projects/{roof}/memberships/{number}").status == 200
    assert ada.get(f"/projects/{roof}").item["default_assigned_user_id"] is None
    assert ada.get(f"/projects/{harbour}").item["default_assigned_user_id"] == ben.user_id


def test_strangers_cannot_add_or_remove_members(cy, dee, harbour):
    assert let_in(cy, harbour, dee).status == 403
    number = cy.get(f"/projects/{harbour}/memberships").items[0]["id"]
    assert cy.delete(f"/projects/{harbour}/memberships/{number}").status == 403
