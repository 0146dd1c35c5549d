"""Second factors: time codes of an app (RFC 6238), and recovery codes for when it is lost."""

import base64
import hmac
import re
import secrets as random
from typing import NamedTuple

from skerry.database.rows import timestamp, timestamp_or_none
from skerry.database.transactions import HOUR, SECOND, Transaction
from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.auth import RecoveryCodes, TimeCodes
from skerry.store import accounts
from skerry.store.auth import factors as store
from skerry.store.auth import identities, sessions
from skerry.store.people import users
from skerry.store.people.person import StoredPerson
from skerry.tracker import secrets
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import passwords
from skerry.tracker.context import Context, Params
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.wire.record import UNSET, UnsetType

ALREADY = "You have set up an app already. Remove it first to set up another one"
NOTHING = "You have not set up an app"
NO_FACTOR = "You have no second factor, so there is nothing to recover"
TOO_LATE = "Setting up took too long. Begin again"
WRONG = "This code is wrong. Type the one that the app shows now; the clock of its device must be right"
HAS_NONE = "This person has no second factor and no linked provider"

CODE, RECOVERY_CODE = "code", "recovery code"
"""The credentials that a second factor is, for the log of security events."""

_RECOVERY_CODES = 10
_BYTES = 15
_GROUP = 6
_RECOVERY_CODE = re.compile(r"[a-z2-7]{24}")
_CODE = re.compile(r"[0-9]{6}")
_PERIOD = 30

_FREE_FAILURES = 10
_LONGEST_WAIT = 3600
_LONG_AGO = "0001-01-01"
_MAX_ISSUER, _MAX_NAME = 40, 100


class Outcome(NamedTuple):
    """The credential that a typed code was, empty if it is wrong; or how many seconds codes must wait."""

    by: str = ""
    wait: int = 0


class Overview(NamedTuple):
    """What somebody has."""

    codes: TimeCodes
    recovery: RecoveryCodes


def overview(context: Context) -> Overview:
    """Return what the caller has."""
    has = store.state(context.transaction, context.author.user_id)
    codes = TimeCodes(
        active=has.confirmed_at is not None,
        confirmed_at=timestamp_or_none(has.confirmed_at),
        used_at=timestamp_or_none(has.used_at),
    )
    return Overview(codes, RecoveryCodes(left=has.recovery_codes))


class Demand(NamedTuple):
    """The day from which somebody needs a second factor, empty if never, and whether it has come."""

    day: str
    has_come: bool


def demand(transaction: Transaction, role: str | None, day: str | None) -> Demand:
    """Return what is demanded of somebody with a role; ``day`` is what the account demands.

    The setting of the server demands it of administrators at once. Days are in UTC.
    """
    if transaction.administrators_need_factors and role in ("owner", "administrator"):
        return Demand(_LONG_AGO, has_come=True)
    today = timestamp(transaction.now).date().isoformat()
    return Demand(day, day <= today) if day else Demand("", has_come=False)


def get(context: Context, _params: Params) -> TimeCodes:
    """Return whether the caller has time codes, and since when."""
    return overview(context).codes


def recovery_codes(context: Context, _params: Params) -> RecoveryCodes:
    """Return how many recovery codes of the caller still work."""
    return overview(context).recovery


def create(context: Context, params: Params) -> TimeCodes:
    """Begin to set up time codes with a new secret, which counts when its first code is typed.

    Raises Conflict if they are set up already.
    """
    if get(context, params).active:
        raise Conflict(ALREADY)
    import pyotp  # noqa: PLC0415 - few need it

    secret = pyotp.random_base32()
    store.start(context.transaction, context.author.user_id, secret)
    return TimeCodes(secret=secret, uri=uri(context, secret))


def pending(context: Context) -> str:
    """Return the caller's secret that waits for its first code; empty if there is none."""
    begun = store.time_codes_of(context.transaction, context.author.user_id)
    return begun.secret if begun and _waits(context.transaction, begun) else ""


