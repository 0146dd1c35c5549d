"""What tests over HTTP share: a ticket, and that every answer is held against the interface's description."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from tests.conftest import untroubled
from tests.support import matrix, openapi_check
from tests.support.client import Voice
from tests.support.isolation import OUTSIDE, Isolation
from tests.support.processes import PATIENCE
from tests.support.route_matrix import Town, signed_in

# What a request may say to be another one than its method and address show.
OVERRIDES = ("_method", "method_override")


@pytest.fixture
def leak(ada, roof):
    """A ticket of Ada's with a text; gives its address."""
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "It drips"}})
    return f"/projects/{roof}/tickets/1"


@pytest.fixture
def written(ben, roof):
    """The answers of somebody who writes at every look at this."""
    statuses, sent = [], (f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})

    def write():
        with ThreadPoolExecutor(1) as thread:
            statuses.append(thread.submit(ben.post, *sent).result(PATIENCE).status)

    return statuses, write


@pytest.fixture
def damp(ada, roof):
    """A project with the tickets 1 to 4, of which 1 and 3 are tagged wet."""
    for number in range(1, 5):
        tag = "wet" if number % 2 else None
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}", "tag": tag}})
    return roof


@pytest.fixture
def hull(ada):
    """Another project of Ada's, in which Ben is no member and which has a ticket already."""
    project_id = ada.post("/projects", {"project": {"name": "Hull"}}).item["id"]
    ada.post(f"/projects/{project_id}/tickets", {"ticket": {"title": "First here"}})
    return project_id


@pytest.fixture(scope="session")
def hideout_in(request):
    @cache
    def hideout(database, form):
        instance, log = request.getfixturevalue(f"{database}_instance")
        town = Town(instance, log, form)
        site, world = town.there.sites["private"], town.there.world
        world.join(site.values["projects"], world.person("quartzprivate"))
        outside = signed_in(town.there, town.here.world.people["ben"].email)
        return Isolation(town, site, {**site.voices, OUTSIDE: outside}), log

    return hideout


@pytest.fixture(params=matrix.BOTH, ids="-".join)
def hideout(request, hideout_in):
    hideout, log = hideout_in(*request.param)
    with untroubled(log):
        yield hideout


@pytest.fixture(autouse=True)
def answers_as_described(monkeypatch):
    send = Voice.send

    def checked(voice, method, path, data=None, **arguments):
        answer = send(voice, method, path, data, **arguments)
        overridden = any(word in f"{data} {arguments}".lower() + path for word in OVERRIDES)
        # The old dialect is made of what the description does not say.
        if not overridden and voice.application._settings.dialect == "skerry":
            openapi_check.check(method, voice.address(path), answer)
        return answer

    monkeypatch.setattr(Voice, "send", checked)
