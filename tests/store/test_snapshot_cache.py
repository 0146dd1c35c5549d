"""What a connection remembers: only what the database still says."""

import pytest
from sqlalchemy import bindparam, delete

from skerry.errors import Missing
from skerry.store import accounts, snapshot_cache
from skerry.store.database import Database
from skerry.store.statements import Statement
from skerry.store.tables import accounts as account_table
from tests import migrated

REMOVE = Statement(
    delete(account_table).where(account_table.c.name == bindparam("called")), across_accounts=True
)


class Asker:
    """Asks for the accounts' names again and again, and counts how often they had to be found."""

    def __init__(self, database):
        self._database = database
        self.times = 0

    def names(self):
        with self._database.read() as transaction:
            return self.seen(transaction)

    def seen(self, transaction):
        return transaction.recall("names", lambda: self._find(transaction))

    def _find(self, transaction):
        self.times += 1
        return [account.name for account in accounts.listed(transaction)]


@pytest.fixture
def address(tmp_path):
    """On PostgreSQL nothing is remembered."""
    return migrated.on_sqlite(tmp_path)


@pytest.fixture
def asker(database):
    return Asker(database)


def add(database, name):
    with database.write() as transaction:
        accounts.add(transaction, name, f"{name}.example")


@pytest.fixture
def seldom(database, monkeypatch):
    """Says whether something was looked for once at each moment of the database, and not each of fifty times.

    On a server of databases there are several, as others write to theirs beside ours.
    """
    moments, moment = set(), database._kind.moment
    monkeypatch.setattr(database._kind, "moment", lambda *asked: moments.add(now := moment(*asked)) or now)
    return lambda times: 0 < times <= len(moments)


def test_what_was_found_is_not_looked_for_again(database, asker, seldom):
    add(database, "one")
    assert [asker.names() for _ in range(50)] == [["one"]] * 50
    assert seldom(asker.times)


def test_after_every_change_it_is(database, asker):
    for number in range(5):
        add(database, f"name{number}")
        assert asker.names() == asker.names() == [f"name{each}" for each in range(number + 1)]
    with database.write() as transaction:
        transaction.run(REMOVE, called="name0")
    assert "name0" not in asker.names()


def test_after_a_change_by_another_program_too(database, asker, address):
    assert asker.names() == []
    other = Database(address)
    for number in range(3):
        add(other, f"name{number}")
        assert len(asker.names()) == number + 1
    other.close()


def test_a_transaction_remembers_what_it_sees_and_not_what_came_since(database, asker):
    with database.read() as transaction:
        add(database, "late")
        assert asker.seen(transaction) == []
    assert asker.names() == ["late"]


def test_what_was_found_while_somebody_else_wrote_goes_when_he_is_done(database, asker):
    with database.write() as transaction:
        accounts.add(transaction, "slow", None)
        assert asker.names() == asker.names() == []
    assert asker.names() == ["slow"]


def test_one_that_writes_recalls_nothing_once_it_has_changed_something(database, asker):
    add(database, "one")
    with database.write() as transaction:
        assert asker.seen(transaction) == asker.seen(transaction) == ["one"]
        accounts.add(transaction, "two", "two.example")
        assert asker.seen(transaction) == ["one", "two"]
        transaction.run(REMOVE, called="one")
        assert asker.seen(transaction) == ["two"]
    assert asker.names() == ["two"]


def test_what_was_found_before_a_change_is_not_looked_for_again_in_it_on_sqlite(sqlite):
    asker = Asker(sqlite)
    add(sqlite, "one")
    with sqlite.read(first=True) as transaction:
        asker.seen(transaction)
    with sqlite.write() as transaction:
        assert asker.seen(transaction) == ["one"]
    assert asker.times == 1


def test_what_somebody_else_changed_before_a_change_is_seen_in_it(database, asker, address):
    with database.read(first=True) as transaction:
        assert asker.seen(transaction) == []
    other = Database(address)
    add(other, "one")
    other.close()
    with database.write() as transaction:
        assert asker.seen(transaction) == ["one"]


def test_what_was_found_after_a_change_that_was_undone_is_forgotten(database, asker):
    def fail():
        with database.write() as transaction:
            accounts.add(transaction, "one", None)
            assert asker.seen(transaction) == ["one"]
            raise Missing

    for _ in range(2):
        with pytest.raises(Missing):
            fail()
    with database.write() as transaction:
        assert asker.seen(transaction) == []


def test_what_depends_on_the_clock_is_found_each_time(database, seldom):
    def seen(ask):
        with database.read() as transaction:
            return transaction.recall("x", lambda: transaction.recall("y", lambda: ask(transaction)))

    times = iter(range(100))
    assert seen(lambda transaction: (transaction.now, next(times))[1]) == 0
    assert seldom(len({seen(lambda _: next(times)) for _ in range(50)}))


def test_neither_is_anything_remembered_after_the_clock_was_looked_at_even_if_nothing_was_found(database):
    def fail():
        raise Missing

    with database.read() as transaction:
        assert transaction.now
        with pytest.raises(Missing):
            transaction.recall("x", fail)
        transaction.remember(b"y", "found")
    assert database.remembered(b"y") is None


def test_accounts_do_not_remember_for_each_other(database):
    for account_id in (1, 2):
        with database.read(account_id) as transaction:
            assert transaction.recall("x", lambda account_id=account_id: account_id) == account_id


def test_there_is_room_for_so_much_only():
    full = snapshot_cache.SnapshotCache(0)
    for key in range(snapshot_cache.MOST * 2):
        full[key] = key
    assert len(full) <= snapshot_cache.MOST
    assert full[snapshot_cache.MOST * 2 - 1]


def test_what_is_kept_is_never_heavier_than_it_may_be():
    full, third = snapshot_cache.WeightedCache(), snapshot_cache.HEAVIEST // 3
    for key in range(100):
        full.keep({key: "something"}, third)
        assert 0 < len(full) <= 3
        assert full[key]
