"""Tokens for an account, or for one of its projects, with the permissions of their owner."""

from datetime import datetime

from skerry.database.rows import timestamp, timestamp_or_none
from skerry.database.transactions import DAY, HOUR, Transaction, microseconds
from skerry.errors import Invalid, NotFound
from skerry.resources.auth import Token
from skerry.store import projects as project_store
from skerry.store.auth import tokens as store
from skerry.store.events.decoding import Changes
from skerry.store.people import people as people_store
from skerry.store.people.person import StoredPerson
from skerry.text.numbers import counted
from skerry.text.slugs import leading_number
from skerry.text.words import having_words
from skerry.tracker import access, secrets
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params, Principal, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.tracker.token_scopes import in_order
from skerry.visibility import is_visible
from skerry.wire.record import UNSET, changed

MAX_NOTE_LENGTH = 255
MAX_DAYS = 3650

OVERLAP_HOURS = 24
MAX_OVERLAP_HOURS = 30 * 24

NO_TOKEN = "There is no such token"  # noqa: S105 - a sentence


def get(context: Context, params: Params) -> Token:
    """Return a token to its owner, by its value, which is not stored.

    Raises NotFound for everybody else, and for a caller with the token of another project.
    """
    value = params.texts["token"]
    row = store.with_hash(context.transaction, secrets.hash_token(value))
    if row is None or not _is_of(row[0], context.author):
        raise NotFound(NO_TOKEN)
    return _as_shown(context, row[0], value)


def _as_shown(context: Context, token: store.StoredToken, value: str) -> Token:
    return Token(
        created_at=timestamp(token.created_at),
        note=token.note,
        project_id=token.project_id,
        read_only=token.read_only,
        token=value,
        user_id=token.user_id,
        account=context.transaction.base,
        scopes=token.scopes or UNSET,
    )


def list_all(context: Context, _params: Params) -> ResultPage[Token]:
    """Return the caller's valid tokens without their values, the newest first."""
    return ResultPage(Token, filter_by_name(context, ""))


def filter_by_name(context: Context, search_text: str) -> list[Token]:
    """Return the tokens whose note contains the searched words."""
    return of_owner(context, context.author.user_id, search_text)


def of_owner(context: Context, owner_id: int, search_text: str = "") -> list[Token]:
    """Return somebody's valid tokens whose note contains the searched words, without their values."""
    owned = store.of_user(context.transaction, owner_id)
    return [_own(context, token) for token in having_words(owned, lambda token: token.note, search_text)]


def own(context: Context, params: Params) -> Token:
    """Return one of the caller's valid tokens without its value; raises NotFound."""
    return one_of_owner(context, context.author.user_id, params)


def one_of_owner(context: Context, owner_id: int, params: Params) -> Token:
    """Return one of somebody's valid tokens without its value; raises NotFound."""
    return _own(context, _stored(context, owner_id, params))


def _stored(context: Context, owner_id: int, params: Params) -> store.StoredToken:
    for token in store.of_user(context.transaction, owner_id):
        if token.id == params.ids["id"]:
            return token
    raise NotFound(NO_TOKEN)


def _own(context: Context, token: store.StoredToken, value: str = "") -> Token:
    return changed(
        _as_shown(context, token, value),
        id=token.id,
        expires_at=timestamp_or_none(token.expires_at),
        used_at=timestamp_or_none(token.used_at),
        address=token.address,
        scopes=token.scopes,
    )


def create(context: Context, params: Params) -> Token:
    """Create a token for the caller; raises as ``create_for``."""
    return _announced(context, create_for(context, _owner(context), params))


def _owner(context: Context) -> StoredPerson:
    owner = people_store.person(context.transaction, context.author.user_id)
    if owner is None:
        raise NotFound
    return owner


def create_for(context: Context, owner: StoredPerson, params: Params) -> Token:
    """Create a token for somebody; only this response contains its value.

    Raises NotFound if the project is not visible to the caller, Invalid for an invalid value or if the owner
    is not a member of the project.
    """
    new = params.draft_of(Token).new
    if new.project_id is not None:
        access.enter(context, new.project_id, Permission.VIEW, writes=False)
    value = add(
        context.transaction,
        owner,
        project_id=new.project_id,
        read_only=new.read_only,
        note=new.note,
        scopes=new.scopes or "",
        expires_at=end_of(
            context.transaction, new.expires_at or None, None if new.days is UNSET else new.days
        ),
    )
    return _recorded(context, value)


def _recorded(context: Context, value: str) -> Token:
    made = with_value(context, value)
    changes: Changes = {} if made.user_id == context.author.user_id else {"user_id": [None, made.user_id]}
    events.record(context, Type.TOKEN_CREATED, made.id or None, changes=changes)
    return made


def with_value(context: Context, value: str) -> Token:
    """Return a token with its value, to show it once; raises NotFound."""
    row = store.with_hash(context.transaction, secrets.hash_token(value))
    if row is None:
        raise NotFound(NO_TOKEN)
    return _own(context, row[0], value)


def replace(context: Context, params: Params) -> Token:
    """Replace one of the caller's own tokens; raises as ``replace_for``."""
    return _announced(context, replace_for(context, _owner(context), params))


