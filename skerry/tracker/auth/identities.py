"""Identities: signing in with an OpenID Connect provider, and linking one to a login."""

from collections.abc import Iterable

from skerry.database.rows import timestamp
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, NotFound, Unauthenticated
from skerry.oidc_settings import ProviderSettings
from skerry.openid.answers import Answer
from skerry.resources.auth import Identity
from skerry.store import accounts
from skerry.store.auth import account_logins, invitations, logins, passkeys
from skerry.store.auth import identities as store
from skerry.store.auth.logins import Login
from skerry.store.events.decoding import Changes
from skerry.store.people import people as people_store
from skerry.store.people import users
from skerry.text import addresses
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import passwords
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.tracker.people import people
from skerry.visibility import is_visible

DISABLED = "Your login is disabled here. Ask an administrator"
UNVERIFIED = (
    "The provider did not confirm your e-mail address, so nobody here can be found by it. Confirm it there, "
    "or sign in with your password and link the provider in your profile"
)
UNPROVEN = (
    "The login here with your e-mail address is not confirmed yet. Sign in with its password, then confirm "
    "the address or link the provider in your profile"
)
LINKED = (
    "The login here with your e-mail address is linked to another account at the provider. Sign in with that "
    "one, or ask an administrator"
)
PROTECTED = (
    "The login here with your e-mail address has a second factor. Sign in with its password and the factor, "
    "then link the provider in your profile"
)
PROTECTED_HERE = (
    "The login here with your e-mail address has a second factor. Ask an administrator to reset it, "
    "then sign in again"
)
NOT_ALLOWED = "You do not belong to this site yet. Ask an administrator for an invitation"

NO_GROUP = "None of your groups at the provider may use this site. Ask its administrator"
TAKEN = "This account of the provider is linked to another login here. Unlink it there first"
LAST_PROVIDER = "Members of this site sign in with a provider. Link another one first"
LAST_WAY = "This is your only way to sign in. Choose a password, or link another provider first"


def list_all(context: Context, _params: Params) -> ResultPage[Identity]:
    """Return the caller's accounts at providers."""
    return ResultPage(
        Identity,
        [
            Identity(
                id=each.id,
                provider=each.provider,
                email=each.email,
                created_at=timestamp(each.created_at),
                used_at=timestamp(each.used_at),
            )
            for each in store.of_user(context.transaction, context.author.user_id)
        ],
    )


def remove(context: Context, params: Params) -> None:
    """Unlink an account at a provider; raises NotFound, or Conflict for the last way to sign in."""
    transaction, user_id = context.transaction, context.author.user_id
    users.lock(transaction, user_id)
    login, kept = passwords.login_of(transaction, user_id), store.of_user(transaction, user_id)
    if [each.id for each in kept] == [params.ids["id"]]:
        if login.needs_provider:
            raise Conflict(LAST_PROVIDER)
        if not login.password_hash and not passkeys.count(transaction, user_id):
            raise Conflict(LAST_WAY)
    if not store.remove(transaction, user_id, params.ids["id"]):
        raise NotFound("There is no such link to a provider")
    audit.record(context, Kind.IDENTITY_DELETED, params.ids["id"])
    queue.send_alert(transaction, user_id, Alert.IDENTITY_DELETED)


def link(context: Context, provider: ProviderSettings, answer: Answer) -> None:
    """Link an account at a provider to the caller; raises Conflict if it is somebody else's."""
    transaction, user_id = context.transaction, context.author.user_id
    known = store.find(transaction, provider.name, provider.issuer, answer.subject)
    if known and known.user_id != user_id:
        raise Conflict(TAKEN)
    if known is None:
        _add(transaction, user_id, provider, answer)
        queue.send_alert(transaction, user_id, Alert.IDENTITY_CREATED, provider.label)


def _add(transaction: Transaction, user_id: int, provider: ProviderSettings, answer: Answer) -> None:
    place = {"provider": provider.name, "issuer": provider.issuer}
    identity_id = store.add(transaction, user_id, **place, subject=answer.subject, email=answer.email)
    audit.record(_context(transaction, provider), Kind.IDENTITY_CREATED, identity_id, user_id=user_id)


def _context(transaction: Transaction, provider: ProviderSettings) -> Context:
    """Return the context of what is done in the name of a provider."""
    return Context(transaction, credential=f"provider {provider.name}")


def sign_in(transaction: Transaction, provider: ProviderSettings, answer: Answer) -> int:
    """Return the user whom a provider names: known, with the same address, or new.

    Their role becomes the one that their groups give now. Raises Unauthenticated with a sentence that says
    what to do for anybody else, and for a disabled login.
    """
    accounts.lock(transaction)
    known = store.find(transaction, provider.name, provider.issuer, answer.subject)
    login = logins.of_user(transaction, known.user_id) if known else None
    if login is None or known is None:
        login = _matched(transaction, provider, answer)
        user_id = login.user_id if login else _added(transaction, provider, answer)
        if known:
            store.remove(transaction, known.user_id, known.id)
        _add(transaction, user_id, provider, answer)
        if login:
            queue.send_alert(transaction, user_id, Alert.IDENTITY_CREATED, provider.label)
    else:
        user_id = login.user_id
        store.used(transaction, known.id)
    if login and login.disabled_at is not None:
        raise Unauthenticated(DISABLED)
    _give_role(transaction, user_id, provider, answer.groups)
    return user_id


