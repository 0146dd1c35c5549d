"""The instances that tests run against, and the cast: Ada administers, Ben is a member, Cy is a stranger.

A test that asks for somebody runs in JSON on SQLite, and on more if its mark says so
(tests/support/matrix.py). Each has an account of its own, so that no test sees what another one left.
"""

import gc
import io
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

import pytest
from argon2 import PasswordHasher

from skerry import app
from skerry.database import transactions
from skerry.settings import Settings
from skerry.store import accounts, schema
from skerry.store.auth import sign_ups, tokens
from skerry.store.people import people
from skerry.tracker import secrets
from skerry.tracker.secrets import hash_token, new_token
from skerry.web.log import Log
from tests.support import (
    chromium,
    matrix,
    migrated_databases,
    newcomers,
    postgres,
    reverse_proxies,
    s3,
    skips,
)
from tests.support.client import Client, basic
from tests.support.factors import CodeApp

PASSWORD = "correct horse battery"

MAIL_HOST = "tracker.example"
MAIL_SERVER = "mx.tracker.example"

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Takes no time, where the program's own takes 20 ms for each password on purpose."""

PASSWORD_HASH = QUICK.hash(PASSWORD)

_numbers = count(1)


def pytest_configure(config):
    config.addinivalue_line("markers", matrix.DESCRIPTION)
    chromium.configure(config)
    postgres.start(config)


def pytest_unconfigure(config):
    postgres.stop(config)


def pytest_generate_tests(metafunc):
    matrix.parametrize(metafunc)


def pytest_collection_modifyitems(items):
    # The file that takes longest begins first, so that nothing else waits for it at the end.
    items.sort(key=lambda item: item.path.name != "test_recipes.py")


def pytest_collection_finish():
    # 13,000 collected tests stay until the end: the garbage collector need not go through them each time.
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    postgres.summary(terminalreporter)
    chromium.summary(terminalreporter)
    reverse_proxies.summary(terminalreporter)
    skips.summary(terminalreporter)


@dataclass
class World:
    """One account of a running instance, and everyone in it by name."""

    instance: app.Instance
    log: io.StringIO
    account_id: int
    host: str
    format: str
    people: dict = field(default_factory=dict)

    @property
    def database(self):
        return self.instance.database

    def write(self):
        """Return a transaction in this account, to set up what has no interface."""
        return self.instance.database.write(self.account_id)

    def person(self, name, role=None):
        """Make somebody with a login, a password and a token, who signed up unless they have a role."""
        with self.write() as transaction:
            return self._made(transaction, name, role)

    def outsider(self, name):
        """Make somebody whose login is one of another account of the server."""
        with self.write() as transaction:
            return self._made(transaction, name, None, signs_up=False)

    def cast(self):
        """Make everyone at once."""
        with self.write() as transaction:
            for name, role in (("ada", "administrator"), ("ben", "member"), ("cy", None)):
                self._made(transaction, name, role)
        self.people["nobody"] = self.client()

    def _made(self, transaction, name, role, *, signs_up=True):
        email = f"{name}@{self.host}"
        user_id = people.add(transaction, email, name.capitalize(), PASSWORD_HASH)
        if role:
            people.join_account(transaction, user_id, role)
        elif signs_up:
            newcomers.sign_up(transaction, user_id, email)
            sign_ups.trust(transaction, user_id)
        client = self.client(**{"X-ServiceToken": self._token(transaction, user_id)})
        client.user_id, client.email = user_id, email
        self.people[name] = client
        return client

    def token(self, user_id, **limits):
        """Make a token in somebody's name."""
        with self.write() as transaction:
            return self._token(transaction, user_id, **limits)

    def _token(self, transaction, user_id, **limits):
        token = new_token()
        limits = {"project_id": None, "read_only": False, "note": "", **limits}
        tokens.add(transaction, user_id, hash_token(token), **limits)
        return token

    def client(self, **headers):
        """Return a person who sends these headers, in the world's format."""
        return Client(self.instance.application, self.host, self.format, headers, log=self.log)

    def join(self, project_id, client):
        """Make somebody a member of a project."""
        with self.write() as transaction:
            people.join_project(transaction, project_id, client.user_id)


