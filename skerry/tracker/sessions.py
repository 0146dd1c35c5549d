"""Sessions: the browsers in which somebody is signed in."""

from skerry.errors import NotFound
from skerry.resources.sessions import Session
from skerry.store import invitations, login_networks
from skerry.store import sessions as store
from skerry.store.database import Database
from skerry.store.rows import moment
from skerry.store.transactions import DAY, Transaction
from skerry.tracker.visit import Ask, Listing, Visit

LIFETIME = 30 * DAY
"""A browser that was not used for so long has to sign in again; in microseconds."""


def alive_since(transaction: Transaction) -> int:
    """Return the time since which a session must have been used to be valid, in microseconds."""
    return transaction.now - LIFETIME


def listed(visit: Visit, _ask: Ask) -> Listing[Session]:
    """Return the browsers in which the caller is signed in, the last used first."""
    caller = visit.author
    found = store.of_user(visit.transaction, caller.user_id, alive_since(visit.transaction))
    return Listing(Session, [_shown(session, caller.session_id) for session in found])


def _shown(session: store.Session, current: int) -> Session:
    return Session(
        id=session.id,
        agent=session.agent,
        address=session.address,
        created_at=moment(session.created_at),
        used_at=moment(session.used_at),
        current=session.id == current,
    )


def end(visit: Visit, ask: Ask) -> None:
    """Sign the caller out of one browser; raises NotFound."""
    if not store.end(visit.transaction, visit.author.user_id, ask.ids["id"]):
        raise NotFound("There is no such session")


def end_others(visit: Visit, _ask: Ask) -> None:
    """Sign the caller out of every browser but the one that asks."""
    store.end_others(visit.transaction, visit.author.user_id, visit.author.session_id)


def forget(database: Database) -> int:
    """Remove sessions that are over, invitations that open nothing, and old networks; return how many."""
    with database.write() as transaction:
        ended = store.end_old(transaction, alive_since(transaction))
        return ended + invitations.remove_over(transaction) + login_networks.remove_old(transaction)
