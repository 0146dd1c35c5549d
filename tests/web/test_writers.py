"""Writers take turns; slow clients and password checks do not hold the lock."""

import fcntl
import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skerry.store.auth import sessions
from skerry.text import markdown
from skerry.tracker import bulk_edits, secrets
from skerry.tracker.people import people
from skerry.tracker.secrets import PasswordCheck, hash_token
from skerry.web.auth import browser
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import TYPES, basic, call, encode

TICKET = {"ticket": {"title": "Leak"}}
NEW = "a shed full of rope"
SECRET = "c" * 40


def give_password(world, client, word):
    """Return somebody a password whose hash is not that of anybody's in other tests."""
    with world.write() as transaction:
        people.change_password(transaction, client.email, secrets.hash_password(word))


def opened_slowly(client, roof, meanwhile):
    """Open a ticket while something else is done at every look at its body."""

    class Slow(io.BytesIO):
        def read(self, *size):
            meanwhile()
            return super().read(*size)

    body = encode(client.format, TICKET)
    headers = {"Content-Type": TYPES[client.format], "Content-Length": str(len(body)), "Host": client.host}
    path = client.address(f"/projects/{roof}/tickets")
    return call(client.application, "POST", path, body=Slow(body), headers={**client.headers, **headers})


@pytest.mark.matrix("databases")
def test_others_write_while_a_body_comes(ada, roof, written):
    statuses, write = written

    answer = opened_slowly(ada, roof, write)
    assert (answer.status, set(statuses)) == (201, {201})


def by_token(_world, client):
    return client


def by_password(_world, client):
    return client.speaking(**basic(client.email, PASSWORD))


def by_browser(world, client):
    with world.write() as transaction:
        sessions.add(transaction, client.user_id, hash_token(SECRET), agent="", address="")
    return client.speaking(Cookie=f"skerry={SECRET}", **{"X-CSRF-Token": browser.proof_of(SECRET)})


@pytest.fixture(params=[by_token, by_password, by_browser])
def eve(request, world):
    """An administrator, with each kind of credentials."""
    return request.param(world, world.person("eve", "administrator"))


@pytest.mark.parametrize(
    ("path", "data", "status"),
    [
        ("people/{eve}", None, {401, 404}),
        ("people/{eve}", {"person": {"role": "member"}}, {404}),
        ("projects/{roof}", {"project": {"archived": True}}, {403}),
    ],
    ids=["the account", "the role", "the project"],
)
def test_a_caller_who_loses_permission_during_the_body_writes_nothing(
    world, ada, eve, roof, path, data, status
):
    admin, done = world.client(**basic(ada.email, PASSWORD)), []
    address = f"/{path.format(eve=eve.user_id, roof=roof)}"

    def meanwhile():
        if not done:
            done.append(admin.put(address, data) if data else admin.delete(address))

    answer = opened_slowly(eve, roof, meanwhile)
    assert [each.status for each in done] == [200]
    assert answer.status in status
    assert ada.get(f"/projects/{roof}/tickets").items == []


def test_others_write_while_a_password_is_checked(world, ada, roof, written, monkeypatch):
    statuses, write = written
    check = PasswordCheck.is_right

    def check_slowly(*what):
        write()
        return check(*what)

    give_password(world, ada, NEW)
    monkeypatch.setattr(PasswordCheck, "is_right", check_slowly)
    by_password = world.client(**basic(ada.email, NEW))
    assert by_password.post(f"/projects/{roof}/tickets", TICKET).status == 201
    assert statuses == [201]


@pytest.fixture
def hashed_slowly(monkeypatch, written):
    """Somebody writes whenever a password is compared with a hash, or hashed."""
    _, write = written

    def slowly(work):
        def work_slowly(*what):
            write()
            return work(*what)

        return work_slowly

    for name in ("is_password", "hash_password"):
        monkeypatch.setattr(secrets, name, slowly(getattr(secrets, name)))


@pytest.mark.usefixtures("hashed_slowly")
def test_others_write_while_a_password_is_changed(world, ben, written):
    statuses, _ = written
    new = {"password": {"present": PASSWORD, "new": NEW}}
    assert world.client(**basic(ben.email, PASSWORD)).put("/profile/password", new).status == 200
    assert statuses == [201, 201]
    assert world.client(**basic(ben.email, NEW)).get("/profile").status == 200


