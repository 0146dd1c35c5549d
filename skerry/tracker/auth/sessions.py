"""Sessions: the browsers in which a user is signed in."""

from skerry.database.database import Database
from skerry.database.rows import timestamp
from skerry.database.transactions import Transaction
from skerry.errors import NotFound
from skerry.resources.auth import Session
from skerry.store.auth import invitations, passkeys, recent_sign_ins, sign_in_steps, sign_ups
from skerry.store.auth import sessions as store
from skerry.store.mail import mailed_links
from skerry.text.browsers import browser_name
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.tracker.secrets import hash_token


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


def note_browser(transaction: Transaction, user_id: int, mark: str, agent: str, address: str) -> None:
    """Remember a browser in which a person signs in, and mail them if it is new and not their first."""
    hashed, known = hash_token(mark), recent_sign_ins.BROWSERS.known(transaction, user_id)
    recent_sign_ins.BROWSERS.use(transaction, user_id, hashed, transaction.now)
    if known and hashed not in known:
        note = " · ".join(filter(None, (browser_name(agent), address)))
        queue.send_alert(transaction, user_id, Alert.NEW_BROWSER, note)


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
    """Remove what has expired: sessions, invitations, links and more; return the number of rows."""
    with database.write() as transaction:
        ended = store.end_expired(transaction)
        return (
            ended
            + invitations.remove_expired(transaction)
            + sign_ups.remove_old(transaction)
            + mailed_links.remove_expired(transaction)
            + recent_sign_ins.NETWORKS.remove_old(transaction)
            + recent_sign_ins.BROWSERS.remove_old(transaction)
            + sign_in_steps.remove_expired(transaction)
            + passkeys.remove_expired(transaction)
        )
