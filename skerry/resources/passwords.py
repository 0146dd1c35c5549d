"""Passwords."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, required, writable


class Password(Record, frozen=True):
    """A change of somebody's own password; neither of the two is ever shown."""

    singular: ClassVar[str] = "password"
    plural: ClassVar[str] = "passwords"

    present: Annotated[str, writable, required] = ""
    new: Annotated[str, writable, required] = ""
