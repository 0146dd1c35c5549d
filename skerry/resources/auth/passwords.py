"""Passwords."""

from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, required, writable


class Password(Record, frozen=True):
    """A change of one's own password; neither password is ever shown.

    ``revoke_tokens`` revokes all tokens of the user. ``tokens_count`` is the number of tokens that are valid
    after the change.
    """

    singular: ClassVar[str] = "password"
    plural: ClassVar[str] = "passwords"

    present: Annotated[str | UnsetType, writable, required] = UNSET
    new: Annotated[str | UnsetType, writable, required] = UNSET
    revoke_tokens: Annotated[bool | UnsetType, writable] = UNSET
    tokens_count: int = 0
