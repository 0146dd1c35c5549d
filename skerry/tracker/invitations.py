"""Invitations: links by which people come in, or get a new password."""

from collections.abc import Callable
from functools import partial

from skerry.errors import Conflict, Invalid, NotFound, SerializationFailure
from skerry.resources.invitations import Invitation, Welcome
from skerry.resources.users import User
from skerry.store import invitations as store
from skerry.store import people as people_store
from skerry.store import projects, tokens
from skerry.store.person import Person
from skerry.store.rows import moment
from skerry.store.transactions import DAY
from skerry.tracker import administration, events, finding, passwords, people, secrets, users
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Visit
from skerry.wire.record import UNSET

DAYS = 7
"""An invitation can be used for so long."""

LIFETIME = DAYS * DAY
"""The same in microseconds."""

GONE = "This invitation was already used, was revoked or has expired. Ask for a new one"

SIGN_IN_FIRST = (
    "This address already has a login on this server. Sign in with it, then open the invitation again"
)


def listed(visit: Visit, _ask: Ask) -> Listing[Invitation]:
    """Return the invitations that can still be used, the newest first."""
    return Listing(Invitation, named(visit, ""))


def named(visit: Visit, sought: str) -> list[Invitation]:
    """Return those whose name or address contains the words sought."""
    waiting = store.waiting(visit.transaction)
    return [_shown(kept) for kept in finding.named(waiting, lambda each: f"{each.name} {each.email}", sought)]


def shown(visit: Visit, ask: Ask) -> Invitation:
    """Return one that can still be used; raises NotFound."""
    for kept in store.waiting(visit.transaction):
        if kept.id == ask.ids["id"]:
            return _shown(kept)
    raise NotFound("There is no such invitation")


def _shown(kept: store.Invitation, url: str = "") -> Invitation:
    return Invitation(
        created_at=moment(kept.created_at),
        creator_id=kept.creator_id,
        email=kept.email,
        expires_at=moment(kept.expires_at),
        id=kept.id,
        name=kept.name,
        project_id=kept.project_id,
        role=kept.role or "",
        user_id=kept.user_id,
        url=url or UNSET,
    )


def create(visit: Visit, ask: Ask) -> Invitation:
    """Make a link for an e-mail address, in place of an earlier one; it stands in this answer only.

    For somebody of the account it gives a new password. Raises Invalid if a value cannot be used,
    Forbidden where only an owner may, Conflict for somebody of the account who is elsewhere too.
    """
    new = ask.draft_of(Invitation).new
    email, name = new.email.strip().lower(), new.name.strip()
    people.check_email(email)
    present = _present(visit, email)
    role = None if present else _role(visit, new)
    code = secrets.new_token()
    store.add(
        visit.transaction,
        secrets.hash_token(code),
        email=email,
        name=present.name if present else name,
        role=role,
        project_id=None if present else new.project_id,
        user_id=present.id if present else None,
        creator_id=visit.author.user_id,
        expires_at=visit.transaction.now + LIFETIME,
    )
    kept = _with_code(visit, code)
    events.record(visit, Type.INVITATION_CREATED, kept.id, project_id=kept.project_id)
    return _shown(kept, f"{visit.transaction.base}/welcome/{code}")


def _present(visit: Visit, email: str) -> Person | None:
    """Return who of the account has the address; their password opens every account that they belong to.

    An address that has a login elsewhere is treated like one without: who invites is not to learn of it.
    """
    here = people_store.of_account(visit.transaction)
    person = next((each for each in here if each.email == email), None)
    _refuse_disabled(visit, person, email)
    if person is None:
        return None
    if people_store.belongs_elsewhere(visit.transaction, person.id):
        raise Conflict(f"Email {email} has a login for other accounts of this server already")
    administration.check_above(visit, person)
    return person


def _refuse_disabled(visit: Visit, person: Person | None, email: str) -> None:
    """Raise Conflict for a login that is disabled, as far as the account knows of it."""
    known = person or people_store.with_email(visit.transaction, email)
    if known and (known.disabled if person else known.disabled_at is not None):
        raise Conflict(f"The login {email} is disabled; enable it first")


def _role(visit: Visit, new: Invitation) -> str | None:
    role, project_id = new.role or None, new.project_id
    if role:
        administration.check_role(visit, role)
    elif project_id is None:
        raise Invalid("An invitation needs a role or a project")
    if project_id is not None and projects.one(visit.transaction, project_id) is None:
        raise Invalid("Project is not one of this account")
    return role


def remove(visit: Visit, ask: Ask) -> None:
    """Revoke an invitation; raises NotFound."""
    if not store.remove(visit.transaction, ask.ids["id"]):
        raise NotFound("There is no such invitation")
    events.record(visit, Type.INVITATION_DELETED, ask.ids["id"])


def _with_code(visit: Visit, code: str) -> store.Invitation:
    kept = store.with_hash(visit.transaction, secrets.hash_token(code))
    if kept is None or not _is_still_given(visit, kept):
        raise NotFound(GONE)
    return kept


