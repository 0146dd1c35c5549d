"""Refused sign-ins, summed for each network and minute before they are recorded as security events."""

from collections import Counter
from threading import Lock

from skerry.database.database import Database
from skerry.database.transactions import MINUTE, Transaction
from skerry.store.people import users
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.context import Context

PASSWORD, TOKEN, BLOCKED, PROVIDER = "password", "token", "blocked", "provider"
PASSKEY = "passkey"
"""What is refused: a wrong password or token, any more after too many, a provider's answer, a passkey."""

CODE, ALONE = "code", "password_alone"
"""A wrong code of a second factor, and a right password of somebody who has one."""


_MAX = 1000
"""How many networks are counted apart in a minute; those of the others are counted together."""

_MAX_PEOPLE = 10
"""How many people an entry names."""

Place = tuple[int, int, str]
"""A minute since 1970, the account, and the network of the client; empty for all others together."""


class Refused:
    """What was refused in one minute from one network."""

    def __init__(self) -> None:
        self.by: Counter[str] = Counter()
        self.user_ids: Counter[int] = Counter()


class Refusals:
    """Counts refused sign-ins in one process until their minute is over."""

    def __init__(self, database: Database) -> None:
        self._refused: dict[Place, Refused] = {}
        self._database = database
        self._lock = Lock()

    def note(self, account_id: int, network: str, by: str, user_id: int = 0) -> None:
        """Count a refusal of a credential; nothing that was typed is kept, because it may be a password."""
        place = self._database.clock() // MINUTE, account_id, network
        with self._lock:
            if place not in self._refused and len(self._refused) >= _MAX:
                place = (*place[:2], "")
            refused = self._refused.setdefault(place, Refused())
            refused.by[by] += 1
            if user_id:
                refused.user_ids[user_id] += 1

    def write(self, *, ending: bool = False) -> int:
        """Record the minutes that are over, or all at the end of the process; return how many entries."""
        present = self._database.clock() // MINUTE
        over = sorted(place for place in list(self._refused) if ending or place[0] < present)
        for place in over:
            minute, account_id, network = place
            with self._database.write(account_id) as transaction:
                transaction.address = network
                _record(transaction, minute, self._refused[place])
            with self._lock:
                del self._refused[place]
        return len(over)


def _record(transaction: Transaction, minute: int, refused: Refused) -> None:
    # Logins of other accounts are not revealed.
    most = (user_id for user_id, _ in refused.user_ids.most_common())
    known = [user_id for user_id in most if users.of_account(transaction, user_id) is not None]
    details = {"minute": minute, "user_ids": " ".join(map(str, known[:_MAX_PEOPLE])), **refused.by}
    audit.record(Context(transaction), Kind.SIGN_IN_REFUSED, details=details, credential="none")
