"""Removals of spammers with everything that they wrote, which can be undone for seven days.

The login is disabled at once; what they wrote is taken out and put back in the background (``spam_batches``).
"""

from skerry.errors import Conflict, NotFound
from skerry.resources.spam import SpamRemoval
from skerry.store.auth import sign_ups
from skerry.store.people import people, users
from skerry.store.people.person import StoredPerson
from skerry.store.spam import spam as store
from skerry.tracker.auth import logins
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type

MEMBERS = "Only guests are removed as spammers. Remove this person from the account and its projects first"
LATE = "This removal can no longer be undone"
NOWHERE = "Nobody with this id was removed as a spammer"


def list_all(context: Context, _params: Params) -> ResultPage[SpamRemoval]:
    """Return the removals that can be undone, the latest first."""
    return ResultPage(SpamRemoval, store.list_all(context.transaction))


def of_person(context: Context, user_id: int) -> SpamRemoval | None:
    """Return the removal of a person, if there is one."""
    removals = store.list_all(context.transaction)
    return next((each for each in removals if each.user_id == user_id), None)


def get(context: Context, params: Params) -> SpamRemoval:
    """Return the removal of a person; raises NotFound."""
    removal = of_person(context, params.ids["id"])
    if removal is None:
        raise NotFound(NOWHERE)
    return removal


def create(context: Context, params: Params) -> SpamRemoval:
    """Disable the login of a guest, and remove everything that they wrote in the account.

    Raises NotFound for nobody who was here, Conflict for members.
    """
    transaction, user_id = context.transaction, params.ids["id"]
    person = _met(context, user_id)
    if users.of_account(transaction, user_id) is not None:
        raise Conflict(MEMBERS)
    present = store.one(transaction, user_id, lock=True)
    if present is None:
        store.add(transaction, user_id, context.author.user_id, was_disabled=person.disabled)
    elif present.state in (store.RESTORING, store.REMOVED):
        store.set_state(transaction, user_id, store.REMOVING)
    if not person.disabled:
        logins.disable(transaction, person)
        # By the time, an undo recognizes that nobody has disabled the login since.
        store.begin_again(transaction, user_id)
    events.record(context, Type.SPAM_REMOVED, user_id)
    return get(context, params)


def _met(context: Context, user_id: int) -> StoredPerson:
    """Return a person who was here; what they wrote may be removed already."""
    transaction = context.transaction
    person = people.person(transaction, user_id)
    is_known = store.one(transaction, user_id) is not None or users.met(transaction, user_id) is not None
    is_known = is_known or sign_ups.has_joined(transaction, user_id)
    if person is None or not is_known:
        raise NotFound("There is no such person in this account")
    return person


def undo(context: Context, params: Params) -> SpamRemoval:
    """Put everything back that a person wrote, and enable their login if the removal disabled it.

    It stays disabled if somebody disabled it before or since. Raises NotFound, or Conflict if it is too late.
    """
    transaction, user_id = context.transaction, params.ids["id"]
    removal = store.one(transaction, user_id, lock=True)
    person = people.person(transaction, user_id)
    if removal is None or person is None:
        raise NotFound(NOWHERE)
    is_late = removal.created_at <= transaction.now - store.UNDO_PERIOD
    if removal.state == store.DELETING or (is_late and removal.state == store.REMOVED):
        raise Conflict(LATE)
    store.set_state(transaction, user_id, store.RESTORING)
    is_of_removal = not removal.was_disabled and person.disabled_at == removal.created_at
    if is_of_removal and person.disabled_everywhere_at is None:
        logins.enable(transaction, person)
    events.record(context, Type.SPAM_RESTORED, user_id)
    return get(context, params)
