"""Users and the caller's own profile over HTTP."""

from dataclasses import replace

import pytest

from skerry.store import accounts
from skerry.store.people import people
from tests.support.client import FORM


@pytest.mark.matrix("both")
def test_the_public_representation_is_four_fields_and_nothing_else(ada, ben):
    item = ada.get(f"/users/{ben.user_id}").item
    assert item == {"id": ben.user_id, "job": "", "name": "Ben", "website": ""}
    assert list(item) == ["id", "job", "name", "website"]


@pytest.mark.matrix("both")
def test_the_bytes_of_both_formats_are_those_that_clients_know(ben):
    body = ben.get("/profile").body.decode()
    expected = {
        "xml": '<?xml version="1.0" encoding="UTF-8"?><user>'
        f'<id type="integer">{ben.user_id}</id><job/><name>Ben</name><website/></user>',
        "json": f'{{"user":{{"id":{ben.user_id},"job":"","name":"Ben","website":""}}}}',
    }
    assert body == expected[ben.format]


def test_the_profile_is_the_caller(ben, cy, nobody):
    assert ben.get("/profile").item == ben.get(f"/users/{ben.user_id}").item
    assert cy.get("/profile").item["name"] == "Cy"
    assert nobody.get("/profile").status == 401


@pytest.mark.matrix("both")
def test_members_see_everybody_who_belongs(world, ada, ben, roof):
    dee = world.person("dee")
    assert ben.get(f"/users/{dee.user_id}").status == 404
    world.join(roof, dee)
    assert ben.get(f"/users/{dee.user_id}").item["name"] == "Dee"
    assert dee.get(f"/users/{ada.user_id}").item["name"] == "Ada"


def test_a_stranger_sees_only_themselves_and_an_anonymous_caller_nobody(ben, cy, nobody, harbour):
    assert cy.get(f"/users/{cy.user_id}").status == 200
    assert cy.get(f"/users/{ben.user_id}").status == 404
    assert ben.get(f"/users/{cy.user_id}").status == 404
    assert nobody.get(f"/users/{ben.user_id}").status == 401
    assert ben.get("/users/999999").status == 404
    assert ben.get("/users/ben").status == 404


def test_a_former_author_is_visible_and_sees_nobody(world, ada, ben, roof):
    number = ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "It leaks"}}).item["number"]
    with world.write() as transaction:
        people.leave_account(transaction, ben.user_id)
    shown = ada.get(f"/users/{ada.get(f'/projects/{roof}/tickets/{number}').item['creator_id']}")
    assert (shown.status, shown.item["name"]) == (200, "Ben")
    assert ben.get(f"/users/{ada.user_id}").status == 404


@pytest.mark.matrix("both")
def test_people_named_by_something_are_visible_after_they_left(world, ada, ben, roof):
    project, left = f"/projects/{roof}", {}
    for name in ("dee", "eve", "fay", "gus"):
        left[name] = world.person(name)
        world.join(roof, left[name])
    left["dee"].post(f"{project}/messages", {"message": {"title": "Hello", "body": "We begin."}})
    left["eve"].post(f"{project}/changesets", {"changeset": {"revision": "abc1", "title": "Seal"}})
    ada.post(f"{project}/tickets", {"ticket": {"title": "It leaks", "assigned_user_id": left["fay"].user_id}})
    with world.write() as transaction:
        for client in left.values():
            people.leave_account(transaction, client.user_id)
    assert [ben.get(f"/users/{client.user_id}").status for client in left.values()] == [200, 200, 200, 404]


def test_a_stranger_who_commented_on_a_message_is_seen_in_that_account_alone(world, ben, cy, harbour):
    other = replace(world, host=f"other.{world.host}", people={})
    with world.database.write() as transaction:
        other.account_id = accounts.add(transaction, "Other", other.host).id
    eve = other.person(f"eve{other.account_id}", "member")
    message = ben.post(f"/projects/{harbour}/messages", {"message": {"title": "Hello"}}).item["id"]
    cy.post(f"/projects/{harbour}/messages/{message}/comments", {"comment": {"body": "Hello!"}})
    assert ben.get(f"/users/{cy.user_id}").item["name"] == "Cy"
    assert cy.get(f"/users/{ben.user_id}").status == 404
    assert eve.get(f"/users/{cy.user_id}").status == 404