@pytest.mark.usefixtures("hashed_slowly")
def test_others_write_while_an_invitation_is_accepted(world, ada, nobody, written):
    statuses, _ = written
    admin = world.client(**basic(ada.email, PASSWORD))
    invitation = {"email": f"dora@{world.host}", "role": "member"}
    code = admin.post("/invitations", {"invitation": invitation}).item["url"].rpartition("/")[2]
    welcome = {"welcome": {"name": "Dora", "password": NEW}}
    assert nobody.post(f"/welcome/{code}", welcome).status == 200
    assert statuses == [201]
    assert nobody.post("/welcome/rubbish", welcome).status == 404
    assert statuses == [201]


@pytest.mark.matrix("databases")
def test_nobody_has_a_connection_while_something_is_rendered_or_hashed(world, ada, roof, nobody, monkeypatch):
    admin, used = world.client(**basic(ada.email, PASSWORD)), []
    ada.post(f"/projects/{roof}/tickets", TICKET)
    invitation = {"email": f"dora@{world.host}", "role": "member"}
    code = admin.post("/invitations", {"invitation": invitation}).item["url"].rpartition("/")[2]

    def looking(work):
        return lambda *what: used.append(world.database.connections_in_use()) or work(*what)

    for module, name in ((secrets, "is_password"), (secrets, "hash_password"), (markdown, "render")):
        monkeypatch.setattr(module, name, looking(getattr(module, name)))
    assert nobody.post(f"/welcome/{code}", {"welcome": {"name": "Dora", "password": NEW}}).status == 200
    commit = {"revision": "f00d1", "body": f"[#1 state:resolved] {'drip ' * 10_000}"}
    assert ada.post(f"/projects/{roof}/changesets", {"changeset": commit}).status == 201
    assert admin.put("/profile/password", {"password": {"present": PASSWORD, "new": NEW}}).status == 200
    assert used == [0] * 5


def test_nobody_has_a_connection_while_a_password_is_checked(world, ada, roof, monkeypatch):
    used, check, tickets = [], secrets.is_password, f"/projects/{roof}/tickets"
    web = WebClient(world.instance.application, world.host)
    give_password(world, ada, NEW)

    def looking(*what):
        used.append(world.database.connections_in_use())
        return check(*what)

    def by(word):
        return world.client(**basic(ada.email, word))

    def signing_in(word):
        return web.submit(web.get("/sign-in"), "/sign-in", email=ada.email, password=word).status

    monkeypatch.setattr(secrets, "is_password", looking)
    assert [by(word).get(tickets).status for word in ("wrong", NEW, NEW)] == [401, 200, 200]
    assert [by(word).post(tickets, TICKET).status for word in ("wrong", NEW)] == [401, 201]
    assert [signing_in(word) for word in ("wrong", NEW)] == [401, 200]
    # What was right a short while ago is not checked again.
    assert used == [0] * 4


def test_two_large_texts_are_rendered_at_a_time_and_nobody_waits_with_a_small_one(ada, roof, monkeypatch):
    present, most, render = [], [], markdown.render

    def render_slowly(text, *rest):
        present.append(text)
        most.append(len(present))
        if len(text) > 10:
            ada.post(f"/projects/{roof}/preview", {"preview": {"body": "small"}})
        present.remove(text)
        return render(text, *rest)

    def show(_):
        return ada.post(f"/projects/{roof}/preview", {"preview": {"body": "large " * 1000}}).status

    monkeypatch.setattr(markdown, "render", render_slowly)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(show, range(4))) == [200] * 4
    # Each of the two has a small one beside it.
    assert max(most) <= 4


@pytest.mark.matrix("databases")
def test_others_write_while_a_bulk_edit_is_only_tried(ada, roof, written, monkeypatch):
    statuses, write = written
    parse = bulk_edits.parse_commands

    def parse_slowly(text):
        write()
        return parse(text)

    monkeypatch.setattr(bulk_edits, "parse_commands", parse_slowly)
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Dry"}}).item["id"]
    edit = {"query": "all", "command": f"milestone:id#{milestone} state:hold", "dry_run": True}
    answer = ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": edit})
    assert (answer.status, answer.item["count"], {*statuses}) == (200, 0, {201})


def test_when_another_process_stands_still_while_it_writes_the_caller_is_told(world, ada, roof, monkeypatch):
    place = Path(f"{world.database.engine.url.database}-writer")
    with monkeypatch.context() as hasty, place.open("ab") as queue:
        hasty.setattr("skerry.database.writer_locks.TIMEOUT_SECONDS", 0.05)
        fcntl.flock(queue, fcntl.LOCK_EX)
        answer = ada.post(f"/projects/{roof}/tickets", TICKET)
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        assert ada.get(f"/projects/{roof}").status == 200
    assert ada.post(f"/projects/{roof}/tickets", TICKET).status == 201
