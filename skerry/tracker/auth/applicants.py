"""People who signed up and wait for an administrator, who approves or refuses them."""

from skerry.database.rows import timestamp_or_none
from skerry.database.transactions import HOUR, Transaction
from skerry.errors import Invalid, NotFound
from skerry.resources.auth import Applicant, Decision
from skerry.store.auth import logins
from skerry.store.auth import sign_ups as store
from skerry.store.auth.logins import Login
from skerry.store.auth.sign_ups import StoredSignUp
from skerry.store.mail import mails
from skerry.store.people import guests
from skerry.store.people import people as people_store
from skerry.text.words import having_words
from skerry.tracker.auth import passwords
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.people import people

WAITING, APPROVED = "applicants", "sign_up_approved"
"""The kinds of mail to administrators, while somebody waits, and to somebody who was approved."""

MOST = 100
"""How many applicants are decided at once."""

WAITS = "Your sign-up waits for an administrator. You get a mail when it is approved"
"""The answer to somebody who signs in with the right password before that."""


def list_all(context: Context, _params: Params) -> ResultPage[Applicant]:
    """Return the people who wait for approval, the first ones first."""
    return ResultPage(Applicant, filter_by_name(context, ""))


def filter_by_name(context: Context, search_text: str) -> list[Applicant]:
    """Return the people who wait for approval whose name or address contains the searched words."""
    waiting = store.waiting(context.transaction)
    applicants = having_words(waiting, lambda each: f"{each.name} {each.email}", search_text)
    return [_as_shown(each) for each in applicants]


def _as_shown(kept: StoredSignUp) -> Applicant:
    return Applicant(
        id=kept.id, email=kept.email, name=kept.name, proved_at=timestamp_or_none(kept.proved_at)
    )


def count(context: Context) -> int:
    """Return how many people wait for approval."""
    return store.count(context.transaction)


def get(context: Context, params: Params) -> Applicant:
    """Return somebody who waits for approval; raises NotFound."""
    for kept in store.waiting(context.transaction, [params.ids["id"]]):
        return _as_shown(kept)
    raise NotFound("Nobody waits for approval here")


def decide(context: Context, params: Params) -> Decision:
    """Approve or refuse applicants; those who no longer wait are left out.

    Approved applicants are notified by mail. Raises Invalid for no applicants, or too many.
    """
    new, transaction = params.draft_of(Decision).new, context.transaction
    if not new.ids:
        raise Invalid("Ids can't be blank; choose at least one applicant")
    if len(new.ids) > MOST:
        raise Invalid(f"Ids are too many (at most {MOST} at once)")
    waiting = store.waiting(transaction, sorted(set(new.ids)))
    for kept in waiting:
        if new.approve:
            user_id = join(context, kept, by=context.author.user_id)
            queue.put(transaction, APPROVED, {}, user_id=user_id)
            events.record(context, Type.SIGN_UP_APPROVED, kept.id)
        else:
            store.refuse(transaction, kept, context.author.user_id)
            events.record(context, Type.SIGN_UP_REFUSED, kept.id)
    return Decision(approve=new.approve, count=len(waiting), ids=[kept.id for kept in waiting])


def login_here(transaction: Transaction, email: str) -> Login | None:
    """Return the login of an address, unless it is one of another account, whose owner can still sign up."""
    login = logins.with_email(transaction, email)
    return login if login and guests.is_admitted(transaction, login.user_id) else None


def join(context: Context, proved: StoredSignUp, by: int | None = None) -> int:
    """Make a login for somebody who proved their address, or find it, and return the id of the user.

    The login is valid in this account alone: other accounts decide for themselves whom they let in.
    """
    transaction = context.transaction
    login = login_here(transaction, proved.email)
    user_id = login.user_id if login else _added(transaction, proved)
    store.admit(transaction, proved, user_id, by)
    return user_id


def _added(transaction: Transaction, proved: StoredSignUp) -> int:
    user_id = people.add(
        transaction,
        email=proved.email,
        name=proved.name,
        password_hash=proved.password_hash or "",
        role=None,
        account_id=transaction.account_id,
    )
    logins.prove(transaction, passwords.login_of(transaction, user_id), here=True)
    return user_id


def add(context: Context, proved: StoredSignUp) -> None:
    """Make somebody who proved their address wait for approval, and notify administrators."""
    transaction = context.transaction
    told_at = _tell(transaction)
    store.wait(transaction, proved, proved.name, proved.password_hash or "", told_at)
    events.record(context, Type.SIGN_UP_PROVED, proved.id)


def _tell(transaction: Transaction) -> int:
    """Queue a mail to each administrator, at most one in an hour; return when it is sent."""
    last = store.last_told(transaction)
    if last > transaction.now:
        return last
    due_at = max(transaction.now, last + HOUR)
    for user_id in sorted(people_store.administrators(transaction)):
        if not mails.is_waiting(transaction, WAITING, user_id=user_id):
            queue.put(transaction, WAITING, {}, user_id=user_id, due_at=due_at)
    return due_at
