"""Second factors of people in an account: time codes and recovery codes."""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, delete, func, insert, select, update

from skerry.database.statements import Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store import sealed_columns
from skerry.store.auth import passkeys
from skerry.store.auth.account_logins import setting
from skerry.store.sealed_columns import TIME_CODES
from skerry.store.tables import account_logins, recovery_codes, time_codes


class State(NamedTuple):
    """A person's second factors: since when one is needed, when time codes began and were last used."""

    factor_at: int | None = None
    confirmed_at: int | None = None
    used_at: int | None = None
    recovery_codes: int = 0


class TimeCodes(NamedTuple):
    """A person's secret for time codes, and the wrong codes since the last right one."""

    secret: str
    created_at: int
    confirmed_at: int | None
    failures: int
    failed_at: int | None


_BY_USER = and_(in_account(time_codes), time_codes.c.user_id == bindparam("of_user"))
_RECOVERY_OF_USER = and_(in_account(recovery_codes), recovery_codes.c.user_id == bindparam("of_user"))
_HERE = and_(in_account(account_logins), account_logins.c.user_id == bindparam("of_user"))

_STATE = Statement(
    select(
        account_logins.c.factor_at,
        time_codes.c.confirmed_at,
        time_codes.c.used_at,
        select(func.count()).select_from(recovery_codes).where(_RECOVERY_OF_USER).scalar_subquery(),
    )
    .select_from(
        account_logins.outerjoin(
            time_codes, and_(in_account(time_codes), time_codes.c.user_id == account_logins.c.user_id)
        )
    )
    .where(_HERE)
)

_found = select(*(time_codes.c[name] for name in TimeCodes._fields)).where(_BY_USER)
_GET, _GET_LOCKED = Statement(_found), Statement(_found.with_for_update())

_INSERT = Statement(insert(time_codes))
_REMOVE = Statement(delete(time_codes).where(_BY_USER))

# Each statement that accepts a code compares its time step with the last one, so that of two requests with
# the same code one is refused.
_IS_NEWER = time_codes.c.last_step < bindparam("step")

_CONFIRM = Statement(
    update(time_codes)
    .where(_BY_USER, time_codes.c.confirmed_at.is_(None), _IS_NEWER)
    .values(confirmed_at=bindparam("now"), last_step=bindparam("step"))
)

_USE = Statement(
    update(time_codes)
    .where(_BY_USER, time_codes.c.confirmed_at.is_not(None), _IS_NEWER)
    .values(used_at=bindparam("now"), last_step=bindparam("step"), failures=0)
)

_FAIL = Statement(
    update(time_codes).where(_BY_USER).values(failures=time_codes.c.failures + 1, failed_at=bindparam("now"))
)

_INSERT_RECOVERY = Statement(insert(recovery_codes))
_REMOVE_RECOVERY = Statement(delete(recovery_codes).where(_RECOVERY_OF_USER))
_USE_RECOVERY = Statement(
    delete(recovery_codes).where(_RECOVERY_OF_USER, recovery_codes.c.hash == bindparam("hash"))
)

_NEED = setting("factor_at", "WHERE account_logins.factor_at IS NULL")

_NEED_NO_MORE = Statement(update(account_logins).where(_HERE).values(factor_at=None))


def state(transaction: Transaction, user_id: int) -> State:
    """Return what a person has."""
    row = transaction.one(_STATE, of_user=user_id)
    return State(*row) if row else State()


def time_codes_of(transaction: Transaction, user_id: int, *, lock: bool = False) -> TimeCodes | None:
    """Return a person's secret for time codes, confirmed or not; raises SecretUnreadable.

    With ``lock`` no other request uses a code of theirs until the transaction ends.
    """
    row = transaction.one(_GET_LOCKED if lock else _GET, of_user=user_id)
    if row is None:
        return None
    place = TIME_CODES.place("secret", transaction.account_id, user_id)
    return TimeCodes(sealed_columns.unseal(transaction, row[0], place), *row[1:])


def start(transaction: Transaction, user_id: int, secret: str) -> None:
    """Store a secret that is not confirmed yet; it replaces the previous one. Raises SecretUnreadable."""
    place = TIME_CODES.place("secret", transaction.account_id, user_id)
    transaction.run(_REMOVE, of_user=user_id)
    transaction.run(
        _INSERT,
        user_id=user_id,
        secret=sealed_columns.seal(transaction, secret, place),
        created_at=transaction.now,
        confirmed_at=None,
        used_at=None,
        last_step=0,
        failures=0,
        failed_at=None,
    )


def confirm(transaction: Transaction, user_id: int, step: int) -> bool:
    """Confirm a secret with the code of a time step; return whether it waited for that."""
    return bool(transaction.changed(_CONFIRM, of_user=user_id, step=step, now=transaction.now))


def use(transaction: Transaction, user_id: int, step: int) -> bool:
    """Use the code of a time step; return whether neither it nor a later one was used before."""
    return bool(transaction.changed(_USE, of_user=user_id, step=step, now=transaction.now))


def fail(transaction: Transaction, user_id: int) -> None:
    """Count a wrong code."""
    transaction.run(_FAIL, of_user=user_id, now=transaction.now)


def remove_time_codes(transaction: Transaction, user_id: int) -> None:
    """Remove a person's secret, if there is one."""
    transaction.run(_REMOVE, of_user=user_id)


def replace_recovery_codes(transaction: Transaction, user_id: int, hashes: list[str]) -> None:
    """Store the hashes of new recovery codes; the previous ones stop working."""
    transaction.run(_REMOVE_RECOVERY, of_user=user_id)
    transaction.run_many(_INSERT_RECOVERY, [{"user_id": user_id, "hash": each} for each in hashes])


def use_recovery_code(transaction: Transaction, user_id: int, hashed: str) -> bool:
    """Use up a recovery code; return whether there was such a code."""
    return bool(transaction.changed(_USE_RECOVERY, of_user=user_id, hash=hashed))


def need(transaction: Transaction, user_id: int, *, needed: bool) -> None:
    """Store whether a password is not enough to sign in."""
    if needed:
        transaction.run(_NEED, user=user_id, value=transaction.now)
    else:
        transaction.run(_NEED_NO_MORE, of_user=user_id)


def remove_rest(transaction: Transaction, user_id: int) -> None:
    """Remove what belongs to second factors if a person has neither time codes nor passkeys any more."""
    if state(transaction, user_id).confirmed_at is None and not passkeys.count(transaction, user_id):
        remove_all(transaction, user_id)


def remove_all(transaction: Transaction, user_id: int) -> None:
    """Remove everything that a person has."""
    remove_time_codes(transaction, user_id)
    passkeys.remove_all(transaction, user_id)
    replace_recovery_codes(transaction, user_id, [])
    need(transaction, user_id, needed=False)
