"""A server that only shows what it has."""

import io
import re
from dataclasses import replace
from itertools import product
from urllib.parse import urlencode

import falcon.asgi
import pytest

from skerry import app
from skerry.oidc_settings import ProviderSettings
from skerry.store.tables import metadata
from skerry.web.dispatch import READ_ONLY
from skerry.web.log import Log
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import FORM
from tests.support.route_matrix import WRITING

pytestmark = pytest.mark.matrix("formats")


CHANGING = [route for route in WRITING if not route.reads_only]


SIGNING = {"/sign-in", "/sign-in/factor", "/sign-out", "/preferences"}
READING = {route.path for route in WRITING if route.reads_only}


@pytest.fixture
def addresses(monkeypatch):
    """What a server that is built meanwhile answers at which paths, also beside the table."""
    seen, add = [], falcon.asgi.App.add_route

    def added(application, path, resource, **more):
        seen.append((path, resource, more.get("suffix", "")))
        return add(application, path, resource, **more)

    monkeypatch.setattr(falcon.asgi.App, "add_route", added)
    return seen


@pytest.fixture
def museum(world, harbour, ada):
    """A public project with a ticket, on a server that now refuses changes."""
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "It leaks"}})
    corp = ProviderSettings("corp", "https://corp.example", "skerry", "hidden", "Corp")
    settings = replace(world.instance.settings, read_only=True, providers=(corp,), mcp=False)
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


def test_no_request_changes_anything_on_a_read_only_server(world, addresses, museum, ada):
    web = WebClient(ada.application, world.host)
    page = web.sign_in(ada.email, PASSWORD)
    body = urlencode({"_csrf": dict(page.form("/sign-out").fields)["_csrf"]}).encode()
    before = stored(world)
    for (path, resource, suffix), verb in product(addresses, ("post", "put", "patch", "delete")):
        responder = f"on_{verb}_{suffix}".rstrip("_")
        if path not in SIGNING | READING and hasattr(resource, responder):
            place = re.sub(r"{\w+}", str(museum), path)
            answer = web.send(verb.upper(), place, body, FORM, follow=False)
            assert answer.status in (403, 404, 405), (verb, path)
    assert len(addresses) > len(CHANGING) / 2
    assert stored(world) == before


def stored(world):
    with world.database.read(world.account_id) as transaction:
        return {name: transaction.sql(f"SELECT count(*) FROM {name}", []) for name in metadata.tables}


def test_nobody_signs_in_with_a_provider_at_a_read_only_server(world, museum, ada):
    web = WebClient(ada.application, world.host)
    page = web.get("/sign-in")
    assert "Corp" not in page.text
    assert web.get("/sign-in/with/corp/return?state=a&code=b").status == 404
    proof = urlencode(page.form("/sign-in").fields).encode()
    assert web.send("POST", "/sign-in/with/corp", proof, FORM).status == 404


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
