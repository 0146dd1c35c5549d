"""An account and its people, for administrators."""

from dataclasses import replace

from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.accounts import Account
from skerry.resources.held_texts import CHOICES
from skerry.resources.people import Person
from skerry.store import accounts as account_store
from skerry.store.auth import account_logins, identities, sessions
from skerry.store.auth.sign_ups import has_joined
from skerry.store.people import people as store
from skerry.store.people import single_sign_on as single_sign_on_store
from skerry.store.people import users as user_store
from skerry.store.people.person import StoredPerson
from skerry.text.time_zones import is_zone
from skerry.text.words import having_words
from skerry.tracker import accounts
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import factors, logins, sign_ups
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import people, roles, single_sign_on
from skerry.wire.record import UNSET

NOBODY = "There is no such person in this account"


def list_all(context: Context, _params: Params) -> ResultPage[Person]:
    """Return everybody in the account and its projects."""
    return ResultPage(Person, [_as_shown(person) for person in store.of_account(context.transaction)])


def filter_by_name(context: Context, search_text: str) -> list[StoredPerson]:
    """Return the people whose name or address contains the searched words, by name."""
    everybody = store.of_account(context.transaction)
    return people.by_name(having_words(everybody, lambda each: f"{each.name} {each.email}", search_text))


def outside(context: Context, _params: Params) -> ResultPage[Person]:
    """Return the people removed from the account, and outsiders whose logins are disabled in it."""
    return ResultPage(Person, [_as_shown(person) for person in filter_outside_by_name(context, "")])


def filter_outside_by_name(context: Context, search_text: str) -> list[StoredPerson]:
    """Return the people of ``outside`` whose name or address contains the searched words, by name."""
    everybody = [_as_seen(*row) for row in account_logins.outside(context.transaction)]
    return people.by_name(having_words(everybody, lambda each: f"{each.name} {each.email}", search_text))


def _as_seen(person: StoredPerson, belonged: bool) -> StoredPerson:
    """Return a person, without the e-mail address if they never belonged to the account."""
    return person if belonged else replace(person, email="")


def get(context: Context, params: Params) -> Person:
    """Return a person who belongs to the account or is named in it; raises NotFound."""
    return _as_shown(met(context, params.ids["id"]))


def _as_shown(person: StoredPerson) -> Person:
    role = person.role or ""
    return Person(
        id=person.id,
        name=person.name,
        email=person.email,
        role=role,
        disabled=person.disabled,
        second_factor=person.factor_at is not None,
        service=person.service,
    )


def account(context: Context, _params: Params) -> Account:
    """Return the account."""
    return Account(
        base_url=account_store.base_url_of(context.transaction),
        factors_from=account_store.factors_from(context.transaction),
        name=account_store.name_of(context.transaction),
        newcomers=account_store.newcomers_of(context.transaction),
        sign_up=account_store.sign_up_of(context.transaction),
        single_sign_on=single_sign_on_store.is_demanded(context.transaction),
        time_zone=account_store.time_zone_of(context.transaction),
    )


def update_account(context: Context, params: Params) -> Account:
    """Change the account.

    Raises Invalid for an invalid value, Conflict if the caller demands a provider without using one.
    """
    before = account(context, params)
    new = params.draft_of(Account).over(before)
    name, base_url = new.name.strip(), new.base_url.strip().rstrip("/")
    if name != before.name:
        accounts.check_name(name)
    if base_url != before.base_url:
        accounts.check_base_url(base_url)
    if new.time_zone and not is_zone(new.time_zone):
        raise Invalid("Time zone must be a name such as Europe/Berlin")
    if new.single_sign_on != before.single_sign_on:
        single_sign_on.demand(context, demanded=new.single_sign_on)
    if new.sign_up != before.sign_up:
        sign_ups.check_choice(context.transaction, new.sign_up)
    if new.newcomers not in CHOICES:
        raise Invalid(f"Newcomers must be one of {', '.join(CHOICES)}")
    account_store.rename(context.transaction, name)
    account_store.set_base_url(context.transaction, base_url)
    account_store.demand_factors(context.transaction, new.factors_from)
    account_store.set_time_zone(context.transaction, new.time_zone)
    account_store.set_sign_up(context.transaction, new.sign_up, new.newcomers)
    account_id = context.transaction.account_id
    return events.record_change(
        context, Type.ACCOUNT_UPDATED, before, account(context, params), of=account_id
    )


