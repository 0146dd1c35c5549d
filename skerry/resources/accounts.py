"""Accounts."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class Account(Record, frozen=True):
    """The account itself: who shares its projects and people.

    ``base_url`` stands in front of the addresses in mails; if it is empty, the setting of the server holds.
    """

    singular: ClassVar[str] = "account"
    plural: ClassVar[str] = "accounts"

    base_url: Annotated[str, writable, longest(500)] = ""
    name: Annotated[str, writable, required, longest(255)] = ""
