"""What people set for themselves alone."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, writable


class Preferences(Record, frozen=True):
    """How somebody is written to: nobody else sees it.

    ``email`` is the address of the login. Mails go to it once it is verified. ``language`` and ``time_zone``
    are empty until somebody chooses them or signs in with a browser that tells them.
    """

    singular: ClassVar[str] = "preferences"
    plural: ClassVar[str] = "preferences"

    email: str = ""
    email_verified: bool = False
    language: Annotated[str, writable, longest(8)] = ""
    time_zone: Annotated[str, writable, longest(64)] = ""
