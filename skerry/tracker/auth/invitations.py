"""Invitations: links by which people join the account or a project, or choose a new password."""

from collections.abc import Callable
from functools import partial

from skerry.database.rows import timestamp
from skerry.database.transactions import DAY, Transaction
from skerry.errors import Conflict, Invalid, NotFound, SerializationFailure
from skerry.resources.auth import Invitation, Welcome
from skerry.resources.people import User
from skerry.store import projects
from skerry.store.auth import account_logins, logins
from skerry.store.auth import invitations as store
from skerry.store.auth.logins import Login
from skerry.store.people import people as people_store
from skerry.store.people import preferences
from skerry.store.people.person import StoredPerson
from skerry.text.words import having_words
from skerry.tracker import secrets
from skerry.tracker.auth import passwords
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.people import people, roles, single_sign_on, users
from skerry.wire.record import UNSET

DAYS = 7
"""How long an invitation is valid."""

LIFETIME = DAYS * DAY
"""How long an invitation is valid, in microseconds."""

GONE = "This invitation was already used, was revoked or has expired. Ask for a new one"

SIGN_IN_FIRST = (
    "This address already has a login on this server. Sign in with it, then open the invitation again"
)


def list_all(context: Context, _params: Params) -> ResultPage[Invitation]:
    """Return the valid invitations, newest first."""
    return ResultPage(Invitation, filter_by_name(context, ""))


def filter_by_name(context: Context, search_text: str) -> list[Invitation]:
    """Return the invitations whose name or address contains the searched words."""
    waiting = store.waiting(context.transaction)
    invitations = having_words(waiting, lambda each: f"{each.name} {each.email}", search_text)
    return [_as_shown(kept) for kept in invitations]


def get(context: Context, params: Params) -> Invitation:
    """Return a valid invitation; raises NotFound."""
    for kept in store.waiting(context.transaction):
        if kept.id == params.ids["id"]:
            return _as_shown(kept)
    raise NotFound("There is no such invitation")


def _as_shown(kept: store.StoredInvitation, url: str = "") -> Invitation:
    return Invitation(
        created_at=timestamp(kept.created_at),
        creator_id=kept.creator_id,
        email=kept.email,
        expires_at=timestamp(kept.expires_at),
        id=kept.id,
        name=kept.name,
        project_id=kept.project_id,
        role=kept.role or "",
        user_id=kept.user_id,
        url=url or UNSET,
    )


def create(context: Context, params: Params) -> Invitation:
    """Create a link for an e-mail address, replacing an earlier one.

    It is mailed, or only this response contains it if no mail is sent. For a person of the account it sets a
    new password. Raises Invalid for an invalid value, Forbidden if only an owner may do this, Conflict for a
    disabled login.
    """
    new = params.draft_of(Invitation).new
    email = people.checked_email(new.email)
    present = _present(context, email)
    if present is None:
        check_role(context, new.role, new.project_id)
    return add(context, email, new, present)


def add(context: Context, email: str, new: Invitation, present: StoredPerson | None = None) -> Invitation:
    """Add an invitation that was checked: of an address, or of a person of the account."""
    code = secrets.new_token()
    store.add(
        context.transaction,
        secrets.hash_token(code),
        email=email,
        name=present.name if present else new.name.strip(),
        role=None if present else new.role or None,
        project_id=None if present else new.project_id,
        user_id=present.id if present else None,
        creator_id=context.author.user_id,
        expires_at=context.transaction.now + LIFETIME,
    )
    kept = _with_code(context, code)
    events.record(context, Type.INVITATION_CREATED, kept.id, project_id=kept.project_id)
    queue.put(context.transaction, "invitation", {"invitation_id": kept.id}, email=email)
    # Whoever opens a mailed link proves that the address is theirs, so nobody else may see it.
    is_mailed = queue.is_on(context.transaction)
    return _as_shown(kept, "" if is_mailed else f"{context.transaction.base}/welcome/{code}")


def _present(context: Context, email: str) -> StoredPerson | None:
    """Return the person of the account with the address.

    An address with a login in other accounts is treated like a new one, so that it is not revealed.
    """
    person, removed = _of_account(context, email), _removed(context, email)
    if (person and person.disabled) or (removed and removed.disabled_at is not None):
        raise Conflict(f"The login {email} is disabled; enable it first")
    if person:
        roles.check_owner_change(context, person)
        single_sign_on.check_password(context)
    return person


def _of_account(context: Context, email: str) -> StoredPerson | None:
    here = people_store.of_account(context.transaction)
    return next((person for person in here if person.email == email), None)


def _removed(context: Context, email: str) -> StoredPerson | None:
    outside = account_logins.outside(context.transaction)
    return next((person for person, belonged in outside if belonged and person.email == email), None)


def check_role(context: Context, role: str, project_id: int | None) -> None:
    """Raise Invalid for neither a role nor a project, Forbidden for a role that only an owner may give."""
    if role:
        roles.check(context, role)
    elif project_id is None:
        raise Invalid("An invitation needs a role or a project")
    if project_id is not None and projects.one(context.transaction, project_id) is None:
        raise Invalid("Project is not in this account")


def remove(context: Context, params: Params) -> None:
    """Revoke an invitation; raises NotFound."""
    if not store.remove(context.transaction, params.ids["id"]):
        raise NotFound("There is no such invitation")
    events.record(context, Type.INVITATION_DELETED, params.ids["id"])


def _with_code(context: Context, code: str) -> store.StoredInvitation:
    kept = store.with_hash(context.transaction, secrets.hash_token(code))
    if kept is None or not _is_still_given(context, kept):
        raise NotFound(GONE)
    return kept