def one(context: Context, user_id: int) -> StoredPerson:
    """Return a person of the account; raises NotFound."""
    for person in store.of_account(context.transaction):
        if person.id == user_id:
            return person
    raise NotFound(NOBODY)


def met(context: Context, user_id: int) -> StoredPerson:
    """Return a person who belongs or belonged to the account, is named in it, or signed up to it.

    Raises NotFound.
    """
    for person in store.of_account(context.transaction):
        if person.id == user_id:
            return person
    for person, belonged in account_logins.outside(context.transaction):
        if person.id == user_id:
            return _as_seen(person, belonged)
    stranger = store.person(context.transaction, user_id)
    is_known = user_store.met(context.transaction, user_id) or has_joined(context.transaction, user_id)
    if stranger is None or not is_known:
        raise NotFound(NOBODY)
    return _as_seen(stranger, belonged=False)


def lock(transaction: Transaction, _params: Params) -> None:
    """Lock the account's people before the caller's permission is checked.

    A concurrent removal from the account also removes the caller from its projects.
    """
    account_store.lock(transaction)


def update(context: Context, params: Params) -> Person:
    """Change a person's role, and disable or enable their login in the account.

    Raises NotFound, Invalid for an unknown role, Forbidden for the caller's own login or if only an owner may
    do this, Conflict if the account would be left without an administrator.
    """
    person = met(context, params.ids["id"])
    roles.check_owner_change(context, person)
    draft = params.draft_of(Person)
    role = draft.get(Person.role)
    if role is not UNSET:
        _change_role(context, one(context, person.id), role)
    disabled = draft.over(_as_shown(person)).disabled
    # Who disables a login that the removal of a spammer has disabled wants it to stay so after an undo.
    is_renewed = draft.get(Person.disabled) is True and person.disabled_at is not None
    if disabled != person.disabled or is_renewed:
        if disabled:
            check_other_administrator(context, person)
        logins.change(context, person, disabled=disabled)
    after = _as_shown(met(context, person.id))
    if is_renewed:
        events.record(context, Type.PERSON_UPDATED, person.id)
    return events.record_change(context, Type.PERSON_UPDATED, _as_shown(person), after)


def _change_role(context: Context, person: StoredPerson, role: str) -> None:
    roles.check(context, role, person)
    if person.service and role == "owner":
        raise Invalid("A service user cannot be an owner")
    if role == "member":
        check_other_administrator(context, person)
    store.change_role(context.transaction, person.id, role)


def end_sessions(context: Context, params: Params) -> None:
    """Sign a person out of all browsers in the account; their tokens stay valid.

    Raises NotFound, or Forbidden if only an owner may do this.
    """
    person = one(context, params.ids["id"])
    roles.check_owner_change(context, person)
    sessions.end_here(context.transaction, person.id)
    audit.record(context, Kind.SESSION_ENDED, details={"all": True, "user_id": person.id})


def check_other_administrator(context: Context, person: StoredPerson) -> None:
    """Raise Conflict if this person is the only administrator of the account."""
    if store.administrators(context.transaction, in_person=True) <= {person.id}:
        raise Conflict("An account needs at least one administrator")


def linked(context: Context) -> dict[int, int]:
    """Return how many accounts at providers people have linked, by their ids."""
    return identities.counts(context.transaction)


def reset_factors(context: Context, params: Params) -> None:
    """Remove the second factors and links to providers of somebody, and sign out their browsers.

    Raises NotFound, Forbidden if only an owner may do this, Conflict if there is none.
    """
    person = met(context, params.ids["id"])
    roles.check_owner_change(context, person)
    factors.reset(context, person)
