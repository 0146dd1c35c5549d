"""Tokens."""

from datetime import datetime
from typing import ClassVar

from skerry.wire.record import Record


class Token(Record, frozen=True):
    """A key to an account, or to one project of it, as its owner sees it; ``account`` is an address."""

    singular: ClassVar[str] = "token"
    plural: ClassVar[str] = "tokens"

    created_at: datetime | None = None
    note: str = ""
    project_id: int | None = None
    read_only: bool = False
    token: str = ""
    user_id: int | None = None
    account: str = ""