def still_given(transaction: Transaction, invitation_id: int) -> store.StoredInvitation | None:
    """Return an invitation that can still be used."""
    kept = store.with_id(transaction, invitation_id)
    return kept if kept and _is_still_given(Context(transaction), kept) else None


def _is_still_given(context: Context, kept: store.StoredInvitation) -> bool:
    """Return whether the inviter could still create the invitation: roles and logins may have changed."""
    maker = people_store.person(context.transaction, kept.creator_id)
    role = maker.role if maker and not maker.disabled else None
    wanted = kept.role
    if kept.user_id is not None:
        here = {person.id: person for person in people_store.of_account(context.transaction)}
        present = here.get(kept.user_id)
        # The address may belong to somebody else by now.
        if present is None or present.email != kept.email or present.disabled:
            return False
        wanted = present.role
    elif wanted is None and _project(context, kept) is None:
        # The person would belong to no project, so that nobody in the account would see them.
        return False
    return role == "owner" or (role == "administrator" and wanted != "owner")


def _project(context: Context, kept: store.StoredInvitation) -> int | None:
    """Return the project of an invitation, if it still exists."""
    project_id = kept.project_id
    is_there = project_id is not None and projects.one(context.transaction, project_id)
    return project_id if is_there else None


def welcome(context: Context, params: Params) -> Welcome:
    """Return the invitation with a code; raises NotFound if the code is not valid."""
    kept = _with_code(context, params.texts["code"])
    ways = passwords.Kept()
    if kept.user_id is not None:
        ways = passwords.kept(context.transaction, kept.user_id, mailed=kept.by_mail)
    return Welcome(email=kept.email, name=kept.name, **ways._asdict())


def is_for_principal(context: Context, params: Params) -> bool:
    """Return whether the invited address is the caller's, who then joins with their login.

    Raises NotFound if the code is not valid.
    """
    return _joins(context, _with_code(context, params.texts["code"]))


def _joins(context: Context, kept: store.StoredInvitation) -> bool:
    if context.principal is None or context.principal.token_id or kept.user_id is not None:
        return False
    login = logins.of_user(context.transaction, context.principal.user_id)
    if login is None or login.email != kept.email:
        return False
    # A mailed link proves the address, and with it a new password is chosen.
    return login.is_proven or not kept.by_mail


def hashed(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that replaces the request's password with its hash.

    A person who joins with their existing login needs no password. Raises NotFound if the code is not valid,
    Invalid if a password is missing; the function raises Invalid for an unacceptable password.
    """
    kept = _with_code(context, params.texts["code"])
    single_sign_on.check_invited(context)
    draft = params.draft_of(Welcome)
    if _joins(context, kept):
        return lambda: params.drafting(draft.put(Welcome.password, ""))
    if not draft.new.password:
        raise Invalid("Password can't be blank")
    return partial(passwords.hashed, params, draft, Welcome.password, (kept.email, kept.name))


def accept(context: Context, params: Params) -> User:
    """Accept an invitation with the chosen password, and return the person who joined; it works once.

    By a mailed link the person joins with a login that is valid on the whole server, by a link that was shown
    with one of this account, whether or not the address has a login elsewhere. Raises NotFound if the code is
    not valid, Invalid for an invalid value, Conflict if the caller must sign in first, with such a login or a
    provider, SerializationFailure if that has changed meanwhile.
    """
    kept = _with_code(context, params.texts["code"])
    single_sign_on.check_invited(context)
    if not store.use(context.transaction, kept.id):
        raise NotFound(GONE)
    if kept.user_id is not None:
        _set_password(context, params, kept, kept.user_id)
        return users.known(context, kept.user_id)
    user_id = _entered(context, params, kept)
    if kept.by_mail:
        preferences.verify(context.transaction, user_id, kept.email)
    project_id = _project(context, kept)
    if project_id is not None:
        people_store.join_project(context.transaction, project_id, user_id)
    events.record(context, Type.INVITATION_ACCEPTED, kept.id, user_id=user_id, project_id=project_id)
    return users.known(context, user_id)


def _set_password(context: Context, params: Params, kept: store.StoredInvitation, user_id: int) -> None:
    chosen, password_hash = params.draft_of(Welcome).new, _password_hash(params)
    passwords.set_by_link(context, user_id, password_hash, chosen, mailed=kept.by_mail)


def _entered(context: Context, params: Params, kept: store.StoredInvitation) -> int:
    """Return the person who joins: the caller, the owner of the address, or a new person."""
    if _joins(context, kept):
        return _joined(context, kept, passwords.login_of(context.transaction, context.author.user_id))
    login = logins.with_email(context.transaction, kept.email)
    # Only the owner of the address is told of a login that the account does not know.
    is_known = _of_account(context, kept.email) or _removed(context, kept.email)
    if login is None or not (login.account_id or is_known or kept.by_mail):
        return _added(context, params, kept)
    if login.is_proven or not kept.by_mail:
        raise Conflict(SIGN_IN_FIRST)
    _set_password(context, params, kept, login.user_id)
    return _joined(context, kept, login)


def _joined(context: Context, kept: store.StoredInvitation, login: Login) -> int:
    if kept.role and login.role is None:
        people_store.join_account(context.transaction, login.user_id, kept.role)
    return login.user_id


def _added(context: Context, params: Params, kept: store.StoredInvitation) -> int:
    return people.add(
        context.transaction,
        email=kept.email,
        name=params.draft_of(Welcome).new.name.strip() or kept.name,
        password_hash=_password_hash(params),
        role=kept.role,
        account_id=0 if kept.by_mail else context.transaction.account_id,
    )


def _password_hash(params: Params) -> str:
    """Return the hash of the password; raises SerializationFailure if none was required before."""
    password_hash = params.draft_of(Welcome).new.password
    if not password_hash:
        raise SerializationFailure
    return password_hash
