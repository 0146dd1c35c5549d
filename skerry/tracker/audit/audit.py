"""Records security events, each in the transaction of what it records; ``chain`` seals them later.

Changes that are events of the account are recorded by ``events.record``, if their type is a ``Kind``;
everything else calls ``record``. Never a secret: details hold numbers, flags and the few texts of ``_SHOWN``.
"""

import hashlib
import json
import os
import pwd
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Any

from skerry.database.transactions import Transaction
from skerry.store import accounts
from skerry.store import audit as store
from skerry.store.audit import NewEntry
from skerry.store.events.events import NewEvent
from skerry.store.people import users
from skerry.tracker.context import Context
from skerry.wire.values import time_text

_SALT_BYTES = 16
_RANDOM_BITS = 11

COMMANDS = "cli"
"""The source of events that commands make."""

COMMAND = "command"
"""The credential of whoever runs commands on the server."""

SERVICE = "service"
"""The credential of the server itself."""

LINK = "link"
"""The credential of somebody with a secret link, such as that of an invitation."""

PASSWORD = "password"  # noqa: S105 - the name of a credential


class Kind(StrEnum):
    """The kinds of security events: the kind of the subject, and a past participle."""

    ACCOUNT_CREATED = "account.created"
    ACCOUNT_UPDATED = "account.updated"
    BACKUP_MADE = "backup.made"
    BACKUP_RESTORED = "backup.restored"
    EXPORT_MADE = "export.made"
    FACTOR_CREATED = "factor.created"
    FACTOR_DELETED = "factor.deleted"
    FACTOR_RESET = "factor.reset"
    FEED_CREATED = "feed.created"
    FEED_DELETED = "feed.deleted"
    FORGE_CREATED = "forge.created"
    FORGE_DELETED = "forge.deleted"
    FORGE_UPDATED = "forge.updated"
    HOOK_CREATED = "hook.created"
    HOOK_DELETED = "hook.deleted"
    HOOK_UPDATED = "hook.updated"
    IDENTITY_CREATED = "identity.created"
    IDENTITY_DELETED = "identity.deleted"
    IMPORT_CREATED = "import.created"
    INVITATION_ACCEPTED = "invitation.accepted"
    INVITATION_CREATED = "invitation.created"
    INVITATION_DELETED = "invitation.deleted"
    LOG_ERASED = "log.erased"
    LOG_REMOVED = "log.removed"
    MAIL_ADDRESSES_RENEWED = "mail_addresses.renewed"
    MEMBER_ADDED = "member.added"
    MEMBER_REMOVED = "member.removed"
    MEMBER_RESTORED = "member.restored"
    PASSKEY_CREATED = "passkey.created"
    PASSKEY_DELETED = "passkey.deleted"
    PASSKEY_UPDATED = "passkey.updated"
    PASSWORD_CHANGED = "password.changed"  # noqa: S105 - the name of a kind
    PERSON_ADDED = "person.added"
    PERSON_DISABLED = "person.disabled"
    PERSON_ENABLED = "person.enabled"
    PERSON_READDRESSED = "person.readdressed"
    PERSON_REMOVED = "person.removed"
    PERSON_RESTORED = "person.restored"
    PERSON_UPDATED = "person.updated"
    PLACEHOLDER_GIVEN = "placeholder.given"
    PROJECT_CREATED = "project.created"
    PROJECT_DELETED = "project.deleted"
    PROJECT_UPDATED = "project.updated"
    RECOVERY_CODES_CREATED = "recovery_codes.created"
    SECRETS_RESET = "secrets.reset"
    SECRETS_ROTATED = "secrets.rotated"
    SENDING_UPDATED = "sending.updated"
    SESSION_CREATED = "session.created"
    SESSION_ENDED = "session.ended"
    SIGN_IN_ACCEPTED = "sign_in.accepted"
    SIGN_IN_REFUSED = "sign_in.refused"
    SIGN_UP_APPROVED = "sign_up.approved"
    SIGN_UP_PROVED = "sign_up.proved"
    SIGN_UP_REFUSED = "sign_up.refused"
    SPAM_REMOVED = "spam.removed"
    SPAM_RESTORED = "spam.restored"
    TOKEN_CREATED = "token.created"  # noqa: S105 - the name of a kind
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - the name of a kind


KINDS = frozenset(kind.value for kind in Kind)

