"""A server that only shows what it has."""

import io
import re
from dataclasses import replace
from itertools import product

import pytest

from skerry import app
from skerry.web.dispatch import READ_ONLY
from skerry.web.log import Log
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.route_matrix import WRITING

pytestmark = pytest.mark.matrix("formats")


CHANGING = [route for route in WRITING if not route.reads_only]


@pytest.fixture
def museum(world, harbour, ada):
    """A public project with a ticket, on a server that now refuses changes."""
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "It leaks"}})
    settings = replace(world.instance.settings, read_only=True)
    with app.build(settings, Log(stream=io.StringIO())) as instance:
        for client in world.people.values():
            client.application = instance.application
        yield harbour


def test_a_read_only_server_shows_everything(museum, ada, nobody):
    for reader in (ada, nobody):
        assert reader.get(f"/projects/{museum}/tickets/1").item["title"] == "It leaks"


def test_a_read_only_server_refuses_every_change_of_everybody(museum, ada, nobody):
    for route, person in product(CHANGING, (ada, nobody)):
        answer = person.send(route.method, re.sub(r"{\w+}", str(museum), route.path))
        assert (answer.status, answer.errors) == (403, [READ_ONLY]), route.path
    assert ada.get(f"/projects/{museum}/tickets/1").item["version"] == 1


def test_pages_of_a_read_only_server_say_so_and_offer_no_change(world, museum, ada):
    page = WebClient(ada.application, world.host).get(f"/projects/{museum}/tickets/1")
    assert "nothing can be changed" in page.text
    member = WebClient(ada.application, world.host)
    member.sign_in(ada.email, PASSWORD)
    page = member.get(f"/projects/{museum}/tickets/1")
    assert "nothing can be changed" in page.text
    assert not [form for form in page.reading.forms if f"/projects/{museum}" in form.action]


def test_other_servers_say_nothing_about_demonstrations(world, ada, harbour):
    assert "demonstration" not in WebClient(ada.application, world.host).get(f"/projects/{harbour}").text
