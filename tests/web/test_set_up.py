"""The set-up of a new service in a browser or by a program: with a link that works once."""

import io

import pytest

from skerry import app, cli
from skerry.settings import Settings
from skerry.web.log import Log
from tests.conftest import World
from tests.support import migrated_databases
from tests.support.browser_client import WebClient
from tests.support.processes import free_port

OWNER = {
    "account": "Lighthouse",
    "name": "Ada",
    "email": "ada@example.org",
    "password": "a shed full of rope",
}
HOST = "any.example"
FIELDS = {f"set_up[{name}]": value for name, value in OWNER.items()}


# Where it makes no difference what the database is, one is enough.
BOTH = pytest.mark.matrix("both")


@pytest.fixture
def place(database_and_format, tmp_path, monkeypatch):
    monkeypatch.setattr("skerry.server.become", lambda listening, **_: listening.close())
    for name in ("SKERRY_DATA", "SKERRY_DATABASE_URL"):
        monkeypatch.setenv(name, "")  # so that what commands set is taken back
    with migrated_databases.lent(database_and_format[0], tmp_path) as url:
        yield tmp_path, url


@pytest.fixture
def start(place, capsys):
    """Starts the service for a moment and gives the path of the link that it prints."""
    folder, url = place
    port = free_port()

    def start(*options):
        words = ["--data", str(folder), "--database", url, "serve", "--port", str(port), *options]
        cli.commands(words, standalone_mode=False)
        said = capsys.readouterr().out
        return said.partition(f"http://127.0.0.1:{port}")[2].split()[0] if said else ""

    return start


@pytest.fixture
def path(start):
    return start("--set-up-page")


@pytest.fixture
def world(database_and_format, place, path):
    folder, url = place
    log = io.StringIO()
    with app.build(Settings(data=folder, database_url=url), Log(stream=log)) as instance:
        yield World(instance, log, 1, HOST, database_and_format[1])
    assert path.rpartition("/")[2] not in log.getvalue()


@pytest.fixture
def web(world):
    return WebClient(world.instance.application, HOST)


def test_the_link_begins_with_the_base_address(place, monkeypatch, capsys):
    monkeypatch.setenv("SKERRY_BASE_URL", "https://tracker.example.org")
    words = ["--data", str(place[0]), "--database", place[1], "serve", "--port", str(free_port())]
    cli.commands([*words, "--set-up-page"], standalone_mode=False)
    assert "  https://tracker.example.org/set-up/" in capsys.readouterr().out


@BOTH
def test_a_program_can_set_up_the_service_once(world, path):
    nobody = world.client()
    assert nobody.get(path).item["account"] == "Skerry"
    made = nobody.post(path, {"set_up": OWNER})
    assert (made.status, made.item["name"]) == (200, "Ada")
    assert [nobody.post(path, {"set_up": OWNER}).status, nobody.get(path).status] == [404, 404]


def test_a_browser_sets_the_service_up_and_is_signed_in(web, path):
    page = web.submit(web.get(path), path, **{**FIELDS, "set_up[password]": "short"})
    assert (page.status, "Password is too short" in page.text) == (422, True)
    page = web.submit(page, path, **FIELDS)
    assert (page.status, page.path) == (200, "/")
    assert "Lighthouse" in page.text
    assert web.get("/administration").status == 200
    assert web.get(path).status == 404


def test_everybody_else_is_told_what_the_tracker_waits_for(web, path):
    for address in ("/", "/sign-in"):
        assert "Not set up yet" in web.get(address).text
    web.submit(web.get(path), path, **FIELDS)
    other = WebClient(web.application, HOST)
    for address in ("/", "/sign-in"):
        assert "Not set up yet" not in other.get(address).text


def test_every_field_of_the_set_up_is_required(world, path):
    for name in OWNER:
        assert world.client().post(path, {"set_up": {**OWNER, name: ""}}).status == 422, name
    assert world.client().get(path).status == 200


def test_the_link_expires(world, path, monkeypatch):
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 8 * 86_400_000_000)
    assert world.client().post(path, {"set_up": OWNER}).status == 404


@BOTH
def test_a_new_start_ends_the_link_of_the_old(world, path, start):
    newer = start("--set-up-page")
    assert [world.client().get(each).status for each in (path, newer)] == [404, 200]


def test_the_link_of_a_set_up_is_no_invitation(world, path):
    client, welcome = world.client(), path.replace("/set-up/", "/welcome/")
    assert client.post(welcome, {"welcome": {"name": "Ada", "password": OWNER["password"]}}).status >= 400
    assert client.get(path).status == 200


def test_a_set_up_link_is_void_once_there_is_a_user(world, path, start):
    assert start()  # without the option, an administrator is made at once
    assert world.client().post(path, {"set_up": OWNER}).status == 404
    assert start("--set-up-page") == ""
