"""The last use of tokens and sessions, stored after the requests."""

import io
from types import SimpleNamespace

import pytest

from skerry import app, settings
from skerry.errors import SerializationFailure
from skerry.store.auth import sessions, tokens
from skerry.tracker.context import Principal
from skerry.tracker.secrets import hash_token
from skerry.web.auth import last_used
from skerry.web.auth.last_used import LastUsed
from skerry.web.log import Log

pytestmark = pytest.mark.matrix("databases")

DAY = 86_400_000_000


@pytest.fixture
def instance_and_log(own_instance):
    """What is swept and written is that of all accounts."""
    return own_instance


def last_use(world, client):
    with world.write() as transaction:
        return tokens.of_user(transaction, client.user_id)[0].used_at


def test_the_last_use_of_a_token_is_written_later(world, ben):
    ben.get("/profile")
    assert last_use(world, ben) is None
    assert world.instance.last_used.write(world.database) >= 1
    assert last_use(world, ben) > world.database.clock() - DAY
    assert world.instance.last_used.write(world.database) == 0


def test_a_session_lives_for_so_long_after_its_last_use(world, ben, monkeypatch):
    with world.write() as transaction:
        sessions.add(transaction, ben.user_id, hash_token("a" * 40), agent="", address="")
    browser = ben.speaking(Cookie="skerry=" + "a" * 40)
    now = world.database.clock()
    for days in (25, 50):
        monkeypatch.setattr(world.database, "clock", lambda days=days: now + days * DAY)
        assert browser.get("/profile").status == 200
        world.instance.last_used.write(world.database)
    monkeypatch.setattr(world.database, "clock", lambda: now + 80 * DAY)
    assert browser.get("/profile").status == 401
    with world.write() as transaction:
        assert sessions.end_expired(transaction) >= 1


def test_a_session_ends_ninety_days_after_the_sign_in_however_often_it_is_used(world, ben, monkeypatch):
    with world.write() as transaction:
        sessions.add(transaction, ben.user_id, hash_token("c" * 40), agent="", address="")
    browser, now = ben.speaking(Cookie="skerry=" + "c" * 40), world.database.clock()
    for days, status in ((29, 200), (58, 200), (87, 200), (90, 401)):
        monkeypatch.setattr(world.database, "clock", lambda days=days: now + days * DAY)
        assert browser.get("/profile").status == status
        world.instance.last_used.write(world.database)
    with world.write() as transaction:
        assert sessions.of_user(transaction, ben.user_id) == []
        assert sessions.end_expired(transaction) >= 1


def test_the_settings_say_when_sessions_end(data):
    days = {"SKERRY_SESSION_UNUSED_DAYS": "2", "SKERRY_SESSION_DAYS": "7", "SKERRY_DATA": str(data)}
    with app.build(settings.load(days), Log(stream=io.StringIO())) as instance:
        assert instance.database.lifetimes[:2] == (2 * DAY, 7 * DAY)


def test_the_sweep_removes_sessions_that_are_over(world, ben, monkeypatch):
    with world.write() as transaction:
        sessions.add(transaction, ben.user_id, hash_token("b" * 40), agent="", address="")
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 200 * DAY)
    assert world.instance.clean_up() >= 1
    with world.write() as transaction:
        assert sessions.of_user(transaction, ben.user_id) == []


def test_keys_are_written_in_one_order_whichever_was_used_first(world, monkeypatch):
    written, noted = [], LastUsed()
    for kind in (tokens, sessions):
        monkeypatch.setattr(
            kind,
            "used",
            lambda _transaction, key, _timestamp, _address, kind=kind: written.append((kind, key)),
        )
    for key in (7, 3, 5):
        for kind in ("session_id", "token_id"):
            noted.note(world.account_id, Principal(1, "Ben", None, **{kind: key}), 1)
    assert noted.write(world.database) == 6
    assert written == [(kind, key) for kind in (tokens, sessions) for key in (3, 5, 7)]


class Over(Exception):
    """Ends what goes on for as long as the process lives."""


def colliding(calls):
    """Collide with somebody at the first call, and end the second."""

    def work(*_what):
        calls.append(1)
        raise SerializationFailure if len(calls) == 1 else Over

    return work


def test_a_writer_that_sweeps_continues_after_a_collision(world, monkeypatch):
    monkeypatch.setattr(last_used, "time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr(app, "sleep", lambda _: None)
    monkeypatch.setattr(LastUsed, "write", colliding(written := []))
    monkeypatch.setattr(app.Instance, "clean_up", colliding(swept := []))
    with pytest.raises(Over):
        LastUsed().write_regularly(world.database)
    with pytest.raises(Over):
        app.sweep_regularly(world.instance)
    assert (len(written), len(swept)) == (2, 2)
