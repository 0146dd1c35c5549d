"""Projects over HTTP."""

import pytest

from skerry.store import project_removals
from tests.support.client import call

TICKET = {"ticket": {"title": "Leak"}}


def names(answer):
    return [project["name"] for project in answer.items]


def test_a_new_project_has_the_default_states_and_nothing_else(ada):
    answer = ada.post("/projects", {"project": {"name": "Roof"}})
    assert answer.status == 201
    assert answer.headers["location"] == f"http://{ada.host}/projects/{answer.item['id']}.{ada.format}"
    project = ada.get(f"/projects/{answer.item['id']}").item
    assert project == answer.item
    assert project["open_states_list"] == "new,open"
    assert project["closed_states_list"] == "resolved,hold,invalid"
    assert (project["public"], project["archived"], project["open_tickets_count"]) == (False, False, 0)
    assert project["permalink"] == "roof"


@pytest.mark.matrix("both")
def test_a_project_shows_every_field_of_the_contract(ada, roof):
    assert set(ada.get(f"/projects/{roof}").item) == {
        "archived", "closed_states", "closed_states_list", "created_at", "default_assigned_user_id",
        "default_milestone_id", "description", "description_html", "id", "importance_levels", "license",
        "name", "open_states", "open_states_list", "open_tickets_count", "permalink", "public", "updated_at",
    }  # fmt: skip


def test_the_default_states_come_with_colours_and_comments(ada, roof):
    project = ada.get(f"/projects/{roof}").item
    opened = [line.split()[0] for line in project["open_states"].splitlines()]
    closed = [line.split()[0] for line in project["closed_states"].splitlines()]
    assert opened == ["new/f17", "open/aaa"]
    assert closed == ["resolved/6A0", "hold/EB0", "invalid/A30"]
    assert "#" in project["open_states"]


@pytest.mark.matrix("both")
def test_the_new_representation_shows_what_creation_would_use(ada):
    answer = ada.get("/projects/new")
    project = answer.item
    assert answer.status == 200
    assert (project["public"], project["archived"], project["open_tickets_count"]) == (False, False, 0)
    assert (project["id"], project["created_at"], project["permalink"]) == (None, None, None)
    assert (project["name"], project["open_states_list"]) == ("", "new,open")


@pytest.mark.matrix("both")
def test_open_tickets_are_counted_as_they_open_close_and_go(ada, roof):
    for title in ("One", "Two", "Three"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"state": "resolved"}})
    ada.delete(f"/projects/{roof}/tickets/2")
    assert ada.get(f"/projects/{roof}").item["open_tickets_count"] == 1
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"state": "open"}})
    assert ada.get(f"/projects/{roof}").item["open_tickets_count"] == 2


def test_name_public_and_archived_can_be_set_when_a_project_is_made(ada):
    sent = {"project": {"name": "Old pier", "public": True, "archived": True}}
    project = ada.post("/projects", sent).item
    assert (project["name"], project["public"], project["archived"]) == ("Old pier", True, True)


@pytest.mark.matrix("both")
def test_an_update_changes_what_is_sent_and_leaves_the_rest(ada, roof):
    answer = ada.put(f"/projects/{roof}", {"project": {"public": True}})
    assert (answer.status, answer.item["name"], answer.item["public"]) == (200, "Roof", True)
    answer = ada.put(f"/projects/{roof}", {"project": {"name": "Tower"}})
    assert (answer.item["name"], answer.item["public"]) == ("Tower", True)
    assert ada.get(f"/projects/{roof}").item == answer.item


def test_the_permalink_follows_the_first_name_only(ada):
    project = ada.post("/projects", {"project": {"name": "  Größe & Élan -- 2_b "}}).item
    assert project["permalink"] == "gre-lan-2_b"
    changed = ada.put(f"/projects/{project['id']}", {"project": {"name": "Other"}}).item
    assert (changed["name"], changed["permalink"]) == ("Other", "gre-lan-2_b")


def test_other_fields_of_a_project_cannot_be_set(ada, roof):
    before = ada.get(f"/projects/{roof}").item
    sent = {"description": "x", "license": "x", "open_states": "a/fff", "closed_states_list": "b", "id": 77,
            "default_assigned_user_id": ada.user_id, "open_tickets_count": 9, "permalink": "x"}  # fmt: skip
    after = ada.put(f"/projects/{roof}", {"project": sent}).item
    assert {**after, "updated_at": before["updated_at"]} == before


@pytest.mark.parametrize("name", ["", "   ", None, "\u2003"])
def test_a_project_needs_a_name(ada, roof, name):
    for answer in (
        ada.post("/projects", {"project": {"name": name}}),
        ada.put(f"/projects/{roof}", {"project": {"name": name}}),
        ada.post("/projects", {"project": {"public": True}}),
    ):
        assert (answer.status, answer.errors) == (422, ["Name can't be blank"])
    assert names(ada.get("/projects")) == ["Roof"]


def test_a_name_has_at_most_255_characters(ada):
    assert ada.post("/projects", {"project": {"name": "é" * 255}}).status == 201
    answer = ada.post("/projects", {"project": {"name": "é" * 256}})
    assert (answer.status, answer.errors) == (422, ["Name is too long (at most 255 characters)"])


def test_two_projects_may_have_the_same_name(ada):
    made = [ada.post("/projects", {"project": {"name": "Roof"}}).item for _ in range(2)]
    assert made[0]["id"] != made[1]["id"]
    assert made[0]["permalink"] == made[1]["permalink"] == "roof"


