"""Settings of projects: what is decided about one, and what new states do to its tickets."""

import pytest

WRONG_LINE = "Open states line 1: write a name, a slash and 3 or 6 hex digits, as in new/f17"
STATES = {"open_states": "new/f17\nopen/aaa\nhold/EB0", "closed_states": "Resolved/6A0\ninvalid/A30"}


def put(client, project_id, **fields):
    return client.put(f"/projects/{project_id}/settings", {"settings": fields})


@pytest.mark.matrix("both")
def test_settings_are_those_of_the_project(ada, ben, roof):
    answer = put(ben, roof, name="Tower", description="All *of it*", license="MIT", public=True)
    assert answer.status == 200
    assert answer.item["description"] == "All *of it*"
    project = ada.get(f"/projects/{roof}").item
    assert (project["name"], project["license"], project["public"]) == ("Tower", "MIT", True)
    assert "<em>of it</em>" in project["description_html"]
    assert ben.get(f"/projects/{roof}/settings").item == answer.item


@pytest.mark.matrix("both")
def test_fields_that_are_not_sent_stay(ada, roof):
    before = ada.get(f"/projects/{roof}/settings").item
    after = put(ada, roof, license="MIT").item
    assert {**before, "license": "MIT", "updated_at": after["updated_at"]} == after


def test_a_text_without_its_project_is_left_out(ada, roof):
    def texts():
        project = ada.get(f"/projects/{roof}").item
        return [project[name] for name in ("description", "description_html", "license")]

    put(ada, roof, open_states="new/f17")
    assert texts() == [None, None, None]
    put(ada, roof, description="Dry", license="MIT")
    put(ada, roof, description="", license="")
    assert texts() == [None, None, None]
    assert ada.get(f"/projects/{roof}/settings").item["license"] == ""


def test_outsiders_neither_see_nor_change_them(cy, nobody, harbour):
    assert cy.get(f"/projects/{harbour}/settings").status == 403
    assert put(cy, harbour, name="Mine").status == 403
    assert nobody.get(f"/projects/{harbour}/settings").status == 401


def test_an_archived_project_is_revived_there(ada, roof):
    assert put(ada, roof, archived=True).item["archived"] is True
    assert put(ada, roof, name="Tower").status == 403
    assert put(ada, roof, name="Tower", archived=False).item["name"] == "Tower"


@pytest.mark.matrix("both")
def test_new_tickets_begin_with_the_defaults(ada, ben, cy, roof):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Spring"}}).item["id"]
    put(ada, roof, default_assigned_user_id=ben.user_id, default_milestone_id=milestone)
    made = ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}}).item
    assert (made["assigned_user_id"], made["milestone_id"]) == (ben.user_id, milestone)
    answer = put(ada, roof, default_assigned_user_id=cy.user_id)
    assert (answer.status, answer.errors) == (422, ["Default assignee is not a member of this project"])
    assert put(ada, roof, default_milestone_id=milestone + 1).errors == [
        "Default milestone is not in this project"
    ]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"open_states": "new/f"}, WRONG_LINE),
        ({"closed_states": "new/fff"}, "Closed states line 1: new is listed twice"),
        ({"closed_states": " "}, "Closed states can't be blank"),
        ({"name": " "}, "Name can't be blank"),
    ],
)
def test_settings_that_cannot_be_are_explained(ada, roof, fields, sentence):
    answer = put(ada, roof, **fields)
    assert (answer.status, answer.errors) == (422, [sentence])
