"""What tests over HTTP share: a ticket, and that every answer is held against the interface's description."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from tests.conftest import untroubled
from tests.support import matrix, openapi_check
from tests.support.client import Client
from tests.support.isolation import OUTSIDE, Isolation
from tests.support.newcomers import newcomer
from tests.support.processes import PATIENCE
from tests.support.route_matrix import TwoAccounts, signed_in

# What a request may say to be another one than its method and address show.
OVERRIDES = ("_method", "method_override")


@pytest.fixture
def leak(ada, roof):
    """A ticket of Ada's with a text; gives its address."""
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "It drips"}})
    return f"/projects/{roof}/tickets/1"


@pytest.fixture
def leaks(harbour):
    """The address of the tickets of a public project."""
    return f"/projects/{harbour}/tickets"


@pytest.fixture
def held(harbour):
    """The address of the texts that wait in a public project."""
    return f"/projects/{harbour}/held-texts"


@pytest.fixture
def dora(world):
    """Somebody who has just signed up."""
    return newcomer(world, "dora")


@pytest.fixture
def message(ada, harbour):
    """The address of a message of Ada's in a public project."""
    made = ada.post(f"/projects/{harbour}/messages", {"message": {"title": "News", "body": "None"}}).item
    return f"/projects/{harbour}/messages/{made['id']}"


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
def isolation_in(request):
    @cache
    def isolation(database, form):
        instance, log = request.getfixturevalue(f"{database}_instance")
        pair = TwoAccounts(instance, log, form)
        site, world = pair.there.sites["private"], pair.there.world
        world.join(site.values["projects"], world.person("quartzprivate"))
        outside = signed_in(pair.there, pair.here.world.people["ben"].email)
        return Isolation(pair, site, {**site.clients, OUTSIDE: outside}), log

    return isolation


@pytest.fixture(params=matrix.BOTH, ids="-".join)
def isolation(request, isolation_in):
    isolation, log = isolation_in(*request.param)
    with untroubled(log):
        yield isolation


@pytest.fixture(autouse=True)
def answers_as_described(monkeypatch):
    send = Client.send

    def checked(client, method, path, data=None, **arguments):
        answer = send(client, method, path, data, **arguments)
        # The old dialect is made of what the description does not say.
        described = client.application._settings.dialect == "skerry"
        if described and not is_overridden(method, path, **arguments):
            openapi_check.check(method, client.address(path), answer)
        return answer

    monkeypatch.setattr(Client, "send", checked)


def is_overridden(method, path, *, raw=b"", kind=None, **headers):
    """Return whether a request says that it is another one than its method and address show."""
    said = f"{path} {headers}".lower().replace("-", "_")
    sent = raw if isinstance(raw, bytes) else b""
    return method == "POST" and any(word in said or word.encode() in sent for word in OVERRIDES)
