"""Sessions: the browsers in which a user is signed in."""

from skerry.database.database import Database
from skerry.database.rows import timestamp
from skerry.errors import NotFound
from skerry.resources.auth import Session
from skerry.store.auth import invitations, login_networks
from skerry.store.auth import sessions as store
from skerry.store.mail import mailed_links
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.context import Context, Params, ResultPage


def list_all(context: Context, _params: Params) -> ResultPage[Session]:
    """Return the browsers in which the caller is signed in, the last used first."""
    principal = context.author
    sessions = store.of_user(context.transaction, principal.user_id)
    return ResultPage(Session, [_as_shown(session, principal.session_id) for session in sessions])


def _as_shown(session: store.StoredSession, current: int) -> Session:
    return Session(
        id=session.id,
        agent=session.agent,
        address=session.address,
        created_at=timestamp(session.created_at),
        used_at=timestamp(session.used_at),
        current=session.id == current,
    )


def end(context: Context, params: Params) -> None:
    """Sign the caller out of one browser; raises NotFound."""
    if not store.end(context.transaction, context.author.user_id, params.ids["id"]):
        raise NotFound("There is no such session")
    audit.record(context, Kind.SESSION_ENDED, params.ids["id"])


def end_others(context: Context, _params: Params) -> None:
    """Sign the caller out of all other browsers."""
    store.end_others(context.transaction, context.author.user_id, context.author.session_id)
    audit.record(context, Kind.SESSION_ENDED, details={"others": True})


def remove_old(database: Database) -> int:
    """Remove expired sessions, expired invitations, and old networks; return the number of rows."""
    with database.write() as transaction:
        ended = store.end_expired(transaction)
        return (
            ended
            + invitations.remove_expired(transaction)
            + mailed_links.remove_expired(transaction)
            + login_networks.remove_old(transaction)
        )
