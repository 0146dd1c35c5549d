"""A mail server, and worlds that send mails to it."""

from datetime import timedelta

import pytest

from tests.mail.mails import reply_to
from tests.support import mail_server
from tests.support.mail_server import Post


@pytest.fixture(scope="module")
def running_server():
    with mail_server.running() as server:
        yield server


@pytest.fixture
def server(running_server):
    running_server.messages.clear()
    running_server.contents.clear()
    running_server.answers.clear()
    running_server.breaks_at = ""
    return running_server


@pytest.fixture
def post(world, server, monkeypatch):
    """Mail out of the world of the test."""
    post = Post(world, server)
    monkeypatch.setattr(world.database, "mail", post.settings)
    return post


@pytest.fixture
def clock(world, monkeypatch):
    """A clock of the database that stands still until it is turned on."""

    class Clock:
        now = world.database.clock()

        def __call__(self):
            return self.now

        def turn(self, **time):
            self.now += int(timedelta(**time).total_seconds() * 1_000_000)

    clock = Clock()
    monkeypatch.setattr(world.database, "clock", clock)
    return clock


@pytest.fixture
def ticket(ada, roof):
    made = ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "The roof leaks"}}).item
    return f"/projects/{roof}/tickets/{made['number']}"


@pytest.fixture
def reply(world, ben, roof, ticket):
    """The address at which Ben replies to the ticket."""
    return reply_to(world, ben, roof, int(ticket.rpartition("/")[2]))
