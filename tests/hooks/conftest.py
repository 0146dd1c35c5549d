"""A project with a hook at a receiver, and what sends to it with a clock of the test's own."""

import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_network

import pytest

from skerry.background import Held
from skerry.hooks import batching, pace
from skerry.hooks.sender import Sender
from skerry.store.sending import leases
from tests.support.receivers import receiving

SECOND = 1_000_000
LOOPBACK = (ip_network("127.0.0.0/8"),)


@pytest.fixture
def receiver():
    with receiving() as running:
        yield running


# To read the certificates of the system takes 20 ms.
_trusted = cache(ssl.create_default_context)


@dataclass
class Desk:
    """Sends what is due at a moment; ``said`` is what it tells administrators."""

    world: object
    held: Held
    options: dict = field(default_factory=dict)
    said: list = field(default_factory=list)
    allowed: tuple = LOOPBACK
    now: int = 0

    def __post_init__(self):
        self.restart()

    def restart(self):
        """Begin as another process does, which remembers nothing."""
        database = self.world.instance.database
        options = {"verify": _trusted, **self.options}
        self.sender = Sender(database, "https://tracker.example", self.allowed, self._report, **options)

    def _report(self, sentence, error):
        self.said.append((sentence, type(error) if error else None))

    def send(self, after=0):
        """Send what is due so many seconds later."""
        self.now += round(after * SECOND)
        self.held.note(frozenset([self.world.account_id]), float("inf"))
        # As in a server: on a thread, which no other event loop has.
        with ThreadPoolExecutor(1) as executor:
            executor.submit(self.sender.send, self.held).result()


@pytest.fixture
def desk(world, monkeypatch):
    """A sender that holds the account, with a clock that goes only when it is told to."""
    held = Held("desk")
    with world.write() as transaction:
        leases.begin(transaction)
        now = transaction.now
        transaction.sql(
            "UPDATE leases SET owner = 'desk', expires_at = ? WHERE account_id = ? RETURNING 1",
            [now + 10**12, world.account_id],
        )
    desk = Desk(world, held, now=now)
    monkeypatch.setattr(world.instance.database, "clock", lambda: desk.now)
    # There are no requests to leave the processor to.
    monkeypatch.setattr(batching, "GATHERED_SECONDS", 0)
    monkeypatch.setattr(pace, "INTERVAL", 0)
    return desk


@pytest.fixture
def hook(world, roof, receiver, monkeypatch):
    """Return what makes a hook of the project at the receiver, and gives its address."""

    def make(client=None, **fields):
        answer = (client or world.people["ada"]).post(
            f"/projects/{roof}/hooks", {"hook": {"url": receiver.url, **fields}}
        )
        assert answer.status == 201, answer.body
        make.secret = answer.item["secret"]
        return f"/projects/{roof}/hooks/{answer.item['id']}"

    monkeypatch.setattr("skerry.tracker.sending.hook_addresses.check", lambda _url, _allowed: None)
    return make
