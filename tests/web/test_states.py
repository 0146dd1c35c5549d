"""The states of a project over HTTP."""

import pytest
from sqlalchemy import bindparam, update

from skerry.database.statements import Statement
from skerry.store.tables import projects

# As a program would leave it that knows nothing of the rule that tickets follow their states.
RENAME = Statement(
    update(projects)
    .where(projects.c.account_id == bindparam("account_id"), projects.c.id == bindparam("project_id"))
    .values(open_states="new/0f0")
)


def found(client, project):
    return [
        (state["name"], state["color"], state["closed"], state["tickets_count"])
        for state in client.get(f"/projects/{project}/states").items
    ]


@pytest.mark.matrix("both")
def test_the_states_stand_in_their_order_with_the_number_of_their_tickets(ben, roof):
    for state in ("new", "new", "hold"):
        ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "state": state}})
    assert found(ben, roof) == [
        ("new", "ff1177", False, 2),
        ("open", "aaaaaa", False, 0),
        ("resolved", "66aa00", True, 0),
        ("hold", "eebb00", True, 1),
        ("invalid", "aa3300", True, 0),
    ]


@pytest.mark.matrix("both")
def test_a_state_that_only_tickets_still_have_comes_last(world, ben, roof):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "state": "open"}})
    with world.write() as transaction:
        transaction.run(RENAME, project_id=roof)
    assert found(ben, roof)[0] == ("new", "00ff00", False, 0)
    assert found(ben, roof)[-1] == ("open", "888888", False, 1)


def test_a_ticket_can_be_sent_back_in_a_state_that_is_gone_but_no_other_gets_it(ada, roof):
    leak = {"title": "Leak", "state": "hold"}
    ada.post(f"/projects/{roof}/tickets", {"ticket": leak})
    ada.put(f"/projects/{roof}/settings", {"settings": {"closed_states": "done/000"}})
    answer = ada.put(f"/projects/{roof}/tickets/1", {"ticket": {**leak, "state": " HOLD ", "tag": "wet"}})
    assert answer.status == 200, answer.errors
    assert (answer.item["state"], answer.item["closed"], answer.item["tag"]) == ("hold", True, "wet")
    assert ada.post(f"/projects/{roof}/tickets", {"ticket": leak}).status == 422


@pytest.mark.matrix("both")
def test_a_state_that_is_gone_is_searched_as_its_tickets_spell_it(ada, roof):
    path, tickets = f"/projects/{roof}/settings", f"/projects/{roof}/tickets"
    ada.put(path, {"settings": {"open_states": "new/f17\nInReview/aaa"}})
    assert ada.post(tickets, {"ticket": {"title": "Leak", "state": "inreview"}}).status == 201
    assert ada.put(path, {"settings": {"open_states": "new/f17"}}).status == 200
    for query, expected in (("state:INREVIEW", 1), ("state:InReview", 1), ("-state:inreview", 0)):
        assert len(ada.get(f"{tickets}?q={query}").items) == expected, query


def test_strangers_see_the_states_of_public_projects_only(cy, roof, harbour):
    assert cy.get(f"/projects/{harbour}/states").status == 200
    assert cy.get(f"/projects/{roof}/states").status == 404
