"""People of an account."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, required, writable


class Person(Record, frozen=True):
    """Somebody of the account as administrators see them.

    ``role`` is ``owner``, ``administrator`` or ``member``; empty for a member of projects only, and for
    somebody who does not belong to the account. ``disabled`` says whether their login opens nothing in it.
    """

    singular: ClassVar[str] = "person"
    plural: ClassVar[str] = "people"

    id: int | None = None
    name: str = ""
    email: str = ""
    role: Annotated[str, writable, required] = ""
    disabled: Annotated[bool, writable] = False
