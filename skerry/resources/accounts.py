"""Accounts."""

from typing import Annotated, ClassVar

from skerry.wire.record import Record, longest, required, writable


class Account(Record, frozen=True):
    """The account itself: who shares its projects and people."""

    singular: ClassVar[str] = "account"
    plural: ClassVar[str] = "accounts"

    name: Annotated[str, writable, required, longest(255)] = ""