def test_the_token_of_a_project_sees_who_works_in_it(world, ada, ben, roof):
    dee, eve = world.person("dee", "member"), world.person("eve")
    world.join(roof, eve)
    key = ben.speaking(**{"X-ServiceToken": world.token(ben.user_id, project_id=roof)})
    assert key.get("/profile").item["id"] == ben.user_id
    seen = [key.get(f"/users/{client.user_id}").status for client in (ada, ben, dee, eve)]
    assert seen == [200, 200, 404, 200]


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_people_change_their_own_profiles(ben, method):
    new = {"name": "Benjamin", "job": "Tiler", "website": "https://ben.example/~b?x=1"}
    answer = ben.send(method, f"/users/{ben.user_id}", {"user": {"id": 1, **new, "role": "owner"}})
    assert (answer.status, answer.item) == (200, {"id": ben.user_id, **new})
    assert ben.get("/profile").item == answer.item


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_the_profile_may_be_changed_at_its_own_address(ben, method):
    answer = ben.send(method, "/profile", {"user": {"job": "Tiler"}})
    assert (answer.status, answer.item["job"], answer.item["name"]) == (200, "Tiler", "Ben")


@pytest.mark.matrix("both")
def test_what_is_left_out_stays_and_what_is_empty_is_cleared(ben):
    ben.put("/profile", {"user": {"job": "Tiler", "website": "http://ben.example"}})
    item = ben.put("/profile", {"user": {"website": None}}).item
    assert (item["name"], item["job"], item["website"]) == ("Ben", "Tiler", "")


def test_the_form_of_a_web_page_is_read(ben):
    raw = f"user[name]=Benny&user[website]=http%3A%2F%2Fben.example&user[id]={ben.user_id}".encode()
    item = ben.send("POST", f"/users/{ben.user_id}", raw=raw, kind=FORM).item
    assert (item["name"], item["website"]) == ("Benny", "http://ben.example")


def test_people_cannot_change_each_other(ada, ben, cy, nobody):
    for client, status in ((ada, 403), (cy, 404), (nobody, 401)):
        for method in ("POST", "PUT"):
            answer = client.send(method, f"/users/{ben.user_id}", {"user": {"name": "Changed"}})
            assert answer.status == status
    assert ben.get("/profile").item["name"] == "Ben"


@pytest.mark.parametrize(
    "website",
    [
        "javascript:alert(1)",
        "ftp://ben.example",
        "ben.example",
        "http://",
        "http://[",
        "http://ben.example:99999",
        "https://ben example",
        'http://ben.example/"onclick="',
        "http://ben.example/<b>",
        "data:text/html,x",
        "//ben.example",
    ],
)
def test_a_website_is_an_http_address(ben, website):
    answer = ben.put("/profile", {"user": {"website": website}})
    assert (answer.status, answer.errors) == (422, ["Website must be an http or https address"])
    assert ben.get("/profile").item["website"] == ""


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": " "}, "Name can't be blank"),
        ({"name": "x" * 256}, "Name is too long (at most 255 characters)"),
        ({"name": "a\nb"}, "Name must contain only printable characters"),
        ({"name": "a\u202eb"}, "Name must contain only printable characters"),
        ({"job": "x" * 256}, "Job is too long (at most 255 characters)"),
        ({"website": "http://x/" + "x" * 2000}, "Website is too long (at most 2000 characters)"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_reason(ben, fields, said):
    answer = ben.post(f"/users/{ben.user_id}", {"user": fields})
    assert (answer.status, answer.errors) == (422, [said])


def test_tokens_that_may_only_read_or_open_one_project_change_no_profile(world, ben, roof):
    for token in (world.token(ben.user_id, read_only=True), world.token(ben.user_id, project_id=roof)):
        key = ben.speaking(**{"X-ServiceToken": token})
        for path in ("/profile", f"/users/{ben.user_id}"):
            assert key.put(path, {"user": {"job": "Tiler"}}).status == 403
    assert ben.get("/profile").item["job"] == ""


@pytest.mark.matrix("both")
def test_a_new_name_is_shown_wherever_the_person_is(ben, roof):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "T"}})
    ben.put("/profile", {"user": {"name": "Benjamin"}})
    assert ben.get(f"/projects/{roof}/tickets/1").item["creator_name"] == "Benjamin"


def test_users_are_not_made_or_removed_here(ada, ben):
    assert ada.delete(f"/users/{ben.user_id}").status == 405
    assert ada.delete("/profile").status == 405
    assert ada.get("/users").status == 404