def _waits(transaction: Transaction, begun: store.TimeCodes) -> bool:
    return begun.confirmed_at is None and transaction.now < begun.created_at + HOUR


def uri(context: Context, secret: str) -> str:
    """Return the address that an app reads from a QR code; long names are cut so that they fit into it."""
    import pyotp  # noqa: PLC0415 - few need it

    transaction = context.transaction
    email = passwords.login_of(transaction, context.author.user_id).email
    issuer = accounts.name_of(transaction)[:_MAX_ISSUER]
    return pyotp.TOTP(secret).provisioning_uri(name=email[:_MAX_NAME], issuer_name=issuer)


def confirm(context: Context, params: Params) -> TimeCodes:
    """End setting up with the first code; from now on the caller's password is not enough to sign in.

    Raises NotFound if it was not begun, Conflict if it has ended, Invalid for a wrong code or if it was begun
    too long ago.
    """
    transaction, user_id = context.transaction, context.author.user_id
    users.lock(transaction, user_id)
    begun = store.time_codes_of(transaction, user_id, lock=True)
    if begun is None:
        raise NotFound(NOTHING)
    if begun.confirmed_at is not None:
        raise Conflict(ALREADY)
    if not _waits(transaction, begun):
        raise Invalid(TOO_LATE)
    step = _step_of(begun.secret, _typed(params.draft_of(TimeCodes).new.code or ""), transaction.now)
    if not step or not store.confirm(transaction, user_id, step):
        raise Invalid(WRONG)
    audit.record(context, Kind.FACTOR_CREATED, user_id, details={"factor": CODE})
    queue.send_alert(transaction, user_id, Alert.FACTOR_CREATED)
    made = need(context)
    return TimeCodes(active=True, confirmed_at=timestamp(transaction.now), recovery_codes=made)


def need(context: Context) -> list[str] | UnsetType:
    """Make the caller's password not enough to sign in; return recovery codes if they had none.

    With these, as with the first factor, their other sessions end, because those began with less.
    """
    transaction, author = context.transaction, context.author
    store.need(transaction, author.user_id, needed=True)
    if store.state(transaction, author.user_id).recovery_codes:
        return UNSET
    _end_other_sessions(context)
    return _new_recovery_codes(transaction, author.user_id)


def _end_other_sessions(context: Context) -> None:
    author = context.author
    if sessions.end_others_here(context.transaction, author.user_id, author.session_id):
        audit.record(context, Kind.SESSION_ENDED, details={"others": True})


def need_less(context: Context) -> None:
    """Remove what belongs to the caller's factors if one that was removed was the last.

    Their other sessions end, because the factor may have been lost with a device that is signed in.
    """
    store.remove_rest(context.transaction, context.author.user_id)
    _end_other_sessions(context)


def remove(context: Context, _params: Params) -> None:
    """Remove the caller's time codes, and the recovery codes with their last factor; raises NotFound."""
    transaction, user_id = context.transaction, context.author.user_id
    users.lock(transaction, user_id)
    if store.state(transaction, user_id).confirmed_at is None:
        raise NotFound(NOTHING)
    store.remove_time_codes(transaction, user_id)
    need_less(context)
    audit.record(context, Kind.FACTOR_DELETED, user_id, details={"factor": CODE})
    queue.send_alert(transaction, user_id, Alert.FACTOR_DELETED)


def renew_recovery_codes(context: Context, _params: Params) -> RecoveryCodes:
    """Replace the caller's recovery codes; only this response contains them.

    Raises Conflict if they have no second factor.
    """
    transaction, user_id = context.transaction, context.author.user_id
    if store.state(transaction, user_id).factor_at is None:
        raise Conflict(NO_FACTOR)
    made = _new_recovery_codes(transaction, user_id)
    audit.record(context, Kind.RECOVERY_CODES_CREATED, user_id)
    queue.send_alert(transaction, user_id, Alert.RECOVERY_CODES_CREATED)
    return RecoveryCodes(codes=made, left=len(made))