def build_world(instance, log, form="json"):
    """Make a new account on an instance, with the cast in it."""
    number = next(_numbers)
    host = f"world{number}.example"
    with instance.database.write() as transaction:
        account = accounts.add(transaction, f"World {number}", host)
    world = World(instance, log, account.id, host, form)
    world.cast()
    return world


@contextmanager
def untroubled(log):
    """Empty a log, and assert at the end that it holds no traceback."""
    log.seek(0)
    log.truncate()
    yield
    # At the beginning of a line: random requests may have the word in their path.
    assert "\nTraceback" not in log.getvalue(), log.getvalue()


def make_instance(url, folder, **more):
    if not url:
        migrated_databases.on_sqlite(folder)
    log = io.StringIO()
    more = {"durability": "normal", "mail_authserv": MAIL_SERVER, **more}
    settings = Settings(data=folder, database_url=url, **more)
    instance = app.build(settings, Log(stream=log))
    schema.migrate(instance.database)
    # An account without people comes first, so that no other is the only one.
    with instance.database.write() as transaction:
        accounts.add(transaction, "First", None)
    return instance, log


@pytest.fixture(scope="session", autouse=True)
def patient_counts():
    """On a machine that is busy counts take long, and would be given up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transactions, "SEARCH_TIMEOUT", 60)
        patch.setattr(transactions, "TOTAL_SEARCH_TIMEOUT", 60)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_passwords():
    """Passwords cost nothing to check, but in servers that are processes of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_HASHER", QUICK)
        patch.setattr(secrets, "_NOBODY", QUICK.hash("nobody's"))
        yield


@pytest.fixture(scope="session")
def sqlite_instance(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sqlite")
    instance, log = make_instance("", folder)
    yield instance, log
    instance.database.close()


@pytest.fixture(scope="session")
def postgres_instance(tmp_path_factory):
    url = postgres.url()
    if url is None:
        pytest.skip("no PostgreSQL here")
    instance, log = make_instance(url, tmp_path_factory.mktemp("postgres"))
    yield instance, log
    instance.database.close()


@pytest.fixture
def data(tmp_path):
    """The data folder of an instance of a test's own, whose database is empty."""
    migrated_databases.on_sqlite(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def bucket():
    """The address of a bucket."""
    with s3.running() as place:
        yield place


@pytest.fixture
def database_and_format(request):
    """One run of the matrix."""
    return request.param


@pytest.fixture
def instance_and_log(request, database_and_format):
    return request.getfixturevalue(f"{database_and_format[0]}_instance")


@pytest.fixture
def own_instance(tmp_path, database_and_format):
    """An instance that no other test uses, for what looks at everything in it."""
    with migrated_databases.lent(database_and_format[0], tmp_path) as url:
        instance, log = make_instance(url, tmp_path)
        with instance:
            yield instance, log


@pytest.fixture
def world(instance_and_log, database_and_format):
    instance, log = instance_and_log
    with untroubled(log):
        yield build_world(instance, log, database_and_format[1])


@pytest.fixture
def ada(world):
    return world.people["ada"]


@pytest.fixture
def ben(world):
    return world.people["ben"]


@pytest.fixture
def cy(world):
    return world.people["cy"]


@pytest.fixture
def nobody(world):
    return world.people["nobody"]


@pytest.fixture
def roof(world, ada, ben):
    """A private project of Ada's, with Ben as a member."""
    project_id = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    world.join(project_id, ben)
    return project_id


@pytest.fixture
def harbour(world, ada, ben):
    """A public project of Ada's, with Ben as a member."""
    project_id = ada.post("/projects", {"project": {"name": "Harbour", "public": True}}).item["id"]
    world.join(project_id, ben)
    return project_id


@pytest.fixture
def tickets(roof):
    """The address of a project's tickets."""
    return f"/projects/{roof}/tickets"


@pytest.fixture
def in_person(world, ada):
    """Ada, who signs in with her password at each request."""
    return world.client(**basic(ada.email, PASSWORD))


@pytest.fixture
def other(world):
    """A second account on the same server, with a cast of its own."""
    return build_world(world.instance, world.log, world.format)


@pytest.fixture
def code_app(world, monkeypatch):
    """An app that shows codes, whose clock is that of the database."""
    app = CodeApp(world.database, world.database.clock())
    monkeypatch.setattr(world.database, "clock", app)
    return app
