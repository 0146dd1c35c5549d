"""Invitations: links with which people join, or choose a new password."""

from collections.abc import Callable
from functools import partial

from skerry.errors import Conflict, Invalid, NotFound, SerializationFailure
from skerry.resources.auth.invitations import Invitation, Welcome
from skerry.resources.people.users import User
from skerry.store import projects
from skerry.store.auth import invitations as store
from skerry.store.auth import tokens
from skerry.store.engine.rows import timestamp
from skerry.store.engine.transactions import DAY, Transaction
from skerry.store.people import people as people_store
from skerry.store.people import preferences
from skerry.store.people.person import Person
from skerry.tracker import administration
from skerry.tracker.auth import passwords, secrets
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.lists import name_filter
from skerry.tracker.mail import alerts, queue
from skerry.tracker.mail.alerts import Alert
from skerry.tracker.people import people, users
from skerry.wire.record import UNSET

DAYS = 7
"""How long an invitation is valid."""

LIFETIME = DAYS * DAY
"""The same in microseconds."""

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
    return [
        _as_shown(kept)
        for kept in name_filter.filter_by_name(waiting, lambda each: f"{each.name} {each.email}", search_text)
    ]


def get(context: Context, params: Params) -> Invitation:
    """Return a valid invitation; raises NotFound."""
    for kept in store.waiting(context.transaction):
        if kept.id == params.ids["id"]:
            return _as_shown(kept)
    raise NotFound("There is no such invitation")


def _as_shown(kept: store.Invitation, url: str = "") -> Invitation:
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
    """Create a link for an e-mail address, replacing an earlier one; only this response contains it.

    For a person of the account it sets a new password. Raises Invalid for an invalid value, Forbidden if only
    an owner may do this, Conflict for a person of the account who also belongs to another one.
    """
    new = params.draft_of(Invitation).new
    email, name = new.email.strip().lower(), new.name.strip()
    people.check_email(email)
    present = _present(context, email)
    role = None if present else _role(context, new)
    code = secrets.new_token()
    store.add(
        context.transaction,
        secrets.hash_token(code),
        email=email,
        name=present.name if present else name,
        role=role,
        project_id=None if present else new.project_id,
        user_id=present.id if present else None,
        creator_id=context.author.user_id,
        expires_at=context.transaction.now + LIFETIME,
    )
    kept = _with_code(context, code)
    events.record(context, Type.INVITATION_CREATED, kept.id, project_id=kept.project_id)
    queue.put(context.transaction, "invitation", {"invitation_id": kept.id}, email=email)
    return _as_shown(kept, f"{context.transaction.base}/welcome/{code}")


def _present(context: Context, email: str) -> Person | None:
    """Return the person of the account with the address.

    The password is valid in all of their accounts. An address with a login in other accounts is treated like
    a new one, so that it is not revealed.
    """
    here = people_store.of_account(context.transaction)
    person = next((each for each in here if each.email == email), None)
    _refuse_disabled(context, person, email)
    if person is None:
        return None
    if people_store.belongs_elsewhere(context.transaction, person.id):
        raise Conflict(f"Email {email} already has a login for another account on this server")
    administration.check_owner_change(context, person)
    return person


def _refuse_disabled(context: Context, person: Person | None, email: str) -> None:
    """Raise Conflict for a disabled login, as far as the account knows of it."""
    known = person or people_store.with_email(context.transaction, email)
    if known and (known.disabled if person else known.disabled_at is not None):
        raise Conflict(f"The login {email} is disabled; enable it first")


def _role(context: Context, new: Invitation) -> str | None:
    role, project_id = new.role or None, new.project_id
    if role:
        administration.check_role(context, role)
    elif project_id is None:
        raise Invalid("An invitation needs a role or a project")
    if project_id is not None and projects.one(context.transaction, project_id) is None:
        raise Invalid("Project is not in this account")
    return role


def remove(context: Context, params: Params) -> None:
    """Revoke an invitation; raises NotFound."""
    if not store.remove(context.transaction, params.ids["id"]):
        raise NotFound("There is no such invitation")
    events.record(context, Type.INVITATION_DELETED, params.ids["id"])


def _with_code(context: Context, code: str) -> store.Invitation:
    kept = store.with_hash(context.transaction, secrets.hash_token(code))
    if kept is None or not _is_still_given(context, kept):
        raise NotFound(GONE)
    return kept


def still_given(transaction: Transaction, invitation_id: int) -> store.Invitation | None:
    """Return an invitation that can still be used."""
    kept = store.with_id(transaction, invitation_id)
    return kept if kept and _is_still_given(Context(transaction), kept) else None


