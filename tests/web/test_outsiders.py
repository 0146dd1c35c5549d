"""A login of another account of the server reads public projects, and writes nowhere."""

import pytest

from skerry.tracker.access import NOT_ADMITTED
from tests.conftest import PASSWORD, build_world
from tests.support.browser_client import WebClient
from tests.support.client import basic

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def eve(world):
    return world.outsider("eve")


@pytest.fixture
def tickets(ben, harbour):
    ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "It leaks"}})
    return f"/projects/{harbour}/tickets"


def writes(client, tickets, message):
    """Return the answers to everything that a guest may write."""
    return [
        client.post(tickets, {"ticket": {"title": "It drips"}}),
        client.put(f"{tickets}/1", {"ticket": {"body": "Here too"}}),
        client.post(f"{tickets}/1/versions", {"version": {"body": "Here too"}}),
        client.post(f"{message}/comments", {"comment": {"body": "Well"}}),
    ]


def test_a_login_of_another_account_reads_and_writes_nothing(world, ben, cy, eve, tickets, message):
    member = build_world(world.instance, world.log, world.format).people["ben"]
    elsewhere = world.client(**basic(member.email, PASSWORD))
    for client in (eve, elsewhere):
        assert client.get(f"{tickets}/1").item["title"] == "It leaks"
        answers = writes(client, tickets, message)
        assert [(each.status, each.errors) for each in answers] == [(403, [NOT_ADMITTED])] * 4
        assert client.get(f"{tickets}/new").status == 403
    assert len(ben.get(tickets).items) == 1
    assert [each.status for each in writes(cy, tickets, message)] == [201, 200, 201, 201]


def test_invisible_things_stay_invisible(eve, roof):
    assert eve.post(f"/projects/{roof}/tickets", {"ticket": {"title": "It drips"}}).status == 404


def test_an_invited_person_can_write_until_the_invitation_is_revoked(world, ada, eve, tickets, message, roof):
    in_person = world.client(**basic(ada.email, PASSWORD))
    invitation = {"email": eve.email, "project_id": roof}
    made = in_person.post("/invitations", {"invitation": invitation}).item
    assert [each.status for each in writes(eve, tickets, message)] == [201, 200, 201, 201]
    in_person.delete(f"/invitations/{made['id']}")
    assert [each.status for each in writes(eve, tickets, message)] == [403] * 4


def test_present_and_former_members_can_write_in_other_public_projects(world, ada, eve, tickets, message):
    own = ada.post("/projects", {"project": {"name": "Hull"}}).item["id"]
    world.join(own, eve)
    assert [each.status for each in writes(eve, tickets, message)] == [201, 200, 201, 201]
    in_person = world.client(**basic(ada.email, PASSWORD))
    assert in_person.delete(f"/people/{eve.user_id}").status == 200
    former = world.client(**basic(eve.email, PASSWORD))
    assert [each.status for each in writes(former, tickets, message)] == [201, 200, 201, 201]


def test_pages_say_so_and_have_no_form(world, eve, tickets, message):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(eve.email, PASSWORD)
    for path in (f"{tickets}/1", message):
        page = web.get(path)
        assert (page.status, NOT_ADMITTED in page.text) == (200, True)
        assert [word in page.source for word in (f"{tickets}/new", "[body]")] == [False, False]