@pytest.mark.matrix("both")
def test_the_list_holds_the_projects_of_the_account_whole(ada):
    for number in range(40):
        ada.post("/projects", {"project": {"name": f"P{number:02}"}})
    answer = ada.get("/projects?page=2&limit=5")
    assert names(answer) == [f"P{number:02}" for number in range(40)]
    assert "x-total-count" not in answer.headers
    assert "link" not in answer.headers


@pytest.mark.matrix("both")
def test_deleting_a_project_deletes_everything_in_it(world, ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"body": "wet", "tag": "urgent"}})
    assert ada.delete(f"/projects/{roof}").status == 200
    for path in ("", "/tickets", "/tickets/1", "/tickets/1/versions"):
        assert ada.get(f"/projects/{roof}{path}").status == 404
    assert ada.get("/tickets").items == []
    assert rows_of_project(world, roof) == {}


def rows_of_project(world, project_id):
    with world.database.engine.connect() as connection:
        found = {}
        for table in ("tickets", "versions", "watchers", "taggings", "project_members", "project_counters"):
            where = f"account_id = {world.account_id} AND project_id = {project_id}"
            found[table] = connection.exec_driver_sql(f"SELECT count(*) FROM {table} WHERE {where}").scalar()
    return {table: count for table, count in found.items() if count}


def test_the_number_of_a_deleted_project_is_not_reused(ada, roof):
    ada.delete(f"/projects/{roof}")
    assert ada.post("/projects", {"project": {"name": "Next"}}).item["id"] > roof


def test_a_project_that_is_gone_is_404_for_every_method(ada, roof):
    ada.delete(f"/projects/{roof}")
    assert ada.get(f"/projects/{roof}").status == 404
    assert ada.put(f"/projects/{roof}", {"project": {"name": "X"}}).status == 404
    assert ada.delete(f"/projects/{roof}").status == 404
    assert ada.post(f"/projects/{roof}/tickets", TICKET).status == 404


def test_an_archived_project_can_be_read_and_not_written_until_it_is_revived(ada, roof):
    ada.post(f"/projects/{roof}/tickets", TICKET)
    assert ada.put(f"/projects/{roof}", {"project": {"archived": True}}).item["archived"] is True
    assert ada.get(f"/projects/{roof}/tickets/1").status == 200
    assert ada.post(f"/projects/{roof}/tickets", TICKET).status == 403
    assert ada.put(f"/projects/{roof}", {"project": {"name": "X"}}).errors == [
        "This project is archived; it can be read, but not changed"
    ]
    assert ada.put(f"/projects/{roof}", {"project": {"archived": False, "name": "X"}}).item["name"] == "X"
    assert ada.post(f"/projects/{roof}/tickets", TICKET).status == 201


def test_an_archived_project_is_deleted_by_whoever_may_revive_it(ada, ben, cy, roof, harbour):
    for project_id in (roof, harbour):
        ada.put(f"/projects/{project_id}", {"project": {"archived": True, "public": True}})
    assert cy.delete(f"/projects/{roof}").status == 403
    assert ben.delete(f"/projects/{roof}").status == 200
    assert ada.delete(f"/projects/{harbour}").status == 200
    assert ada.get("/projects").items == []


def test_the_creator_of_a_project_is_a_member(ben):
    project = ben.post("/projects", {"project": {"name": "Bens"}}).item
    assert names(ben.get("/projects")) == ["Bens"]
    assert ben.put(f"/projects/{project['id']}", {"project": {"name": "Bens own"}}).status == 200
    assigned = {"ticket": {"title": "x", "assigned_user_id": ben.user_id}}
    assert ben.post(f"/projects/{project['id']}/tickets", assigned).status == 201


@pytest.mark.matrix("both")
def test_the_account_wide_list_of_tickets_holds_those_of_all_seen_projects(ada, ben, roof):
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    for project in (roof, shed):
        ada.post(f"/projects/{project}/tickets", TICKET)
    seen = [ticket["project_id"] for ticket in ada.get("/tickets").items]
    assert sorted(seen) == sorted([roof, shed])
    answer = ben.get("/tickets")
    assert [ticket["project_id"] for ticket in answer.items] == [roof]
    assert answer.headers["x-total-count"] == "1"


def test_a_project_is_also_reached_without_the_helpers_of_the_tests(world, ada, roof):
    headers = {"Host": ada.host, **ada.headers}
    assert call(world.instance.application, "GET", f"/projects/{roof}.json", headers=headers).status == 200


@pytest.mark.matrix("both")
def test_a_large_project_disappears_at_once_and_the_cleanup_deletes_its_rows(ada, roof, world, monkeypatch):
    monkeypatch.setattr(project_removals, "MANY", 1)
    tickets = f"/projects/{roof}/tickets"
    for title in ("One", "Two"):
        ada.post(tickets, {"ticket": {"title": title}})
    assert ada.put(f"/projects/{roof}", {"project": {"archived": True}}).status == 200
    assert ada.delete(f"/projects/{roof}").status == 200
    assert [ada.get(path).status for path in (f"/projects/{roof}", tickets, f"{tickets}/1")] == [404] * 3
    assert (ada.get("/projects").items, ada.get("/tickets").items) == ([], [])
    assert project_removals.remove_incomplete(world.database, world.account_id) == 1
    assert project_removals.remove_incomplete(world.database, world.account_id) == 0