def _announced(context: Context, made: Token) -> Token:
    queue.send_alert(context.transaction, context.author.user_id, Alert.TOKEN_CREATED, made.note)
    return made


def replace_for(context: Context, owner: StoredPerson, params: Params) -> Token:
    """Create a token like one of the owner's, which works for ``overlap_hours`` more at most.

    A token with an end lasts as long as the one before did from its creation. Raises NotFound, Invalid for
    an invalid number of hours.
    """
    before = _stored(context, owner.id, params)
    hours = _hours(params.extra_params.get("overlap_hours", OVERLAP_HOURS))
    transaction = context.transaction
    lasts = before.expires_at - before.created_at if before.expires_at else None
    if lasts and transaction.lifetimes.token_days:
        # The setting may have been shortened since.
        lasts = min(lasts, transaction.lifetimes.token_days * DAY)
    value = add(
        transaction,
        owner,
        project_id=before.project_id,
        read_only=before.read_only,
        note=before.note,
        scopes=before.scopes,
        expires_at=transaction.now + lasts if lasts else None,
    )
    end = transaction.now + hours * HOUR
    if before.expires_at is None or end < before.expires_at:
        store.limit(transaction, before.id, end)
    return _recorded(context, value)


def _hours(said: object) -> int:
    hours = int(text) if (text := str(said)).isdecimal() and len(text) <= 3 else -1  # noqa: PLR2004
    if not 0 <= hours <= MAX_OVERLAP_HOURS:
        raise Invalid(f"Overlap hours must be a whole number from 0 to {MAX_OVERLAP_HOURS}")
    return hours


def end_of(transaction: Transaction, end: datetime | None, days: int | None) -> int | None:
    """Return when a token expires, in microseconds, or None for never; a date overrides ``days``.

    Raises Invalid for a date in the past, and for too many days.
    """
    if end is not None:
        if microseconds(end) <= transaction.now:
            raise Invalid("Expires at must be in the future")
        return microseconds(end)
    if days is None:
        return None
    if not 0 < days <= MAX_DAYS:
        raise Invalid(f"Days must be a whole number from 1 to {MAX_DAYS}")
    return transaction.now + int(days) * DAY


def remove(context: Context, params: Params) -> None:
    """Revoke one of the caller's tokens at once; raises NotFound."""
    remove_for(context, context.author.user_id, params)


def remove_for(context: Context, owner_id: int, params: Params) -> None:
    """Revoke one of somebody's tokens at once; raises NotFound."""
    token = _stored(context, owner_id, params)
    store.revoke(context.transaction, token.id)
    events.record(context, Type.TOKEN_REVOKED, token.id)


def remove_all(context: Context, _params: Params) -> None:
    """Revoke all of the caller's tokens in the account at once."""
    for token in store.of_user(context.transaction, context.author.user_id):
        store.revoke(context.transaction, token.id)
        events.record(context, Type.TOKEN_REVOKED, token.id)


def _is_of(token: store.StoredToken, principal: Principal) -> bool:
    return token.user_id == principal.user_id and principal.token_project in (0, token.project_id)


def add(
    transaction: Transaction,
    owner: StoredPerson,
    *,
    project_id: int | None,
    read_only: bool,
    note: str,
    scopes: str,
    expires_at: int | None,
) -> str:
    """Create a token that expires at ``expires_at`` in microseconds, and return its value.

    The value is not stored. Raises NotFound if there is no such project, Invalid if the owner is not a member
    of it, for unknown scopes, and for a token that would last longer than this server permits.
    """
    expires_at = _permitted_end(transaction, expires_at)
    if note.strip() and not is_visible(note):
        raise Invalid("Note can't be blank")
    if len(note) > MAX_NOTE_LENGTH or not note.isprintable():
        raise Invalid("Note must have at most 255 printable characters")
    if project_id is not None:
        if project_store.one(transaction, project_id) is None:
            raise NotFound(f"There is no project {project_id}")
        if owner.id not in people_store.worker_ids(transaction, project_id):
            raise Invalid(f"{owner.called} is not a member of project {project_id}")
    token = secrets.new_token()
    store.add(
        transaction,
        owner.id,
        secrets.hash_token(token),
        project_id=project_id,
        read_only=read_only,
        note=note,
        scopes=in_order(scopes),
        expires_at=expires_at,
    )
    return token


def _permitted_end(transaction: Transaction, end: int | None) -> int | None:
    days = transaction.lifetimes.token_days
    last = transaction.now + days * DAY
    if not days:
        return end
    # A minute more, so that a client with a slightly different clock can say the number of days.
    if end is not None and end > last + HOUR // 60:
        raise Invalid(f"A token must expire within {counted('{n} {day|days}', days)}")
    return min(end or last, last)


def id_of(transaction: Transaction, token: str) -> int | None:
    """Return the id of a token by its value, None for another text."""
    row = store.with_hash(transaction, secrets.hash_token(token))
    return row[0].id if row else None


def revoke(transaction: Transaction, token: str) -> int:
    """Revoke a token, given by its value or its id, and return its id; raises NotFound."""
    token_id = id_of(transaction, token) or leading_number(token) or 0
    if not store.revoke(transaction, token_id):
        raise NotFound("There is no such token, or it is already revoked")
    return token_id
