"""People who signed up, and accounts that hold what they write."""

from skerry.store import accounts
from skerry.store.auth import sign_ups


def hold(world):
    """Let the account hold the texts of newcomers."""
    with world.write() as transaction:
        accounts.set_sign_up(transaction, "open", "hold")


def newcomer(world, name):
    """Make somebody who signed up."""
    person = world.person(name)
    with world.write() as transaction:
        link = {"email": person.email, "name": name, "expires_at": transaction.now + 1}
        sign_ups.add(transaction, f"hash of {name}", **link)
        kept = sign_ups.with_hash(transaction, f"hash of {name}")
        sign_ups.admit(transaction, kept, person.user_id)
    return person
