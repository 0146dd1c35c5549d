"""Several accounts on one server, told apart by the host."""

import io
from dataclasses import replace

import pytest

from skerry import app
from skerry.settings import Settings
from skerry.store import accounts
from skerry.store.people import people
from skerry.web.log import Log
from tests.conftest import PASSWORD, PASSWORD_HASH, World
from tests.support.client import basic

TICKET = {"ticket": {"title": "Leak", "body": "It drips"}}


def fill(world, name):
    """Make a project with a ticket in an account, and return its address."""
    ada = world.people["ada"]
    made = ada.post("/projects", {"project": {"name": name}}).item["id"]
    ada.post(f"/projects/{made}/tickets", {"ticket": {"title": f"Leak in {name}", "tag": name}})
    return f"/projects/{made}"


@pytest.mark.matrix("both")
def test_two_accounts_hold_the_same_ids_without_seeing_each_other(world, other):
    here, there = fill(world, "here"), fill(other, "there")
    assert here == there
    for place, name in ((world, "here"), (other, "there")):
        ada = place.people["ada"]
        assert [project["name"] for project in ada.get("/projects").items] == [name]
        assert [ticket["title"] for ticket in ada.get("/tickets").items] == [f"Leak in {name}"]
        assert ada.get(f"{here}/tickets/1").item["title"] == f"Leak in {name}"


@pytest.mark.matrix("both")
def test_changes_in_one_account_leave_the_other_alone(world, other):
    path = fill(world, "here")
    fill(other, "there")
    before = other.people["ada"].get(f"{path}/tickets/1").item
    ada = world.people["ada"]
    ada.put(f"{path}/tickets/1", {"ticket": {"title": "X", "body": "Y", "tag": "z", "multiple_watchers": ""}})
    ada.put(path, {"project": {"name": "X", "archived": True}})
    ada.put(path, {"project": {"archived": False}})
    ada.delete(f"{path}/tickets/1")
    ada.delete(path)
    assert other.people["ada"].get(f"{path}/tickets/1").item == before
    assert other.people["ada"].get(path).item["open_tickets_count"] == 1


def test_a_token_is_valid_only_in_its_own_account(world, other):
    path = fill(world, "here")
    fill(other, "there")
    intruder = replace(world.people["ada"], host=other.host)
    for answer in (intruder.get(path), intruder.get("/projects"), intruder.delete(path)):
        assert answer.status == 401
    assert other.people["ada"].get(path).status == 200


def test_a_token_gives_no_access_to_another_account_and_not_even_to_its_public_projects(world, other):
    public = other.people["ada"].post("/projects", {"project": {"name": "P", "public": True}}).item["id"]
    assert other.client().get(f"/projects/{public}").status == 200
    assert replace(world.people["ada"], host=other.host).get(f"/projects/{public}").status == 401


def test_an_administrator_of_one_account_is_a_stranger_in_another(world, other):
    path = fill(other, "there")
    stranger = other.client(**basic(world.people["ada"].email, PASSWORD))
    assert stranger.get(path).status == 404
    assert stranger.get("/projects").items == []
    assert stranger.post("/projects", {"project": {"name": "X"}}).status == 403


def test_people_of_another_account_are_no_assignees_and_no_watchers(world, other):
    path, outsider = fill(world, "here"), other.people["ada"].user_id
    ada = world.people["ada"]
    for fields in ({"assigned_user_id": outsider}, {"multiple_watchers": [outsider]}):
        assert ada.put(f"{path}/tickets/1", {"ticket": fields}).status == 422


@pytest.mark.matrix("both")
def test_the_host_is_read_without_its_port_and_its_case(world):
    fill(world, "here")
    for host in (world.host.upper(), f"{world.host}:8000"):
        client = replace(world.people["ada"], host=host)
        assert [project["name"] for project in client.get("/projects").items] == ["here"]


def test_an_unknown_host_leads_to_the_account_that_has_none(world):
    answer = replace(world.people["ada"], host="unknown.example").get("/projects")
    assert answer.status == 401


# --- Servers with other sets of accounts -----------------------------------------------------------


@pytest.fixture
def empty_instance(data):
    log = io.StringIO()
    instance = app.build(Settings(data=data), Log(stream=log))
    yield instance
    instance.database.close()
    assert "Traceback" not in log.getvalue()


def lone(instance, host):
    """Make an account at a host and return its administrator's world."""
    with instance.database.write() as transaction:
        account = accounts.add(transaction, f"At {host}", host)
    world = World(instance, io.StringIO(), account.id, host or "any.example", "json")
    world.person("ada", "administrator")
    return world


@pytest.mark.parametrize("host", [None, "tracker.example"])
def test_a_server_with_one_account_serves_it_under_any_host(empty_instance, host):
    world = lone(empty_instance, host)
    for used in (
        "tracker.example",
        "other.example",
        "127.0.0.1:8000",
        "[::1]:8000",
        "localhost",
    ):
        assert replace(world.people["ada"], host=used).get("/projects").status == 200, used


def test_a_server_with_several_accounts_knows_no_other_hosts(empty_instance):
    one, two = lone(empty_instance, "one.example"), lone(empty_instance, "two.example")
    assert one.people["ada"].get("/projects").status == 200
    assert two.people["ada"].get("/projects").status == 200
    answer = replace(one.people["ada"], host="three.example").get("/projects")
    assert (answer.status, answer.errors) == (404, ["There is no account at three.example"])


def test_a_server_without_any_account_answers(empty_instance):
    world = World(empty_instance, io.StringIO(), 0, "tracker.example", "json")
    assert world.client().get("/projects").status == 404
    assert world.client().get("/health!").status == 200


@pytest.mark.matrix("both")
def test_the_same_person_may_belong_to_two_accounts(world, other):
    with world.write() as transaction:
        both = people.add(transaction, f"both@{world.host}", "Both", PASSWORD_HASH)
        people.join_account(transaction, both, "member")
    with other.write() as transaction:
        people.join_account(transaction, both, "member")
    for place in (world, other):
        client = place.client(**{"X-ServiceToken": place.token(both)})
        assert client.post("/projects", {"project": {"name": "P"}}).status == 201