def _matched(transaction: Transaction, provider: ProviderSettings, answer: Answer) -> Login | None:
    """Return the login with the person's verified address.

    Raises Unauthenticated if it is not proven, unless the account demands a provider, if it has a second
    factor, or if it is linked to somebody else at the provider, who had the address before.
    """
    if not answer.email:
        raise Unauthenticated(UNVERIFIED)
    login = logins.with_email(transaction, addresses.trimmed(answer.email))
    if login is None or (provider.hosts and not _is_here(transaction, login)):
        return None
    if not login.is_proven and not login.needs_provider:
        # Somebody else may have chosen its password.
        raise Unauthenticated(UNPROVEN)
    place, kept = (provider.name, provider.issuer), store.of_user(transaction, login.user_id)
    if any((each.provider, each.issuer) == place for each in kept):
        raise Unauthenticated(LINKED)
    if login.factor_at is not None:
        # Whoever reads somebody's mail could sign in with it, at providers where anybody can register.
        raise Unauthenticated(PROTECTED_HERE if login.needs_provider else PROTECTED)
    if not login.is_proven:
        passwords.withdraw(_context(transaction, provider), login)
    if login.disabled_at is None and not _is_here(transaction, login) and _is_allowed(provider, login.email):
        _join(transaction, provider, login.user_id)
    return login


def _is_here(transaction: Transaction, login: Login) -> bool:
    """Return whether somebody belongs to the account, or did before they were removed."""
    if login.account_id or login.role or users.of_account(transaction, login.user_id):
        return True
    return any(person.id == login.user_id for person, _ in account_logins.outside(transaction))


def _is_allowed(provider: ProviderSettings, email: str) -> bool:
    return email.rpartition("@")[2] in provider.domains


def _join(transaction: Transaction, provider: ProviderSettings, user_id: int) -> None:
    """Make somebody of the server a member, unless groups say who is one."""
    if not provider.roles:
        people_store.join_account(transaction, user_id, "member")
        events.record(_context(transaction, provider), Type.PERSON_ADDED, user_id, user_id=user_id)


def _added(transaction: Transaction, provider: ProviderSettings, answer: Answer) -> int:
    """Add a new person if their domain is allowed or they are invited; raises Unauthenticated."""
    try:
        email = addresses.normal(answer.email)
    except addresses.BadAddress as error:
        raise Unauthenticated(UNVERIFIED) from error
    is_invited = any(each.email == email for each in invitations.waiting(transaction))
    is_allowed = _is_allowed(provider, email)
    if not (is_invited or is_allowed):
        raise Unauthenticated(NOT_ALLOWED)
    role = provider.role_for(answer.groups) if provider.roles else "member"
    if role is None and not is_invited:
        raise Unauthenticated(NO_GROUP)
    name = "".join(filter(str.isprintable, answer.name)).strip()[: people.MAX_NAME_LENGTH]
    user_id = people.add(
        transaction,
        email=email,
        name=name if is_visible(name) else email.partition("@")[0],
        password_hash="",
        role=role if is_allowed else None,
        # What is trusted at some hosts says nothing about the other accounts of the server.
        account_id=transaction.account_id if provider.hosts else 0,
    )
    if not provider.hosts:
        logins.prove(transaction, passwords.login_of(transaction, user_id))
    events.record(_context(transaction, provider), Type.PERSON_ADDED, user_id, user_id=user_id)
    return user_id


def _give_role(
    transaction: Transaction, user_id: int, provider: ProviderSettings, groups: Iterable[str]
) -> None:
    """Set the role of a person to that of their groups, or none; the last administrator stays one."""
    person = people_store.person(transaction, user_id)
    if not provider.roles or person is None:
        return
    role = provider.role_for(groups)
    is_owner_by_hand = person.role == "owner" and "owner" not in provider.roles.values()
    administrators = people_store.administrators(transaction, in_person=True)
    is_last = role in (None, "member") and administrators <= {user_id}
    if role == person.role or is_owner_by_hand or (is_last and person.role in ("administrator", "owner")):
        return
    if role:
        people_store.change_role(transaction, user_id, role)
    else:
        people_store.lose_role(transaction, user_id)
    changes: Changes = {"role": [person.role or "", role or ""]}
    context = _context(transaction, provider)
    events.record(context, Type.PERSON_UPDATED, user_id, changes=changes, user_id=user_id)
