"""Passwords."""

from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, required, writable


class Password(Record, frozen=True):
    """A change of somebody's own password; neither of the two is ever shown.

    ``revoke_tokens`` ends all of their tokens, and ``tokens_count`` says how many are valid after the change.
    """

    singular: ClassVar[str] = "password"
    plural: ClassVar[str] = "passwords"

    present: Annotated[str | UnsetType, writable, required] = UNSET
    new: Annotated[str | UnsetType, writable, required] = UNSET
    revoke_tokens: Annotated[bool | UnsetType, writable] = UNSET
    tokens_count: int = 0
