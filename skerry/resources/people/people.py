"""People of an account."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, required, writable


class Person(Record, frozen=True):
    """A person of the account, as administrators see them.

    ``role`` is ``owner``, ``administrator`` or ``member``; it is empty for people who are only members of
    projects or do not belong to the account. ``disabled`` says whether their login is disabled in the
    account.
    """

    singular: ClassVar[str] = "person"
    plural: ClassVar[str] = "people"

    id: int | None = None
    name: str = ""
    email: str = ""
    role: Annotated[str, writable, required] = ""
    disabled: Annotated[bool, writable] = False
