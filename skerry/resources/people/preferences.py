"""Private preferences of people."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, writable


class Preferences(Record, frozen=True):
    """A user's preferences; nobody else sees them.

    ``email`` is the address of the login. Mail is sent to it once it is verified. ``language`` and
    ``time_zone`` are empty until the user chooses them or signs in with a browser that sends them. ``mail``
    says how often this account mails notifications: ``at_once``, ``daily``, ``weekly`` or ``none``.
    """

    singular: ClassVar[str] = "preferences"
    plural: ClassVar[str] = "preferences"

    email: str = ""
    email_verified: bool = False
    language: Annotated[str, writable, longest(8)] = ""
    mail: Annotated[str, writable, longest(16)] = "at_once"
    time_zone: Annotated[str, writable, longest(64)] = ""