def _new_recovery_codes(transaction: Transaction, user_id: int) -> list[str]:
    # With more than 112 random bits they need no slow hash, so each can be looked up.
    made = [base64.b32encode(random.token_bytes(_BYTES)).decode().lower() for _ in range(_RECOVERY_CODES)]
    store.replace_recovery_codes(transaction, user_id, [secrets.hash_token(code) for code in made])
    return ["-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP)) for code in made]


def accept(transaction: Transaction, user_id: int, code: str) -> Outcome:
    """Use up a typed code of a person who signs in; a wrong one is counted, so this must be committed.

    A recovery code works even while time codes must wait, because it cannot be guessed. Raises
    SecretUnreadable.
    """
    typed = _typed(code)
    if _RECOVERY_CODE.fullmatch(typed):
        if not store.use_recovery_code(transaction, user_id, secrets.hash_token(typed)):
            return Outcome()
        left = store.state(transaction, user_id).recovery_codes
        queue.send_alert(transaction, user_id, Alert.RECOVERY_CODE_USED, str(left))
        return Outcome(RECOVERY_CODE)
    return _accept_time_code(transaction, user_id, typed)


def _accept_time_code(transaction: Transaction, user_id: int, typed: str) -> Outcome:
    has = store.time_codes_of(transaction, user_id, lock=True)
    if has is None or has.confirmed_at is None:
        return Outcome()
    if wait := _wait(has, transaction.now):
        return Outcome(wait=wait)
    step = _step_of(has.secret, typed, transaction.now)
    if step and store.use(transaction, user_id, step):
        return Outcome(CODE)
    store.fail(transaction, user_id)
    if has.failures + 1 == _FREE_FAILURES:
        queue.send_alert(transaction, user_id, Alert.WRONG_CODES)
    return Outcome()


def _wait(has: store.TimeCodes, now: int) -> int:
    """Return how many seconds codes must wait: with many wrong ones in a row, up to an hour each.

    Six digits would be guessed within weeks by whoever has the password, if only each minute had a limit.
    """
    beyond = has.failures - _FREE_FAILURES
    if beyond < 0 or has.failed_at is None:
        return 0
    seconds = min(60 << min(beyond, 6), _LONGEST_WAIT)
    return max(0, has.failed_at // SECOND + seconds - now // SECOND)


def _typed(code: str) -> str:
    """Return a code without the blanks and hyphens that people type."""
    return re.sub(r"[\s-]", "", code).lower()


def _step_of(secret: str, code: str, now: int) -> int:
    """Return the time step of a code: the present one, or one beside it because clocks differ; or 0."""
    if not _CODE.fullmatch(code):
        return 0
    import pyotp  # noqa: PLC0415 - few need it

    codes, seconds = pyotp.TOTP(secret), now // SECOND
    for offset in (0, -1, 1):
        if hmac.compare_digest(codes.at(seconds, counter_offset=offset), code):
            return seconds // _PERIOD + offset
    return 0


def reset(context: Context, person: StoredPerson) -> None:
    """Remove somebody's second factors and links to providers, and end their sessions; raises Conflict."""
    has_factor = store.state(context.transaction, person.id).factor_at is not None
    if not has_factor and not identities.of_user(context.transaction, person.id):
        raise Conflict(HAS_NONE)
    store.remove_all(context.transaction, person.id)
    passwords.unlink_all(context, person.id)
    sessions.end_here(context.transaction, person.id)
    audit.record(context, Kind.FACTOR_RESET, person.id)
    queue.send_alert(context.transaction, person.id, Alert.FACTOR_RESET)


def lose_secret(transaction: Transaction, user_id: int) -> None:
    """Remove time codes whose secret cannot be read; recovery codes go on working."""
    were_used = store.state(transaction, user_id).confirmed_at is not None
    store.remove_time_codes(transaction, user_id)
    if were_used:
        queue.send_alert(transaction, user_id, Alert.FACTOR_LOST)
