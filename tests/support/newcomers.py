"""People who signed up, and accounts that hold what they write."""

from skerry.store import accounts
from skerry.store.auth import sign_ups


def hold(world):
    """Let the account hold the texts of newcomers."""
    with world.write() as transaction:
        accounts.set_sign_up(transaction, "open", "hold")


def newcomer(world, name):
    """Make somebody who signed up."""
    person = world.outsider(name)
    with world.write() as transaction:
        sign_up(transaction, person.user_id, person.email)
    return person


def sign_up(transaction, user_id, email):
    """Let a person sign up."""
    code = f"hash of {email}"
    sign_ups.add(transaction, code, email=email, name="", expires_at=transaction.now + 1)
    sign_ups.admit(transaction, sign_ups.with_hash(transaction, code), user_id)
