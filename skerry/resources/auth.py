"""The declarations of credentials, invitations and sign-in."""

from datetime import datetime
from typing import Annotated

from skerry.wire.record import UNSET, Items, Record, UnsetType, longest, required, writable

OFF, APPROVAL, OPEN = CHOICES = ("off", "approval", "open")
"""Who may sign up in an account: nobody, whoever an administrator approves, or everybody."""


class Token(Record, frozen=True):
    """A key to an account, or to one of its projects, as its owner sees it; ``account`` is a URL.

    Its value, ``token``, is shown when it is created and to clients that use it; in lists it is empty. It is
    valid until ``expires_at``, for a number of ``days`` after its creation, or until it is revoked. The
    words of ``scopes`` limit what it may do; ``address`` is the network that last used it.
    """

    singular, plural = "token", "tokens"
    decides_access = True

    created_at: datetime | None = None
    note: Annotated[str, writable, longest(255)] = ""
    project_id: Annotated[int | None, writable] = None
    read_only: Annotated[bool, writable] = False
    token: str = ""
    user_id: int | None = None
    account: str = ""
    # Only the list of the caller's own tokens has these fields.
    id: int | UnsetType = UNSET
    expires_at: Annotated[datetime | UnsetType | None, writable] = UNSET
    used_at: datetime | UnsetType | None = UNSET
    address: str | UnsetType = UNSET
    # A token that is not limited says nothing when it is looked up, as clients know it.
    scopes: Annotated[str | UnsetType, writable, longest(255)] = UNSET
    days: Annotated[int | UnsetType | None, writable] = UNSET


class TokenRequest(Record, frozen=True):
    """A program on the caller's machine that asks for a token, and waits for the answer at a ``port``.

    ``challenge`` is the hash of a verifier that it alone knows, and ``state`` tells it that the answer is to
    its question. The answer is a ``code``, which it exchanges for the token until ``expires_at``.
    """

    singular, plural = "token_request", "token_requests"
    decides_access = True

    challenge: Annotated[str, writable] = ""
    code: str = ""
    expires_at: datetime | None = None
    note: Annotated[str, writable, longest(255)] = ""
    port: Annotated[int, writable] = 0
    read_only: Annotated[bool, writable] = False
    state: Annotated[str, writable] = ""


class TokenProof(Record, frozen=True):
    """The ``verifier`` of a program that exchanges a code for a token."""

    singular, plural = "token_proof", "token_proofs"

    verifier: Annotated[str, writable] = ""


class Session(Record, frozen=True):
    """A browser in which a user is signed in; ``current`` marks the one making the request."""

    singular, plural = "session", "sessions"
    decides_access = True

    id: int | None = None
    agent: str = ""
    address: str = ""
    created_at: datetime | None = None
    used_at: datetime | None = None
    current: bool = False


class Identity(Record, frozen=True):
    """An account at an OpenID Connect provider with which a user signs in; ``email`` is its address there."""

    singular, plural = "identity", "identities"
    decides_access = True

    id: int | None = None
    provider: str = ""
    email: str = ""
    created_at: datetime | None = None
    used_at: datetime | None = None


class TimeCodes(Record, frozen=True):
    """The codes of an app, which change every thirty seconds (RFC 6238).

    ``secret`` and ``uri``, for the app, are only shown when setting up begins. ``code`` is one of the app,
    which ends it; then ``active`` is true, and ``recovery_codes`` are shown once if there were none.
    """

    singular, plural = "time_codes", "time_codes"
    decides_access = True

    active: bool = False
    code: Annotated[str | UnsetType, writable, required, longest(64)] = UNSET
    confirmed_at: datetime | None = None
    recovery_codes: list[str] | UnsetType = UNSET
    secret: str | UnsetType = UNSET
    uri: str | UnsetType = UNSET
    used_at: datetime | None = None


class RecoveryCodes(Record, frozen=True):
    """Codes for when the second factor is lost; each works once.

    ``left`` is how many were not used; ``codes`` are only shown when they are made.
    """

    singular, plural = "recovery_codes", "recovery_codes"
    decides_access = True

    codes: list[str] | UnsetType = UNSET
    left: int = 0


class Passkey(Record, frozen=True):
    """A passkey with which a user signs in; ``address`` is the network that last used it.

    ``options`` are, in a new one, what a browser needs to make it, as JSON (a
    ``PublicKeyCredentialCreationOptionsJSON`` of WebAuthn); ``answer`` is what the browser returns then.
    ``transports`` say how the browser reaches it, ``backed_up`` that it is on several devices.
    ``recovery_codes`` are shown once, when it is made, if there were none.
    """

    singular, plural = "passkey", "passkeys"
    decides_access = True

    id: int | None = None
    name: Annotated[str, writable, required, longest(255)] = ""
    transports: str = ""
    backed_up: bool = False
    created_at: datetime | None = None
    used_at: datetime | None = None
    address: str = ""
    options: str | UnsetType = UNSET
    answer: Annotated[str | UnsetType, writable, longest(16384)] = UNSET
    recovery_codes: list[str] | UnsetType = UNSET


class Password(Record, frozen=True):
    """A change of one's own password; neither password is ever shown.

    ``revoke_tokens`` revokes all tokens of the user. ``tokens_count`` is the number of tokens that are valid
    after the change.
    """

    singular, plural = "password", "passwords"

    present: Annotated[str | UnsetType, writable, required] = UNSET
    new: Annotated[str | UnsetType, writable, required] = UNSET
    revoke_tokens: Annotated[bool | UnsetType, writable] = UNSET
    tokens_count: int = 0


