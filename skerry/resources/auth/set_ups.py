"""The set-up of a new service."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class SetUp(Record, frozen=True):
    """The details of the owner who sets up a new service; the password is never shown."""

    singular: ClassVar[str] = "set_up"
    plural: ClassVar[str] = "set_ups"

    account: Annotated[str, writable, required, longest(255)] = ""
    name: Annotated[str, writable, required, longest(255)] = ""
    email: Annotated[str, writable, required, longest(254)] = ""
    password: Annotated[str, writable, required] = ""
