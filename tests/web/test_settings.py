"""Settings of projects: what is decided about one, and what new states do to its tickets."""

import pytest

from skerry.store.recount import recount

pytestmark = pytest.mark.matrix("both")

WRONG_LINE = "Open states line 1: write a name, a slash and 3 or 6 hex digits, as in new/f17"
STATES = {"open_states": "new/f17\nopen/aaa\nhold/EB0", "closed_states": "Resolved/6A0\ninvalid/A30"}


def put(voice, project_id, **fields):
    return voice.put(f"/projects/{project_id}/settings", {"settings": fields})


def differences(world):
    """Give what is wrong in this account; other tests leave in others what no interface would."""
    found = [each for check in recount(world.database, world.house.blobs) for each in check.differences]
    return [each for each in found if f"account {world.account_id} " in f"{each} "]


def test_settings_are_those_of_the_project(ada, ben, roof):
    answer = put(ben, roof, name="Tower", description="All *of it*", license="MIT", public=True)
    assert answer.status == 200
    assert answer.item["description"] == "All *of it*"
    project = ada.get(f"/projects/{roof}").item
    assert (project["name"], project["license"], project["public"]) == ("Tower", "MIT", True)
    assert "<em>of it</em>" in project["description_html"]
    assert ben.get(f"/projects/{roof}/settings").item == answer.item


def test_what_is_not_sent_stays(ada, roof):
    before = ada.get(f"/projects/{roof}/settings").item
    after = put(ada, roof, license="MIT").item
    assert {**before, "license": "MIT", "updated_at": after["updated_at"]} == after


def test_a_text_that_a_project_lacks_is_nothing_in_it(ada, roof):
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


def test_new_tickets_begin_with_the_defaults(ada, ben, cy, roof):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Spring"}}).item["id"]
    put(ada, roof, default_assigned_user_id=ben.user_id, default_milestone_id=milestone)
    made = ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}}).item
    assert (made["assigned_user_id"], made["milestone_id"]) == (ben.user_id, milestone)
    answer = put(ada, roof, default_assigned_user_id=cy.user_id)
    assert (answer.status, answer.errors) == (422, ["Default assigned user is not a member of this project"])
    assert put(ada, roof, default_milestone_id=milestone + 1).errors == [
        "Default milestone is not one of this project"
    ]


@pytest.fixture
def counted(ada, roof):
    """Three tickets of a milestone: one on hold, one resolved, one invalid; give the milestone's address."""
    milestones = f"/projects/{roof}/milestones"
    milestone = ada.post(milestones, {"milestone": {"title": "Spring"}}).item["id"]
    for state in ("hold", "resolved", "invalid"):
        ticket = {"ticket": {"title": state, "state": state, "milestone_id": milestone}}
        ada.post(f"/projects/{roof}/tickets", ticket)
    return f"{milestones}/{milestone}"


def test_tickets_follow_their_state_from_closed_to_open_and_back(world, ada, roof, counted):
    before = ada.get(f"/projects/{roof}/settings").item
    assert put(ada, roof, **STATES).status == 200
    assert ada.get(f"/projects/{roof}").item["open_tickets_count"] == 1
    assert ada.get(counted).item["open_tickets_count"] == 1
    assert ada.get(f"/projects/{roof}/tickets/1").item["closed"] is False
    assert differences(world) == []
    put(ada, roof, open_states=before["open_states"], closed_states=before["closed_states"])
    assert ada.get(counted).item["open_tickets_count"] == 0
    assert differences(world) == []


def test_tickets_are_spelt_as_their_state_is_now(ada, roof, counted):
    put(ada, roof, **STATES)
    assert ada.get(f"/projects/{roof}/tickets/2").item["state"] == "Resolved"
    assert [each["number"] for each in ada.get(f"/projects/{roof}/tickets?q=state:resolved").items] == [2]


def test_tickets_whose_state_is_gone_stay_as_they_are(world, ada, roof, counted):
    put(ada, roof, closed_states="resolved/6A0")
    ticket = ada.get(f"/projects/{roof}/tickets/3").item
    assert (ticket["state"], ticket["closed"]) == ("invalid", True)
    assert ada.put(f"/projects/{roof}/tickets/3", {"ticket": {"title": "Still"}}).status == 200
    assert differences(world) == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"open_states": "new/f"}, WRONG_LINE),
        ({"closed_states": "new/fff"}, "Closed states line 1: new is named twice"),
        ({"closed_states": " "}, "Closed states can't be blank"),
        ({"name": " "}, "Name can't be blank"),
    ],
)
def test_settings_that_cannot_be_are_explained(ada, roof, fields, sentence):
    answer = put(ada, roof, **fields)
    assert (answer.status, answer.errors) == (422, [sentence])