# The fields whose old and new values are no secrets and say nothing about a person; of others only the name.
_SHOWN = {
    "account": frozenset(
        {"base_url", "factors_from", "name", "newcomers", "sign_up", "single_sign_on", "time_zone"}
    ),
    "person": frozenset({"disabled", "role", "service"}),
    "placeholder": frozenset({"user_id"}),
    "project": frozenset({"archived", "public"}),
    "hook": frozenset({"active", "events", "format"}),
    "sending": frozenset({"paused"}),
    "token": frozenset({"user_id"}),
}

_LONGEST = 255

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)

# Other changes of a project concern neither its safety nor who sees it.
_CONCERNS = {Kind.PROJECT_UPDATED: frozenset({"archived", "public"})}


def of_event(context: Context, event: NewEvent, project_id: int | None) -> None:
    """Record an event of the account that is a security event, too, without what may be secret."""
    kind = Kind(event.type)
    if kind in _CONCERNS and event.changes.keys().isdisjoint(_CONCERNS[kind]):
        return
    shown = _SHOWN.get(event.subject_kind, frozenset())
    details = {name: values if name in shown else None for name, values in event.changes.items()}
    credential = COMMAND if event.via == COMMANDS else ""
    record(
        context,
        kind,
        event.subject_id,
        details=details,
        user_id=event.user_id,
        project_id=project_id,
        credential=credential,
    )


def record(
    context: Context,
    kind: Kind,
    subject_id: int | str | None = None,
    *,
    details: Mapping[str, object] | None = None,
    user_id: int | None = None,
    project_id: int | None = None,
    credential: str = "",
) -> None:
    """Record a security event in this transaction; by default it is the caller's, by the caller's credential.

    ``details`` are bound by the chain for as long as the log is kept: no secrets, no names, no addresses.
    """
    transaction, principal = context.transaction, context.principal
    used = credential or _credential(context)
    personal = _personal(context, used, name=principal.name if principal else "")
    store.add(
        transaction,
        NewEntry(
            entry=_new_id(),
            happened_at=transaction.now,
            kind=kind.value,
            subject_id=None if subject_id is None else str(subject_id),
            project_id=project_id,
            user_id=user_id or (principal.user_id if principal else None),
            credential=used,
            details=canonical({name: _plain(value) for name, value in (details or {}).items()}),
            personal=personal,
            personal_hash=hashed(personal),
        ),
    )


def by_command(
    transaction: Transaction, kind: Kind, subject_id: int | str | None = None, **more: Any
) -> None:
    """Record what somebody did by a command in the transaction's account."""
    record(Context(transaction, via=COMMANDS), kind, subject_id, **more)


def by_command_everywhere(
    transaction: Transaction, kind: Kind, user_id: int | None = None, **more: Any
) -> None:
    """Record what somebody did by a command on the whole server in each account, or in those of a person."""
    chosen = transaction.account_id
    for account in accounts.list_all(transaction):
        transaction.account_id = account.id
        if user_id is None or account.id == chosen or users.of_account(transaction, user_id) is not None:
            by_command(transaction, kind, user_id, **more)
    transaction.account_id = chosen


def _new_id() -> int:
    """Return an id that nobody else has, later ones being larger; a counter would make changes wait."""
    return time.time_ns() // 1000 << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)


def canonical(document: object) -> str:
    """Return the JSON of a document in the only form that is hashed."""
    return _ENCODER.encode(document)


def hashed(text: str) -> str:
    """Return the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _credential(context: Context) -> str:
    principal = context.principal
    if context.credential:
        return context.credential
    if principal is None and context.via == COMMANDS:
        return COMMAND
    if principal is None:
        return LINK if context.transaction.address else SERVICE
    if principal.token_id:
        return f"token {principal.token_id}"
    return f"session {principal.session_id}" if principal.session_id else PASSWORD


def _personal(context: Context, credential: str, name: str) -> str:
    """Return what can be erased; the salt keeps an erased address from being found by trying all of them."""
    known = {
        "address": context.transaction.address,
        "name": name or (_operator() if credential == COMMAND else ""),
        "salt": secrets.token_hex(_SALT_BYTES),
    }
    return canonical({key: value for key, value in known.items() if value})


def _operator() -> str:
    """Return the name of the user of the operating system."""
    with suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_name
    return str(os.geteuid())


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return time_text(value)
    if value is None or isinstance(value, int):
        return value
    return str(value)[:_LONGEST]
