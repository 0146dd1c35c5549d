"""Passkeys: made, listed, renamed and removed by their owners, who sign in with them alone."""

import base64
import hashlib
import hmac
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from skerry.database.rows import timestamp, timestamp_or_none
from skerry.database.transactions import Transaction
from skerry.errors import Conflict, Invalid, NotFound, Unauthenticated
from skerry.resources.auth import Passkey
from skerry.store import accounts
from skerry.store.auth import identities, logins
from skerry.store.auth import passkeys as store
from skerry.store.auth.passkeys import StoredPasskey
from skerry.store.people import users
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import factors, passkey_answers, passkey_challenges, passwords
from skerry.tracker.auth.passkey_answers import Answer, BadAnswer, Use
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.mail import queue
from skerry.tracker.mail.queue import Alert
from skerry.wire.record import UNSET, UnsetType

MAX = 20
"""How many passkeys a person has in an account at most."""

TIMEOUT = 300_000
"""How long browsers wait for a person, in milliseconds."""

NOWHERE = "There is no such passkey"
UNKNOWN = "This passkey is not known here. Sign in in another way, and remove it from your device"
FOR_GUESTS = "Members of this site sign in with a provider, so this passkey does not work here"
TAKEN = "This passkey is registered here already"
FULL = f"You have {MAX} passkeys, and no more can be added. Remove one first"
LAST_WAY = "This is your only way to sign in. Choose a password, or add another passkey first"

_MAKE, _USE = "make", "use"
"""What challenges are for."""


def list_all(context: Context, _params: Params) -> ResultPage[Passkey]:
    """Return the caller's passkeys, the oldest first."""
    kept = store.of_user(context.transaction, context.author.user_id)
    return ResultPage(Passkey, [_as_shown(each) for each in kept])


def _as_shown(kept: StoredPasskey, codes: list[str] | UnsetType = UNSET) -> Passkey:
    return Passkey(
        id=kept.id,
        name=kept.name,
        transports=kept.transports,
        backed_up=bool(kept.backed_up),
        created_at=timestamp(kept.created_at),
        used_at=timestamp_or_none(kept.used_at),
        address=kept.address,
        recovery_codes=codes,
    )


def get(context: Context, params: Params) -> Passkey:
    """Return one of the caller's passkeys; raises NotFound."""
    return _as_shown(_one(context, params.ids["id"]))


def _one(context: Context, passkey_id: int) -> StoredPasskey:
    for kept in store.of_user(context.transaction, context.author.user_id):
        if kept.id == passkey_id:
            return kept
    raise NotFound(NOWHERE)


def new(context: Context, _params: Params) -> Passkey:
    """Return what a browser needs to make a passkey; raises NotFound where no more can be made."""
    from webauthn import generate_registration_options, options_to_json  # noqa: PLC0415 - needs memory
    from webauthn.helpers.structs import (  # noqa: PLC0415 - as above
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    transaction, author = context.transaction, context.author
    party, kept = passkey_answers.party_at(transaction.base), store.of_user(transaction, author.user_id)
    if len(kept) >= MAX:
        raise NotFound(FULL)
    options = generate_registration_options(
        rp_id=party.host,
        rp_name=accounts.name_of(transaction) or party.host,
        user_id=_handle(transaction, author.user_id),
        user_name=passwords.login_of(transaction, author.user_id).email,
        user_display_name=author.name,
        challenge=passkey_challenges.new(transaction, _MAKE, str(author.user_id)),
        timeout=TIMEOUT,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(id=base64.urlsafe_b64decode(f"{each.credential}=="))
            for each in kept
        ],
    )
    return Passkey(options=options_to_json(options))


def _handle(transaction: Transaction, user_id: int) -> bytes:
    """Return the name of a person for authenticators, which says nothing about them.

    It is the same for all of their passkeys, and that of nobody else, also beside other services of the host.
    """
    return hmac.digest(accounts.key_of(transaction), f"passkeys of {user_id}".encode(), "sha256")


def loaded(_context: Context, params: Params) -> Callable[[], Params]:
    """Return a function that loads what checks answers, which takes too long while others wait for a lock."""

    def load() -> Params:
        importlib.import_module("webauthn")
        return params

    return load


