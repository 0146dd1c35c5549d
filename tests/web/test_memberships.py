"""Memberships over HTTP."""


def test_a_person_sees_the_account_and_the_projects_he_belongs_to(ben, roof, harbour):
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


def test_the_bytes_of_both_formats_are_those_that_clients_know(world, ben):
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
    assert [len(ada.get(f"/users/{voice.user_id}/memberships").items) for voice in (ada, ben)] == [2, 2]
    assert ben.get(f"/users/{ada.user_id}/memberships").status == 403
    assert ada.get(f"/users/{cy.user_id}/memberships").status == 404
    assert cy.get(f"/users/{ben.user_id}/memberships").status == 404
    assert nobody.get(f"/users/{ben.user_id}/memberships").status == 401


def test_the_token_of_a_project_shows_that_project_alone(world, ada, ben, roof, harbour):
    for owner, other in ((ben, ada), (ada, ben)):
        key = owner.speaking(**{"X-ServiceToken": world.token(owner.user_id, project_id=roof)})
        items = key.get(f"/users/{owner.user_id}/memberships").items
        assert [item["project"] for item in items] == [f"http://{ben.host}/projects/{roof}"]
        assert key.get(f"/users/{other.user_id}/memberships").status == 403
        assert key.get(f"/projects/{harbour}/memberships").status == 404


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
    for voice in (cy, nobody):
        answer = voice.get(f"/projects/{harbour}/memberships")
        assert [item["user"]["name"] for item in answer.items] == ["Ada", "Ben"]
        assert ben.email.encode() not in answer.body
        assert b"@" not in answer.body


def test_a_private_project_shows_its_members_to_nobody_else(cy, nobody, roof):
    assert cy.get(f"/projects/{roof}/memberships").status == 404
    assert nobody.get(f"/projects/{roof}/memberships").status == 401


def test_memberships_are_not_made_or_removed_here(ada, roof):
    for path in (f"/projects/{roof}/memberships", f"/users/{ada.user_id}/memberships"):
        answer = ada.post(path, {"membership": {"user_id": 1}})
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
