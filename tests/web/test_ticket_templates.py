"""Templates of tickets."""

import pytest

from skerry.resources.ticket_templates import MAX_TEMPLATES

pytestmark = pytest.mark.matrix("both")

LEAK = {"name": "Leak", "title": "Leak: ", "body": "Where?\n\nSince when?", "tag": "Rain  Roof"}


@pytest.fixture
def templates(roof):
    return f"/projects/{roof}/templates"


def add(somebody, templates, **values):
    return somebody.post(templates, {"template": {**LEAK, **values}})


def test_a_template_is_made_changed_and_removed(ada, ben, templates):
    made = add(ada, templates, assigned_user_id=ben.user_id)
    assert made.status == 201
    at = f"{templates}/{made.item['id']}"
    assert made.headers["location"].partition("?")[0].removesuffix(f".{ada.format}").endswith(at)
    assert made.item["tag"] == "rain roof"
    after = ada.put(at, {"template": {"title": ""}}).item
    assert after == ada.get(at).item == {**made.item, "title": ""}
    assert ada.get(templates).items == [after]
    assert (ada.delete(at).status, ada.get(at).status, ada.get(templates).items) == (200, 404, [])


def test_a_new_template_is_empty(ada, templates):
    new = ada.get(f"{templates}/new").item
    assert (new["name"], new["body"], new["tag"], new["assigned_user_id"]) == ("", "", "", None)


def test_names_of_templates_are_unique_in_a_project(world, ada, templates):
    first, second = add(ada, templates).item, add(ada, templates, name="Dry").item
    assert add(ada, templates, name="LEAK").errors == ["Name has already been taken"]
    at = f"{templates}/{second['id']}"
    assert ada.put(at, {"template": {"name": "leak"}}).errors == ["Name has already been taken"]
    assert ada.put(f"{templates}/{first['id']}", {"template": {"name": "leak"}}).status == 200
    other = ada.post("/projects", {"project": {"name": "Wall"}}).item["id"]
    assert add(ada, f"/projects/{other}/templates").status == 201


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"name": " "}, "Name can't be blank"),
        ({"name": "n" * 101}, "Name is too long (at most 100 characters)"),
        ({"title": "t" * 256}, "Title is too long (at most 255 characters)"),
        ({"body": "b" * 20_001}, "Body is too long (at most 20000 characters)"),
        ({"tag": "t" * 101}, "Tag is too long (at most 100 characters each)"),
        ({"assigned_user_id": 987654}, "Assignee is not a member of this project"),
    ],
)
def test_values_of_a_template_have_bounds(ada, templates, values, sentence):
    assert add(ada, templates, **values).errors == [sentence]


def test_a_project_has_so_many_templates_and_no_more(ada, templates):
    for number in range(MAX_TEMPLATES):
        assert add(ada, templates, name=f"Leak {number}").status == 201
    refused = add(ada, templates, name="One more")
    assert (refused.status, refused.errors[0]) == (
        409,
        "A project has at most 50 templates; no more can be added",
    )


def test_a_template_that_was_changed_meanwhile_is_not_changed(ada, templates):
    at = f"{templates}/{add(ada, templates).item['id']}"
    seen = ada.get(at).headers["etag"]
    assert ada.put(at, {"template": {"name": "Dry"}}, **{"If-Match": seen}).status == 200
    assert ada.put(at, {"template": {"name": "Damp"}}, **{"If-Match": seen}).status == 412


def test_former_members_stay_in_templates(world, ada, ben, roof, templates):
    at = f"{templates}/{add(ada, templates, assigned_user_id=ben.user_id).item['id']}"
    (joined,) = [
        each["id"]
        for each in ada.get(f"/projects/{roof}/memberships").items
        if each["user_id"] == ben.user_id
    ]
    assert ada.delete(f"/projects/{roof}/memberships/{joined}").status == 200
    assert ada.put(at, {"template": {"title": "Wet"}}).item["assigned_user_id"] == ben.user_id


def test_guests_of_a_public_project_read_templates(ada, cy, templates, roof):
    add(ada, templates)
    assert cy.get(templates).status == 404
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    assert [each["name"] for each in cy.get(templates).items] == ["Leak"]
    assert add(cy, templates, name="Mine").status == 403
