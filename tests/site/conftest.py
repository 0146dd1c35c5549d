"""The site's own fixtures: the cast at browsers without scripts, on both databases."""

import pytest

from skerry.store.people import people
from tests.conftest import PASSWORD, build_world, untroubled
from tests.support.browser_client import WebClient
from tests.support.own_provider import Provider, running


@pytest.fixture
def world(instance_and_log):
    """A world of its own; pages have no second format."""
    instance, log = instance_and_log
    with untroubled(log):
        yield build_world(instance, log)


@pytest.fixture
def surfing(world):
    """Return a signed-in browser of somebody's, or one of nobody's."""

    def at(client=None):
        web = WebClient(world.instance.application, world.host)
        if client is not None:
            page = web.sign_in(client.email, PASSWORD)
            assert page.status == 200, page.text
        return web

    return at


@pytest.fixture
def crowd(world):
    """The ids of 120 people of the account, Person 000 to Person 119, each with an address at a place."""
    with world.write() as transaction:
        found = [
            people.add(transaction, f"p{n}@place{n}.{world.host}", f"Person {n:03}", "") for n in range(120)
        ]
        for user_id in found:
            people.join_account(transaction, user_id, "member")
    return found


@pytest.fixture
def fleet(ada):
    """The ids of 120 projects, Boat 000 to Boat 119."""
    return [ada.post("/projects", {"project": {"name": f"Boat {n:03}"}}).item["id"] for n in range(120)]


@pytest.fixture
def ticket(ada, tickets):
    """The address of a ticket of Ada's with a text."""
    fields = {"title": "Leak", "body": "Under the *stairs*", "tag": "wet", "importance": 2}
    assert ada.post(tickets, {"ticket": fields}).status == 201
    return f"{tickets}/1"


@pytest.fixture
def provider():
    """An OpenID Connect provider."""
    with running(Provider()) as found:
        yield found
