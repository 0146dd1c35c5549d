"""Verification of mail addresses, and password resets by mail."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class Verification(Record, frozen=True):
    """The address that a mailed link verifies."""

    singular: ClassVar[str] = "verification"
    plural: ClassVar[str] = "verifications"

    email: str = ""


class PasswordReset(Record, frozen=True):
    """The address to which a link for a new password is sent."""

    singular: ClassVar[str] = "password_reset"
    plural: ClassVar[str] = "password_resets"

    email: Annotated[str, writable, required, longest(254)] = ""


class NewPassword(Record, frozen=True):
    """What someone sees and enters after following such a link; the password is never shown.

    ``revoke_tokens`` revokes the ``tokens_count`` valid tokens.
    """

    singular: ClassVar[str] = "new_password"
    plural: ClassVar[str] = "new_passwords"

    email: str = ""
    password: Annotated[str, writable, required] = ""
    tokens_count: int = 0
    revoke_tokens: Annotated[bool, writable] = False