class Verification(Record, frozen=True):
    """The address that a mailed link verifies."""

    singular, plural = "verification", "verifications"

    email: str = ""


class PasswordReset(Record, frozen=True):
    """The address to which a link for a new password is sent."""

    singular, plural = "password_reset", "password_resets"

    email: Annotated[str, writable, required, longest(254)] = ""


class ChosenPassword(Record, frozen=True):
    """What someone sees and enters after following such a link; the password is never shown.

    ``revoke_tokens`` revokes the ``tokens_count`` valid tokens. Passkeys and links to providers, which
    somebody else may have added, end unless ``remove_passkeys`` and ``remove_identities`` are false.
    """

    singular, plural = "new_password", "new_passwords"

    email: str = ""
    identities_count: int = 0
    passkeys_count: int = 0
    password: Annotated[str, writable, required] = ""
    tokens_count: int = 0
    remove_identities: Annotated[bool, writable] = True
    remove_passkeys: Annotated[bool, writable] = True
    revoke_tokens: Annotated[bool, writable] = False


class Invitation(Record, frozen=True):
    """A link that lets someone choose a password once, until it expires.

    For an existing user, ``user_id``, it resets the password. Anybody else joins the account with a ``role``,
    or one project. ``url`` is only shown when the invitation is created, and not if the link is sent by mail.
    """

    singular, plural = "invitation", "invitations"
    decides_access = True

    created_at: datetime | None = None
    creator_id: int | None = None
    email: Annotated[str, writable, required, longest(254)] = ""
    expires_at: datetime | None = None
    id: int | None = None
    name: Annotated[str, writable, longest(255)] = ""
    project_id: Annotated[int | None, writable] = None
    role: Annotated[str, writable] = ""
    user_id: int | None = None
    url: str | UnsetType = UNSET


class Refusal(Record, frozen=True):
    """An address of a batch that was not invited, and why."""

    singular, plural = "refusal", "refusals"

    email: str = ""
    reason: str = ""


class InvitationBatch(Record, frozen=True):
    """Invitations of several addresses with the same ``role`` and project.

    Each address is judged by itself: ``refusals`` are those that were not invited.
    """

    singular, plural = "invitation_batch", "invitation_batches"
    decides_access = True

    emails: Annotated[list[str], writable] = []
    invitations: Annotated[list[Invitation] | UnsetType, Items("invitation", "Invitation")] = UNSET
    project_id: Annotated[int | None, writable] = None
    refusals: Annotated[list[Refusal] | UnsetType, Items("refusal", "Refusal")] = UNSET
    role: Annotated[str, writable] = ""


class Welcome(Record, frozen=True):
    """What someone sees and enters after following an invitation; the password is never shown.

    People who are signed in with the invited address enter nothing. A user who resets a password has
    ``tokens_count`` valid tokens, which ``revoke_tokens`` revokes, and passkeys and links to providers, which
    end unless ``remove_passkeys`` and ``remove_identities`` are false.
    """

    singular, plural = "welcome", "welcomes"

    email: str = ""
    name: Annotated[str, writable, longest(255)] = ""
    identities_count: int = 0
    passkeys_count: int = 0
    password: Annotated[str, writable] = ""
    tokens_count: int = 0
    remove_identities: Annotated[bool, writable] = True
    remove_passkeys: Annotated[bool, writable] = True
    revoke_tokens: Annotated[bool, writable] = False


class SetUp(Record, frozen=True):
    """The details of the owner who sets up a new service; the password is never shown."""

    singular, plural = "set_up", "set_ups"

    account: Annotated[str, writable, required, longest(255)] = ""
    name: Annotated[str, writable, required, longest(255)] = ""
    email: Annotated[str, writable, required, longest(254)] = ""
    password: Annotated[str, writable, required] = ""


class SignUp(Record, frozen=True):
    """The address to which a link is mailed, with which somebody signs up.

    ``language`` is that of the mail.
    """

    singular, plural = "sign_up", "sign_ups"

    email: Annotated[str, writable, required, longest(254)] = ""
    language: Annotated[str, writable, longest(16)] = ""
    name: Annotated[str, writable, required, longest(255)] = ""


class JoiningPerson(Record, frozen=True):
    """What somebody who signs up sees and enters after following the link; the password is never shown.

    ``state`` is ``joined`` for somebody who may sign in, and ``waiting`` if an administrator decides first.
    """

    singular, plural = "new_person", "new_people"

    email: str = ""
    id: int | None = None
    name: Annotated[str, writable, longest(255)] = ""
    password: Annotated[str, writable, required] = ""
    state: str = ""


class Applicant(Record, frozen=True):
    """Somebody who has proved their address and waits for an administrator to approve them."""

    singular, plural = "applicant", "applicants"
    decides_access = True

    email: str = ""
    id: int | None = None
    name: str = ""
    proved_at: datetime | None = None


class Decision(Record, frozen=True):
    """The approval or the refusal of applicants, by their ``ids``; ``count`` is how many still waited."""

    singular, plural = "decision", "decisions"
    decides_access = True

    approve: Annotated[bool, writable] = False
    count: int = 0
    ids: Annotated[list[int], writable] = []
