"""An account and its people, as administrators see and change them."""

from dataclasses import replace

from skerry.errors import Conflict, Forbidden, Invalid, NotFound
from skerry.resources.accounts import Account
from skerry.resources.people import Person
from skerry.store import account_logins
from skerry.store import accounts as account_store
from skerry.store import people as store
from skerry.store import users as user_store
from skerry.store.person import Person as StoredPerson
from skerry.store.transactions import Transaction
from skerry.tracker import accounts, events, finding, logins, people
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Visit
from skerry.wire.record import UNSET

ROLES = ("member", "administrator", "owner")

NOBODY = "There is no such person in this account"


def listed(visit: Visit, _ask: Ask) -> Listing[Person]:
    """Return everybody of the account and of its projects."""
    return Listing(Person, [_shown(person) for person in store.of_account(visit.transaction)])


def named(visit: Visit, sought: str) -> list[StoredPerson]:
    """Return those whose name or address contains the words sought, by name."""
    everybody = store.of_account(visit.transaction)
    return people.by_name(finding.named(everybody, lambda each: f"{each.name} {each.email}", sought))


def outside(visit: Visit, _ask: Ask) -> Listing[Person]:
    """Return who was removed from the account, and strangers whose logins are disabled in it."""
    return Listing(Person, [_shown(person) for person in outside_named(visit, "")])


def outside_named(visit: Visit, sought: str) -> list[StoredPerson]:
    """Return those of them in whose name or address the words that are sought are, by name."""
    everybody = [_as_seen(*found) for found in account_logins.outside(visit.transaction)]
    return people.by_name(finding.named(everybody, lambda each: f"{each.name} {each.email}", sought))


def _as_seen(person: StoredPerson, belonged: bool) -> StoredPerson:
    """Return somebody with their address only if the account knows it: of strangers only the name is seen."""
    return person if belonged else replace(person, email="")


def shown(visit: Visit, ask: Ask) -> Person:
    """Return somebody whom ``met`` finds; raises NotFound."""
    return _shown(met(visit, ask.ids["id"]))


def _shown(person: StoredPerson) -> Person:
    role = person.role or ""
    return Person(id=person.id, name=person.name, email=person.email, role=role, disabled=person.disabled)


def account(visit: Visit, _ask: Ask) -> Account:
    """Return the account."""
    return Account(name=account_store.name_of(visit.transaction))


def rename(visit: Visit, ask: Ask) -> Account:
    """Rename the account; raises Invalid if the name is not allowed."""
    before = account(visit, ask)
    name = ask.draft_of(Account).over(before).name.strip()
    accounts.check_name(name)
    account_store.rename(visit.transaction, name)
    after = account(visit, ask)
    changes = events.compared(before, after)
    events.record(visit, Type.ACCOUNT_UPDATED, visit.transaction.account_id, changes=changes)
    return after


def found(visit: Visit, user_id: int) -> StoredPerson:
    """Return a person of the account; raises NotFound."""
    for person in store.of_account(visit.transaction):
        if person.id == user_id:
            return person
    raise NotFound(NOBODY)


def met(visit: Visit, user_id: int) -> StoredPerson:
    """Return somebody of the account, who was removed from it, or whose name something in it leads to.

    Raises NotFound.
    """
    for person in store.of_account(visit.transaction):
        if person.id == user_id:
            return person
    for person, belonged in account_logins.outside(visit.transaction):
        if person.id == user_id:
            return _as_seen(person, belonged)
    stranger = store.person(visit.transaction, user_id)
    if stranger is None or user_store.met(visit.transaction, user_id) is None:
        raise NotFound(NOBODY)
    return _as_seen(stranger, belonged=False)


def check_role(visit: Visit, role: str, of: StoredPerson | None = None) -> None:
    """Raise Invalid for what is no role, Forbidden where only an owner may give or take it."""
    if role not in ROLES:
        raise Invalid(f"Role is not one of {', '.join(ROLES)}")
    check_above(visit, of, role)


def check_above(visit: Visit, person: StoredPerson | None, role: str = "") -> None:
    """Raise Forbidden if an owner is concerned and the caller is none."""
    if "owner" in (role, person.role if person else "") and visit.author.role != "owner":
        raise Forbidden("Only an owner may do this to an owner")


def hold(transaction: Transaction, _ask: Ask) -> None:
    """Keep others from changing who belongs to the account, before it is found out whether the caller does.

    Who is taken out of it at this moment is taken out of its projects as well.
    """
    account_store.hold(transaction)


def update(visit: Visit, ask: Ask) -> Person:
    """Change a person's role, and disable or enable their login in the account.

    Raises NotFound, Invalid for what is no role, Forbidden where only an owner may and for the caller's own
    login, Conflict if nobody were left to administer the account.
    """
    person = met(visit, ask.ids["id"])
    check_above(visit, person)
    draft = ask.draft_of(Person)
    role = draft.get(Person.role)
    if role is not UNSET:
        _change_role(visit, found(visit, person.id), role)
    disabled = draft.over(_shown(person)).disabled
    if disabled != person.disabled:
        if disabled:
            check_last(visit, person)
        logins.change(visit, person, disabled=disabled)
    after = _shown(met(visit, person.id))
    events.record(visit, Type.PERSON_UPDATED, person.id, changes=events.compared(_shown(person), after))
    return after


def _change_role(visit: Visit, person: StoredPerson, role: str) -> None:
    check_role(visit, role, person)
    if role == "member":
        check_last(visit, person)
    store.change_role(visit.transaction, person.id, role)


def check_last(visit: Visit, person: StoredPerson) -> None:
    """Raise Conflict if nobody but this person administers the account."""
    if store.administrators(visit.transaction) <= {person.id}:
        raise Conflict("An account needs at least one administrator")
