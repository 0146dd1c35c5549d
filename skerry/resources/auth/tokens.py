"""Tokens."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import UNSET, Record, UnsetType, longest, writable


class Token(Record, frozen=True):
    """A key to an account, or to one of its projects, as its owner sees it; ``account`` is a URL.

    Its value, ``token``, is shown when it is created and to clients that use it; in lists it is empty. It is
    valid until ``expires_at``, for a number of ``days`` after its creation, or until it is revoked.
    """

    singular: ClassVar[str] = "token"
    plural: ClassVar[str] = "tokens"

    created_at: datetime | None = None
    note: Annotated[str, writable, longest(255)] = ""
    project_id: Annotated[int | None, writable] = None
    read_only: Annotated[bool, writable] = False
    token: str = ""
    user_id: int | None = None
    account: str = ""
    # Stand among the caller's own tokens only.
    id: int | UnsetType = UNSET
    expires_at: Annotated[datetime | UnsetType | None, writable] = UNSET
    used_at: datetime | UnsetType | None = UNSET
    days: Annotated[int | UnsetType | None, writable] = UNSET