def _is_still_given(context: Context, kept: store.Invitation) -> bool:
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
        if people_store.belongs_elsewhere(context.transaction, kept.user_id):
            return False
        wanted = present.role
    elif wanted is None and _project(context, kept) is None:
        # The person would belong to no project, so that nobody in the account would see them.
        return False
    return role == "owner" or (role == "administrator" and wanted != "owner")


def _project(context: Context, kept: store.Invitation) -> int | None:
    """Return the project of an invitation, if it still exists."""
    project_id = kept.project_id
    is_there = project_id is not None and projects.one(context.transaction, project_id)
    return project_id if is_there else None


def welcome(context: Context, params: Params) -> Welcome:
    """Return the invitation of a code; raises NotFound if the code is not valid."""
    kept = _with_code(context, params.texts["code"])
    valid = tokens.of_user(context.transaction, kept.user_id) if kept.user_id is not None else []
    return Welcome(email=kept.email, name=kept.name, tokens_count=len(valid))


def is_for_principal(context: Context, params: Params) -> bool:
    """Return whether the invited address is the caller's, who then joins with their login.

    Raises NotFound if the code is not valid.
    """
    return _joins(context, _with_code(context, params.texts["code"]))


def _joins(context: Context, kept: store.Invitation) -> bool:
    if context.principal is None or context.principal.token_id or kept.user_id is not None:
        return False
    person = people_store.person(context.transaction, context.principal.user_id)
    return person is not None and person.email == kept.email


def hashed(context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that replaces the request's password with its hash.

    A person who joins with their existing login needs no password. Raises NotFound if the code is not valid,
    Invalid if a password is missing; the function raises Invalid for an unacceptable password.
    """
    kept = _with_code(context, params.texts["code"])
    draft = params.draft_of(Welcome)
    if _joins(context, kept):
        return lambda: params.drafting(draft.put(Welcome.password, ""))
    if not draft.new.password:
        raise Invalid("Password can't be blank")
    return partial(passwords.hashed, params, draft, Welcome.password)


def accept(context: Context, params: Params) -> User:
    """Accept an invitation with the chosen password, and return the person who joined; it works once.

    Raises NotFound if the code is not valid, Invalid for an invalid value, Conflict if the e-mail address has
    a login and the caller is not signed in with it, SerializationFailure if that has changed meanwhile.
    """
    kept = _with_code(context, params.texts["code"])
    if not store.use(context.transaction, kept.id):
        raise NotFound(GONE)
    if kept.user_id is not None:
        people.change_password(context.transaction, kept.email, _password_hash(params))
        passwords.tokens_left(
            context.transaction, kept.user_id, revoke=params.draft_of(Welcome).new.revoke_tokens
        )
        _note_verified(context, kept, kept.user_id)
        alerts.send(context.transaction, kept.user_id, Alert.PASSWORD_CHANGED)
        events.record(context, Type.PASSWORD_CHANGED, kept.user_id, user_id=kept.user_id)
        return users.known(context, kept.user_id)
    user_id = _joined(context, kept) if _joins(context, kept) else _added(context, params, kept)
    _note_verified(context, kept, user_id)
    project_id = _project(context, kept)
    if project_id is not None:
        people_store.join_project(context.transaction, project_id, user_id)
    events.record(context, Type.INVITATION_ACCEPTED, kept.id, user_id=user_id, project_id=project_id)
    return users.known(context, user_id)


def _note_verified(context: Context, kept: store.Invitation, user_id: int) -> None:
    """Record that the invited address is verified, if the link was sent by mail."""
    if kept.by_mail:
        preferences.verify(context.transaction, user_id, kept.email)


def _joined(context: Context, kept: store.Invitation) -> int:
    principal = context.author
    if kept.role and principal.role is None:
        people_store.join_account(context.transaction, principal.user_id, kept.role)
    return principal.user_id


def _added(context: Context, params: Params, kept: store.Invitation) -> int:
    if people_store.with_email(context.transaction, kept.email):
        raise Conflict(SIGN_IN_FIRST)
    name = params.draft_of(Welcome).new.name.strip() or kept.name
    password_hash = _password_hash(params)
    return people.add(
        context.transaction, email=kept.email, name=name, password_hash=password_hash, role=kept.role
    )


def _password_hash(params: Params) -> str:
    """Return the hash of the password; raises SerializationFailure if none was required before."""
    password_hash = params.draft_of(Welcome).new.password
    if not password_hash:
        raise SerializationFailure
    return password_hash
