"""Where the log of security events begins: what may be removed from there, and how that is proved."""

import json

import pytest

from skerry.database.transactions import DAY
from skerry.store import audit as store
from skerry.tracker.audit import audit, chain
from skerry.tracker.audit.audit import Kind
from skerry.tracker.context import Context

pytestmark = pytest.mark.matrix("databases")

DAYS = 365


@pytest.fixture
def chained(world):
    """A world with a sealed log of eight entries."""
    with world.write() as transaction:
        for number in range(8):
            audit.record(Context(transaction), Kind.TOKEN_CREATED, number)
    seal(world)
    return world


def seal(world):
    chain.seal_new(world.database, [world.account_id])


def sealed(world):
    with world.database.read(world.account_id) as transaction:
        return list(store.all_after(transaction, 0))


def verdict(world, days=DAYS, **anchors):
    with world.database.read(world.account_id) as transaction:
        return chain.verify(transaction, days, **anchors)


def run(world, sql, *values):
    with world.write() as transaction:
        transaction.sql(f"{sql.replace('ACCOUNT', str(world.account_id))} RETURNING account_id", values)


def later(world, monkeypatch, days):
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + days * DAY)


def cut(world, number, *, kept=None):
    """Remove entries from the beginning, as somebody does who can write to the database, and say so."""
    before, last = ("", *(each.hash for each in sealed(world)))[number - 1], sealed(world)[number - 1]
    text = f"{before}\n{audit.canonical(chain.document(world.account_id, last))}" if kept is None else kept
    run(world, f"DELETE FROM audit_entries WHERE account_id = ACCOUNT AND number <= {number}")
    run(
        world,
        f"UPDATE audit_chains SET removed_number = {number}, removed_hash = '{last.hash}', removed_entry = "
        f"'{text}' WHERE account_id = ACCOUNT",
    )
    with world.write() as transaction:
        details = {"first": 1, "last": number, "hash": last.hash}
        audit.record(Context(transaction), Kind.LOG_REMOVED, details=details)


def test_entries_that_were_removed_before_their_time_are_found_although_an_entry_says_so(chained):
    kept = verdict(chained)
    cut(chained, 5)
    seal(chained)
    found = verdict(chained, anchors={kept.last: kept.hash})
    (problem,) = found.problems
    assert problem.startswith("entry 5 of 20")
    assert problem.endswith("was removed, although the log is kept for 365 days")
    assert (found.first, verdict(chained, days=0).problems) == (6, [])


def test_what_was_removed_has_no_other_time_than_that_which_was_hashed(chained):
    last = chain.document(chained.account_id, sealed(chained)[4])
    cut(chained, 5, kept=f"\n{audit.canonical({**last, 'happened_at': '2001-01-01T00:00:00.000000Z'})}")
    seal(chained)
    assert verdict(chained).problems == [
        "what was kept of entry 5, the last one that was removed, is not what was hashed"
    ]


@pytest.mark.parametrize("kept", ["", "[]", "\n7", "\n{}"])
def test_a_beginning_of_which_nothing_is_kept_is_found(chained, kept):
    cut(chained, 5, kept=kept)
    seal(chained)
    assert len(verdict(chained).problems) == 1


def test_an_entry_that_is_not_sealed_proves_nothing(chained):
    cut(chained, 5)
    assert verdict(chained).problems == ["the log begins after entry 5, but no entry says so"]


def test_what_was_removed_because_of_its_age_is_proved_at_once_and_again(chained, monkeypatch):
    for last in (8, 10):
        later(chained, monkeypatch, 400)
        with chained.write() as transaction:
            audit.record(Context(transaction), Kind.TOKEN_CREATED)
        seal(chained)
        assert chain.remove_old(chained.database, DAYS) >= 1
        found = verdict(chained)
        assert (found.problems, found.first, found.waiting) == ([], last + 1, 0)
        assert found.removed_until
        assert json.loads(sealed(chained)[-1].details)["last"] == last


def test_an_entry_that_was_inserted_where_others_were_removed_is_found(chained, monkeypatch):
    later(chained, monkeypatch, 400)
    with chained.write() as transaction:
        audit.record(Context(transaction), Kind.TOKEN_CREATED)
    seal(chained)
    assert chain.remove_old(chained.database, DAYS) >= 8
    run(chained, "UPDATE audit_entries SET number = 7 WHERE account_id = ACCOUNT AND number = 9")
    assert verdict(chained).problems[0] == "entry 7 was inserted: those up to entry 8 were removed"


def test_what_an_earlier_version_removed_is_verified_without_its_age(chained):
    cut(chained, 5, kept=chain.UNKNOWN)
    seal(chained)
    found = verdict(chained)
    assert (found.problems, found.removed_until) == ([], chain.UNKNOWN)
