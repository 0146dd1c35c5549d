"""Mail to members, at most one in a day, while texts of newcomers wait for them."""

from skerry.database.transactions import Transaction
from skerry.store import accounts
from skerry.store import held_texts as store
from skerry.store.mail import mails
from skerry.store.mail.mail_preferences import DAILY, NONE
from skerry.store.mail.mails import QueuedMail
from skerry.store.people import memberships, people, preferences
from skerry.tracker.context import Context
from skerry.tracker.mail import letters, queue
from skerry.tracker.mail.letters import Letter
from skerry.tracker.people import frequency

KIND = "held_texts"


def tell(context: Context) -> None:
    """Queue a mail for the next morning to everybody who can release a text that now waits in the project."""
    transaction = context.transaction
    for user_id in sorted(people.worker_ids(transaction, context.project_id)):
        if mails.is_waiting(transaction, KIND, user_id=user_id) or _wants_none(transaction, user_id):
            continue
        known = preferences.of_user(transaction, user_id)
        due_at = frequency.next_digest(transaction.now, DAILY, known.time_zone if known else "")
        queue.put(transaction, KIND, {}, user_id=user_id, due_at=due_at)


def _wants_none(transaction: Transaction, user_id: int) -> bool:
    return frequency.of_user(transaction, user_id) == NONE


def composed(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    """Return a mail about the texts that still wait in the projects of its reader; None if there are none."""
    user_id = mail.user_id or 0
    reader, person = letters.reader(transaction, user_id), people.person(transaction, user_id)
    if reader is None or person is None or _wants_none(transaction, user_id):
        return None
    own = memberships.joined_ids(transaction, user_id)
    sees_all = person.role in ("owner", "administrator")
    places = [place for place in store.waiting(transaction) if sees_all or place.project_id in own]
    if not places:
        return None
    values = {"places": places, "count": sum(place.texts for place in places)}
    return Letter(KIND, reader, accounts.name_of(transaction), queue.base_url(transaction), values)
