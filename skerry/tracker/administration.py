"""An account and its people, as administrators see and change them."""

from skerry.errors import Conflict, Forbidden, Invalid, Missing
from skerry.resources.accounts import Account
from skerry.resources.people import Person
from skerry.store import accounts as account_store
from skerry.store import people as store
from skerry.store import sessions, tokens
from skerry.store.transactions import Transaction
from skerry.tracker import accounts, finding, people
from skerry.tracker.visit import Ask, Listing, Visit

ROLES = ("member", "administrator", "owner")


def listed(visit: Visit, _ask: Ask) -> Listing:
    """Give everybody of the account and of its projects."""
    return Listing(Person, [_shown(person) for person in store.of_account(visit.transaction)])


def named(visit: Visit, sought: str) -> list[store.Person]:
    """Give those in whose name or address the words that are sought are, by name."""
    everybody = store.of_account(visit.transaction)
    return people.by_name(finding.named(everybody, lambda each: f"{each.name} {each.email}", sought))


def shown(visit: Visit, ask: Ask) -> Person:
    """Give somebody of the account or of its projects; raises Missing."""
    return _shown(found(visit, ask.ids["id"]))


def _shown(person: store.Person) -> Person:
    return Person(id=person.id, name=person.name, email=person.email, role=person.role or "")


def account(visit: Visit, _ask: Ask) -> Account:
    """Give the account."""
    return Account(name=account_store.name_of(visit.transaction))


def rename(visit: Visit, ask: Ask) -> Account:
    """Give the account another name; raises Invalid if it cannot have it."""
    name = ask.draft.get("name", account_store.name_of(visit.transaction)).strip()
    accounts.check_name(name)
    account_store.rename(visit.transaction, name)
    return account(visit, ask)


def found(visit: Visit, user_id: int) -> store.Person:
    """Give somebody of the account; raises Missing."""
    for person in store.of_account(visit.transaction):
        if person.id == user_id:
            return person
    raise Missing("There is no such person in this account")


def check_role(visit: Visit, role: str, of: store.Person | None = None) -> None:
    """Raise Invalid for what is no role, Forbidden where only an owner may give or take it."""
    if role not in ROLES:
        raise Invalid(f"Role is not one of {', '.join(ROLES)}")
    check_above(visit, of, role)


def check_above(visit: Visit, person: store.Person | None, role: str = "") -> None:
    """Raise Forbidden if an owner is concerned and the caller is none."""
    if "owner" in (role, person.role if person else "") and visit.author.role != "owner":
        raise Forbidden("Only an owner may do this to an owner")


def hold(transaction: Transaction, _ask: Ask) -> None:
    """Keep others from changing who belongs to the account, before it is found out whether the caller does.

    Who is taken out of it at this moment is taken out of its projects as well.
    """
    account_store.hold(transaction)


def update(visit: Visit, ask: Ask) -> Person:
    """Give somebody another role.

    Raises Missing, Invalid for what is no role, Forbidden where only an owner may, Conflict if
    nobody were left to administer the account.
    """
    person = found(visit, ask.ids["id"])
    role = ask.draft.get("role", person.role or "")
    check_role(visit, role, person)
    if role == "member":
        _check_last(visit, person)
    store.change_role(visit.transaction, person.id, role)
    return _shown(found(visit, person.id))


def remove(visit: Visit, ask: Ask) -> None:
    """Take somebody out of the account and its projects; their tokens and sessions end.

    What they wrote stays. Raises Missing, Forbidden where only an owner may, Conflict if nobody were
    left to administer the account.
    """
    person = found(visit, ask.ids["id"])
    check_above(visit, person)
    _check_last(visit, person)
    store.leave_account(visit.transaction, person.id)
    tokens.revoke_all(visit.transaction, person.id)
    sessions.end_here(visit.transaction, person.id)


def _check_last(visit: Visit, person: store.Person) -> None:
    if store.administrators(visit.transaction) <= {person.id}:
        raise Conflict("Somebody has to administer the account")
