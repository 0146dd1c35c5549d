"""When keys were last used is written behind the requests, and keeps sessions alive."""

from skerry.store import sessions, tokens
from skerry.tracker.secrets import hash_token
from skerry.tracker.sessions import alive_since

DAY = 86_400_000_000


def last_use(world, voice):
    with world.write() as transaction:
        return tokens.of_user(transaction, voice.user_id)[0].used_at


def test_the_last_use_of_a_token_is_written_later(world, ben):
    ben.get("/profile")
    assert last_use(world, ben) is None
    assert world.house.usage.write(world.database) >= 1
    assert last_use(world, ben) > world.database.clock() - DAY
    assert world.house.usage.write(world.database) == 0


def test_a_session_lives_for_so_long_after_its_last_use(world, ben, monkeypatch):
    with world.write() as transaction:
        sessions.add(transaction, ben.user_id, hash_token("a" * 40), agent="", address="")
    browser = ben.speaking(Cookie="skerry=" + "a" * 40)
    now = world.database.clock()
    for days in (25, 50, 75):
        monkeypatch.setattr(world.database, "clock", lambda days=days: now + days * DAY)
        assert browser.get("/profile").status == 200
        world.house.usage.write(world.database)
    monkeypatch.setattr(world.database, "clock", lambda: now + 106 * DAY)
    assert browser.get("/profile").status == 401
    with world.write() as transaction:
        assert sessions.end_old(transaction, alive_since(transaction)) >= 1


def test_the_sweep_removes_sessions_that_are_over(world, ben, monkeypatch):
    with world.write() as transaction:
        sessions.add(transaction, ben.user_id, hash_token("b" * 40), agent="", address="")
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 200 * DAY)
    assert world.house.sweep() >= 1
    with world.write() as transaction:
        assert sessions.of_user(transaction, ben.user_id, 0) == []