def create(context: Context, params: Params) -> Passkey:
    """Add a passkey that the caller's browser has made; their password alone is then not enough.

    Only this response contains recovery codes, if there were none. Raises Invalid for an answer that is not
    one to the caller's options, Conflict for a passkey that is known here, or one too many.
    """
    sent, transaction, user_id = params.draft_of(Passkey).new, context.transaction, context.author.user_id
    users.lock(transaction, user_id)
    if store.count(transaction, user_id) >= MAX:
        raise Conflict(FULL)
    try:
        answer = passkey_answers.read("" if sent.answer is UNSET else sent.answer)
        passkey_challenges.check(transaction, answer.challenge, _MAKE, str(user_id))
        made = passkey_answers.made(answer, passkey_answers.party_at(transaction.base))
        passkey_challenges.answer(transaction, answer.challenge)
    except BadAnswer as error:
        raise Invalid(str(error)) from error
    if store.find(transaction, made.credential):
        raise Conflict(TAKEN)
    passkey_id = store.add(transaction, user_id, sent.name, made)
    codes = factors.need(context)
    audit.record(context, Kind.PASSKEY_CREATED, passkey_id)
    queue.send_alert(transaction, user_id, Alert.PASSKEY_CREATED, sent.name)
    return _as_shown(_one(context, passkey_id), codes)


def update(context: Context, params: Params) -> Passkey:
    """Rename one of the caller's passkeys; raises NotFound."""
    users.lock(context.transaction, context.author.user_id)
    kept = _one(context, params.ids["id"])
    name = params.draft_of(Passkey).over(_as_shown(kept)).name
    if name != kept.name:
        store.rename(context.transaction, kept.user_id, kept.id, name)
        audit.record(context, Kind.PASSKEY_UPDATED, kept.id)
    return _as_shown(_one(context, kept.id))


def remove(context: Context, params: Params) -> None:
    """Remove one of the caller's passkeys; raises NotFound, or Conflict for the last way to sign in."""
    transaction = context.transaction
    users.lock(transaction, context.author.user_id)
    kept = _one(context, params.ids["id"])
    login = passwords.login_of(transaction, kept.user_id)
    is_last = store.count(transaction, kept.user_id) == 1
    if is_last and not login.password_hash and not identities.of_user(transaction, kept.user_id):
        raise Conflict(LAST_WAY)
    store.remove(transaction, kept.user_id, kept.id)
    factors.need_less(context)
    audit.record(context, Kind.PASSKEY_DELETED, kept.id)
    queue.send_alert(transaction, kept.user_id, Alert.PASSKEY_DELETED, kept.name)


def options(transaction: Transaction, browser: str) -> dict[str, object]:
    """Return what a browser needs to sign somebody in; raises NotFound where there are none.

    It says nothing about who has one: the browser knows which it has for this host.
    """
    challenge = passkey_challenges.new(transaction, _USE, _of(browser))
    return {
        "challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
        "rpId": passkey_answers.party_at(transaction.base).host,
        "timeout": TIMEOUT,
        "userVerification": "required",
    }


def _of(browser: str) -> str:
    """Return what binds a challenge to the browser with a secret."""
    return hashlib.sha256(browser.encode()).hexdigest()


def owner_of(transaction: Transaction, text: str) -> int:
    """Return whose passkey an answer names, 0 if it names none; nothing is proven yet."""
    with suppress(BadAnswer):
        kept = store.find(transaction, passkey_answers.read(text).credential)
        return kept.user_id if kept else 0
    return 0


def check(transaction: Transaction, text: str, browser: str) -> None:
    """Raise Unauthenticated unless an answer signs somebody in in this browser now."""
    with _refusing():
        _used(transaction, passkey_answers.read(text), browser)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except BadAnswer as error:
        raise Unauthenticated(str(error)) from error


def _used(transaction: Transaction, answer: Answer, browser: str) -> tuple[StoredPasskey, Use]:
    """Return the passkey that was used, and what it says; raises BadAnswer.

    A disabled login is treated as missing, as with passwords.
    """
    passkey_challenges.check(transaction, answer.challenge, _USE, _of(browser))
    kept = store.find(transaction, answer.credential)
    login = logins.of_user(transaction, kept.user_id) if kept else None
    if kept is None or login is None or login.disabled_at is not None:
        raise BadAnswer(UNKNOWN)
    if login.needs_provider:
        raise BadAnswer(FOR_GUESTS)
    if transaction.writes:
        # A concurrent new password may end all passkeys, and would not see the new session.
        logins.lock(transaction, login.email)
    used = passkey_answers.used(answer, passkey_answers.party_at(transaction.base), kept)
    if not hmac.compare_digest(used.handle, _handle(transaction, kept.user_id)):
        raise BadAnswer(passkey_answers.REFUSED)
    return kept, used


def sign_in(transaction: Transaction, text: str, browser: str) -> StoredPasskey:
    """Return the passkey with which somebody signs in, and record its use; raises Unauthenticated."""
    with _refusing():
        answer = passkey_answers.read(text)
        kept, used = _used(transaction, answer, browser)
        passkey_challenges.answer(transaction, answer.challenge)
        if not store.used(transaction, kept, used.counter, backed_up=used.backed_up):
            raise BadAnswer(passkey_answers.REFUSED)
        return kept