def _is_still_given(visit: Visit, kept: store.Invitation) -> bool:
    """Return whether whoever made an invitation could make it now: roles and logins change while it waits."""
    maker = people_store.person(visit.transaction, kept.creator_id)
    role = maker.role if maker and not maker.disabled else None
    wanted = kept.role
    if kept.user_id is not None:
        here = {person.id: person for person in people_store.of_account(visit.transaction)}
        present = here.get(kept.user_id)
        # By now the address may be that of somebody else.
        if present is None or present.email != kept.email or present.disabled:
            return False
        if people_store.belongs_elsewhere(visit.transaction, kept.user_id):
            return False
        wanted = present.role
    elif wanted is None and _project(visit, kept) is None:
        # Whoever came in would belong to nothing, where nobody in the account sees them.
        return False
    return role == "owner" or (role == "administrator" and wanted != "owner")


def _project(visit: Visit, kept: store.Invitation) -> int | None:
    """Return the project into which somebody is invited, if it is still there."""
    project_id = kept.project_id
    is_there = project_id is not None and projects.one(visit.transaction, project_id)
    return project_id if is_there else None


def welcome(visit: Visit, ask: Ask) -> Welcome:
    """Return who is invited by a code; raises NotFound if it opens nothing."""
    kept = _with_code(visit, ask.texts["code"])
    valid = tokens.of_user(visit.transaction, kept.user_id) if kept.user_id is not None else []
    return Welcome(email=kept.email, name=kept.name, tokens_count=len(valid))


def is_for_caller(visit: Visit, ask: Ask) -> bool:
    """Return whether the invited address is the caller's, who then joins with their login.

    Raises NotFound if the code opens nothing.
    """
    return _joins(visit, _with_code(visit, ask.texts["code"]))


def _joins(visit: Visit, kept: store.Invitation) -> bool:
    if visit.caller is None or visit.caller.token_id or kept.user_id is not None:
        return False
    person = people_store.person(visit.transaction, visit.caller.user_id)
    return person is not None and person.email == kept.email


def hashed(visit: Visit, ask: Ask) -> Callable[[], Ask]:
    """Return a function that replaces the request's password by its hash.

    Whoever joins with the login that they have needs no password, and the request comes back without.
    Raises NotFound if the code opens nothing, Invalid if a password is missing; the function raises
    Invalid if it cannot be used.
    """
    kept = _with_code(visit, ask.texts["code"])
    draft = ask.draft_of(Welcome)
    if _joins(visit, kept):
        return lambda: ask.drafting(draft.put(Welcome.password, ""))
    if not draft.new.password:
        raise Invalid("Password can't be blank")
    return partial(passwords.hashed, ask, draft, Welcome.password)


def accept(visit: Visit, ask: Ask) -> User:
    """Accept an invitation with the chosen password, use up its code, and return who joined.

    Raises NotFound if the code opens nothing, Invalid if a value cannot be used, Conflict if somebody
    has the e-mail address who has not signed in, Collision if that has changed meanwhile.
    """
    kept = _with_code(visit, ask.texts["code"])
    if not store.use(visit.transaction, kept.id):
        raise NotFound(GONE)
    if kept.user_id is not None:
        people.change_password(visit.transaction, kept.email, _password_hash(ask))
        passwords.tokens_left(visit.transaction, kept.user_id, revoke=ask.draft_of(Welcome).new.revoke_tokens)
        events.record(visit, Type.PASSWORD_CHANGED, kept.user_id, user_id=kept.user_id)
        return users.known(visit, kept.user_id)
    user_id = _joined(visit, kept) if _joins(visit, kept) else _added(visit, ask, kept)
    project_id = _project(visit, kept)
    if project_id is not None:
        people_store.join_project(visit.transaction, project_id, user_id)
    events.record(visit, Type.INVITATION_ACCEPTED, kept.id, user_id=user_id, project_id=project_id)
    return users.known(visit, user_id)


def _joined(visit: Visit, kept: store.Invitation) -> int:
    caller = visit.author
    if kept.role and caller.role is None:
        people_store.join_account(visit.transaction, caller.user_id, kept.role)
    return caller.user_id


def _added(visit: Visit, ask: Ask, kept: store.Invitation) -> int:
    if people_store.with_email(visit.transaction, kept.email):
        raise Conflict(SIGN_IN_FIRST)
    name = ask.draft_of(Welcome).new.name.strip() or kept.name
    password_hash = _password_hash(ask)
    return people.add(
        visit.transaction, email=kept.email, name=name, password_hash=password_hash, role=kept.role
    )


def _password_hash(ask: Ask) -> str:
    """Return the hash of the password; raises SerializationFailure if none was needed a moment ago."""
    password_hash = ask.draft_of(Welcome).new.password
    if not password_hash:
        raise SerializationFailure
    return password_hash
